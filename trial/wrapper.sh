# From here on it is the same for each task. It keeps to POSIX and its programs, and to
# what dash, bash and busybox have in common. Variables are g_: one that the machine's
# environment has would be changed for the commands as well.
set -u
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin} # some machines give none
export PATH
g_own='' # the directory that goes with the task
case $g_top in /*) ;; *) g_top=$PWD/$g_top g_own=$PWD ;; esac
case $g_out in /*) ;; *) g_out=$PWD/$g_out ;; esac
case $g_state in '' | /*) ;; *) g_state=$PWD/$g_state ;; esac
g_work='' g_pid='' g_reaped='' g_watcher='' g_starting='' g_last=''
g_setup_part='{"ran":false}' g_build_part='{"ran":false}' g_test_part='{"ran":false}'

# lost ends the task without an outcome: what is wrong is the machine.
lost() {
	printf 'gitdd: %s\n' "$*" >&2
	tidy
	exit 3
}

tidy() {
	[ -z "$g_work" ] || rm -rf "$g_work" 2>/dev/null || { chmod -R u+rwx "$g_work" && rm -rf "$g_work"; } 2>/dev/null
}

# stop is for a task that nobody wants any more.
stop() {
	trap '' TERM HUP INT
	[ -z "$g_starting" ] || [ "${!:-}" = "$g_last" ] || g_pid=$!
	[ -z "$g_watcher" ] || unwatch
	[ -z "$g_pid" ] || end 20
	tidy
	exit 143
}
trap stop TERM HUP INT

# now sets t to the time in milliseconds; where date knows seconds only, to theirs.
now() {
	g_t=$(date +%s%N)
	case $g_t in
	'' | *[!0-9]*) g_t=$(date +%s)000 ;;
	*) g_t=${g_t%??????} ;;
	esac
}

# nap waits so many milliseconds, and can be interrupted by a signal.
nap() {
	g_nap_rest=$((1000 + $1 % 1000))
	sleep "$(($1 / 1000)).${g_nap_rest#1}" 2>/dev/null &
	wait "$!" 2>/dev/null || { # this sleep does not know fractions
		sleep "$((($1 + 999) / 1000))" &
		wait "$!" 2>/dev/null
	}
}

# strays prints a file for each process that has the token of this task in its
# environment, and so was started by it, whatever group it has gone to.
strays() {
	[ -e /proc/self/environ ] || return 0
	if [ -n "$g_grep" ]; then
		grep -l "GITDD_TASK=$g_token" /proc/[0-9]*/environ 2>/dev/null
		return 0
	fi
	for g_place in /proc/[0-9]*/environ; do
		{ tr '\000' '\n' <"$g_place" | grep -q "GITDD_TASK=$g_token" && echo "$g_place"; } 2>/dev/null
	done
}

