#!/bin/sh
# An agent in a shell loop that never outgrows its window: ask, run what is called, go on. Usage: loop.sh TASK
# Needs ctxkit, curl and jq, and a server that speaks OpenAI's Chat Completions: URL, MODEL and WINDOW say which.
set -eu
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && : "${MODEL:=qwen3-30b}" "${WINDOW:=4096}"
CTXKIT_SESSION=$(ctxkit session new --model "$MODEL" --window "$WINDOW") && export CTXKIT_SESSION
jq -n --arg model "$MODEL" --arg task "$*" '{$model, messages: [{role: "system", content: "Work in small steps."},
    {role: "user", content: $task}], tools: [{type: "function", function: {name: "sh", description: "Run a command.",
    parameters: {type: "object", required: ["command"], properties: {command: {type: "string"}}}}}]}' > "$work/chat"
ctxkit session append -q "$CTXKIT_SESSION" "$work/chat"
while :; do
    ctxkit compact --trigger 0.75 "$work/chat" > "$work/fits"
    curl -sS --fail-with-body -H 'Content-Type: application/json' -d @"$work/fits" \
        "${URL:-http://127.0.0.1:8080/v1}/chat/completions" > "$work/reply"
    ctxkit usage -q "$work/reply" > "$work/usage"
    jq -c '.choices[0].message' "$work/reply" > "$work/new"
    jq -c '.choices[0].message.tool_calls[]?' "$work/reply" | while read -r call; do
        command=$(printf %s "$call" | jq -r '.function.arguments | fromjson.command')
        ctxkit run -- sh -c "$command" < /dev/null > "$work/out" 2>&1 || echo "exit status $?" >> "$work/out"
        printf %s "$call" | jq -c --rawfile out "$work/out" '{role: "tool", tool_call_id: .id, content: $out}' >> "$work/new"
    done
    ctxkit session append --no-count "$CTXKIT_SESSION" "$work/new"
    jq --slurpfile new "$work/new" '.messages += $new' "$work/fits" > "$work/chat"
    jq -e '.choices[0].message.tool_calls[0]' "$work/reply" > "$work/calls" || break
done
jq -r .content "$work/new"
