# From here on it is the same for each task. It keeps to POSIX and its programs, and to
# what dash, bash and busybox have in common. Variables are g_: one that the machine's
# environment has would be changed for the commands as well. What most tasks pass through
# starts no program that it can do without: each takes as long as the smallest of commands.
set -u
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin} # some machines give none
export PATH
g_own='' # the directory that goes with the task
case $g_top in /*) ;; *) g_top=$PWD/$g_top g_own=$PWD ;; esac
case $g_out in /*) ;; *) g_out=$PWD/$g_out ;; esac
case $g_state in '' | /*) ;; *) g_state=$PWD/$g_state ;; esac
g_work='' g_given='' g_pid='' g_reaped='' g_watcher='' g_starting='' g_last='' g_note='' g_round=0 g_stdin=/dev/null g_measure='' g_measured=''
g_setup_part='{"ran":false}' g_check_part='' g_build_part='{"ran":false}' g_test_part='{"ran":false}'

# lost ends the task without an outcome: what is wrong is the machine.
lost() {
	printf 'gitdd: %s\n' "$*" >&2
	tidy
	exit 3
}

# bare reports whether there is nothing in a directory, but for what is called $2.
bare() {
	[ -r "$1" ] && [ -w "$1" ] && [ -x "$1" ] || return 1
	for g_place in "$1"/* "$1"/.[!.]* "$1"/..?*; do
		[ "$g_place" = "$1/$2" ] || { [ ! -e "$g_place" ] && [ ! -L "$g_place" ]; } || return 1
	done
}

# tidy removes what this wrapper keeps; a directory that was there goes with the task.
tidy() {
	[ -z "$g_work" ] || { [ -n "$g_given" ] && bare "$g_work/tmp" ''; } || rm -rf "$g_work" 2>/dev/null || { chmod -R u+rwx "$g_work" && rm -rf "$g_work"; } 2>/dev/null
}

# private makes the workspace the task's own. There are machines that give each task links
# to what they keep for all: what is written there in place is refused, or others see it.
private() {
	[ -n "$g_twin" ] || return 0
	if [ ! -L "$g_top" ] && [ -w "$g_top" ]; then
		[ -z "$g_untouched" ] || return 0
		[ ! -w "$g_twin" ] || [ "$g_twin" -ef "$g_same" ] || return 0
	fi
	g_from=$g_top.kept
	if [ -e "$g_from" ] || [ -L "$g_from" ]; then
		# It is an earlier task's: its folders may be changed now, its files are still those of all.
		rm -rf "$g_from" 2>/dev/null ||
			{ find "$g_from" -type d -exec chmod u+rwx {} \; && rm -rf "$g_from"; } 2>/dev/null ||
			lost "$g_from, which an earlier task left, cannot be removed"
	fi
	mv "$g_top" "$g_from" || lost "$g_top is shared with other tasks, and cannot be moved"
	if [ -L "$g_from" ]; then
		mkdir "$g_top" || lost "$g_top is shared with other tasks, and no copy can be made there"
		g_from=$g_from/.
	fi
	# What the first has not kept are, where it failed, the owners.
	cp -RPp "$g_from" "$g_top" 2>/dev/null || cp -RPf "$g_top.kept/." "$g_top" || lost "$g_top is shared with other tasks, and cannot be copied"
	chmod -R u+rwX "$g_top" || lost "the copy of $g_top cannot be made writable"
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

# now sets t to a time in milliseconds. Linux tells that since the machine was started, to
# hundredths; where date knows seconds only, it is theirs. It fails where t stays as it was.
now() {
	if [ -n "$g_uptime" ]; then
		g_up=''
		{ read -r g_up g_any </proc/uptime; } 2>/dev/null
		case $g_up in
		*[!0-9.]* | *.*.*) ;;
		[0-9]*.[0-9][0-9])
			g_t=$((${g_up%.*} * 1000 + 1${g_up#*.}0 - 1000)) # no number begins with 0
			return 0
			;;
		esac
		[ -z "$g_t" ] || return 1
		g_uptime=''
	fi
	g_t=$(date +%s%N)
	case $g_t in
	'' | *[!0-9]*) g_t=$(date +%s)000 ;;
	*) g_t=${g_t%??????} ;;
	esac
}

# nap waits so many milliseconds, and can be interrupted by a signal. The first time it
# writes to the note that it has begun.
nap() {
	g_nap_rest=$((1000 + $1 % 1000))
	sleep "$(($1 / 1000)).${g_nap_rest#1}" 2>/dev/null &
	[ -z "$g_note" ] || printf '%d\n' "$!" >"$g_note"
	g_note=''
	wait "$!" 2>/dev/null || { # this sleep does not know fractions
		sleep "$((($1 + 999) / 1000))" &
		wait "$!" 2>/dev/null
	}
}

# sees sets sees to 1 where grep sees what is behind a NUL: that of busybox may not, whatever
# else there is beside it.
sees() {
	[ -z "$g_sees" ] || return 0
	g_sees=no
	! printf 'a\000b' | grep -q b >/dev/null 2>&1 || g_sees=1
}

# strays prints those of some processes, files of their environments, that have the token
# of this task there, and so were started by it, whatever group they have gone to.
strays() {
	[ -e /proc/self/environ ] || return 0
	if [ "$g_sees" = 1 ]; then
		grep -l "GITDD_TASK=$g_token" "$@" 2>/dev/null
		return 0
	fi
	for g_place; do
		g_line= # a process that has ended has no environment, and there may be a thousand of them
		{ IFS= read -r g_line <"$g_place" || [ -n "$g_line" ] || continue; } 2>/dev/null
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
	sees
	for g_stray in $(strays /proc/[0-9]*/environ); do
		g_stray=${g_stray#/proc/}
		kill "-$1" "${g_stray%/environ}" 2>/dev/null
	done
}

