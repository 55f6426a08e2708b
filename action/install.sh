#!/usr/bin/env bash
# Installs a release of gitdd, if its archive has the checksum that it should have, and puts it on PATH for the steps to come.
#
# GITDD_VERSION is the release; "" is GITDD_ACTION_REF, by which the action was called, if that is a release, and else the
# latest one; none installs nothing. GITDD_SHA256, if it is not "", is the checksum that the archive has to have beside that
# in SHA256SUMS of the release. GITDD_RELEASES is where releases are, for tests.
set -euo pipefail

releases=${GITDD_RELEASES:-https://github.com/gitdd/gitdd/releases}

fail() {
	echo "::error title=gitdd::$1"
	exit 1
}

is_release() { [[ $1 =~ ^v[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$ ]]; }

version=$GITDD_VERSION
if [ "$version" = none ]; then
	command -v gitdd >/dev/null || fail 'version is none, and gitdd is not on PATH'
	exit
fi
if [ -z "$version" ] && is_release "$GITDD_ACTION_REF"; then version=$GITDD_ACTION_REF; fi
if [ -n "$version" ]; then
	is_release "$version" || fail "$version is not the name of a release, such as v1.2.3"
	from=$releases/download/$version
else
	version=latest
	from=$releases/latest/download
fi

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

cd "$RUNNER_TEMP"
fetch() {
	curl --fail --silent --show-error --location --proto-redir '=https' --retry 3 --output "$1" "$from/$1" ||
		fail "the release $version of gitdd has no $1, or the network failed"
}
fetch SHA256SUMS
read -r wanted archive < <(awk -v target="-$system." 'index($2, target) { print $1, $2; exit }' SHA256SUMS) ||
	fail "SHA256SUMS of the release $version has no archive for $system"
[[ $archive =~ ^gitdd-v[0-9A-Za-z.+-]+\.(tar\.gz|zip)$ ]] || fail "SHA256SUMS of the release $version names $archive"
fetch "$archive"
if command -v sha256sum >/dev/null; then sum=$(sha256sum "$archive"); else sum=$(shasum -a 256 "$archive"); fi
sum=${sum%% *}
[ "$sum" = "$wanted" ] || fail "the checksum of $archive is $sum, and SHA256SUMS of the release has $wanted"
[ -z "$GITDD_SHA256" ] || [ "$sum" = "$GITDD_SHA256" ] || fail "the checksum of $archive is $sum, and not $GITDD_SHA256"

case $archive in
*.zip) unzip -q -o "$archive" ;;
*) tar -xzf "$archive" ;;
esac
rm "$archive" SHA256SUMS
name=${archive%.tar.gz}
name=${name%.zip}
echo "$RUNNER_TEMP/$name" >>"$GITHUB_PATH"
"$RUNNER_TEMP/$name/gitdd" version
