#!/usr/bin/env bash
# Installs a release of gitdd, after its checksum, and puts it on PATH for the steps to come.
#
# VERSION is the release; "" is ACTION_REF, the version by which the action was called, and none installs nothing. SHA256, if it is
# not "", is the checksum that the archive has to have beside that in SHA256SUMS of the release.
set -euo pipefail

releases=${GITDD_RELEASES:-https://github.com/gitdd/gitdd/releases/download}

fail() {
	echo "::error title=gitdd::$1"
	exit 1
}

version=${VERSION:-$ACTION_REF}
if [ "$version" = none ]; then
	command -v gitdd >/dev/null || fail 'version is none, and gitdd is not on PATH'
	exit
fi
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$ ]] ||
	fail 'name a release of gitdd as version, such as v1.2.3: the action was not called by one'

case $RUNNER_OS in
Linux) system=linux ;;
macOS) system=darwin ;;
Windows) system=windows ;;
*) fail "there is no release of gitdd for $RUNNER_OS" ;;
esac
case $RUNNER_ARCH in
X64) system=$system-amd64 ;;
ARM64) system=$system-arm64 ;;
*) fail "there is no release of gitdd for $RUNNER_ARCH" ;;
esac
name=gitdd-$version-$system
archive=$name.tar.gz
case $system in windows-*) archive=$name.zip ;; esac

cd "$RUNNER_TEMP"
for file in SHA256SUMS "$archive"; do
	curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/$version/$file" ||
		fail "the release $version of gitdd has no $file, or the network failed"
done
sum() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}
is=$(sum "$archive")
wanted=$(awk -v archive="$archive" '$2 == archive { print $1 }' SHA256SUMS)
[ "$is" = "$wanted" ] || fail "the checksum of $archive is $is, and SHA256SUMS of the release has ${wanted:-none}"
[ -z "$SHA256" ] || [ "$is" = "$SHA256" ] || fail "the checksum of $archive is $is, and not $SHA256"

case $archive in
*.zip) unzip -q -o "$archive" ;;
*) tar -xzf "$archive" ;;
esac
rm "$archive" SHA256SUMS
echo "$RUNNER_TEMP/$name" >>"$GITHUB_PATH"
"$RUNNER_TEMP/$name/gitdd" version
