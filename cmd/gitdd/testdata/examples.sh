# Makes, in $EXAMPLES, the repository in which the examples of the help are run, and
# programs in the place of those they name, which are not the point.
mkdir bin repo
cd repo
git init -q -b main .

# Programs. Their arguments end in the file that they read, if any.
program() { cat >"../bin/$1"; chmod +x "../bin/$1"; }
program make <<'X'
#!/bin/sh
test "$1" != test || exec ./check.sh
X
program go <<'X'
#!/bin/sh
test "$2" != -json || exec ./suite '{"Action":"pass","Package":"shop","Test":"%s"}\n' '{"Action":"fail","Package":"shop","Test":"%s"}\n'
./check.sh || { echo 'assertion failed'; exit 1; }
X
program npm <<'X'
#!/bin/sh
test "$1" != test || exec ./check.sh
X
program pytest <<'X'
#!/bin/sh
echo '=== short test summary info ==='
exec ./suite 'PASSED shop.py::%s\n' 'FAILED shop.py::%s\n'
X
program gcc <<'X'
#!/bin/sh
for last; do :; done
! grep -q crash "$last" || { echo 'internal error'; exit 4; }
X
program xmllint <<'X'
#!/bin/sh
! grep -q bad "$2"
X
program jq <<'X'
#!/bin/sh
! grep -q crash
X
program dot <<'X'
#!/bin/sh
cat >/dev/null
X
# A solver that breaks on a multiplication, and one that takes an addition for a
# contradiction.
program boolector <<'X'
#!/bin/sh
for last; do :; done
case $1 in -de) exec cat "$last" ;; esac
! grep -q ' mul ' "${last:--}" || kill -ABRT $$
echo sat
X
program z3 <<'X'
#!/bin/sh
for last; do :; done
test "$last" != -in || last=-
case $1 in -T:*) ! grep -q bvmul "$last" || exit 1 ;; esac
if grep -q bvadd "$last"; then echo unsat; else echo sat; fi
X

# Inputs.
printf 'int a;\nint crash;\nint b;\n' >crash.c
printf '{"a": 1,\n "crash": 2}\n' >data.json
printf '<a>\n<good/>\n</a>\n' >good.xml
printf '<a>\n<good/>\n<bad/>\n</a>\n' >bad.xml
printf '1 var 8\n2 var 8\n3 mul 8 1 2\n4 redor 1 3\n5 root 1 4\n' >bug.btor
cp bug.btor crash.btor
printf '1 var 8\n2 mul 8 1 1\n3 redor 1 2\n4 root 1 3\n' >bug.btor.reduced
printf '1 var 8\n2 var 8\n3 add 8 1 2\n4 redor 1 3\n5 root 1 4\n' >a.btor

# Scripts.
script() { cat >"$1"; chmod +x "$1"; }
script check.sh <<'X'
#!/bin/sh
grep -q good src/state || { echo 'panic: assertion failed'; exit 1; }
X
script suite <<'X'
#!/bin/sh
# Two tests, and how to write that one of them passes or fails.
result() { if grep -q "$2" "src/$1"; then printf "$3" "$1"; else printf "$4" "$1"; fi; }
report() { result state good "$@"; result other one "$@"; }
test $# != 0 || {
  exec >report.xml
  echo '<testsuite name="">'
  report '<testcase name="%s"/>\n' '<testcase name="%s"><failure/></testcase>\n'
  echo '</testsuite>'
  exit
}
report "$@"
X
cp check.sh flaky-test.sh
cp check.sh new_test.sh
script interesting.sh <<'X'
#!/bin/sh
grep -q crash crash.c
X
script solver <<'X'
#!/bin/sh
exec boolector "$@"
X
script cc <<'X'
#!/bin/sh
exit 0
X
mkdir src
echo good >src/state
echo one >src/other
git add -A
git rm -q --cached new_test.sh
git commit -qm 'Begin'
git tag v1
echo two >src/other
git commit -qam 'Go on'
echo bad >src/state
script cc <<'X'
#!/bin/sh
! grep -q crash "$1"
X
git commit -qam 'Break it'

cp check.sh t.sh

# The two as folders and as archives.
for n in 1 2; do
  mkdir ../v$n
  rev=v1
  test $n = 1 || rev=HEAD
  git archive $rev | tar -x -f - -C ../v$n
  git archive --prefix=shop-$n/ -o ../shop-$n.tgz $rev
done
git archive -o ../v2.zip HEAD

# Another repository.
git init -q -b main ../lib
for v in v3 v4; do
	echo $v >../lib/version
	git -C ../lib add version
	git -C ../lib commit -qm $v
	git -C ../lib tag $v
done
