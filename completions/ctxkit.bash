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
    --model) values='babbage-002 c4ai-aya-expanse-32b c4ai-aya-expanse-8b c4ai-aya-vision-32b c4ai-aya-vision-8b chatgpt-4o claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet claude-3-haiku claude-3-opus claude-3-sonnet claude-fable-5 claude-fable-5-1 claude-haiku-4-5 claude-haiku-5-5 claude-mythos-5 claude-mythos-5-1 claude-mythos-preview claude-opus-4 claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-4.6-fast claude-opus-4.7-fast claude-opus-5 claude-opus-5-5 claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5 codellama-7b codestral-2405 codestral-2501 codestral-2508 codestral-latest codestral-mamba-latest codex-mini command-a command-a-03-2025 command-a-plus-05-2026 command-a-reasoning-08-2025 command-a-vision-07-2025 command-r command-r-08-2024 command-r-plus command-r-plus-08-2024 command-r7b-12-2024 command-r7b-arabic-02-2025 davinci-002 deepseek-chat deepseek-coder deepseek-flash deepseek-r1 deepseek-r1-0528 deepseek-r1-distill-llama-70b deepseek-r1-distill-llama-8b deepseek-r1-distill-qwen-1.5b deepseek-r1-distill-qwen-14b deepseek-r1-distill-qwen-32b deepseek-r1-distill-qwen-7b deepseek-r1-turbo deepseek-reasoner deepseek-tng-r1t2-chimera deepseek-v3 deepseek-v3-0324 deepseek-v3.1 deepseek-v3.1-nex-n1 deepseek-v3.1-terminus deepseek-v3.2 deepseek-v3.2-exp deepseek-v3.2-speciale deepseek-v4-flash deepseek-v4-flash-0731 deepseek-v4-flash-vision-exp deepseek-v4-pro deepseek-v4-pro-0813 deepseek-v4.1-flash deepseek-v4.1-flash-1017 deepseek-v4.1-flash-fast devstral-2-123b devstral-2-123b-instruct-2512 devstral-2512 devstral-latest devstral-medium-2507 devstral-medium-latest devstral-small-2505 devstral-small-2507 devstral-small-latest doubao-seed-2-0-pro doubao-seed-2.0-mini ernie-4.5-21b-a3b ernie-4.5-21b-a3b-thinking ernie-4.5-300b-a47b ernie-4.5-300b-a47b-paddle ernie-4.5-vl-28b-a3b ernie-4.5-vl-424b-a47b gemini-2.0-flash gemini-2.0-flash-001 gemini-2.0-flash-lite gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-flash-lite-preview gemini-2.5-flash-preview gemini-2.5-pro gemini-2.5-pro-preview gemini-3-flash gemini-3-flash-preview gemini-3-pro gemini-3-pro-preview gemini-3.1-flash-lite gemini-3.1-flash-lite-preview gemini-3.1-pro gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash gemini-4-argon gemini-flash-latest gemini-flash-lite-latest gemini-omni-1.1-flash gemini-omni-flash-preview gemini-pro-latest gemma-2-27b-it gemma-2-2b-it gemma-2-9b-it gemma-3-12b-it gemma-3-1b-it gemma-3-270m-it gemma-3-27b-it gemma-3-4b-it gemma-3n-e2b-it gemma-3n-e4b-it gemma-4-26b-a4b-it gemma-4-31b-it gemma-7b gemma-sea-lion-v4-27b-it glm-4-32b-0414 glm-4-32b-0414-128k glm-4-9b-0414 glm-4-9b-chat glm-4.5 glm-4.5-air glm-4.5-airx glm-4.5-flash glm-4.5-x glm-4.5v glm-4.6 glm-4.6v glm-4.6v-flash glm-4.7 glm-4.7-flash glm-4.7-flashx glm-5 glm-5-code glm-5-turbo glm-5.1 glm-5.2 glm-5.3 glm-5.3-fast glm-5.3-flash glm-5v-turbo glm-z1-32b-0414 glm-z1-9b-0414 gpt-3.5-turbo gpt-3.5-turbo-0125 gpt-3.5-turbo-0613 gpt-3.5-turbo-1106 gpt-3.5-turbo-16k gpt-3.5-turbo-instruct gpt-4 gpt-4-0613 gpt-4-1106-preview gpt-4-32k gpt-4-turbo gpt-4-turbo-preview gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4o gpt-4o-mini gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gpt-5-codex gpt-5-mini gpt-5-nano gpt-5-pro gpt-5.1 gpt-5.1-2025-11-13 gpt-5.1-chat-latest gpt-5.1-codex gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.2 gpt-5.2-2025-12-11 gpt-5.2-chat-latest gpt-5.2-codex gpt-5.2-pro gpt-5.3-chat-latest gpt-5.3-codex gpt-5.3-codex-spark gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.4-pro gpt-5.5 gpt-5.5-pro gpt-5.6 gpt-5.6-cyber gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-astra-law gpt-6-luna gpt-6-rosalind gpt-6-sol gpt-6.1-sol gpt-6.1-terra gpt-chat-latest gpt-daybreak-blue-latest gpt-daybreak-red-latest gpt-oss-120b gpt-oss-20b gpt2 granite-13b-chat-v2 granite-3-8b-instruct granite-3.1-2b-instruct granite-3.1-8b-instruct granite-3.2-2b-instruct granite-3.2-8b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct granite-4-h-small granite-4.0-h-micro granite-4.1-8b granite-vision-3-2-2b grok-3 grok-3-mini grok-4 grok-4-0709 grok-4-1-fast-non-reasoning grok-4-1-fast-reasoning grok-4-fast grok-4-fast-non-reasoning grok-4-fast-reasoning grok-4.1-fast grok-4.20 grok-4.20-0309 grok-4.20-0309-non-reasoning grok-4.20-0309-reasoning grok-4.20-beta grok-4.20-beta-0309 grok-4.20-beta-0309-non-reasoning grok-4.20-beta-0309-reasoning grok-4.20-beta-latest-non-reasoning grok-4.20-beta-latest-reasoning grok-4.20-beta-non-reasoning grok-4.20-beta-reasoning grok-4.20-multi-agent grok-4.20-multi-agent-0309 grok-4.20-multi-agent-beta grok-4.20-multi-agent-beta-0309 grok-4.20-non-reasoning grok-4.20-non-reasoning-gv2 grok-4.20-reasoning grok-4.20-reasoning-gv2 grok-4.3 grok-4.5 grok-4.6 grok-4.7 grok-build-0.1 grok-build-latest grok-code-fast grok-code-fast-1 grok-code-fast-1-0825 haiku hermes-2-pro-llama-3-8b hermes-3-llama-3.1-405b hermes-3-llama-3.1-70b hermes-4-405b hermes-4-70b hunyuan-a13b-instruct intellect-3 jamba-1.5-large jamba-1.5-mini jamba-large-1.7 kat-coder-pro-v2 kimi-k2 kimi-k2-0711-preview kimi-k2-0905 kimi-k2-0905-preview kimi-k2-thinking kimi-k2-thinking-turbo kimi-k2-turbo-preview kimi-k2.5 kimi-k2.6 kimi-k2.7-code kimi-k3 kimi-k3.1-pro ling-2.6-1t ling-2.6-flash llama-2-13b-chat llama-2-70b-chat llama-2-7b-chat llama-3-70b-instruct llama-3-8b-instruct llama-3.1-405b-instruct llama-3.1-70b-instruct llama-3.1-8b-instant llama-3.1-8b-instruct llama-3.1-8b-instruct-turbo llama-3.1-nemotron-70b-instruct-hf llama-3.2-11b llama-3.2-11b-vision-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.2-90b llama-3.2-90b-vision-instruct llama-3.3-70b-instruct llama-3.3-70b-instruct-fp8-fast llama-3.3-70b-instruct-turbo llama-3.3-70b-versatile llama-3.3-8b-instruct llama-3.3-nemotron-super-49b-v1 llama-3.3-nemotron-super-49b-v1.5 llama-4-maverick-17b-128e-instruct llama-4-scout-17b-16e-instruct longcat-flash-chat magistral-medium-latest magistral-small magistral-small-2506 magistral-small-2509 mercury-2 mercury-2.5 mercury-edit-2 mimo-v2-flash mimo-v2-omni mimo-v2-pro mimo-v2.5 mimo-v2.5-pro mimo-v2.6-flash mimo-v2.6-pro minimax-01 minimax-m1 minimax-m1-80k minimax-m2 minimax-m2-her minimax-m2.1 minimax-m2.1-lightning minimax-m2.5 minimax-m2.5-highspeed minimax-m2.5-lightning minimax-m2.7 minimax-m2.7-highspeed minimax-m3 minimax-m3.1-flash ministral-14b ministral-14b-2512 ministral-3-14b-2512 ministral-3-14b-instruct ministral-3-3b-2512 ministral-3-3b-instruct ministral-3-8b-2512 ministral-3-8b-instruct ministral-3b ministral-3b-2512 ministral-8b ministral-8b-2512 mistral-7b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mistral-code-agent-latest mistral-code-latest mistral-large-2407 mistral-large-2411 mistral-large-2512 mistral-large-3 mistral-large-3-675b-instruct mistral-large-4 mistral-large-4-0 mistral-large-latest mistral-medium mistral-medium-2505 mistral-medium-2508 mistral-medium-2604 mistral-medium-3 mistral-medium-3-5 mistral-medium-3.1 mistral-nemo mistral-nemo-instruct-2407 mistral-saba mistral-small mistral-small-24b-instruct-2501 mistral-small-2503 mistral-small-2506 mistral-small-2603 mistral-small-3.1 mistral-small-3.1-24b-instruct mistral-small-3.2 mistral-small-3.2-24b-instruct mistral-tiny mixtral-8x22b-instruct mixtral-8x22b-instruct-v0.1 mixtral-8x7b-instruct mixtral-8x7b-instruct-v0.1 moonshot-v1-128k moonshot-v1-128k-vision-preview moonshot-v1-32k moonshot-v1-32k-vision-preview moonshot-v1-8k moonshot-v1-8k-vision-preview moonshot-v1-auto muse-glimmer-30b muse-spark-1.1 muse-spark-1.2 muse-spark-1.2-contributor muse-spark-1.3 muse-spark-1.3-contributor muse-spark-open muse-wonder-1.0 nanbeige4.1-3b nemotron-3-120b-a12b nemotron-3-nano-30b-a3b nemotron-3-nano-omni-30b-a3b-reasoning nemotron-3-super-120b-a12b nemotron-3-ultra-550b-a55b nemotron-mini-4b-instruct nemotron-nano-12b-v2 nemotron-nano-12b-v2-vl nemotron-nano-3-30b nemotron-nano-9b-v2 nemotron-super-3-120b nova-2-lite nova-2-lite-v1 nova-2-pro-v1 nova-lite nova-lite-v1 nova-micro nova-micro-v1 nova-premier-v1 nova-pro nova-pro-v1 o1 o1-mini o1-preview o1-pro o3 o3-mini o3-mini-high o3-pro o4-mini o4-mini-high olmo-2-0325-32b-instruct olmo-2-1124-13b-instruct olmo-2-1124-7b-instruct olmo-3-32b-think olmo-3-7b-instruct open-mistral-7b open-mistral-nemo opus palmyra-x5 phi-3-medium-128k-instruct phi-3-medium-4k-instruct phi-3-mini-128k-instruct phi-3-mini-4k-instruct phi-3-small-128k-instruct phi-3-small-8k-instruct phi-3.5-mini-instruct phi-3.5-moe-instruct phi-4 phi-4-mini-instruct phi-4-mini-reasoning phi-4-multimodal-instruct phi-4-reasoning pixtral-12b pixtral-large-latest qvq-max qwen-coder qwen-flash qwen-max qwen-plus qwen-plus-2025-01-25 qwen-plus-2025-04-28 qwen-plus-2025-07-14 qwen-plus-2025-07-28 qwen-plus-2025-09-11 qwen-plus-character-ja qwen-turbo qwen-turbo-2024-11-01 qwen-turbo-2025-04-28 qwen-vl-max qwen-vl-plus qwen2-5-omni-7b qwen2-5-vl-72b-instruct qwen2-5-vl-7b-instruct qwen2-vl-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-3b-instruct qwen2.5-72b-instruct qwen2.5-7b-instruct qwen2.5-coder-0.5b-instruct qwen2.5-coder-1.5b-instruct qwen2.5-coder-14b-instruct qwen2.5-coder-32b-instruct qwen2.5-coder-3b-instruct qwen2.5-coder-7b-instruct qwen2.5-vl-32b-instruct qwen3-0.6b qwen3-1.7b qwen3-14b qwen3-235b-a22b qwen3-235b-a22b-instruct-2507 qwen3-235b-a22b-thinking-2507 qwen3-30b-a3b qwen3-30b-a3b-instruct-2507 qwen3-30b-a3b-thinking-2507 qwen3-32b qwen3-4b qwen3-4b-instruct-2507 qwen3-4b-thinking-2507 qwen3-8b qwen3-coder qwen3-coder-30b-a3b-instruct qwen3-coder-480b-a35b-instruct qwen3-coder-flash qwen3-coder-next qwen3-coder-plus qwen3-max qwen3-max-preview qwen3-max-thinking qwen3-next-80b-a3b-instruct qwen3-next-80b-a3b-thinking qwen3-omni-30b-a3b-instruct qwen3-omni-30b-a3b-thinking qwen3-omni-flash qwen3-vl-235b-a22b qwen3-vl-235b-a22b-thinking qwen3-vl-30b-a3b qwen3-vl-30b-a3b-thinking qwen3-vl-32b-instruct qwen3-vl-32b-thinking qwen3-vl-8b-instruct qwen3-vl-8b-thinking qwen3-vl-plus qwen3.5-122b-a10b qwen3.5-27b qwen3.5-35b-a3b qwen3.5-397b-a17b qwen3.5-9b qwen3.5-flash qwen3.5-plus qwen3.6-27b qwen3.6-35b-a3b qwen3.6-flash qwen3.6-max-preview qwen3.6-plus qwen3.7-max qwen3.7-plus qwen3.8-2.4t-a95b qwen3.8-27b qwen3.8-flash qwen3.8-max qwen3.8-omni-flash qwq-32b qwq-plus seed-1.6 seed-2.0-mini seed-oss-36b-instruct smollm2-1.7b-instruct smollm2-135m-instruct smollm2-360m-instruct smollm3-3b solar-mini solar-pro2 solar-pro3 sonar sonar-pro sonar-reasoning sonar-reasoning-pro sonnet step-1-32k step-2-16k step-3.5-flash step-3.5-flash-2603 step-3.7-flash text-davinci-003 trinity-large-preview trinity-large-thinking trinity-mini voxtral-mini-3b-2507 voxtral-small-24b-2507 voxtral-small-2507 voxtral-small-latest' ;;
    --tokenizer) values='o200k cl100k llama3 deepseek_v3 mistral_v3 glm4 kimi_k2 phi4 olmo2 p50k r50k qwen3 gemma2 gemma3 llama2 mistral_v1 claude claude-4-7 gemini estimate bytes/3' ;;
    --type) values='abap adoc apex article asciidoc asm astro atom bash basic batch binary blame build c cargo nextest cargo test cargo_test chapel ci clojure cmake coffeescript compiler coq cpp crash crystal csharp css csv ctest dart df diagnostics diff dockerfile du elixir elm email eml env erlang find fortran fsharp geojson gitlog go go test go_test googletest graphql grep groovy gtest gyp har haskell hcl help history htm html ini ipynb java javascript jest json json5 jsonc jsonl julia junit junit xml junit_xml just kotlin kubectl latex lex lint lisp listing lock lockfile log ls lua mail make man manual markdown matlab mbox md mocha ndjson nextest nim nix notebook nunit objc ocaml org panic pascal patch perl php phpunit plain plist pod pom powershell prolog properties prose protobuf ps psql puppet pytest python r rg roff rspec rss rst ruby rust scala scss search smalltalk soap solidity source sql starlark status svelte svg swift swift-testing systemd table tap tcl template test report xml tex texinfo text toml traceback tree trx tsv tsx txt typescript typeset unittest verilog vhdl vitest vue wikitext xctest xhtml xml xsd xslt xunit yacc yaml yml zeek zig' ;;
    --hint) values='ctxkit sed read_file' ;;
    --files-from|--events|--context-md|--manifest|--report|--baseline|--prompt) _ctxkit_files; return ;;
    esac
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
}

