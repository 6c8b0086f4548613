"""ctxkit session history."""

from collections.abc import Iterable, Iterator

import click

from ctxkit.app.services import engines, sessions
from ctxkit.core.errors import Exit, NotStoredError, UsageError
from ctxkit.core.gate.content_ranges import read_rows, resolve_range
from ctxkit.core.session.history import HistoryLine, describe_torn_line, read_lines
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import SPAN, TIME, option
from ctxkit.edge.settings import Settings

BATCH = 1 << 20
"""Bytes that are written at once."""


@click.command("history", cls=Verb)
@click.argument("name", metavar="SESSION")
@option("--last", type=options.positive_count, metavar="N", help="Write only the last N lines.")
@option("--lines", type=SPAN, metavar="A:B", help="Write only lines A to B: A:B, A:, :B, A or -N: (the last N).")
@option(
    "--since",
    type=TIME,
    metavar="TIME",
    help="Write only lines added since TIME: 30m, 24h or a time.",
)
@options.json_lines_option
@options.store_option
def command(name: str, last: int | None, lines: PositionRange | None, since: float | None, as_json: bool) -> Exit:
    """Write the history of a session.

    The history is every added message, byte for byte, one per line, even after a
    compaction. If a crash cut a line short, history skips the line with a warning.

    \b
    $ ctxkit session history SESSION --since 24h
    """
    if (last is not None) + (lines is not None) + (since is not None) > 1:
        raise UsageError("only one of --last, --lines and --since is allowed")
    config = settings.load()
    history = _open_history(config, check_session_name(name))
    start, end = _find_range(config, name, history, PositionRange(-last, None) if last else lines, since)
    path = quote_path(sessions.history(config).path(name))
    whole_lines = _skip_torn(read_lines(read_rows(history, start, end), engines.parse_json), path)
    out.write(
        _batch(_encode_objects(config, name, whole_lines) if as_json else (line.data + b"\n" for line in whole_lines))
    )
    return Exit.DONE


def _open_history(config: Settings, name: str) -> IndexedLines:
    """Return the lines of a history; that of a session to which nothing was added has none."""
    history = sessions.history(config).open(name)
    if history is not None:
        return history
    if sessions.ledger(config).find(name) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    from ctxkit.core.text.lines import lines_from_bytes

    return lines_from_bytes(b"")


def _find_range(
    config: Settings, name: str, history: IndexedLines, span: PositionRange | None, since: float | None
) -> tuple[int, int]:
    if since is None:
        return resolve_range(span, history.total, "lines") if span else (1, history.total)
    additions = sessions.history(config).additions(name)
    unknown = history.total if not additions else additions[0].first - 1
    if unknown:
        say.warn(f"the time of the lines up to {unknown:,} is not known; they are skipped")
    return next((addition.first for addition in additions if addition.at >= since), history.total + 1), history.total


def _skip_torn(lines: Iterable[HistoryLine], path: str) -> Iterator[HistoryLine]:
    """Yield lines, but say of those that were cut short that they are left out."""
    for line in lines:
        if line.complete:
            yield line
        else:
            say.warn(describe_torn_line(line, path))


def _encode_objects(config: Settings, name: str, lines: Iterable[HistoryLine]) -> Iterator[bytes]:
    """Yield each line as a member of an object that says which it is, and when it was added."""
    additions = iter(sessions.history(config).additions(name))
    addition = next(additions, None)
    for line in lines:
        while addition and line.number >= addition.first + addition.lines:
            addition = next(additions, None)
        known = addition is not None and line.number >= addition.first
        at = b"%.3f" % addition.at if addition and known else b"null"
        yield b'{"line":%d,"added":%s,"entry":%s}\n' % (line.number, at, line.data)


def _batch(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces joined, since each is written on its own."""
    pending: list[bytes] = []
    size = 0
    for piece in pieces:
        pending.append(piece)
        size += len(piece)
        if size >= BATCH:
            yield b"".join(pending)
            pending, size = [], 0
    yield b"".join(pending)
