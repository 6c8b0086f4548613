# bash completion for ctxkit
# Written by python -m ctxkit.pages.completion from the commands themselves: change them there.

_ctxkit() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} verb=ctxkit prev='' word verbs options valued files values
    local -i at start=0
    _ctxkit_words
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ " $valued " == *" $word "* ]]; then
            ((++at < COMP_CWORD)) && [[ ${COMP_WORDS[at]} == = ]] && ((at++))
            ((at == COMP_CWORD)) && prev=$word
        elif [[ $word == -- || $word != -* ]]; then
            if [[ $files == command ]]; then
                [[ $word == -- ]] && ((at++))
                start=at
                break
            elif [[ " $verbs " == *" $word "* ]]; then
                verb+=" $word"
                _ctxkit_words
            fi
        fi
    done
    [[ $prev && $cur == = ]] && cur=''
    COMPREPLY=()
    if ((start)); then
        _ctxkit_command
    elif [[ $prev ]]; then
        _ctxkit_values
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ $verbs ]]; then
        COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
    elif [[ $files == command ]]; then
        COMPREPLY=($(compgen -c -- "$cur"))
    elif [[ $files ]]; then
        _ctxkit_files
    fi
}

_ctxkit_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
}

_ctxkit_command() {
    if ((start >= COMP_CWORD)); then
        COMPREPLY=($(compgen -c -- "$cur"))
    elif declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$start"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$start"
    else
        _ctxkit_files
    fi
}

_ctxkit_values() {
    case $prev in
    --model) values='nanbeige4.1-3b qwen3-30b-a3b haiku sonnet opus claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 deepseek-v3 gemini-2.5-flash gemini-2.5-pro gemma-3-27b glm-4.6 gpt-4.1 gpt-4o gpt-5 gpt-oss-20b kimi-k2 llama-3.3-70b mistral-small-3.2 phi-4 qwen3-8b qwen3-coder-30b' ;;
    --tokenizer) values='o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 qwen3 gemma2 gemma3 llama2 mistral_v1 claude gemini estimate bytes/3' ;;
    --type) values='bash binary c cpp csharp css dart elixir geojson go haskell hcl ipynb java javascript json jsonl julia kotlin log lua make markdown md ndjson nix objc ocaml perl php plain powershell pytest python ruby rust scala source sql swift text tsx typescript zig' ;;
    --hint) values='ctxkit sed read_file' ;;
    --events) _ctxkit_files; return ;;
    esac
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
}

_ctxkit_words() {
    verbs='' options='' valued='' files=''
    case $verb in
    'ctxkit')
        verbs='gate run brief cache'
        options='--version -h --help'
        ;;
    'ctxkit gate')
        options='--model --window --reserve --used --tokenizer --name --type --hint --limit --no-store --strict --events -q --quiet -v --verbose --check --json -h --help'
        valued='--model --window --reserve --used --tokenizer --name --type --hint --limit --events'
        files='yes'
        ;;
    'ctxkit run')
        options='--model --window --reserve --used --tokenizer --name --type --hint --limit --no-store --strict --events -q --quiet -v --verbose --timeout --json -h --help'
        valued='--model --window --reserve --used --tokenizer --name --type --hint --limit --events --timeout'
        files='command'
        ;;
    'ctxkit brief')
        options='--model --window --reserve --used --tokenizer --name --type --hint -q --quiet -v --verbose --target --json -h --help'
        valued='--model --window --reserve --used --tokenizer --name --type --hint --target'
        files='yes'
        ;;
    'ctxkit cache')
        verbs='put get list path rm gc stat verify'
        options='-h --help'
        ;;
    'ctxkit cache put')
        options='--name --tool --call --json -h --help'
        valued='--name --tool --call'
        files='yes'
        ;;
    'ctxkit cache get')
        options='--lines --bytes --grep -C --context -n --number --gate --model --window --reserve --used --tokenizer -q --quiet -v --verbose -h --help'
        valued='--lines --bytes --grep -C --context --model --window --reserve --used --tokenizer'
        files='yes'
        ;;
    'ctxkit cache list')
        options='--json -h --help'
        ;;
    'ctxkit cache path')
        options='-h --help'
        ;;
    'ctxkit cache rm')
        options='--all -h --help'
        ;;
    'ctxkit cache gc')
        options='--max-age --max-size --json -h --help'
        valued='--max-age --max-size'
        ;;
    'ctxkit cache stat')
        options='--json -h --help'
        ;;
    'ctxkit cache verify')
        options='--json -h --help'
        ;;
    esac
}

complete -F _ctxkit ctxkit
