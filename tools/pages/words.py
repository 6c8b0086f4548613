"""What any completion script offers: the names of options, and the values that are known."""

import click

from ctxkit.core.brief.kind_detection import list_content_types
from ctxkit.core.models.lookup import MODELS
from ctxkit.core.store.retrieval_hint import PRESETS
from ctxkit.core.tokens.vocabularies import VOCABULARIES
from tools.pages.tree import Verb

WORDS = {"model": tuple(MODELS), "tokenizer": tuple(VOCABULARIES), "hint": tuple(PRESETS)}
"""The values that are known of an option, by its name."""


def words_of(option: click.Option) -> tuple[str, ...]:
    """Return the values of an option that are known, none when they are not."""
    return tuple(list_content_types()) if option.name == "content_type" else WORDS.get(option.name or "", ())


def takes_file(parameter: click.Parameter) -> bool:
    """Tell whether a value may be the name of a file."""
    return "FILE" in (parameter.metavar or "")


def takes_command(verb: Verb) -> bool:
    """Tell whether a verb runs another command."""
    return any(argument.type is click.UNPROCESSED for argument in verb.arguments)


def brief_help(option: click.Option) -> str:
    """Return the help of an option without its default and its full stop."""
    return (option.help or "").partition("  [")[0].removesuffix(".")


def names(verb: Verb, *, valued: bool = False) -> list[str]:
    """Return every spelling of the options of a verb, or of those alone that take a value."""
    options = [option for option in verb.options if not (valued and option.is_flag)]
    return [name for option in options for name in option.opts]
