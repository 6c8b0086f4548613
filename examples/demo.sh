#!/bin/sh
# One failing test log, three windows, one way back in.
set -eu
cd "$(dirname "$0")"
log=pytest-failing.log
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CTXKIT_CACHE_DIR="$scratch/cache" CTXKIT_DATA_DIR="$scratch/data"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say "wc $log"
wc "$log"

for window in 4096 32768; do
    say "ctxkit gate --tokenizer qwen3 --window $window < $log"
    ctxkit gate --tokenizer qwen3 --window "$window" < "$log" | tee "$scratch/map"
done

say "ctxkit gate --tokenizer qwen3 --window 200000 < $log | cmp - $log && echo raw, byte for byte"
ctxkit gate --tokenizer qwen3 --window 200000 < "$log" | cmp - "$log" && echo 'raw, byte for byte'

# The way back in: the last line of a map says it.
ref=$(sed -n 's/^To read a part: ctxkit cache get \([0-9a-f]*\) .*/\1/p' "$scratch/map")
range=$(sed -n 's/^To read a part: .* --lines \([0-9]*:[0-9]*\) .*/\1/p' "$scratch/map")
say "ctxkit cache get $ref --lines $range"
ctxkit cache get "$ref" --lines "$range"
say "ctxkit cache get $ref --grep 'Error' -n | head -5"
ctxkit cache get "$ref" --grep 'Error' -n | head -5

say "ctxkit run --tokenizer qwen3 --window 4096 -- sh -c 'seq 9000; exit 3' | head -3"
ctxkit run --tokenizer qwen3 --window 4096 -- sh -c 'seq 9000; exit 3' > "$scratch/ran" || echo "status $?"
head -3 "$scratch/ran"
