#!/usr/bin/env bash
# An agent in a shell that answers a question about a directory, and changes nothing. Usage: agent.sh QUESTION
# Needs ctxkit, curl and jq, and a server that speaks OpenAI's Chat Completions: URL, KEY, MODEL and WINDOW say which.
set -euo pipefail
: "${URL:=http://127.0.0.1:8080/v1}" "${KEY:=none}" "${MODEL:=qwen3-30b}" "${WINDOW:=4096}"
export CTXKIT_HINT=read_result            # maps name the function that reads their parts
export CTXKIT_TOOL_DEFERRAL_THRESHOLD=1   # these few tools are always offered
CTXKIT_SESSION=$(ctxkit session new --model "$MODEL" --window "$WINDOW") && export CTXKIT_SESSION
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

echo 'You answer questions about the files in the working directory. Search before you read, read only the lines that
you need, and answer in one sentence.' > "$work/system"

define() { # define NAME DESCRIPTION PARAMETER...: print the definition of a tool; only its first parameter is required
    jq -n --arg name "$1" --arg description "$2" '{type: "function", function: {$name, $description, parameters: {
        type: "object", required: $ARGS.positional[:1], properties: (reduce $ARGS.positional[] as $parameter ({};
        .[$parameter] = {type: "string"}))}}}' --args "${@:3}"
}
{
    ctxkit tools builtin read_file read_result compact_context | jq '.[]'
    define search 'Search files for a regular expression, as grep -E does. Returns lines with their numbers.' pattern path
    define list_files 'List the files of a directory.' path
} | jq -s . > "$work/tools"

gate() { # gate COMMAND PATH ARGUMENT...: run a command on a path below the working directory; a large output becomes a map
    local path
    path=$(realpath -m --relative-to=. -- "$2")
    if [[ $path == .. || $path == ../* || $path == /* ]]; then
        echo "error: $2 is outside of the working directory."
    else
        ctxkit run -- "$1" "${@:3}" -- "$path" < /dev/null 2>&1 || echo "exit status $?"
    fi
}

respond() { # respond CALL: print the result of a call
    local path pattern
    path=$(jq -r '.arguments.path // "." | strings' <<< "$1")
    pattern=$(jq -r '.arguments.pattern // "" | strings' <<< "$1")
    case $(jq -r .name <<< "$1") in
        search) gate grep "$path" -rnIE -e "$pattern" ;;
        list_files) gate ls "$path" -la ;;
        *) ctxkit call <<< "$1" ;;
    esac
}

jq -nc --arg content "$*" '{role: "user", $content}' > "$work/new"
while :; do
    ctxkit turn --system "$work/system" --tools "$work/tools" --to openai < "$work/new" > "$work/request"
    jq --arg model "$MODEL" '. + {$model}' "$work/request" |
        curl -sS --fail-with-body -H 'Content-Type: application/json' -H "Authorization: Bearer $KEY" -d @- \
            "$URL/chat/completions" > "$work/response"
    ctxkit turn --response < "$work/response" > "$work/answer"
    jq -c '.tool_calls[]' "$work/answer" > "$work/calls"
    [[ -s $work/calls ]] || break
    while read -r call; do
        respond "$call" > "$work/result"
        jq -c --rawfile content "$work/result" '{role: "tool", tool_call_id: .id, $content}' <<< "$call"
    done < "$work/calls" > "$work/new"
done
jq -r .reply "$work/answer"