# signal sends a signal to all processes of the step.
signal() {
	if [ -n "$g_reaped" ]; then
		[ -z "$g_group" ] || kill "-$1" "-$g_pid" 2>/dev/null
	elif [ -z "$g_group" ] || ! kill "-$1" "-$g_pid" 2>/dev/null; then
		kill "-$1" "$g_pid" 2>/dev/null # it has no group of its own, or not yet
	fi
	for g_stray in $(strays); do
		g_stray=${g_stray#/proc/}
		kill "-$1" "${g_stray%/environ}" 2>/dev/null
	done
}

# left reports whether processes of the step are left.
left() {
	if [ -z "$g_reaped" ]; then
		kill -0 "$g_pid" 2>/dev/null && return 0
	fi
	[ -n "$(strays)" ] || { [ -n "$g_group" ] && kill -0 "-$g_pid" 2>/dev/null && lives; }
}

# lives reports whether the group has a process that is not dead. One whose new parent is
# slow to collect it, as the first process of many containers, is there for long.
lives() {
	[ -e /proc/self/stat ] || return 0
	for g_place in /proc/[0-9]*/stat; do
		g_rest=''
		{ read -r g_rest <"$g_place"; } 2>/dev/null
		set -- ${g_rest##*) }
		[ "${3:-}" = "$g_pid" ] && [ "$1" != Z ] && return 0
	done
	return 1
}

# end ends what is left of the step: it asks, waits at most so many tenths of a second,
# and kills. What hangs in the kernel, or belongs to another user, stays.
end() {
	left || return 0
	signal TERM
	signal CONT
	g_patience=$1
	while [ "$g_patience" -gt 0 ]; do
		nap 100
		left || return 0
		g_patience=$((g_patience - 1))
	done
	g_patience=10
	while [ "$g_patience" -gt 0 ]; do
		signal KILL
		left || return 0
		nap 50
		g_patience=$((g_patience - 1))
	done
}

# watch is a process beside the step. It keeps its limit in milliseconds, looks now and
# then whether an output grows out of all bounds, and ends all when the wrapper was killed.
watch() {
	g_busy='' g_asked='' g_own=${!:-}
	trap 'g_asked=1; [ -n "$g_busy" ] || leave' TERM
	printf '' >"$g_work/$g_o.watched"
	g_rest=$1
	while :; do
		g_piece=2000
		[ "$1" -eq 0 ] || [ "$g_rest" -ge "$g_piece" ] || g_piece=$g_rest
		nap "$g_piece"
		kill -0 "$$" 2>/dev/null || break
		[ "$g_keep" -eq 0 ] || overflow
		[ "$1" -eq 0 ] && continue
		g_rest=$((g_rest - g_piece))
		[ "$g_rest" -gt 0 ] || break
	done
	printf '' >"$g_work/$g_o.late"
	signal TERM
	signal CONT
	nap 2000
	signal KILL
	kill -0 "$$" 2>/dev/null || tidy
}

leave() {
	[ "${!:-}" = "$g_own" ] || kill "$!" 2>/dev/null
	exit 0
}

# unwatch ends it. A signal that comes to a shell between its begin and its trap may be
# lost, so that is waited for; not for ever, for it may have been killed.
unwatch() {
	g_patience=1000
	while [ ! -e "$g_work/$g_o.watched" ] && [ "$g_patience" -gt 0 ]; do
		g_patience=$((g_patience - 1))
		[ "$g_patience" -gt 900 ] || nap 10
	done
	[ "$g_patience" -gt 0 ] || kill -KILL "$g_watcher" 2>/dev/null
	kill "$g_watcher" 2>/dev/null
	wait "$g_watcher" 2>/dev/null
	g_watcher=''
}

# sizes prints the sizes of both outputs, and other words between them.
sizes() { (cd "$g_out" && wc -c "$g_o" "$g_e"); }

overflow() {
	g_busy=1
	set -- $(sizes)
	g_most=$((2 * g_keep + 1048576))
	[ "${1:-0}" -le "$g_most" ] || spill "$g_o" "$1"
	[ "${3:-0}" -le "$g_most" ] || spill "$g_e" "$3"
	g_busy=''
	[ -z "$g_asked" ] || leave
}

# spill empties an output that is too long, and keeps its head and its tail apart. What
# is printed meanwhile may be lost, beside what has to be.
spill() {
	g_had=0
	if [ -e "$g_work/$1.head" ]; then
		read -r g_had <"$g_work/$1.cut"
		cat "$g_work/$1.tail" "$g_out/$1" | tail -c "$g_tail" >"$g_work/$1.next"
		g_had=$((g_had + $2))
	else
		dd if="$g_out/$1" of="$g_work/$1.head" bs="$g_head" count=1 2>/dev/null
		tail -c "$g_tail" "$g_out/$1" >"$g_work/$1.next"
		g_had=$(($2 - g_head - g_tail))
	fi
	printf '' >"$g_out/$1"
	mv -f "$g_work/$1.next" "$g_work/$1.tail"
	printf '%d\n' "$g_had" >"$g_work/$1.cut"
}

# shorten cuts an output that is done, and adds to cut what was left out.
shorten() {
	if [ ! -e "$g_work/$1.head" ]; then
		[ "$2" -gt "$g_keep" ] || return 0
		spill "$1" "$2"
	fi
	g_had=0
	read -r g_had <"$g_work/$1.cut"
	g_rest=$(cat "$g_work/$1.tail" "$g_out/$1" | wc -c)
	[ "$g_rest" -le "$g_tail" ] || g_had=$((g_had + g_rest - g_tail))
	cat "$g_work/$1.tail" "$g_out/$1" | tail -c "$g_tail" >"$g_work/$1.next"
	{
		cat "$g_work/$1.head" &&
			printf '\n[gitdd: %d bytes of output were left out here]\n' "$g_had" &&
			cat "$g_work/$1.next"
	} >"$g_out/$1" || lost "the outputs cannot be written to $g_out"
	g_cut=$((g_cut + g_had))
}

# launch becomes the command, in a session of its own where there is a program for that.
# A shell lets what it starts in the background ignore two signals, and not change that;
# bash repairs it at exec, else GNU env does.
launch() {
	if [ -z "$g_setsid" ] && [ -z "$g_env" ]; then
		exec "$@"
	elif [ -z "$g_setsid" ]; then
		exec "$g_env" --default-signal=INT,QUIT "$@"
	elif [ -n "$g_env" ]; then
		exec "$g_setsid" "$g_env" --default-signal=INT,QUIT "$@"
	else
		exec "$g_setsid" /bin/sh -c 'exec "$@"' sh "$@"
	fi
}

# step NAME LIMIT DIRECTORY COMMAND... runs a command and sets code and part.
step() {
	g_o=$1.out g_e=$1.err g_limit=$2 g_where=$3
	[ "$1" != test ] || g_o=out g_e=err
	shift 3
	{ printf '' >"$g_out/$g_o" && printf '' >"$g_out/$g_e"; } 2>/dev/null || lost "the outputs cannot be written to $g_out"
	[ -n "$g_began" ] || now # of the first step it is the begin of all
	g_began=$g_t g_last=${!:-} g_reaped='' g_starting=1
	(
		trap - TERM HUP INT
		cd "$g_where" || exit 127
		[ -n "${HOME:-}" ] || export HOME="$g_work/tmp"
		settings
		export PWD GITDD_TASK="$g_token" GITDD_WORKSPACE="$g_top" TMPDIR="$g_work/tmp" TMP="$g_work/tmp" TEMP="$g_work/tmp"
		with "$@"
	) </dev/null >>"$g_out/$g_o" 2>>"$g_out/$g_e" &
	g_pid=$! g_starting=''
	(
		exec </dev/null >/dev/null 2>&1 # by exec, or dash keeps what was there: whoever waits for its end would wait
		watch "$g_limit"
	) &
	g_watcher=$!
	g_code=0
	wait "$g_pid" 2>/dev/null || g_code=$?
	g_reaped=1
	now
	g_span=$((g_t - g_began)) g_began=''
	[ "$g_span" -ge 0 ] || g_span=0
	unwatch
	g_timed_out=false
	if [ -e "$g_work/$g_o.late" ]; then
		g_timed_out=true
		end 20
	else
		case $g_code in
		129 | 130 | 137 | 143) nap 200 ;; # if all of the task is being ended, this wrapper hears of it now
		esac
		end 2
	fi
	g_pid=''
	g_cut=0
	if [ "$g_keep" -gt 0 ]; then
		set -- $(sizes)
		shorten "$g_o" "${1:-0}"
		shorten "$g_e" "${3:-0}"
	fi
	g_part="{\"ran\":true,\"exit\":$g_code,\"timed_out\":$g_timed_out,\"ms\":$g_span,\"cut\":$g_cut}"
}

# full prints the file system, of those in use, that has no room: what failed then says
# nothing about the files.
full() {
	df -Pk "$g_top" "$g_out" "$g_work" 2>/dev/null | while read -r g_device g_blocks g_used g_free g_rest; do
		case $g_blocks:$g_free in
		0:* | *[!0-9:]*) continue ;;
		esac
		[ "$g_free" -ge 1024 ] && continue
		printf '%s' "$g_device ($g_rest)"
		break
	done
}

