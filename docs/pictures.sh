#!/bin/sh
# Makes the pictures of the README: parts of the page that `gitdd demo` writes. Needs
# chromium, and go for the demo. GITDD is the program.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${GITDD:-gitdd}" demo --html "$work/page.html" >/dev/null

# picture NAME WIDTH HEIGHT HIDDEN: the page without the sections that have these.
picture() {
	sed "s|</head>|<style>$4 { display: none !important } </style></head>|" "$work/page.html" >"$work/part.html"
	chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$work/profile" --hide-scrollbars \
		--window-size="$2,$3" --screenshot="$work/$1" "file://$work/part.html" >/dev/null 2>&1
	mv "$work/$1" "$1"
}
picture report-cause.png 1000 576 none
picture report-search.png 1000 760 'header, nav, section:has(#cause), section:has(#next), section:has(#reasons)'
