"""The option that names the format of a conversation."""

from collections.abc import Callable

import click

from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.edge.option_types import option
from ctxkit.edge.options import Command


def make_format_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option that names the format of what is read or written."""
    return option("--format", "format_name", type=click.Choice(FORMAT_NAMES), metavar="NAME", help=help_text)


format_option = make_format_option("Format of the conversation.")