# finish writes the outcome, as the last thing of all.
finish() {
	if [ "$g_code" -ne 0 ]; then
		g_without=$(full)
		[ -z "$g_without" ] || lost "the disk $g_without is full"
	fi
	printf '{"gitdd":1,"setup":%s,"build":%s,"test":%s}\n' "$g_setup_part" "$g_build_part" "$g_test_part" 2>/dev/null >"$g_out/outcome.tmp" &&
		mv -f "$g_out/outcome.tmp" "$g_out/outcome.json" || lost "the outcome cannot be written to $g_out"
	tidy
	exit 0
}

now
g_began=$g_t
g_token=$$-$g_t- # as a pattern it stands for itself
[ -d "$g_top" ] || lost "there is no directory $g_top"
mkdir -p "$g_out" || lost "the directory $g_out cannot be made"
[ ! -e "$g_out/outcome.json" ] || rm -f "$g_out/outcome.json" || lost "$g_out/outcome.json cannot be removed"
# A wrapper that is killed with all that it has started cannot tidy up: what it keeps in
# the task's own directory is removed with that.
if [ -n "$g_own" ] && [ "${#g_own}" -le 72 ] && (umask 077 && mkdir "$g_own/tmp" "$g_own/tmp/tmp") 2>/dev/null; then
	g_work=$g_own/tmp
