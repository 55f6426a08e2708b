#!/bin/sh
LIMIT=3
export NAME="x"

# Documented.
top() {
	local inner=1
	echo "$inner"
}

function other {
	top
}