_ctxkit_words() {
    verbs='' options='' valued='' files=''
    case $verb in
    'ctxkit')
        verbs='count gate run brief cache compact session snapshot edit usage dedupe models trust doctor'
        options='--version -h --help'
        ;;
    'ctxkit count')
        options='--by --max --input --format --files-from -l --long --calibrate --model --window --reserve --used --tokenizer -q --quiet -v --verbose --json -h --help'
        valued='--by --max --input --format --files-from --calibrate --model --window --reserve --used --tokenizer'
        files='yes'
        ;;
    'ctxkit gate')
        options='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --limit --admit --no-store --strict --events --redact -q --quiet -v --verbose --check --json -h --help'
        valued='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --limit --events'
        files='yes'
        ;;
    'ctxkit run')
        options='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --limit --admit --no-store --strict --events --redact -q --quiet -v --verbose --events-full --timeout --kill-after --json -h --help'
        valued='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --limit --events --timeout --kill-after'
        files='command'
        ;;
    'ctxkit brief')
        options='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --redact -q --quiet -v --verbose --target --json -h --help'
        valued='--model --window --reserve --used --tokenizer --session --name --type --focus --hint --target'
        files='yes'
        ;;
    'ctxkit cache')
        verbs='put get list search path rm gc stat verify'
        options='-h --help'
        ;;
    'ctxkit cache put')
        options='--name --tool --call --redact --json -q --quiet -v --verbose -h --help'
        valued='--name --tool --call'
        files='yes'
        ;;
    'ctxkit cache get')
        options='--lines --bytes --grep --json-path -C --context -n --number --gate --redact --model --window --reserve --used --tokenizer --session -q --quiet -v --verbose -h --help'
        valued='--lines --bytes --grep --json-path -C --context --model --window --reserve --used --tokenizer --session'
        files='yes'
        ;;
    'ctxkit cache list')
        options='--json -h --help'
        ;;
    'ctxkit cache search')
        options='-n --limit --tool --session --json -h --help'
        valued='-n --limit --tool --session'
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
    'ctxkit compact')
        options='--format --trigger --low-water --force --keep-recent --keep-last --stages --summarizer --summary-role --pin --context-md --manifest --restore --check --skip-bad --leaf --cache-aware --turns --cache-write --cache-read --report --json --model --window --reserve --used --tokenizer --session --no-store --strict --events --redact -q --quiet -v --verbose -h --help'
        valued='--format --trigger --low-water --keep-recent --keep-last --stages --summarizer --summary-role --pin --context-md --manifest --restore --leaf --turns --cache-write --cache-read --report --model --window --reserve --used --tokenizer --session --events'
        files='yes'
        ;;
    'ctxkit session')
        verbs='new append history status reset list rm'
        options='-h --help'
        ;;
    'ctxkit session new')
        options='--model --window --reserve --used --tokenizer -q --quiet -v --verbose -h --help'
        valued='--model --window --reserve --used --tokenizer'
        ;;
    'ctxkit session append')
        options='--format --no-count --strict --json -q --quiet -v --verbose -h --help'
        valued='--format'
        files='yes'
        ;;
    'ctxkit session history')
        options='--last --lines --since --json -q --quiet -v --verbose -h --help'
        valued='--last --lines --since'
        ;;
    'ctxkit session status')
        options='--json -h --help'
        ;;
    'ctxkit session reset')
        options='--used -h --help'
        valued='--used'
        ;;
    'ctxkit session list')
        options='--json -h --help'
        ;;
    'ctxkit session rm')
        options='-h --help'
        ;;
    'ctxkit snapshot')
        verbs='save load resume list rm'
        options='-h --help'
        ;;
    'ctxkit snapshot save')
        options='--format --covers --compacted --strict --json -q --quiet -v --verbose -h --help'
        valued='--format --covers'
        files='yes'
        ;;
    'ctxkit snapshot load')
        options='--json -h --help'
        ;;
    'ctxkit snapshot resume')
        options='--json -q --quiet -v --verbose -h --help'
        ;;
    'ctxkit snapshot list')
        options='--json -h --help'
        ;;
    'ctxkit snapshot rm')
        options='-h --help'
        ;;
    'ctxkit edit')
        verbs='list remove summarize restore'
        options='-h --help'
        ;;
    'ctxkit edit list')
        options='--by --format --skip-bad --model --tokenizer -q --quiet -v --verbose --json -h --help'
        valued='--by --format --model --tokenizer'
        files='yes'
        ;;
    'ctxkit edit remove')
        options='--expand --in-place --format --skip-bad --model --tokenizer -q --quiet -v --verbose --json -h --help'
        valued='--format --model --tokenizer'
        files='yes'
        ;;
    'ctxkit edit summarize')
        options='--summary --expand --in-place --format --skip-bad --model --tokenizer -q --quiet -v --verbose --json -h --help'
        valued='--summary --format --model --tokenizer'
        files='yes'
        ;;
    'ctxkit edit restore')
        options='--from --in-place --json -q --quiet -v --verbose -h --help'
        valued='--from'
        files='yes'
        ;;
    'ctxkit usage')
        options='--session --json -q --quiet -v --verbose -h --help'
        valued='--session'
        files='yes'
        ;;
    'ctxkit dedupe')
        options='--select --ignore --extend-select --fix --unsafe-fixes --diff --output-format --json --table --budget --statistics --baseline --update-baseline --fail-level --exit-zero --ignore-suppressions --prompt --files-from --stdin-name --color --model --tokenizer -q --quiet -v --verbose -h --help'
        valued='--select --ignore --extend-select --output-format --baseline --fail-level --prompt --files-from --stdin-name --color --model --tokenizer'
        ;;
    'ctxkit models')
        verbs='list show'
        options='-h --help'
        ;;
    'ctxkit models list')
        options='--json -h --help'
        ;;
    'ctxkit models show')
        options='--json -h --help'
        ;;
    'ctxkit trust')
        options='--yes --remove --list --json -q --quiet -v --verbose -h --help'
        ;;
    'ctxkit doctor')
        options='--json -h --help'
        ;;
    esac
}

complete -F _ctxkit ctxkit
