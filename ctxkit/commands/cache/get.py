"""ctxkit cache get."""

import re
from collections.abc import Iterator
from warnings import catch_warnings, simplefilter

import click

from ctxkit import supply, workers
from ctxkit.core import part
from ctxkit.core.account import Account
from ctxkit.core.budget import Budget
from ctxkit.core.exit import Exit
from ctxkit.core.isolation import WorkerDied
from ctxkit.core.ledger import Item
from ctxkit.core.lines import Lines
from ctxkit.core.page import bytes_page, lines_page
from ctxkit.core.ref import short
from ctxkit.core.shell import argument
from ctxkit.core.span import Span
from ctxkit.core.store import Held
from ctxkit.core.tally import Tally, bound, surely, tally, text_of
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.total import readable
from ctxkit.core.trouble import Misuse
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.holding import held, rewritten
from ctxkit.edge.ranges import SPAN
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings

GREP_SECONDS, GREP_SPEED = 2, 1_000_000
"""Seconds of processor time for a search, and how many bytes give it one second more."""
_BACKTRACKS = "a repetition inside a repetition, as in (a+)+, tries every way to split a line: write a+"


@click.command("get")
@click.argument("wanted", metavar="REF|FILE")
@click.option("--lines", type=SPAN, metavar="A:B", help="Lines A to B only: A:B, A:, :B, A or -N: (the last N).")
@click.option("--bytes", "octets", type=SPAN, metavar="A:B", help="Bytes A to B only, counted from 1.")
@click.option("--grep", metavar="RE", help="Lines that match a regular expression only.")
@click.option("--json-path", metavar="PATH", help="What a path such as .items[0].name leads to, as jq has it.")
@click.option("-C", "--context", type=options.count, default=0, metavar="N", help="Lines around each match.")
@click.option("-n", "--number", is_flag=True, help="Put the line number before each line.")
@click.option("--gate", is_flag=True, help="Write no more than fits the window, then say how to read on.")
@options.redact
@options.window
def command(
    wanted: str,
    lines: Span | None,
    octets: Span | None,
    grep: str | None,
    json_path: str | None,
    context: int,
    number: bool,
    gate: bool,
    asked: Request,
) -> Exit | int:
    """Write stored content, or a part of it.

    REF is any unique beginning of a ref, of at least 6 digits. What is asked
    for is written, always and byte for byte; with --gate only as far as it fits.
    Answers 1 when nothing is stored under REF, no line is in the range, or none
    matches.

    \b
    $ ctxkit cache get 3f9a2c81d0b4 --lines 120:180
    $ ctxkit cache get 3f9a2c81d0b4 --grep 'error|warning' -n -C 2
    """
    if json_path is not None and (lines or octets or grep or number or gate):
        raise Misuse("--json-path goes alone", hint="pipe what it writes through ctxkit gate, grep or sed")
    if context and grep is None:
        raise Misuse("-C goes with --grep")
    if octets and (lines or grep or number):
        raise Misuse("--bytes goes with none of --lines, --grep and -n")
    if asked.redact and not gate:
        raise Misuse("--redact goes with --gate", hint="what is stored is written as it is without --gate")
    if gate and (grep or number):
        raise Misuse("--gate goes with --lines or --bytes alone", hint="pipe matches through ctxkit gate instead")
    chosen = settings.load_for_filter(session=asked.session)
    content = held(supply.local_store(chosen), wanted)
    say.note(f"read from {content.path}")
    if json_path is not None:
        out.write(_values(content, json_path))
        return Exit.DONE
    if gate:
        return _gated(content, lines, octets, asked, chosen, wanted)
    if octets or not (lines or grep or number):
        out.write(part.octets(content.read, content.lines.size, octets or part.ALL))
        return Exit.DONE
    text = readable(content)[1]
    start, end = part.within(lines, text.total, "lines") if lines else (1, text.total)
    if grep is not None:
        return _searched(text, (start, end), grep, context, numbers=number)
    out.write(part.numbered(part.rows(text, start, end)) if number else text.raw(start, end))
    return Exit.DONE