# left reports whether processes of the step are left.
left() {
	if [ -z "$g_reaped" ]; then
		kill -0 "$g_pid" 2>/dev/null && return 0
	fi
	recent || g_young='/proc/[0-9]*/environ'
	{ [ -n "$g_young" ] && sees && [ -n "$(strays $g_young)" ]; } ||
		{ [ -n "$g_group" ] && kill -0 "-$g_pid" 2>/dev/null && lives; }
}

# recent finds the processes that are there and began after the step's first, without a
# look at all others: sets young to files of their environments. A system gives them their
# numbers in order, and begins again from below when it comes to the highest, 32768 or more.
# So this fails when the step took longer than what a thousand of them in each millisecond
# would need for that, and where it is not certain whose numbers these are.
recent() {
	g_young=''
	[ -n "$g_reaped" ] && [ -n "$g_uptime" ] && [ /proc/self -ef "/proc/$$" ] || return 1
	now && [ "$((g_t - g_begun))" -le 20 ] && newest || return 1
	g_upto=$g_newest g_n=$g_pid
	[ "$g_upto" -ge "$g_beside" ] && [ "$((g_upto - g_n))" -le 500 ] || return 1
	while [ "$g_n" -lt "$g_upto" ]; do
		g_n=$((g_n + 1))
		[ "$g_n" = "$g_sleep" ] || [ ! -e "/proc/$g_n" ] || g_young="$g_young /proc/$g_n/environ"
	done
	newest && [ "$g_newest" = "$g_upto" ] # else one may have come while another went
}

# newest sets newest to the last number that was given.
newest() {
	g_newest=''
	{ read -r g_any g_any g_any g_any g_newest </proc/loadavg; } 2>/dev/null
	case $g_newest in '' | *[!0-9]*) return 1 ;; esac
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
	g_note=$g_work/$g_round.watched
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
	printf '' >"$g_work/$g_round.late"
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
	g_patience=2000 g_sleep=''
	while [ ! -e "$g_work/$g_round.watched" ] && [ "$g_patience" -gt 0 ]; do
		g_patience=$((g_patience - 1))
		[ "$g_patience" -gt 1000 ] || nap 10
	done
	if [ "$g_patience" -gt 0 ]; then
		read -r g_sleep <"$g_work/$g_round.watched"
	else
		kill -KILL "$g_watcher" 2>/dev/null
	fi
	kill "$g_watcher" 2>/dev/null
	wait "$g_watcher" 2>/dev/null
	g_watcher=''
}

