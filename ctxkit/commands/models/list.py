"""ctxkit models list."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import click

from ctxkit.core.errors import Exit
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import model_facts, options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.model_facts import ModelFacts

HEAD = ("name", "window", "max output", "tokenizer", "as of")
NUMBERS = (1, 2)
"""The columns that are numbers."""


@click.command("list", cls=Verb)
@click.argument("pattern", required=False, default="", metavar="[PATTERN]")
@options.json_lines_option
def command(pattern: str, as_json: bool) -> Exit:
    """List known models.

    PATTERN is a part of the name, or a shell pattern such as 'qwen3-*b'. A model from a
    settings file is listed with the file and line. The exit status is 1 if no name matches.

    \b
    $ ctxkit models list qwen3
    $ ctxkit models list 'claude-*-5' --json
    """
    matches = [
        facts
        for facts in model_facts.list_model_facts(settings.load())
        if _matches(facts.name.lower(), pattern.lower())
    ]
    if as_json:
        for facts in matches:
            out.write_json(_make_object(facts))
    elif matches:
        out.write_listing(_format_table([HEAD, *map(_format_row, matches)]))
    return Exit.DONE if matches else Exit.NO


def _matches(name: str, pattern: str) -> bool:
    if any(sign in pattern for sign in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name


def _format_row(facts: ModelFacts) -> tuple[str, ...]:
    output = f"{facts.max_output.value:,}" if facts.max_output.value else "-"
    window = f"{facts.window.value:,}" if facts.window.value else "-"
    name, tokenizer, day = map(escape_line, (facts.name, facts.tokenizer.value, _format_day(facts) or "-"))
    return name, window, output, tokenizer, day


def _format_day(facts: ModelFacts) -> str:
    """Return the day of the window, or where the settings state it."""
    stated = ":" in facts.window.source and not facts.window.source.startswith("http")
    return facts.window.as_of or (facts.window.source if stated else "")


def _format_table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(_pad_cells(row, widths)).rstrip() + "\n" for row in rows)


def _pad_cells(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if column in NUMBERS else cell.ljust(width)


def _make_object(facts: ModelFacts) -> dict[str, object]:
    return {
        "name": facts.name,
        "window": facts.window.value or None,
        "max_output": facts.max_output.value or None,
        "tokenizer": facts.tokenizer.value,
        "as_of": facts.window.as_of or None,
        "source": facts.window.source,
    }
