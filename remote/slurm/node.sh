# What a node does for one task: $1 its name, $2 the name of the files that tasks have in
# common ("" = the workspace is shared), $3 the directory to work in ("" = TMPDIR or /tmp).
# It says who it is on its standard output, reads the length of a tar and the tar on its
# standard input, and answers with a tar of what the wrapper made.
set -u
exec 3<&0 </dev/null
n_task='' n_run='' n_watch='' n_lock='' n_root=''

complain() { printf 'gitdd: %s\n' "$*" >&2; }

# finish ends what runs and leaves nothing of the task behind.
finish() {
	trap '' TERM HUP INT
	[ -z "$n_watch" ] || kill "$n_watch" 2>/dev/null
	[ -z "$n_run" ] || { kill "$n_run" 2>/dev/null && wait "$n_run" 2>/dev/null; }
	[ -z "$n_lock" ] || rm -rf "$n_lock"
	cd /
	[ -z "$n_task" ] || rm -rf "$n_task" 2>/dev/null || { chmod -R u+rwx "$n_task" && rm -rf "$n_task"; } 2>/dev/null
	[ -z "$n_root" ] || rmdir "$n_root" 2>/dev/null # unless something is kept there
	exit "$1"
}
trap 'finish 143' TERM HUP INT

# drop takes away what tasks have in common. It is never there in part: who is killed over
# it leaves something of another name, and who is copying it finds it gone.
drop() {
	mv "$1" "$n_root/gone-$$" 2>/dev/null && rm -rf "$n_root/gone-$$"
}

# Some nodes have one directory for temporary files: what a number of a process says is
# true on one node only.
n_root=${3:-${TMPDIR:-/tmp}}/gitdd-$(id -u)-${SLURMD_NODENAME:-$(uname -n)}
for n_task in 1 2 3 4 5 6 7 8 9 ''; do # who is the last one there removes it
	mkdir -p -m 700 "$n_root" 2>/dev/null
	if [ ! -d "$n_root" ] || [ -L "$n_root" ] || [ ! -O "$n_root" ]; then
		n_task='' && complain "this node has no directory $n_root of its own user's"
		finish 3
	fi
	n_task=$n_root/$1-$$
	mkdir "$n_task" 2>/dev/null && break
	n_task=''
done
[ -n "$n_task" ] || { complain "no directory can be made in $n_root" && finish 3; }

# What tasks have in common is complete or not there; who brings it has the lock.
n_need=0 n_base=$n_root/base-$2
if [ -n "$2" ]; then
	# Of what was not used for days, who cleans up there may have removed files.
	[ -e "$n_base.used" ] && [ -z "$(find "$n_base.used" -prune -mtime +2 2>/dev/null)" ] || drop "$n_base"
	while [ ! -d "$n_base" ]; do
		if mkdir "$n_base.lock" 2>/dev/null; then
			n_lock=$n_base.lock
			printf '%s\n' "$$" >"$n_lock/pid"
			[ -d "$n_base" ] || n_need=1
			break
		fi
		n_holder=''
		[ ! -e "$n_base.lock/pid" ] || read -r n_holder <"$n_base.lock/pid"
		if [ -n "$n_holder" ] && ! kill -0 "$n_holder" 2>/dev/null && mkdir "$n_base.break" 2>/dev/null; then
			[ "$(cat "$n_base.lock/pid" 2>/dev/null)" != "$n_holder" ] || rm -rf "$n_base.lock" # it was killed
			rmdir "$n_base.break"
		fi
		sleep 0.2 2>/dev/null || sleep 1
	done
fi
printf 'gitdd-task %s %s %s %s\n' "$1" "${SLURMD_NODENAME:-$(uname -n)}" "${SLURM_JOB_ID:-0}.${SLURM_STEP_ID:-0}" "$n_need"

read -r n_size <&3 || finish 4 # nobody is there any more
umask 022
head -c "$n_size" <&3 | (cd "$n_task" && tar xof -)
if [ ! -e "$n_task/run.sh" ]; then
	complain "the files did not arrive whole"
	finish 3
fi
if [ "$n_need" = 1 ]; then
	for n_old in "$n_root"/base-*.used; do # of searches that were not closed
		[ -z "$(find "$n_old" -prune -mtime +2 2>/dev/null)" ] || { drop "${n_old%.used}"; rm -f "$n_old"; }
	done
	for n_old in "$n_root"/gitdd-* "$n_root"/gone-*; do
		kill -0 "${n_old##*-}" 2>/dev/null || rm -rf "$n_old"
	done
	printf '' >"$n_base.used"
	[ -d "$n_base" ] || mv "$n_task/base" "$n_base" || finish 3
fi
[ -z "$n_lock" ] || rm -rf "$n_lock"
n_lock=''
cd "$n_task" || finish 3
if [ -n "$2" ]; then
	printf '' >"$n_base.used"
	if ! { cp -pPR "$n_base" w && [ -d "$n_base" ] && (cd w && /bin/sh ../remove.sh) && (cd w && tar xof ../changed.tar); }; then
		complain "the files cannot be put together in $n_task"
		finish 3
	fi
fi

# The input ends when gitdd does: then nobody waits for this task.
(
	cat <&3 >/dev/null
	kill "$$"
) >/dev/null 2>&1 &
n_watch=$!
[ "${#n_task}" -gt 50 ] || export TMPDIR="$n_task"
/bin/sh run.sh 3<&- >&2 &
n_run=$!
wait "$n_run"
n_code=$?
n_run=''
if [ ! -e out/outcome.json ]; then
	[ "$n_code" -ne 0 ] || n_code=5
	finish "$n_code"
fi
kill "$n_watch" 2>/dev/null # whoever has the answer closes the input
n_watch=''
tar cf - out || finish 3
finish 0
