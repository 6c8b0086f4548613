"""ctxkit session history."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from time import time

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.history import Line, read, torn
from ctxkit.core.ledger import checked
from ctxkit.core.lines import Lines
from ctxkit.core.part import rows, within
from ctxkit.core.shell import argument
from ctxkit.core.span import Span
from ctxkit.core.trouble import Misuse, NotHeld
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.ranges import SPAN, Parsed
from ctxkit.edge.settings import Settings

BATCH = 1 << 20
"""Bytes that are written at once."""


def _moment(text: str) -> float:
    """Return a time in seconds since 1970: an age before now, or an ISO 8601 time, local where it names no zone."""
    from ctxkit.core.quantity import age_of

    try:
        return time() - age_of(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text!r} is neither an age such as 30m or 24h nor a time such as 2026-11-21T16:50") from None


@click.command("history")
@click.argument("name", metavar="S")
@click.option("--last", type=options.size, metavar="N", help="The last N lines only.")
@click.option("--lines", type=SPAN, metavar="A:B", help="Lines A to B only: A:B, A:, :B, A or -N: (the last N).")
@click.option("--since", type=Parsed("TIME", _moment), metavar="TIME", help="What was added since: 30m, 24h or a time.")
@options.as_json_lines
@options.voiced
def command(name: str, last: int | None, lines: Span | None, since: float | None, as_json: bool) -> Exit:
    """Write the history of a session.

    That is every message that was added, byte for byte, one a line, however often
    the conversation was compacted. A line that a crash cut short is left out,
    with a warning.

    \b
    $ ctxkit session new s --window 8192 && ctxkit session history s --since 24h
    """
    if (last is not None) + (lines is not None) + (since is not None) > 1:
        raise Misuse("--last, --lines and --since go one at a time")
    chosen = settings.load()
    found = _opened(chosen, checked(name))
    start, end = _range(chosen, name, found, Span(-last, None) if last else lines, since)
    path = argument(supply.history(chosen).path(name))
    whole = _whole(read(rows(found, start, end), supply.parse), path)
    out.write(_batched(_objects(chosen, name, whole) if as_json else (line.data + b"\n" for line in whole)))
    return Exit.DONE


def _opened(chosen: Settings, name: str) -> Lines:
    """Return the lines of a history; that of a session to which nothing was added has none."""
    found = supply.history(chosen).open(name)
    if found is not None:
        return found
    if supply.ledger(chosen).find(name) is None:
        raise NotHeld(f"no session {name}", hint="ctxkit session list shows those there are")
    from ctxkit.core.lines import of

    return of(b"")


def _range(chosen: Settings, name: str, found: Lines, span: Span | None, since: float | None) -> tuple[int, int]:
    if since is None:
        return within(span, found.total, "lines") if span else (1, found.total)
    additions = supply.history(chosen).additions(name)
    unknown = found.total if not additions else additions[0].first - 1
    if unknown:
        say.warn(f"when lines up to {unknown:,} were added is not known; they are left out")
    return next((addition.first for addition in additions if addition.at >= since), found.total + 1), found.total


def _whole(lines: Iterable[Line], path: str) -> Iterator[Line]:
    """Yield lines, but say of those that were cut short that they are left out."""
    for line in lines:
        if line.whole:
            yield line
        else:
            say.warn(torn(line, path))


def _objects(chosen: Settings, name: str, lines: Iterable[Line]) -> Iterator[bytes]:
    """Yield each line as a member of an object that says which it is, and when it was added."""
    additions = iter(supply.history(chosen).additions(name))
    addition = next(additions, None)
    for line in lines:
        while addition and line.number >= addition.first + addition.lines:
            addition = next(additions, None)
        known = addition is not None and line.number >= addition.first
        at = b"%.3f" % addition.at if addition and known else b"null"
        yield b'{"line":%d,"added":%s,"entry":%s}\n' % (line.number, at, line.data)


def _batched(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces joined, since each is written on its own."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BATCH:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
