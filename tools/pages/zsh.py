"""Completion in zsh: one function a verb, each of them a call of _arguments."""

import re

import click

from tools.pages.tree import Verb
from tools.pages.words import Values, brief_help, metavar_of, takes_command, values_of

_STATES = """\
    local -a verbs=(
{verbs}
    )
    case $state in
    verb) _describe -t commands command verbs ;;
    rest)
        case $line[1] in
{cases}
        esac
        ;;
    esac"""
"""How a verb with verbs below it goes on to one of them."""
_ASK = """\
# Ask the installed ctxkit for values, never a program of the current directory; offer files too after the word files.
__ctxkit_ask() {
    local program=$(whence -p ctxkit)
    local -a lines
    [[ $program == /* ]] && lines=(${(f)"$($program _complete $1 "$PREFIX" 2>/dev/null)"})
    local -a words=(${lines%%$'\\t'*})
    lines=(${lines/$'\\t'/  })
    compadd -l -d lines -a words
    [[ $2 == files ]] && _files
}"""


def zsh(top: Verb, lead: str) -> str:
    """Return the script for zsh; ``lead`` is the comment above it."""
    functions = "\n\n".join(_function(verb) for verb in reversed(list(top.walk())))
    return f'#compdef ctxkit\n# {lead}\n\n{_ASK}\n\n{functions}\n\n_ctxkit "$@"\n'


def _name(verb: Verb) -> str:
    return "_" + re.sub(r"\W", "_", verb.name)


def _function(verb: Verb) -> str:
    call = f"    _arguments {'-C ' if verb.verbs else ''}-s -S :"
    specs = [*(_option(option, verb) for option in verb.options), *_rest(verb)]
    head = ["    local curcontext=$curcontext state line"] if verb.verbs else []
    lines = [*head, " \\\n        ".join([call, *specs]), *([_states(verb)] if verb.verbs else [])]
    return "\n".join([f"{_name(verb)}() {{", *lines, "}"])


def _rest(verb: Verb) -> list[str]:
    """Return what may stand after the options of a verb."""
    if verb.verbs:
        return ["'1: :->verb'", "'*:: :->rest'"]
    if takes_command(verb):
        return ["'(-)1:command:_command_names -e'", "'*::argument:_normal'"]
    return [_argument(argument, number, verb) for number, argument in enumerate(verb.arguments, 1)]


def _option(option: click.Option, verb: Verb) -> str:
    action = _action(values_of(option, verb))
    value = "" if option.is_flag else f":{_text(option.metavar or 'value')}:{action}"
    specs = [f"{name}{_joint(name, option)}[{_text(brief_help(option))}]{value}" for name in option.opts]
    others = "!" if option.hidden else f"({' '.join(option.opts)})" if len(option.opts) > 1 else ""
    return " ".join(f"'{others}{spec}'" for spec in specs)


def _action(values: Values) -> str:
    """Return what _arguments does for a value; a blank is nothing."""
    words = " ".join(values.words)
    if values.is_list:
        return f"_sequence compadd - {words}"
    if values.kind:  # after a blank, _arguments adds no options to the call
        return f" __ctxkit_ask {values.kind}{' files' if values.takes_file else ''}"
    return f"({words})" if words else "_files" if values.takes_file else " "


def _joint(name: str, option: click.Option) -> str:
    """Return the sign that says how a value may be joined to the name of its option."""
    if option.is_flag:
        return ""
    return "=" if name.startswith("--") else "+"


def _argument(argument: click.Argument, number: int, verb: Verb) -> str:
    many = "*" if argument.nargs == -1 else str(number)
    optional = "" if argument.required or argument.nargs == -1 else ":"
    return f"'{many}{optional}:{_text(metavar_of(argument).lower())}:{_action(values_of(argument, verb))}'"


def _text(text: str) -> str:
    """Return text that means itself in a specification between single quotes."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _states(verb: Verb) -> str:
    verbs = [f"        '{below.command.name}:{_text(below.summary)}'" for below in verb.verbs]
    cases = [f"        {below.command.name}) {_name(below)} ;;" for below in verb.verbs]
    return _STATES.format(verbs="\n".join(verbs), cases="\n".join(cases))