def _values(content: Held, path: str) -> Iterator[bytes]:
    """Yield what a path into JSON leads to, each value on a line."""
    from ctxkit.core import json_path

    try:
        steps = json_path.path_of(path)
    except ValueError as error:
        raise Misuse(f"--json-path: {error}", hint="as in .items[0].name, .items[120:180] or .[].id") from None
    text = readable(content)[1]
    return (f"{value}\n".encode("utf-8", "replace") for value in json_path.selected(text.raw(1, text.total), steps))


def _searched(text: Lines, span: tuple[int, int], grep: str, context: int, *, numbers: bool) -> Exit | int:
    """Write the lines that match, in a process that is stopped if the pattern backtracks without end."""
    from ctxkit.edge import limited

    try:
        status = limited.carry_on(GREP_SECONDS + text.size // GREP_SPEED)
    except TimeoutError as error:
        raise Misuse(f"--grep: {error}", hint=_BACKTRACKS) from None
    if status is not None:
        return status
    try:
        found = part.matching(text, *span, _pattern(grep), context, numbers=numbers)
        return Exit.DONE if out.write(found) else Exit.NO
    except MemoryError:
        raise Misuse("--grep: matching takes too much memory", hint=_BACKTRACKS) from None


def _pattern(grep: str) -> re.Pattern[str]:
    try:
        with catch_warnings():
            simplefilter("ignore")  # what Python may one day read differently
            return re.compile(grep)
    except (re.error, OverflowError) as error:
        raise Misuse(f"--grep: {error}") from None
    except RecursionError:
        raise Misuse("--grep: the pattern is nested too deeply") from None


def _gated(
    content: Held, lines: Span | None, octets: Span | None, asked: Request, chosen: Settings, name: str
) -> Exit:
    """Write as much of a part as fits, and how to read on."""

    def way(range_: str) -> str:
        mask = " --redact" if asked.redact else ""
        return f"ctxkit cache get {short(content.ref) or argument(name)} {range_} --gate{mask}{asked.window_flags()}"

    redaction = asked.redaction(chosen)
    if redaction.on:
        content = rewritten(content, redaction.apply)
        redaction.note()
    inside, account = supply.seated(asked, chosen, unknown="assume")
    budget, vocabulary = inside.budget(chosen), inside.vocabulary(chosen)
    plain = supply.tokenizer(vocabulary)
    count = surely(plain, vocabulary)
    # UTF-16 is paged as the UTF-8 that it reads as, so that ranges in bytes and lines go together.
    read, text = readable(content)
    if octets:
        start, end = part.within(octets, text.size, "bytes")
    else:
        start, end = part.within(lines, text.total, "lines") if lines else (1, text.total)

    first, stop = (start - 1, end) if octets else text.span(start, end)

    def page_counted(count: Tokenizer, budget: Budget) -> bytes | None:
        if octets:
            return bytes_page(read, start, end, count, budget, way)
        return lines_page(text, start, end, count, budget, way)

    def page_within(budget: Budget) -> bytes | None:
        if stop - first <= budget.available:  # a token has a byte at least: it fits, or nearly
            return page_counted(count, budget)
        try:
            page = workers.isolate(lambda: page_counted(count, budget), stop - first)
            if not (page is None or isinstance(page, bytes)):
                raise WorkerDied("the worker process sent no page")
            return page
        except WorkerDied as error:
            if inside.strict or chosen["strict"]:
                raise
            say.warn(f"the page is counted by its bytes: {error}")
            return page_counted(lambda text: bound(text.encode("utf-8", "replace"), vocabulary), budget)

    page = page_within(budget)
    if page is not None and account is not None and not account.take(count(text_of(page)), None):
        page = page_within(Budget(account.claim(None), 0))  # others were faster: the room is held first
    if page is None:
        if account is not None:
            account.release()
        say.error(f"nothing of it fits {budget.target():,} tokens")
        return Exit.NO
    try:
        out.write((page,))
    finally:
        if account is not None:
            account.book(_item(tally((page,), vocabulary, plain), account, short(content.ref) or name, content.ref))
    return Exit.DONE


def _item(tokens: Tally, account: Account, name: str, ref: str) -> Item:
    """Return what the ledger keeps of a page."""
    return Item(name, tokens.tokens, tokens.method, "raw", account.budget.tight(tokens.tokens), ref)
