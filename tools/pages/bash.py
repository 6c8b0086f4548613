"""Completion in bash: one function that finds the verb typed so far, and tables of words."""

from tools.pages.tree import Verb
from tools.pages.words import names, takes_command, takes_file, words_of

_SCRIPT = """\
# bash completion for ctxkit
# {lead}

_ctxkit() {{
    local IFS=$' \\t\\n' cur=${{COMP_WORDS[COMP_CWORD]}} verb=ctxkit prev='' word verbs options valued files values
    local -i at start=0
    _ctxkit_words
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${{COMP_WORDS[at]}}
        if [[ " $valued " == *" $word "* ]]; then
            ((++at < COMP_CWORD)) && [[ ${{COMP_WORDS[at]}} == = ]] && ((at++))
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
}}

_ctxkit_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
}}

_ctxkit_command() {{
    if ((start >= COMP_CWORD)); then
        COMPREPLY=($(compgen -c -- "$cur"))
    elif declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$start"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$start"
    else
        _ctxkit_files
    fi
}}

_ctxkit_values() {{
    case $prev in
{values}
    esac
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
}}

_ctxkit_words() {{
    verbs='' options='' valued='' files=''
    case $verb in
{verbs}
    esac
}}

complete -F _ctxkit ctxkit
"""


def bash(top: Verb, lead: str) -> str:
    """Return the script for bash; ``lead`` is the comment above it."""
    verbs = "\n".join(map(_verb, top.walk()))
    return _SCRIPT.format(lead=lead, values="\n".join(_values(top)), verbs=verbs)


def _values(top: Verb) -> list[str]:
    """Return what may stand after each option that takes a value."""
    options = {name: option for verb in top.walk() for option in verb.options for name in option.opts}
    known = {name: " ".join(words_of(option)) for name, option in options.items() if words_of(option)}
    named = [name for name, option in options.items() if takes_file(option)]
    files = [f"    {'|'.join(named)}) _ctxkit_files; return ;;"] if named else []
    return [*(f"    {name}) values='{words}' ;;" for name, words in known.items()), *files]


def _verb(verb: Verb) -> str:
    known = {
        "verbs": " ".join(subverb.command.name or "" for subverb in verb.verbs),
        "options": " ".join(names(verb)),
        "valued": " ".join(names(verb, valued=True)),
        "files": "command" if takes_command(verb) else "yes" if any(map(takes_file, verb.arguments)) else "",
    }
    lines = [f"        {name}='{words}'" for name, words in known.items() if words]
    return "\n".join([f"    '{verb.name}')", *lines, "        ;;"])
