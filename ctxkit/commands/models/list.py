"""ctxkit models list."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import click

from ctxkit.core.escapes import escape_line
from ctxkit.core.exit import Exit
from ctxkit.edge import figures, options, out, settings
from ctxkit.edge.figures import Figures

HEAD = ("name", "window", "max output", "tokenizer", "as of")
NUMBERS = (1, 2)
"""The columns that are numbers."""


@click.command("list")
@click.argument("pattern", required=False, default="", metavar="[PATTERN]")
@options.as_json_lines
def command(pattern: str, as_json: bool) -> Exit:
    """List the models known by name.

    PATTERN is a part of the name, or a shell pattern such as 'qwen3-*b'. Models
    that the settings describe are listed with the file and line that does so.
    The answer is 1 when no model is like that.

    \b
    $ ctxkit models list qwen3
    $ ctxkit models list 'claude-*-5' --json
    """
    found = [one for one in figures.everything(settings.load()) if _matches(one.name.lower(), pattern.lower())]
    if as_json:
        for one in found:
            out.write_json(_object(one))
    elif found:
        out.write_listing(_table([HEAD, *map(_row, found)]))
    return Exit.DONE if found else Exit.NO


def _matches(name: str, pattern: str) -> bool:
    if any(sign in pattern for sign in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name


def _row(one: Figures) -> tuple[str, ...]:
    output = f"{one.max_output.value:,}" if one.max_output.value else "-"
    window = f"{one.window.value:,}" if one.window.value else "-"
    name, tokenizer, day = map(escape_line, (one.name, one.tokenizer.value, _day(one) or "-"))
    return name, window, output, tokenizer, day


def _day(one: Figures) -> str:
    """Return the day of the window, or where the settings state it."""
    stated = ":" in one.window.source and not one.window.source.startswith("http")
    return one.window.as_of or (one.window.source if stated else "")


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(_padded(row, widths)).rstrip() + "\n" for row in rows)


def _padded(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if column in NUMBERS else cell.ljust(width)


def _object(one: Figures) -> dict[str, object]:
    return {
        "name": one.name,
        "window": one.window.value or None,
        "max_output": one.max_output.value or None,
        "tokenizer": one.tokenizer.value,
        "as_of": one.window.as_of or None,
        "source": one.window.source,
    }