fi
for g_place in "${TMPDIR:-/tmp}" /tmp "$g_out"; do
	[ -z "$g_work" ] || break
	case $g_place in /*) ;; *) g_place=$PWD/$g_place ;; esac
	[ "${#g_place}" -le 50 ] || [ "$g_place" = "$g_out" ] || continue # a socket has to fit below it
	(umask 077 && mkdir "$g_place/gitdd-$$-$g_t" "$g_place/gitdd-$$-$g_t/tmp") 2>/dev/null || continue
	g_work=$g_place/gitdd-$$-$g_t
	break
done
[ -n "$g_work" ] || lost "no directory for temporary files can be made in ${TMPDIR:-/tmp}, /tmp or $g_out"

g_group=1 g_grep=1 g_env=''
if [ -z "${BASH_VERSION:-}" ]; then
	if env --default-signal=INT true >/dev/null 2>&1; then
		g_env=$(command -v env)
	else # perhaps all is busybox, and one whose grep does not see what is behind a NUL
		printf 'a\000b' | grep -q b >/dev/null 2>&1 || g_grep=''
	fi
fi
if ! g_setsid=$(command -v setsid); then
	set -m 2>/dev/null # of the three only bash can do so without a terminal
	case $- in *m*) ;; *) g_group='' ;; esac
fi

if [ -n "$g_setup" ] && { [ -z "$g_state" ] || [ ! -e "$g_state/$g_mark" ]; }; then
	g_where=$g_top/$g_dir
	[ -d "$g_where" ] || g_where=$g_top # this revision does not have it
	step setup 0 "$g_where" /bin/sh -c "$g_setup"
	g_setup_part=$g_part
	[ "$g_code" -eq 0 ] || finish
	[ -z "$g_state" ] || { mkdir -p "$g_state" && printf '' >"$g_state/$g_mark"; } || lost "the setup cannot be noted in $g_state"
fi
if [ -n "$g_build" ]; then
	step build "$g_build_limit" "$g_top/$g_dir" /bin/sh -c "$g_build"
	g_build_part=$g_part
	[ "$g_code$g_timed_out" = 0false ] || finish
fi
run
g_test_part=$g_part
finish
