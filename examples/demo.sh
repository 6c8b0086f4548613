#!/bin/sh
# A failing test log, its map, and one failure read back. The output fits a terminal of 24 lines.
set -eu
cd "$(dirname "$0")"
log=two-failures.log
unset CTXKIT_HINT CTXKIT_SESSION CTXKIT_WINDOW # the map is the same, whatever this shell sets

say() { printf '\033[1m$ %s\033[0m\n' "$*"; }

say "ctxkit gate --model qwen3-4b --limit 250 < $log"
map=$(ctxkit gate --model qwen3-4b --limit 250 < "$log")
printf '%s\n' "$map"

# The last line of a map says how to read a part.
command=$(printf '%s\n' "$map" | sed -n '$s/^To read a part: \(ctxkit cache get [0-9a-f]* --lines [0-9:]*\).*/\1/p')
say "$command | grep '^E'"
$command | grep '^E'
