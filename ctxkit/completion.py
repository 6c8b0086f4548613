"""Completion scripts for bash, zsh and fish, written from the commands themselves.

They hold every word they offer, so that no Python starts when a user presses the key:
``python -m ctxkit.completion completions``.
"""

import re
from collections.abc import Iterator

import click

from ctxkit.core.brief import detect
from ctxkit.core.hint import PRESETS
from ctxkit.core.models import MODELS
from ctxkit.core.vocabulary import VOCABULARIES
from ctxkit.manual import Verb, publisher, tree

WORDS = {"model": tuple(MODELS), "tokenizer": tuple(VOCABULARIES), "hint": tuple(PRESETS)}
"""The values that are known of an option, by its name."""
_LEAD = "Written by python -m ctxkit.completion from the commands themselves: change them there."


def words_of(option: click.Option) -> tuple[str, ...]:
    """Return the values of an option that are known, none when they are not."""
    return tuple(detect.types()) if option.name == "forced" else WORDS.get(option.name or "", ())


def takes_file(parameter: click.Parameter) -> bool:
    """Tell whether a value may be the name of a file."""
    return "FILE" in (parameter.metavar or "")


def takes_command(verb: Verb) -> bool:
    """Tell whether a verb runs another command."""
    return any(argument.type is click.UNPROCESSED for argument in verb.arguments)


def brief_help(option: click.Option) -> str:
    """Return the help of an option without its default and its full stop."""
    return (option.help or "").partition("  [")[0].removesuffix(".")


def _names(verb: Verb, *, valued: bool = False) -> str:
    options = [option for option in verb.options if not (valued and option.is_flag)]
    return " ".join(name for option in options for name in option.opts)


def scripts() -> dict[str, str]:
    """Return every script by its file name."""
    top = tree()
    return {"ctxkit.bash": bash(top), "_ctxkit": zsh(top), "ctxkit.fish": fish(top)}


