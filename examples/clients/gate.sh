#!/bin/sh
# Gate stdin through `ctxkit serve`, and without a server through ctxkit itself: gate.sh model=qwen3-30b
socket=${CTXKIT_SOCKET:-$XDG_RUNTIME_DIR/ctxkit.sock}
content=$(mktemp) && trap 'rm -f "$content"' EXIT
cat >"$content"
curl --silent --fail --unix-socket "$socket" --header 'accept: text/plain' --header "ctxkit-directory: $PWD" \
    --data-binary @"$content" "http://ctxkit/v1/gate?$1" || ctxkit gate "--$1" "$content"
