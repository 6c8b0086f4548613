"""What any completion script offers: the names of options, and the values of options and arguments."""

from typing import NamedTuple

import click

from ctxkit.core.brief.kind_detection import list_content_types
from ctxkit.core.compact.policy import STAGES
from ctxkit.core.lint.registry import rules
from ctxkit.core.text.retrieval_hint import PRESETS
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from tools.pages.tree import Verb

KINDS = {"model": "models", "session": "sessions", "record": "refs"}
"""The kinds of values that ``ctxkit _complete`` lists, by the name of the option."""
ARGUMENT_KINDS = {"SESSION": "sessions", "A": "sessions", "B": "sessions", "REF": "refs", "REF|FILE": "refs"}
"""The same by the word that stands for an argument."""
MODEL_VERBS = ("ctxkit models list", "ctxkit models show", "ctxkit models rm")
"""Verbs whose argument is a model."""
WORDS = {"tokenizer": tuple(VOCABULARIES), "hint": tuple(PRESETS), "summarizer": ("extract", "llama")}
"""The values that are known of an option, by its name."""
LISTS = {"stages": STAGES, "select": tuple(rules()), "ignore": tuple(rules()), "extend_select": tuple(rules())}
"""The values of options that take several, separated by commas."""


FILES = ("F", "DIR", "MANIFEST", "RECEIPTS")
PATHS = ("paths", "path", "stdin_name")
"""Words that stand for a file, and the names of the parameters whose PATH leads to one, not into JSON."""


class Values(NamedTuple):
    """What a parameter may be: words, values of a kind that ctxkit lists, or files; ``is_list``: several at once."""

    words: tuple[str, ...] = ()
    kind: str = ""
    is_list: bool = False
    takes_file: bool = False


def values_of(parameter: click.Parameter, verb: Verb) -> Values:
    """Return what may stand for a parameter of a verb; nothing is known of a number."""
    name, is_file = parameter.name or "", takes_file(parameter)
    if isinstance(parameter.type, click.Choice):
        return Values(tuple(map(str, parameter.type.choices)))
    if isinstance(parameter, click.Argument):
        word = metavar_of(parameter)
        kind = "models" if verb.name in MODEL_VERBS else ARGUMENT_KINDS.get(word, "")
        return Values(kind=kind, takes_file=is_file or word in ("A", "B"))
    if name == "content_type":
        return Values(tuple(name for name in list_content_types() if " " not in name))
    if name in LISTS:
        return Values(LISTS[name], is_list=True)
    return Values(WORDS.get(name, ()), KINDS.get(name, ""), takes_file=is_file)


def metavar_of(parameter: click.Parameter) -> str:
    """Return the word that stands for a value, without the signs of an optional or a repeated one."""
    return (parameter.metavar or "").replace("...", "").strip("[]")


def takes_file(parameter: click.Parameter) -> bool:
    """Tell whether a value may be the name of a file or of a directory."""
    word = metavar_of(parameter)
    return "FILE" in word or word in FILES or (word == "PATH" and parameter.name in PATHS)


def takes_command(verb: Verb) -> bool:
    """Tell whether a verb runs another command."""
    return any(argument.type is click.UNPROCESSED for argument in verb.arguments)


def brief_help(option: click.Option) -> str:
    """Return the help of an option without its default and its full stop."""
    return (option.help or "").partition("  [")[0].removesuffix(".")


def names(verb: Verb, *, valued: bool = False) -> list[str]:
    """Return the spellings of the options that a verb shows, or of all that take a value, also of hidden ones."""
    options = [option for option in verb.options if not (option.is_flag if valued else option.hidden)]
    return [name for option in options for name in option.opts]
