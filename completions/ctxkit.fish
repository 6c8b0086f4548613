# fish completion for ctxkit
# Written by python -m ctxkit.pages.completion from the commands themselves: change them there.

# Print the verb typed so far; below it, where it runs a command, the words of that command.
function __ctxkit_verb
    set -l verb ctxkit
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$verb $word"
            case 'ctxkit gate --model' 'ctxkit gate --window' 'ctxkit gate --reserve' 'ctxkit gate --used' 'ctxkit gate --tokenizer' 'ctxkit gate --name' 'ctxkit gate --type' 'ctxkit gate --hint' 'ctxkit gate --limit' 'ctxkit gate --events'
                set skip 1
            case 'ctxkit run --model' 'ctxkit run --window' 'ctxkit run --reserve' 'ctxkit run --used' 'ctxkit run --tokenizer' 'ctxkit run --name' 'ctxkit run --type' 'ctxkit run --hint' 'ctxkit run --limit' 'ctxkit run --events' 'ctxkit run --timeout'
                set skip 1
            case 'ctxkit brief --model' 'ctxkit brief --window' 'ctxkit brief --reserve' 'ctxkit brief --used' 'ctxkit brief --tokenizer' 'ctxkit brief --name' 'ctxkit brief --type' 'ctxkit brief --hint' 'ctxkit brief --target'
                set skip 1
            case 'ctxkit cache put --name' 'ctxkit cache put --tool' 'ctxkit cache put --call'
                set skip 1
            case 'ctxkit cache get --lines' 'ctxkit cache get --bytes' 'ctxkit cache get --grep' 'ctxkit cache get -C' 'ctxkit cache get --context' 'ctxkit cache get --model' 'ctxkit cache get --window' 'ctxkit cache get --reserve' 'ctxkit cache get --used' 'ctxkit cache get --tokenizer'
                set skip 1
            case 'ctxkit cache gc --max-age' 'ctxkit cache gc --max-size'
                set skip 1
            case 'ctxkit run --'
                printf '%s\n' $verb' --' $words
                return
            case '* -*'
            case 'ctxkit run *'
                printf '%s\n' $verb' --' $word $words
                return
            case 'ctxkit gate' 'ctxkit run' 'ctxkit brief' 'ctxkit cache' 'ctxkit cache put' 'ctxkit cache get' 'ctxkit cache list' 'ctxkit cache path' 'ctxkit cache rm' 'ctxkit cache gc' 'ctxkit cache stat' 'ctxkit cache verify'
                set verb "$verb $word"
        end
    end
    echo $verb
end

function __ctxkit_at
    set -l verb (__ctxkit_verb)
    test "$verb[1]" = "$argv"
end

function __ctxkit_command
    set -l words (__ctxkit_verb)
    set -e words[1]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c ctxkit -f
