"""Completion in bash: one function that finds the verb typed so far, and tables of words."""

from collections.abc import Iterator

from tools.pages.tree import Verb
from tools.pages.words import Values, names, takes_command, values_of

_SCRIPT = """\
# bash completion for ctxkit
# {lead}

_ctxkit() {{
    local IFS=$' \\t\\n' verb=ctxkit place='' word verbs options valued runs
    local -a words starts
    local -i at last number=0 start=0
    _ctxkit_join
    local cur=${{words[last]}}
    local typed=$cur
    _ctxkit_words
    for ((at = 1; at < last; at++)); do
        word=${{words[at]}}
        if [[ " $valued " == *" $word "* ]]; then
            ((++at < last)) && [[ ${{words[at]}} == = ]] && ((at++))
            ((at == last)) && place=$word
        elif [[ $word == -- || $word != -* ]]; then
            if [[ $runs ]]; then
                [[ $word == -- ]] && ((at++))
                start=starts[at]
                break
            elif [[ " $verbs " == *" $word "* ]]; then
                verb+=" $word"
                _ctxkit_words
            elif [[ $word != -- ]]; then
                ((number++))
            fi
        fi
    done
    [[ $place && $cur == = ]] && cur=''
    COMPREPLY=()
    if ((start)); then
        _ctxkit_command
        return
    elif [[ $place ]]; then
        _ctxkit_values
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ $verbs ]]; then
        COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
    elif [[ $runs ]]; then
        COMPREPLY=($(compgen -c -- "$cur"))
    else
        place=$((number + 1))
        _ctxkit_values
    fi
    _ctxkit_trim
}}

# Set the words up to the cursor, and where each starts in COMP_WORDS: bash splits a word such as qwen3:8b at the colon.
_ctxkit_join() {{
    local rest=$COMP_LINE part
    local -i index
    last=-1
    for ((index = 0; index <= COMP_CWORD; index++)); do
        part=${{COMP_WORDS[index]}}
        if ((last >= 0)) && [[ $rest != [[:space:]]* && ($part == :* || ${{words[last]}} == *:) ]]; then
            words[last]+=$part
        else
            words[++last]=$part
            starts[last]=$index
        fi
        rest=${{rest#"${{rest%%[![:space:]]*}}"}}
        rest=${{rest#"$part"}}
    done
    starts[last + 1]=$((COMP_CWORD + 1))
}}

# Leave out the part before the last colon, which bash does not replace.
_ctxkit_trim() {{
    local head=${{typed%"${{typed##*:}}"}}
    if [[ $head && $COMP_WORDBREAKS == *:* ]] && ((${{#COMPREPLY[@]}})); then
        COMPREPLY=("${{COMPREPLY[@]#"$head"}}")
    fi
}}

_ctxkit_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$cur"))
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
    local values='' list='' kind='' files='' head='' value
    case "$verb $place" in
{values}
    esac
    if [[ $list && $cur == *,* ]]; then
        head=${{cur%,*}},
        cur=${{cur##*,}}
    fi
    for value in $values; do
        [[ $value == "$cur"* && ",$head" != *",$value,"* ]] && COMPREPLY+=("$head$value")
    done
    [[ $kind ]] && _ctxkit_ask
    [[ $files ]] && _ctxkit_files
}}

# Ask the installed ctxkit for values, never a program of the current directory.
_ctxkit_ask() {{
    local program
    program=$(type -P ctxkit) && [[ $program == /* ]] || return
    while IFS=$'\\t' read -r value _; do
        [[ $value ]] && COMPREPLY+=("$value")
    done < <("$program" _complete "$kind" "$cur" 2>/dev/null)
}}

_ctxkit_words() {{
    verbs='' options='' valued='' runs=''
    case $verb in
{verbs}
    esac
}}

complete -F _ctxkit ctxkit
"""


def bash(top: Verb, lead: str) -> str:
    """Return the script for bash; ``lead`` is the comment above it."""
    verbs = "\n".join(map(_verb, top.walk()))
    return _SCRIPT.format(lead=lead, values="\n".join(_rows(top)), verbs=verbs)


def _rows(top: Verb) -> Iterator[str]:
    """Yield a row of what may stand at each place: after an option, or as an argument of a number.

    A row for all verbs holds what most verbs mean by an option; the rows above it are of the others.
    """
    places: dict[str, dict[Values, list[str]]] = {}
    arguments: dict[Values, list[str]] = {}
    for verb in top.walk():
        for option in verb.options:
            for name in option.opts if not option.is_flag else ():
                places.setdefault(name, {}).setdefault(values_of(option, verb), []).append(verb.name)
        for number, argument in enumerate(verb.arguments, 1):
            place = f"'{verb.name} '{'[0-9]*' if argument.nargs == -1 else number}"
            arguments.setdefault(values_of(argument, verb), []).append(place)
    common: dict[Values, list[str]] = {}
    for name, meanings in places.items():
        *others, most = sorted(meanings, key=lambda values: len(meanings[values]))
        yield from (_row(values, [f"'{verb} {name}'" for verb in meanings[values]]) for values in others)
        common.setdefault(most, []).append(f"*' {name}'")
    yield from (_row(values, patterns) for values, patterns in common.items() if values != Values())
    yield from (_row(values, patterns) for values, patterns in arguments.items() if values != Values())


def _row(values: Values, patterns: list[str]) -> str:
    known = {
        "values": " ".join(values.words),
        "list": "yes" if values.is_list else "",
        "kind": values.kind,
        "files": "yes" if values.takes_file else "",
    }
    settings = " ".join(f"{name}='{text}'" for name, text in known.items() if text)
    return f"    {'|'.join(patterns)}) {settings or ':'} ;;"


def _verb(verb: Verb) -> str:
    known = {
        "verbs": " ".join(subverb.command.name or "" for subverb in verb.verbs),
        "options": " ".join(names(verb)),
        "valued": " ".join(names(verb, valued=True)),
        "runs": "yes" if takes_command(verb) else "",
    }
    lines = [f"        {name}='{words}'" for name, words in known.items() if words]
    return "\n".join([f"    '{verb.name}')", *lines, "        ;;"])
