"""Define option types that parse ranges and quantities, with error messages."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ctxkit.core.text.spans import PositionRange


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


class NumberOption(click.ParamType[Any]):
    """Parses a whole number from ``least`` to ``most``; help prints no range."""

    name = "N"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{str(value)[:80]!r} is not a whole number", param, ctx)
        if number < self._least:
            self.fail(f"{number} is less than {self._least}", param, ctx)
        if number > self._most:
            self.fail(f"{str(value)[:80]} is more than {self._most:,}", param, ctx)
        return number


def _parse_range(text: str) -> "PositionRange":
    from ctxkit.core.text.spans import parse_range

    return parse_range(text)


def _parse_age(text: str) -> float:
    from ctxkit.core.text.quantity import parse_age

    return parse_age(text)


def _parse_size(text: str) -> int:
    from ctxkit.core.text.quantity import parse_size

    return parse_size(text)


def _parse_share(text: str) -> float:
    from ctxkit.core.text.quantity import parse_share

    return parse_share(text)


def _parse_message_range(text: str) -> "PositionRange":
    from ctxkit.core.text.spans import parse_range

    return parse_range(text, "messages")


SPAN = ParsedOption("A:B", _parse_range)
AGE = ParsedOption("AGE", _parse_age)
SIZE = ParsedOption("SIZE", _parse_size)
SHARE = ParsedOption("SHARE", _parse_share)
MESSAGE_SPAN = ParsedOption("A:B", _parse_message_range)