# sizes prints the sizes of both outputs, and other words between them.
sizes() { cd "$g_out" && exec wc -c "$g_o" "$g_e"; }

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
	[ -n "$g_began" ] || now # of the first step it is the begin of all
	g_began=$g_t
	perform "$@"
	if [ -z "$g_sure" ] && [ -s "$g_out/$g_e" ] && ! resets; then
		g_env='' # it is what has failed, and has said so: the command has not begun
		perform "$@"
	fi
	g_sure=1
	g_began=''
	g_cut=0
	if [ "$g_keep" -gt 0 ] && { [ -s "$g_out/$g_o" ] || [ -s "$g_out/$g_e" ] || [ -e "$g_work/$g_o.head" ] || [ -e "$g_work/$g_e.head" ]; }; then
		set -- $(sizes)
		shorten "$g_o" "${1:-0}"
		shorten "$g_e" "${3:-0}"
	fi
	g_part="{\"ran\":true,\"exit\":$g_code,\"timed_out\":$g_timed_out,\"ms\":$g_span,\"cut\":$g_cut$g_measured}"
}

# spent sets spent to the processor time, in milliseconds, of all that this shell has started
# and waited for, or to nothing if the shell does not say.
spent() {
	g_spent=0
	times >"$g_work/times"
	{ read -r g_any && read -r g_user g_system; } <"$g_work/times"
	for g_any in "$g_user" "$g_system"; do # such as 0m1.234s; some write a comma
		g_any=${g_any%s}
		g_rest=${g_any#*[.,]}000
		g_rest=${g_rest%"${g_rest#???}"}
		g_any=${g_any%[.,]*}
		case ${g_any%%m*}${g_any#*m}$g_rest in '' | *[!0-9]*) g_spent='' && return 0 ;; esac
		g_spent=$((g_spent + (${g_any%%m*} * 60 + ${g_any#*m}) * 1000 + 1$g_rest - 1000))
	done
}

# measuring prepares a measurement of the command that begins next. That of memory sets
# clocked to the time of GNU, if it is there: that of busybox counts otherwise.
measuring() {
	g_clocked=''
	case $g_measure in
	cpu)
		spent
		g_before=$g_spent
		;;
	memory)
		program time
		[ -z "$g_at" ] || [ -L "$g_at" ] || ! "$g_at" -f %M -o "$g_work/peak" true >/dev/null 2>&1 || g_clocked=$g_at
		rm -f "$g_work/peak"
		;;
	esac
	now
	g_began=$g_t
}

# measure sets measured to what was measured of the command that has ended.
measure() {
	g_measured=''
	case $g_measure in
	cpu)
		spent
		[ -z "$g_before" ] || [ -z "$g_spent" ] || g_measured=",\"cpu_ms\":$((g_spent - g_before))"
		;;
	memory)
		g_any=''
		[ -z "$g_clocked" ] || { read -r g_any <"$g_work/peak"; } 2>/dev/null
		case $g_any in '' | *[!0-9]*) ;; *) g_measured=",\"peak_kib\":$g_any" ;; esac
		;;
	esac
}

# perform runs the command of a step, and ends what it leaves behind.
perform() {
	[ -z "$g_measure" ] || measuring
	{ printf '' >"$g_out/$g_o" && printf '' >"$g_out/$g_e"; } 2>/dev/null || lost "the outputs cannot be written to $g_out"
	g_begun=$g_t g_round=$((g_round + 1)) g_last=${!:-} g_reaped='' g_starting=1
	(
		trap - TERM HUP INT
		cd "$g_where" || exit 127
		[ -n "${HOME:-}" ] || export HOME="$g_work/tmp"
		export PWD GITDD_TASK="$g_token" GITDD_WORKSPACE="$g_top" TMPDIR="$g_work/tmp" TMP="$g_work/tmp" TEMP="$g_work/tmp"
		settings
		[ -z "$g_measure" ] || [ -z "$g_clocked" ] || set -- "$g_clocked" -f %M -o "$g_work/peak" "$@"
		with "$@"
	) <"$g_stdin" >>"$g_out/$g_o" 2>>"$g_out/$g_e" &
	g_pid=$! g_starting=''
	(
		exec </dev/null >/dev/null 2>&1 # by exec, or dash keeps what was there: whoever waits for its end would wait
		watch "$g_limit"
	) &
	g_watcher=$! g_beside=$!
	g_code=0
	wait "$g_pid" 2>/dev/null || g_code=$?
	g_reaped=1
	[ "$g_code" -ne 0 ] || g_sure=1
	now
	[ -z "$g_measure" ] || measure
	g_span=$((g_t - g_began))
	[ "$g_span" -ge 0 ] || g_span=0
	unwatch
	g_timed_out=false
	if [ -e "$g_work/$g_round.late" ]; then
		g_timed_out=true
		end 20
	else
		case $g_code in
		129 | 130 | 137 | 143) nap 200 ;; # if all of the task is being ended, this wrapper hears of it now
		esac
		end 2
	fi
	g_pid=''
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

