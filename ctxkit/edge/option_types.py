"""Define the class of options, and types that parse ranges and quantities, with error messages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctxkit.core.text.quantity import PositionRange


_NEEDS_CLICK = "count", "default", "envvar", "flag_value", "multiple", "prompt", "required"
"""Parameters of an option whose value click has to make where the option is not given."""


class Option(click.Option):
    """An option that costs less than click's where it is absent; its help text has no indented lines.

    An option without a default takes None, or False for a flag, and its callback is not called. click would also look
    for a variable and a table of defaults, which ctxkit does not use: 30,000 instructions for each option of a command.
    click removes indents of a help text with the module inspect, which takes a fifth of the import of click
    (bench/instructions.py).
    """

    def __init__(self, *args: Any, **attrs: Any) -> None:
        help_text = attrs.pop("help", None)
        super().__init__(*args, **attrs)
        self.help = help_text
        self._may_be_absent = not any(attrs.get(name) is not None for name in _NEEDS_CLICK)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Take the value of the option from the arguments, and return it with the remaining ones."""
        if not self._may_be_absent or self.name in opts or ctx.resilient_parsing:
            return super().handle_parse_result(ctx, opts, args)
        value = False if self.is_flag else None
        if self.expose_value and self.name:
            ctx.params[self.name] = value
        return value, args


class RenamedOption(Option):
    """An option that also takes its former spellings, which help, manual and completion do not name.

    A former spelling warns on stderr, unless -q is given.
    """

    def __init__(self, *args: Any, renamed_from: tuple[str, ...], **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.renamed_from = renamed_from

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option to a parser, and its former spellings with keys of their own."""
        super().add_to_parser(parser, ctx)
        for old in self.renamed_from:
            action = "append" if self.multiple else "store"
            if self.is_flag:
                parser.add_option(self, [old], dest=old, action="store_const", const=True)
            else:
                parser.add_option(self, [old], dest=old, action=action, nargs=self.nargs)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Take the value of the option, also if it was given by a former spelling."""
        former = [old for old in self.renamed_from if old in opts]
        return super().handle_parse_result(ctx, self._take_former(former, opts) if former else opts, args)

    def _take_former(self, former: list[str], opts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values with those of former spellings under the option's own name, and warn."""
        from ctxkit.edge import say

        values, key = dict(opts), self.name or ""
        for old in former:
            say.warn(f"{old} is now {self.opts[-1]}")
            if self.multiple:
                values[key] = [*values.get(key, ()), *opts[old]]
            else:
                values.setdefault(key, opts[old])
        return values


option = partial(click.option, cls=Option)
"""Decorate a command with an option."""
renamed_option = partial(click.option, cls=RenamedOption)
"""Decorate a command with an option that has former spellings."""


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


def make_number_type(least: int, most: int) -> ParsedOption:
    """Return the type of a whole number from ``least`` to ``most``, such as 8000 or 8k; help prints no range."""
    return ParsedOption("N", partial(_parse_number, least, most))


def _parse_number(least: int, most: int, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        from ctxkit.core.text.quantity import parse_number

        number = parse_number(text)
    if number < least:
        raise ValueError(f"{text[:80]!r} is less than {least}")
    if number > most:
        raise ValueError(f"{text[:80]!r} is more than {most:,}")
    return number


def make_duration_type(least: int, most: int) -> ParsedOption:
    """Return the type of a duration of ``least`` to ``most`` seconds, in whole seconds."""
    return ParsedOption("DURATION", partial(_parse_whole_seconds, least, most))


def _parse_whole_seconds(least: int, most: int, text: str) -> int:
    seconds = _parse_duration(text)
    if not least <= seconds <= most:
        raise ValueError(f"{text[:80]!r} is not between {least} and {most:,} seconds")
    return round(seconds)


def _parse_factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = -1.0
    if not 0 <= factor < float("inf"):
        raise ValueError(f"{text[:80]!r} is not a number from 0 such as 0.1")
    return factor


def _parse_share_or_zero(text: str) -> float:
    return 0.0 if text.strip().removesuffix("%") in ("0", "0.0") else _parse_share(text)


def _parse_range(text: str) -> PositionRange:
    from ctxkit.core.text.quantity import parse_range

    return parse_range(text)


def _parse_duration(text: str) -> float:
    from ctxkit.core.text.quantity import parse_duration

    return parse_duration(text)


def _parse_size(text: str) -> int:
    from ctxkit.core.text.quantity import parse_size

    return parse_size(text)


def _parse_time(text: str) -> float:
    from time import time

    try:
        return time() - _parse_duration(text)
    except ValueError:
        pass
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        message = f"{text[:80]!r} is neither a duration such as 30m or 7d nor a time such as 2026-11-21T16:50"
        raise ValueError(message) from None


def _parse_share(text: str) -> float:
    from ctxkit.core.text.quantity import parse_share

    return parse_share(text)


def _parse_message_range(text: str) -> PositionRange:
    from ctxkit.core.text.quantity import parse_range

    return parse_range(text, "messages")


SPAN = ParsedOption("A:B", _parse_range)
DURATION = ParsedOption("DURATION", _parse_duration)
TIME = ParsedOption("TIME", _parse_time)
"""A time in seconds since 1970: a duration before now, or an ISO 8601 time, in UTC if it has no offset."""
SIZE = ParsedOption("SIZE", _parse_size)
SHARE = ParsedOption("SHARE", _parse_share)
SHARE_OR_ZERO = ParsedOption("SHARE", _parse_share_or_zero)
FACTOR = ParsedOption("X", _parse_factor)
MESSAGE_SPAN = ParsedOption("A:B", _parse_message_range)