complete -c ctxkit -n '__ctxkit_at ctxkit' -a gate -d 'Pass content that fits the window; map what does not'
complete -c ctxkit -n '__ctxkit_at ctxkit' -a run -d 'Run a command and gate its output, keeping its status'
complete -c ctxkit -n '__ctxkit_at ctxkit' -a brief -d 'Print the map of a content, whatever its size'
complete -c ctxkit -n '__ctxkit_at ctxkit' -a cache -d 'Store content, and read any part of it back'
complete -c ctxkit -n '__ctxkit_at ctxkit' -l version -d 'Show the version'
complete -c ctxkit -n '__ctxkit_at ctxkit' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l model -x -a 'nanbeige4.1-3b qwen3-30b-a3b haiku sonnet opus claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 deepseek-v3 gemini-2.5-flash gemini-2.5-pro gemma-3-27b glm-4.6 gpt-4.1 gpt-4o gpt-5 gpt-oss-20b kimi-k2 llama-3.3-70b mistral-small-3.2 phi-4 qwen3-8b qwen3-coder-30b' -d 'Model whose window and tokenizer hold (CTXKIT_MODEL)'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l window -x -d 'Tokens in the window, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l reserve -x -d 'Tokens kept for the answer'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l used -x -d 'Tokens already in context'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l tokenizer -x -a 'o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 qwen3 gemma2 gemma3 llama2 mistral_v1 claude gemini estimate bytes/3' -d 'Tokenizer to count with, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l name -x -d 'Name of the content, for its map'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l type -x -a 'bash binary c cpp csharp css dart elixir geojson go haskell hcl ipynb java javascript json jsonl julia kotlin log lua make markdown md ndjson nix objc ocaml perl php plain powershell pytest python ruby rust scala source sql swift text tsx typescript zig' -d 'Kind or language of the content; detected otherwise'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l hint -x -a 'ctxkit sed read_file' -d 'How to read a part: ctxkit, sed, read_file or a template'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l limit -x -d 'Tokens that this one call may admit at most'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l no-store -d 'Keep nothing on disk; cut what does not fit'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l strict -d 'Fail where content would otherwise pass with a warning'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l events -r -F -d 'Append what was decided to FILE, as JSON lines'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -s q -l quiet -d 'Do not warn'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -s v -l verbose -d 'Say what was decided'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l check -d 'Print nothing; answer 0 if it fits, 1 if not'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit gate' -F
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l model -x -a 'nanbeige4.1-3b qwen3-30b-a3b haiku sonnet opus claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 deepseek-v3 gemini-2.5-flash gemini-2.5-pro gemma-3-27b glm-4.6 gpt-4.1 gpt-4o gpt-5 gpt-oss-20b kimi-k2 llama-3.3-70b mistral-small-3.2 phi-4 qwen3-8b qwen3-coder-30b' -d 'Model whose window and tokenizer hold (CTXKIT_MODEL)'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l window -x -d 'Tokens in the window, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l reserve -x -d 'Tokens kept for the answer'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l used -x -d 'Tokens already in context'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l tokenizer -x -a 'o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 qwen3 gemma2 gemma3 llama2 mistral_v1 claude gemini estimate bytes/3' -d 'Tokenizer to count with, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l name -x -d 'Name of the content, for its map'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l type -x -a 'bash binary c cpp csharp css dart elixir geojson go haskell hcl ipynb java javascript json jsonl julia kotlin log lua make markdown md ndjson nix objc ocaml perl php plain powershell pytest python ruby rust scala source sql swift text tsx typescript zig' -d 'Kind or language of the content; detected otherwise'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l hint -x -a 'ctxkit sed read_file' -d 'How to read a part: ctxkit, sed, read_file or a template'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l limit -x -d 'Tokens that this one call may admit at most'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l no-store -d 'Keep nothing on disk; cut what does not fit'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l strict -d 'Fail where content would otherwise pass with a warning'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l events -r -F -d 'Append what was decided to FILE, as JSON lines'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -s q -l quiet -d 'Do not warn'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -s v -l verbose -d 'Say what was decided'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l timeout -x -d 'Stop CMD after S seconds, or as in 5m; 0 is never'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit run' -a '(__ctxkit_command)'
complete -c ctxkit -n '__ctxkit_at ctxkit run --' -a '(__ctxkit_command)'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l model -x -a 'nanbeige4.1-3b qwen3-30b-a3b haiku sonnet opus claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 deepseek-v3 gemini-2.5-flash gemini-2.5-pro gemma-3-27b glm-4.6 gpt-4.1 gpt-4o gpt-5 gpt-oss-20b kimi-k2 llama-3.3-70b mistral-small-3.2 phi-4 qwen3-8b qwen3-coder-30b' -d 'Model whose window and tokenizer hold (CTXKIT_MODEL)'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l window -x -d 'Tokens in the window, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l reserve -x -d 'Tokens kept for the answer'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l used -x -d 'Tokens already in context'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l tokenizer -x -a 'o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 qwen3 gemma2 gemma3 llama2 mistral_v1 claude gemini estimate bytes/3' -d 'Tokenizer to count with, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l name -x -d 'Name of the content, for its map'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l type -x -a 'bash binary c cpp csharp css dart elixir geojson go haskell hcl ipynb java javascript json jsonl julia kotlin log lua make markdown md ndjson nix objc ocaml perl php plain powershell pytest python ruby rust scala source sql swift text tsx typescript zig' -d 'Kind or language of the content; detected otherwise'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l hint -x -a 'ctxkit sed read_file' -d 'How to read a part: ctxkit, sed, read_file or a template'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -s q -l quiet -d 'Do not warn'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -s v -l verbose -d 'Say what was decided'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l target -x -d 'Tokens the map may take'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit brief' -F
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a put -d 'Store content and print its ref'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a get -d 'Write stored content, or a part of it'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a list -d 'List what is stored, the newest first'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a path -d 'Print the path of the plain file behind a ref'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a rm -d 'Remove stored content'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a gc -d 'Remove what is old or too much'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a stat -d 'Say how much is stored, and where'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -a verify -d 'Check that stored content is what its ref says'
complete -c ctxkit -n '__ctxkit_at ctxkit cache' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -l name -x -d 'Name to list it by'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -l tool -x -d 'Tool whose result it is'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -l call -x -d 'Id of the tool call that it answers'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache put' -F
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l lines -x -d 'Lines A to B only: A:B, A:, :B, A or -N: (the last N)'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l bytes -x -d 'Bytes A to B only, counted from 1'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l grep -x -d 'Lines that match a regular expression only'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -s C -l context -x -d 'Lines around each match'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -s n -l number -d 'Put the line number before each line'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l gate -d 'Write no more than fits the window, then say how to read on'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l model -x -a 'nanbeige4.1-3b qwen3-30b-a3b haiku sonnet opus claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 deepseek-v3 gemini-2.5-flash gemini-2.5-pro gemma-3-27b glm-4.6 gpt-4.1 gpt-4o gpt-5 gpt-oss-20b kimi-k2 llama-3.3-70b mistral-small-3.2 phi-4 qwen3-8b qwen3-coder-30b' -d 'Model whose window and tokenizer hold (CTXKIT_MODEL)'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l window -x -d 'Tokens in the window, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l reserve -x -d 'Tokens kept for the answer'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l used -x -d 'Tokens already in context'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -l tokenizer -x -a 'o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 qwen3 gemma2 gemma3 llama2 mistral_v1 claude gemini estimate bytes/3' -d 'Tokenizer to count with, whatever the model'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -s q -l quiet -d 'Do not warn'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -s v -l verbose -d 'Say what was decided'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache get' -F
complete -c ctxkit -n '__ctxkit_at ctxkit cache list' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit cache list' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache path' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache rm' -l all -d 'Remove everything that is stored'
complete -c ctxkit -n '__ctxkit_at ctxkit cache rm' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache gc' -l max-age -x -d 'Remove what was not read for AGE, as in 24h or 7d'
complete -c ctxkit -n '__ctxkit_at ctxkit cache gc' -l max-size -x -d 'Then remove the oldest read above SIZE, as in 1GB'
complete -c ctxkit -n '__ctxkit_at ctxkit cache gc' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit cache gc' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache stat' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit cache stat' -s h -l help -d 'Show this message and exit'
complete -c ctxkit -n '__ctxkit_at ctxkit cache verify' -l json -d 'Print one JSON object instead'
complete -c ctxkit -n '__ctxkit_at ctxkit cache verify' -s h -l help -d 'Show this message and exit'
