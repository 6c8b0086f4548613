"""ctxkit cache get."""

import re
from collections.abc import Iterator
from warnings import catch_warnings, simplefilter

import click

from ctxkit import session_wiring, stores, wiring, workers
from ctxkit.core.errors import UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.gate import content_ranges
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.total import open_as_utf8
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.spans import PositionRange
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.option_types import SPAN
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.edge.stored_content import open_content, transform_content

GREP_SECONDS, GREP_SPEED = 2, 1_000_000
"""Seconds of processor time for a search, and how many bytes give it one second more."""
_BACKTRACKS = "a repetition inside a repetition, as in (a+)+, tries every way to split a line: write a+"


@click.command("get")
@click.argument("ref_or_file", metavar="REF|FILE")
@click.option("--lines", type=SPAN, metavar="A:B", help="Write only lines A to B: A:B, A:, :B, A or -N: (the last N).")
@click.option("--bytes", "octets", type=SPAN, metavar="A:B", help="Write only bytes A to B, counted from 1.")
@click.option("--grep", metavar="RE", help="Write only lines that match a regular expression.")
@click.option("--json-path", metavar="PATH", help="Write the value at a jq path such as .items[0].name.")
@click.option(
    "-C", "--context", type=options.token_count, default=0, metavar="N", help="Write N lines around each match."
)
@click.option("-n", "--number", is_flag=True, help="Write the line number before each line.")
@click.option("--gate", is_flag=True, help="Write only lines that fit the window, and how to read on.")
@options.redact_option
@options.add_window_options
def command(
    ref_or_file: str,
    lines: PositionRange | None,
    octets: PositionRange | None,
    grep: str | None,
    json_path: str | None,
    context: int,
    number: bool,
    gate: bool,
    request: CliRequest,
) -> Exit | int:
    """Write stored content, or a part of it.

    REF is a unique prefix of a ref, with at least 6 digits. The output is the requested
    part, byte for byte. With --gate it ends where the window is full, with a command
    that reads on. The exit status is 1 if nothing is stored under REF, no line is in the
    range, or no line matches.

    \b
    $ ctxkit cache get 3f9a2c81d0b4 --lines 120:180
    $ ctxkit cache get 3f9a2c81d0b4 --grep 'error|warning' -n -C 2
    """
    if json_path is not None and (lines or octets or grep or number or gate):
        raise UsageError(
            "--json-path cannot be combined with --lines, --bytes, --grep, -n or --gate",
            hint="pipe its output through ctxkit gate, grep or sed",
        )
    if context and grep is None:
        raise UsageError("-C needs --grep")
    if octets and (lines or grep or number):
        raise UsageError("--bytes cannot be combined with --lines, --grep or -n")
    if request.redact and not gate:
        raise UsageError("--redact needs --gate", hint="without --gate, stored content is written unchanged")
    if gate and (grep or number):
        raise UsageError("--gate cannot be combined with --grep or -n", hint="pipe matches through ctxkit gate instead")
    config = settings.load_for_filter(session=request.session)
    content = open_content(stores.local_store(config), ref_or_file)
    say.note(f"read from {content.path}")
    if json_path is not None:
        out.write(_select_values(content, json_path))
        return Exit.DONE
    if gate:
        return _write_gated(content, lines, octets, request, config, ref_or_file)
    if octets or not (lines or grep or number):
        out.write(content_ranges.read_bytes(content.read, content.lines.size, octets or content_ranges.WHOLE_RANGE))
        return Exit.DONE
    text = open_as_utf8(content)[1]
    start, end = content_ranges.resolve_range(lines, text.total, "lines") if lines else (1, text.total)
    if grep is not None:
        return _search_lines(text, (start, end), grep, context, numbers=number)
    rows = content_ranges.read_rows(text, start, end)
    out.write(content_ranges.add_line_numbers(rows) if number else text.raw(start, end))
    return Exit.DONE


def _select_values(content: StoredContent, path: str) -> Iterator[bytes]:
    """Yield what a path into JSON leads to, each value on a line."""
    from ctxkit.core.text import json_path

    try:
        steps = json_path.parse_path(path)
    except ValueError as error:
        raise UsageError(f"--json-path: {error}", hint="as in .items[0].name, .items[120:180] or .[].id") from None
    text = open_as_utf8(content)[1]
    return (
        f"{value}\n".encode("utf-8", "replace") for value in json_path.select_values(text.raw(1, text.total), steps)
    )


def _search_lines(text: IndexedLines, span: tuple[int, int], grep: str, context: int, *, numbers: bool) -> Exit | int:
    """Write the lines that match, in a process that is stopped if the pattern backtracks without end."""
    from ctxkit.edge import cpu_limit

    try:
        status = cpu_limit.fork_with_limit(GREP_SECONDS + text.size // GREP_SPEED)
    except TimeoutError as error:
        raise UsageError(f"--grep: {error}", hint=_BACKTRACKS) from None
    if status is not None:
        return status
    try:
        matches = content_ranges.grep_lines(text, *span, _compile_pattern(grep), context, numbers=numbers)
        return Exit.DONE if out.write(matches) else Exit.NO
    except MemoryError:
        raise UsageError("--grep: matching takes too much memory", hint=_BACKTRACKS) from None


def _compile_pattern(grep: str) -> re.Pattern[str]:
    try:
        with catch_warnings():
            simplefilter("ignore")  # what Python may one day read differently
            return re.compile(grep)
    except (re.error, OverflowError) as error:
        raise UsageError(f"--grep: {error}") from None
    except RecursionError:
        raise UsageError("--grep: the pattern is nested too deeply") from None


def _write_gated(
    content: StoredContent,
    lines: PositionRange | None,
    octets: PositionRange | None,
    request: CliRequest,
    config: Settings,
    name: str,
) -> Exit:
    """Write as much of a part as fits, and how to read on."""
    from ctxkit.edge import gated_page

    redaction = request.redaction(config)
    if redaction.on:
        content = transform_content(content, redaction.apply)
        redaction.note()
    session_request, reservation = session_wiring.open_session(request, config, unknown_window="assume")
    budget, vocabulary = session_request.budget(config), session_request.vocabulary(config)
    strict = session_request.strict or config["strict"]
    counter = gated_page.PageCounter(vocabulary, wiring.load_tokenizer(vocabulary), workers.isolate, strict)
    read_command = gated_page.make_read_command(content, name, request)
    content_part = gated_page.select_part(content, lines, octets, read_command)
    return gated_page.write_page(content, name, content_part, counter, budget, reservation)
