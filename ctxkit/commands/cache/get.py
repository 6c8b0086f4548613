"""ctxkit cache get."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.gate import content_ranges
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import HOST_SESSION
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.store.store_interface import StoredContent, open_as_utf8
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import PositionRange
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import SPAN, option, renamed_option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import open_content, transform_content

if TYPE_CHECKING:
    from ctxkit.core.count.amount import CountOptions

GREP_SECONDS, GREP_SPEED = 2, 1_000_000
"""Seconds of processor time for a search, and how many bytes give it one second more."""
TARGET = 1_000
"""Number of tokens for the lines that match a focus."""
_BACKTRACKS = "a repetition inside a repetition, as in (a+)+, tries every way to split a line: write a+"


class PartOptions(NamedTuple):
    """The options that say which part of content is written, and how."""

    lines: PositionRange | None = None
    octets: PositionRange | None = None
    grep: str | None = None
    json_path: str | None = None
    context_lines: int = 0
    number: bool = False
    gate: bool = False
    target: int | None = None

    @property
    def needs_lines(self) -> bool:
        """Return whether the part is made of lines."""
        return bool(self.lines or self.grep or self.number)

    def name(self, focus: str | None) -> str:
        """Return what selects the part, for events."""
        choices = {
            "focus": focus is not None,
            "json_path": self.json_path is not None,
            "grep": self.grep is not None,
            "bytes": self.octets is not None,
            "lines": self.lines is not None,
        }
        return next((name for name, is_given in choices.items() if is_given), "all")

    def check(self, focus: str | None, *, redact: bool) -> None:
        """Raise UsageError for options that cannot be combined."""
        self._check_focus(focus)
        if self.json_path is not None and (self.octets or self.needs_lines or self.gate):
            raise UsageError(
                "--json-path cannot be combined with --lines, --bytes, --grep, -n or --gate",
                hint="pipe its output through ctxkit gate, grep or sed",
            )
        if self.context_lines and self.grep is None:
            raise UsageError("--context-lines needs --grep")
        if self.octets and self.needs_lines:
            raise UsageError("--bytes cannot be combined with --lines, --grep or -n")
        self._check_gate(redact=redact)

    def _check_gate(self, *, redact: bool) -> None:
        """Raise UsageError for options that cannot be combined with --gate, or need it."""
        if redact and not self.gate:
            raise UsageError("--redact needs --gate", hint="without --gate, stored content is written unchanged")
        if self.gate and (self.grep or self.number):
            raise UsageError(
                "--gate cannot be combined with --grep or -n", hint="pipe matches through ctxkit gate instead"
            )

    def _check_focus(self, focus: str | None) -> None:
        if focus is None:
            if self.target is not None:
                raise UsageError("--target needs --focus", hint="--gate cuts another part where the window is full")
        elif self.octets or self.needs_lines or self.gate or self.grep is not None or self.json_path is not None:
            raise UsageError(
                "--focus cannot be combined with --lines, --bytes, --grep, --json-path, -n or --gate",
                hint="its lines have numbers, and --target says how many tokens they take",
            )


@click.command("get", cls=Verb)
@click.argument("ref_or_file", metavar="REF|FILE")
@option("--lines", type=SPAN, metavar="A:B", help="Write only lines A to B: A:B, A:, :B, A or -N: (the last N).")
@option("--bytes", "octets", type=SPAN, metavar="A:B", help="Write only bytes A to B, counted from 1.")
@option("--grep", metavar="RE", help="Write only lines that match a regular expression.")
@option("--focus", metavar="TEXT", help="Write only the lines that match TEXT best, with their numbers.")
@option(
    "--target",
    type=options.positive_count,
    metavar="N",
    help=f"Write at most N tokens of --focus.  [default: {TARGET}]",
)
@option("--json-path", metavar="PATH", help="Write the value at a jq path such as .items[0].name.")
@renamed_option(
    "-C",
    "--context-lines",
    type=options.token_count,
    default=0,
    metavar="N",
    renamed_from=("--context",),
    help="Write N lines around each match.",
)
@option("-n", "--number", is_flag=True, help="Write the line number before each line.")
@option("--gate", is_flag=True, help="Write only lines that fit the window, and how to read on.")
@options.redact_option
@options.add_retrieval_options
@options.collect_values(PartOptions, "part")
def command(ref_or_file: str, part: PartOptions, request: CliRequest) -> Exit | int:
    """Write stored content, or a part of it.

    REF is a unique prefix of a ref, with at least 6 digits. The output is the requested
    part, byte for byte. With --gate it ends where the window is full, with a command
    that reads on. The exit status is 1 if nothing is stored under REF, no line is in the
    range, or no line matches. --focus writes the best lines that --target has room for, and
    two lines around each.

    \b
    $ ctxkit cache get 3f9a2c81d0b47e65 --lines 120:180
    $ ctxkit cache get 3f9a2c81d0b47e65 --grep 'error|warning' -n -C 2
    $ ctxkit cache get 3f9a2c81d0b47e65 --focus 'no such file' --target 500
    """
    part.check(request.focus, redact=request.redact)
    config = settings.load_for_filter(session=request.session)
    content = open_content(stores.open_store(config), ref_or_file)
    say.note(f"read from {content.path or 'the shared store'}")
    log = RetrievalLog(content.ref, ref_or_file, part.name(request.focus), Call(request, config))
    if request.focus is not None:
        return _write_passages(content, request.focus, part.target or TARGET, log)
    if part.gate:
        return _write_gated(content, part, log)
    return _write_part(content, part, log)


class RetrievalLog(NamedTuple):
    """What an event says about stored content that is read back."""

    ref: str
    name: str
    part: str
    call: Call
    span: tuple[int, int] | None = None
    """The first and the last line of the part, if it is one of lines."""

    def write(self, pieces: Iterable[bytes]) -> int:
        """Write pieces to stdout, and record the event ``cache_get`` if there is a file of events."""
        size = self._write_counted(pieces)
        if HOST_SESSION in os.environ:
            from ctxkit.edge.host_session import record_read

            record_read(size, stores.data_dir(self.call.settings))
        return size

    def _write_counted(self, pieces: Iterable[bytes]) -> int:
        path = self.call.events_file
        if not path:
            return out.write(pieces)
        from ctxkit.edge import events

        names = {"name": self.name, "ref": shorten_ref(self.ref), "part": self.part}
        facts = {**names, **({"span": self.span} if self.span else {}), **self.call.describe()}
        return events.write_counted(pieces, path, "cache_get", facts, self._make_options)

    def _make_options(self) -> "CountOptions":
        from ctxkit.app.services import engines

        return engines.make_count_options(*self.call)


def _write_part(content: StoredContent, part: PartOptions, log: RetrievalLog) -> Exit | int:
    """Write a part of content, whatever its size."""
    if part.json_path is not None:
        log.write(_select_values(content, part.json_path))
        return Exit.DONE
    if not part.needs_lines:
        span = part.octets or content_ranges.WHOLE_RANGE
        log.write(content_ranges.read_bytes(content.read, content.lines.size, span))
        return Exit.DONE
    text = open_as_utf8(content)[1]
    start, end = content_ranges.resolve_range(part.lines, text.total, "lines") if part.lines else (1, text.total)
    if part.grep is not None:
        return _search_lines(text, (start, end), part, log)
    if part.lines:
        log = log._replace(span=(start, end))
    rows = content_ranges.read_rows(text, start, end)
    log.write(content_ranges.add_line_numbers(rows) if part.number else text.raw(start, end))
    return Exit.DONE


def _write_passages(content: StoredContent, focus: str, target: int, log: RetrievalLog) -> Exit:
    """Write the lines that match a focus best, within a number of tokens."""
    from ctxkit.app import brief

    passages = brief.find_passages(content, focus, target, log.call)
    if passages is None:
        say.error(f"no line fits {target:,} tokens", "a larger --target")
        return Exit.NO
    if passages:
        log.write((passages,))
    return Exit.DONE if passages else Exit.NO


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


def _search_lines(
    text: IndexedLines, span: tuple[int, int], part: PartOptions, log: RetrievalLog
) -> Exit | int:
    """Write the lines that match, in a process that is stopped if the pattern backtracks without end."""
    from ctxkit.engines import worker_process

    try:
        status = worker_process.fork_with_limit(GREP_SECONDS + text.size // GREP_SPEED)
    except TimeoutError as error:
        raise UsageError(f"--grep: {error}", hint=_BACKTRACKS) from None
    if status is not None:
        return status
    try:
        pattern = _compile_pattern(part.grep or "")
        matches = content_ranges.grep_lines(text, span, pattern, part.context_lines, numbers=part.number)
        return Exit.DONE if log.write(matches) else Exit.NO
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


def _write_gated(content: StoredContent, part: PartOptions, log: RetrievalLog) -> Exit:
    """Write as much of a part as fits, and how to read on."""
    from ctxkit.app.services import engines, sessions, workers
    from ctxkit.edge import gated_page

    request, config = log.call
    redaction = request.redaction(config)
    if redaction.on:
        content = transform_content(content, redaction.apply)
        redaction.note()
    session_request, reservation = sessions.open_session(request, config, unknown_window="assume")
    budget, vocabulary = session_request.budget(config), session_request.vocabulary(config)
    tokenizer = engines.load_tokenizer(vocabulary)
    counter = gated_page.PageCounter(vocabulary, tokenizer, workers.isolate, log.call.is_strict)
    read_command = gated_page.make_read_command(content, log.name, request)
    content_part = gated_page.select_part(content, log.name, part.lines, part.octets, read_command)
    if part.lines:
        text = open_as_utf8(content)[1]
        log = log._replace(span=content_ranges.resolve_range(part.lines, text.total, "lines"))
    return gated_page.write_page(content_part, counter, budget, reservation, log.write)