BASH = """\
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


def bash(top: Verb) -> str:
    """Return the script for bash."""
    options = {name: option for verb in top.walk() for option in verb.options for name in option.opts}
    known = {name: " ".join(words_of(option)) for name, option in options.items() if words_of(option)}
    values = [f"    {name}) values='{words}' ;;" for name, words in known.items()]
    named = [name for name, option in options.items() if takes_file(option)]
    values += [f"    {'|'.join(named)}) _ctxkit_files; return ;;"] if named else []
    return BASH.format(lead=_LEAD, values="\n".join(values), verbs="\n".join(map(_bash_verb, top.walk())))


def _bash_verb(verb: Verb) -> str:
    below = " ".join(one.command.name or "" for one in verb.verbs)
    files = "command" if takes_command(verb) else "yes" if any(map(takes_file, verb.arguments)) else ""
    known = {"verbs": below, "options": _names(verb), "valued": _names(verb, valued=True), "files": files}
    lines = [f"        {name}='{words}'" for name, words in known.items() if words]
    return "\n".join([f"    '{verb.name}')", *lines, "        ;;"])


def zsh(top: Verb) -> str:
    """Return the script for zsh."""
    functions = "\n\n".join(_zsh_function(verb) for verb in reversed(list(top.walk())))
    return f'#compdef ctxkit\n# {_LEAD}\n\n{functions}\n\n_ctxkit "$@"\n'


def _zsh_name(verb: Verb) -> str:
    return "_" + re.sub(r"\W", "_", verb.name)


def _zsh_function(verb: Verb) -> str:
    specs = [_zsh_option(option) for option in verb.options]
    if verb.verbs:
        specs += ["'1: :->verb'", "'*:: :->rest'"]
    elif takes_command(verb):
        specs += ["'(-)1:command:_command_names -e'", "'*::argument:_normal'"]
    else:
        specs += [_zsh_argument(argument) for argument in verb.arguments]
    lead = f"_arguments {'-C ' if verb.verbs else ''}-s -S :"
    head = ["    local curcontext=$curcontext state line"] if verb.verbs else []
    lines = [*head, " \\\n        ".join([f"    {lead}", *specs]), *_zsh_states(verb)]
    return "\n".join([f"{_zsh_name(verb)}() {{", *lines, "}"])


def _zsh_option(option: click.Option) -> str:
    action = f"({' '.join(words_of(option))})" if words_of(option) else "_files" if takes_file(option) else " "
    value = "" if option.is_flag else f":{_zsh_text(option.metavar or 'value')}:{action}"
    text = f"[{_zsh_text(brief_help(option))}]"
    specs = [f"{name}{_zsh_joint(name, option)}{text}{value}" for name in option.opts]
    others = f"({' '.join(option.opts)})" if len(option.opts) > 1 else ""
    return " ".join(f"'{others}{spec}'" for spec in specs)


def _zsh_joint(name: str, option: click.Option) -> str:
    if option.is_flag:
        return ""
    return "=" if name.startswith("--") else "+"


def _zsh_argument(argument: click.Argument) -> str:
    many = "*" if argument.nargs == -1 else "1"
    optional = "" if argument.required or argument.nargs == -1 else ":"
    name = _zsh_text((argument.metavar or "").strip("[].").lower())
    return f"'{many}{optional}:{name}:{'_files' if takes_file(argument) else ' '}'"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _zsh_states(verb: Verb) -> Iterator[str]:
    if not verb.verbs:
        return
    yield "    local -a verbs=("
    for below in verb.verbs:
        yield f"        '{below.command.name}:{_zsh_text(below.summary)}'"
    yield "    )"
    yield "    case $state in"
    yield "    verb) _describe -t commands command verbs ;;"
    yield "    rest)"
    yield "        case $line[1] in"
    for below in verb.verbs:
        yield f"        {below.command.name}) {_zsh_name(below)} ;;"
    yield "        esac"
    yield "        ;;"
    yield "    esac"


FISH = """\
# fish completion for ctxkit
# {lead}

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
{cases}
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
{lines}
"""


def fish(top: Verb) -> str:
    """Return the script for fish."""
    cases = [*_fish_cases(top)]
    lines = [line for verb in top.walk() for line in _fish_verb(verb)]
    return FISH.format(lead=_LEAD, cases="\n".join(cases), lines="\n".join(lines))


def _fish_cases(top: Verb) -> Iterator[str]:
    """Yield what each word means after the verb before it."""
    for verb in top.walk():
        valued = [_fish_text(f"{verb.name} {name}") for name in _names(verb, valued=True).split()]
        if valued:
            yield f"            case {' '.join(valued)}"
            yield "                set skip 1"
    running = [verb.name for verb in top.walk() if takes_command(verb)]
    begin = ["                printf '%s\\n' $verb' --' {}$words", "                return"]
    if running:
        yield f"            case {' '.join(_fish_text(f'{name} --') for name in running)}"
        yield from (line.format("") for line in begin)
    yield "            case '* -*'"
    if running:
        yield f"            case {' '.join(_fish_text(f'{name} *') for name in running)}"
        yield from (line.format("$word ") for line in begin)
    yield f"            case {' '.join(_fish_text(verb.name) for verb in top.walk() if verb is not top)}"
    yield '                set verb "$verb $word"'


def _fish_verb(verb: Verb) -> Iterator[str]:
    here = f"complete -c ctxkit -n '__ctxkit_at {verb.name}'"
    for below in verb.verbs:
        yield f"{here} -a {below.command.name} -d {_fish_text(below.summary)}"
    for option in verb.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.opts)
        yield f"{here} {names}{_fish_value(option)} -d {_fish_text(brief_help(option))}"
    if takes_command(verb):
        yield f"complete -c ctxkit -n '__ctxkit_at {verb.name}' -a '(__ctxkit_command)'"
        yield f"complete -c ctxkit -n '__ctxkit_at {verb.name} --' -a '(__ctxkit_command)'"
    elif any(map(takes_file, verb.arguments)):
        yield f"{here} -F"


def _fish_value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if words_of(option):
        return f" -x -a {_fish_text(' '.join(words_of(option)))}"
    return " -r -F" if takes_file(option) else " -x"


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


if __name__ == "__main__":
    publisher(scripts, "*ctxkit*")()
