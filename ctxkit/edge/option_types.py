"""Define option types that parse ranges and quantities, with error messages."""

from collections.abc import Callable
from typing import Any

import click

from ctxkit.core.text import quantity, spans


class ParsedOption(click.ParamType[Any]):
    """Parses an option with a function of core; its ValueError is the message."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the parsed value."""
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


SPAN = ParsedOption("A:B", spans.parse_range)
AGE = ParsedOption("AGE", quantity.parse_age)
SIZE = ParsedOption("SIZE", quantity.parse_size)
