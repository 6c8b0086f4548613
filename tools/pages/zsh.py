"""Completion in zsh: one function a verb, each of them a call of _arguments."""

import re

import click

from tools.pages.tree import Verb
from tools.pages.words import brief_help, takes_command, takes_file, words_of

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


def zsh(top: Verb, lead: str) -> str:
    """Return the script for zsh; ``lead`` is the comment above it."""
    functions = "\n\n".join(_function(verb) for verb in reversed(list(top.walk())))
    return f'#compdef ctxkit\n# {lead}\n\n{functions}\n\n_ctxkit "$@"\n'


def _name(verb: Verb) -> str:
    return "_" + re.sub(r"\W", "_", verb.name)


def _function(verb: Verb) -> str:
    call = f"    _arguments {'-C ' if verb.verbs else ''}-s -S :"
    specs = [*map(_option, verb.options), *_rest(verb)]
    head = ["    local curcontext=$curcontext state line"] if verb.verbs else []
    lines = [*head, " \\\n        ".join([call, *specs]), *([_states(verb)] if verb.verbs else [])]
    return "\n".join([f"{_name(verb)}() {{", *lines, "}"])


def _rest(verb: Verb) -> list[str]:
    """Return what may stand after the options of a verb."""
    if verb.verbs:
        return ["'1: :->verb'", "'*:: :->rest'"]
    if takes_command(verb):
        return ["'(-)1:command:_command_names -e'", "'*::argument:_normal'"]
    return [_argument(argument) for argument in verb.arguments]


def _option(option: click.Option) -> str:
    action = f"({' '.join(words_of(option))})" if words_of(option) else "_files" if takes_file(option) else " "
    value = "" if option.is_flag else f":{_text(option.metavar or 'value')}:{action}"
    specs = [f"{name}{_joint(name, option)}[{_text(brief_help(option))}]{value}" for name in option.opts]
    others = f"({' '.join(option.opts)})" if len(option.opts) > 1 else ""
    return " ".join(f"'{others}{spec}'" for spec in specs)


def _joint(name: str, option: click.Option) -> str:
    """Return the sign that says how a value may be joined to the name of its option."""
    if option.is_flag:
        return ""
    return "=" if name.startswith("--") else "+"


def _argument(argument: click.Argument) -> str:
    many = "*" if argument.nargs == -1 else "1"
    optional = "" if argument.required or argument.nargs == -1 else ":"
    name = _text((argument.metavar or "").strip("[].").lower())
    return f"'{many}{optional}:{name}:{'_files' if takes_file(argument) else ' '}'"


def _text(text: str) -> str:
    """Return text that means itself in a specification between single quotes."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _states(verb: Verb) -> str:
    verbs = [f"        '{below.command.name}:{_text(below.summary)}'" for below in verb.verbs]
    cases = [f"        {below.command.name}) {_name(below)} ;;" for below in verb.verbs]
    return _STATES.format(verbs="\n".join(verbs), cases="\n".join(cases))