# finish writes the outcome, as the last thing of all. If that is cut short, it is none.
finish() {
	if [ "$g_code" -ne 0 ]; then
		g_without=$(full)
		[ -z "$g_without" ] || lost "the disk $g_without is full"
	fi
	for g_o in $g_outputs; do
		[ -e "$g_out/$g_o" ] || printf '' >"$g_out/$g_o" || lost "the outputs cannot be written to $g_out"
	done
	if ! { printf '{"gitdd":1,"setup":%s,%s"build":%s,"test":%s}\n' "$g_setup_part" "$g_check_part" "$g_build_part" "$g_test_part" >"$g_out/outcome.json"; } 2>/dev/null; then
		rm -f "$g_out/outcome.json"
		lost "the outcome cannot be written to $g_out"
	fi
	tidy
	exit 0
}

[ -d "$g_top" ] || lost "there is no directory $g_top"
private
g_uptime=1 g_t=''
now
g_began=$g_t g_token=''
[ -z "$g_uptime" ] || { read -r g_token </proc/sys/kernel/random/uuid; } 2>/dev/null
case $g_token in
????????-????-????-????-????????????) ;;
*)
	[ -z "$g_uptime" ] || g_token=-$(date +%s%N)
	g_token=$$-$g_t$g_token-
	;;
esac # as a pattern it stands for itself
[ -d "$g_out" ] || mkdir -p "$g_out" || lost "the directory $g_out cannot be made"
[ ! -e "$g_out/outcome.json" ] || rm -f "$g_out/outcome.json" || lost "$g_out/outcome.json cannot be removed"
# A wrapper that is killed with all that it has started cannot tidy up: what it keeps in
# the task's own directory is removed with that. It may be there already.
if [ -n "$g_own" ] && [ "${#g_own}" -le 72 ]; then
	if [ -d "$g_own/tmp/tmp" ] && [ ! -L "$g_own/tmp" ] && [ ! -L "$g_own/tmp/tmp" ] && bare "$g_own/tmp/tmp" '' && bare "$g_own/tmp" tmp; then
		g_work=$g_own/tmp g_given=1
	else
		[ ! -d "$g_own/tmp/tmp" ] || rm -rf "$g_own/tmp" 2>/dev/null # another task has left it
		(umask 077 && mkdir "$g_own/tmp" "$g_own/tmp/tmp") 2>/dev/null && g_work=$g_own/tmp
	fi
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

# program sets at to where a program is; "" = there is none.
program() {
	g_at='' g_rest=$PATH:
	while [ -n "$g_rest" ]; do
		g_place=${g_rest%%:*} g_rest=${g_rest#*:}
		g_place=${g_place:-.}/$1
		[ ! -f "$g_place" ] || [ ! -x "$g_place" ] || { g_at=$g_place && break; }
	done
	[ -n "$g_at" ] || g_at=$(command -v "$1") # some shells have it in them
	case $g_at in ./* | [!/]*/*) g_at=$PWD/$g_at ;; esac
}

# resets reports whether env is one that resets signals.
resets() { "$g_env" --default-signal=INT,QUIT true >/dev/null 2>&1; }


# With most systems env resets signals, so that is tried with the first command, and looked
# into when it fails. One that is a link is busybox, or something of its kind.
g_group=1 g_sees='' g_env='' g_sure=1
if [ -z "${BASH_VERSION:-}" ]; then
	program env
	g_env=$g_at
	if [ -L "$g_env" ]; then
		resets || g_env=''
		g_sure=1
	elif [ -n "$g_env" ]; then
		g_sure=''
	fi
fi
program setsid
g_setsid=$g_at
if [ -z "$g_setsid" ]; then
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
if [ -n "$g_check" ]; then
	step check "$g_check_limit" "$g_top/$g_dir" /bin/sh -c "$g_check"
	g_check_part="\"check\":$g_part,"
	[ "$g_code$g_timed_out" = 0false ] || finish
fi
if [ -n "$g_build" ]; then
	step build "$g_build_limit" "$g_top/$g_dir" /bin/sh -c "$g_build"
	g_build_part=$g_part
	[ "$g_code$g_timed_out" = 0false ] || finish
fi
run
g_test_part=$g_part
finish
