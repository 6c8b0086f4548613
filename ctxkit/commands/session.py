"""ctxkit session and its verbs."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import CtxkitError, Exit, MissingDependencyError, NotStoredError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import options, out, say, session_view, settings
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.format_option import make_format_option
from ctxkit.edge.option_types import SPAN, TIME, option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.session_request import create_session
from ctxkit.edge.settings import Settings
from ctxkit.registry import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.history import HistoryLine
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.text.lines import IndexedLines
    from ctxkit.core.text.quantity import PositionRange

command = CommandGroup(
    SESSION,
    name="session",
    help="""Track how many tokens a conversation has used, and keep its history.

A session is the window of one conversation. With --session or CTXKIT_SESSION, gate,
run, brief and cache get --gate charge the content that they pass to the session.

\b
$ ctxkit session new --model qwen3-30b
$ ctxkit session list
""",
)


@command.command("new", cls=Verb)
@click.argument("session_id", metavar="[ID]", required=False)
@options.add_size_options
@options.store_option
def start_session(session_id: str | None, request: CliRequest) -> Exit:
    """Start a session and print its id.

    Without ID, the id is the time in UTC and eight random digits, so that ids sort by
    age. An option or a setting must give the model or the window. The option --used gives the
    tokens that are already in context, such as those of a system prompt.

    \b
    $ ctxkit session new --model qwen3-30b
    $ ctxkit session new review-7 --window 32768 --reserve 4096 --used 1200
    """
    from ctxkit.edge import custom_vocabulary

    config = settings.load()
    name = _make_id() if session_id is None else check_session_name(session_id)
    session = create_session(request, name, config)
    if custom_vocabulary.is_path(session.tokenizer):
        with suppress(MissingDependencyError):  # a gate estimates then
            engines.load_tokenizer(request.vocabulary(config))
    if not sessions.ledger(config).add(session):
        reset, remove = (f"ctxkit session {verb} {session.name}" for verb in ("reset", "rm"))
        hint = f"{reset} --used N sets its count, {remove} removes it"
        raise UsageError(f"session {session.name} exists", hint=hint)
    sessions.session_directories(config).record(session.name, os.path.realpath(os.curdir))
    out.write_listing(f"{session.name}\n")
    return Exit.DONE


def _make_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"


class AppendOptions(NamedTuple):
    """The format of the messages, whether they are counted, and strictly, and what is printed."""

    format_name: str | None
    no_count: bool
    strict: bool
    as_json: bool


@command.command("append", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.file_argument
@make_format_option("Format of the messages.")
@option("--no-count", is_flag=True, help="Do not add to the ledger; it has these tokens already.")
@option("--strict", is_flag=True, help="Fail if the tokens cannot be added to the ledger.")
@options.json_option
@workers.isolate_command
@options.store_option
@options.collect_values(AppendOptions, "append_options")
def append_messages(name: str, file: str, append_options: AppendOptions) -> Exit:
    """Add messages to the history of a session.

    FILE or stdin contains one message, a list of messages or JSON lines, in any format of
    agents and APIs. Each message is added as it is written, on its own line. The tokens
    that a model reads of it are added to the ledger of the session.

    \b
    $ ctxkit session append SESSION chat.jsonl
    """
    from ctxkit.app.services import session_log
    from ctxkit.edge import conversations

    config = settings.load()
    format_name, no_count, strict, as_json = append_options
    request = CliRequest(session=check_session_name(name), strict=strict or config["strict"])
    _require_session(config, name, strict=request.strict)
    transcript = conversations.read_conversation(file, format_name)
    reservation = None
    if not no_count:
        request, reservation = sessions.open_session(request, config, create_missing=False)
    count_options = engines.make_count_options(request, config, "estimate") if reservation else None
    from ctxkit.core.session.history import encode_entries

    _warn_of_other_format(config, name, transcript)
    added = sessions.history(config).append(name, encode_entries(transcript))
    if added.torn_line:
        say.warn(f"line {added.torn_line:,} of the history was cut short; it stays in the file, and commands skip it")
    if transcript.head:
        say.warn("the history does not include what is beside the messages, such as a system prompt or tools")
    session_log.record_tool_uses(config, name, transcript)
    entry = (
        _record_messages(reservation, count_options, transcript, whole=added.first == 1)
        if reservation and count_options
        else None
    )
    if as_json:
        counted = {"tokens": entry.tokens if entry else None, "method": entry.method if entry else None}
        extent = {"first": added.first, "lines": added.extent.lines, "bytes": added.extent.size}
        out.write_json({"session": name, "added": len(transcript.records), **extent, **counted})
    return Exit.DONE


def _warn_of_other_format(config: Settings, name: str, transcript: Transcript) -> None:
    """Warn that a history is in another format than the messages: they cannot be read together."""
    from ctxkit.core.gate.content_ranges import read_rows
    from ctxkit.core.session.history import SNIFFED_LINES, find_format_conflict, read_lines

    history = sessions.history(config).open(name)
    lines = read_lines(read_rows(history, 1, min(SNIFFED_LINES, history.total)), engines.parse_json) if history else ()
    if other := find_format_conflict((engines.parse_json(line.data) for line in lines if line.complete), transcript):
        say.warn(f"the history is in {other}, and the input in {transcript.format.NAME}: they cannot be read together")


def _require_session(config: Settings, name: str, *, strict: bool) -> None:
    """Raise NotStoredError if the session has not begun; a ledger that cannot be read is no reason to add nothing."""
    try:
        session = sessions.ledger(config).find(name)
    except (CtxkitError, OSError):
        if strict:
            raise
        return
    if session is None:
        raise NotStoredError(f"no session {name}", hint=f"ctxkit session new {name} --model NAME starts it")


def _record_messages(
    reservation: SessionReservation, count_options: CountOptions, transcript: Transcript, *, whole: bool
) -> LedgerEntry | None:
    """Record the tokens of messages in the ledger; with the first ones, those of system prompt and tools, too."""
    from ctxkit.core.count.conversation import count_transcript, method_of
    from ctxkit.core.session.ledger import LedgerEntry

    amount, messages = count_transcript(transcript, count_options, whole=whole)
    if not messages:
        return None
    entry = LedgerEntry(
        "history", amount.tokens, method_of(amount, count_options), "raw", reservation.budget.is_tight(amount.tokens)
    )
    reservation.record(entry, messages)
    return entry


BATCH = 1 << 20
"""Bytes that are written at once."""


@command.command("history", cls=Verb)
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
def write_history(name: str, last: int | None, lines: PositionRange | None, since: float | None, as_json: bool) -> Exit:
    """Write the history of a session.

    The history is every added message, byte for byte, one per line, even after a
    compaction. If a crash cut a line short, history skips the line with a warning.

    \b
    $ ctxkit session history SESSION --since 24h
    """
    from ctxkit.core.gate.content_ranges import read_rows
    from ctxkit.core.session.history import read_lines
    from ctxkit.core.text.quantity import PositionRange
    from ctxkit.core.text.shell import quote_path

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
    from ctxkit.core.gate.content_ranges import resolve_range

    if since is None:
        return resolve_range(span, history.total, "lines") if span else (1, history.total)
    additions = sessions.history(config).additions(name)
    unknown = history.total if not additions else additions[0].first - 1
    if unknown:
        say.warn(f"the time of the lines up to {unknown:,} is not known; they are skipped")
    return next((addition.first for addition in additions if addition.at >= since), history.total + 1), history.total


def _skip_torn(lines: Iterable[HistoryLine], path: str) -> Iterator[HistoryLine]:
    """Yield lines, but say of those that were cut short that they are left out."""
    from ctxkit.core.session.history import describe_torn_line

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


@command.command("status", cls=Verb)
@click.argument("name", metavar="[SESSION]", required=False)
@options.json_option
@options.store_option
def show_status(name: str | None, as_json: bool) -> Exit:
    """Show how many tokens a session has used and has left.

    Without S, the session is the one that CTXKIT_SESSION or a setting names.

    \b
    $ ctxkit session status SESSION
    """
    config = settings.load()
    session_name = CliRequest(session=name).session_name(config)
    if not session_name:
        raise UsageError(
            "no session is named", hint="name a session, or set CTXKIT_SESSION; ctxkit session list shows all sessions"
        )
    session = sessions.ledger(config).find(session_name)
    if session is None:
        raise NotStoredError(f"no session {session_name}", hint="ctxkit session list shows all sessions")
    facts = session_view.session_facts(session, config)
    if as_json:
        out.write_json(facts)
    else:
        out.write_listing(session_view.format_session(facts))
    return Exit.DONE


@command.command("reset", cls=Verb)
@click.argument("name", metavar="SESSION")
@option(
    "--used", type=options.token_count, metavar="N", help="Number of tokens now in context; required."
)
@options.store_option
def reset_session(name: str, used: int | None) -> Exit:
    """Set the number of tokens in context.

    After a compaction, set the number of tokens that are left. After an answer, set the
    number that the model's host counted. The session counts on from there, and
    keeps its list of earlier content.

    \b
    $ ctxkit session reset SESSION --used 1200
    """
    from ctxkit.core.text.shell import quote

    if used is None:
        hint = f"ctxkit session reset {quote(name)} --used 1200 sets its count to 1,200 tokens"
        raise UsageError("missing option: --used N", hint=hint)
    if sessions.ledger(settings.load()).set_used(check_session_name(name), used) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    return Exit.DONE


@command.command("list", cls=Verb)
@options.json_lines_option
@options.store_option
def list_sessions(as_json: bool) -> Exit:
    """List sessions, newest first.

    Each line gives the name, the used tokens, the tokens that input may use, the time of
    the last use and the model. --json prints one object per line, as status does.

    \b
    $ ctxkit session list
    """
    config = settings.load()
    for session in reversed(sessions.ledger(config).sessions()):
        view = session_view.session_facts(session, config)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(session_view.format_row(view))
    return Exit.DONE


@command.command("rm", cls=Verb)
@click.argument("names", metavar="SESSION...", nargs=-1, required=True)
@options.store_option
def remove_sessions(names: tuple[str, ...]) -> Exit:
    """Remove sessions, and the data that only they use.

    rm removes their ledgers, histories and snapshots, and what a hook kept of a session of
    that name. It also removes their stored content unless another session has it on its
    ledger or a file needs it to undo an edit. Content that was stored again outside of them
    stays until a collection removes it. If one S does not exist, rm removes nothing.

    \b
    $ ctxkit session rm SESSION
    """
    from ctxkit.app.hosts import compaction
    from ctxkit.app.services import stores
    from ctxkit.core.store.label import make_held_ref
    from ctxkit.edge.host_session import remove_record

    config = settings.load()
    for name in names:
        if not _has_session(config, check_session_name(name)):
            raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    ledger, histories = sessions.ledger(config), sessions.history(config)
    with ExitStack() as removals:
        for name in sorted(set(names)):
            removals.enter_context(histories.removal(name))
        ledger.remove_whole(set(names))
        for name in names if isinstance(config["store"], str) else ():
            sessions.snapshots(config).remove(name)  # a shared ledger does not have them
    for name in names:
        compaction.remove_session_files(name, config)
        remove_record(name, stores.data_dir(config))
    elsewhere, held_refs = ledger.find_references(0)[1], sessions.references(config).list_held()
    store = stores.open_store(config)
    session_refs = [blob.ref for blob in store.blobs() if blob.label.session in names]
    for ref in session_refs:
        if ref not in elsewhere and make_held_ref(ref) not in held_refs:
            store.remove(ref)
    return Exit.DONE


def _has_session(config: Settings, name: str) -> bool:
    """Return whether a session has a ledger entry, a history, as after damage of the ledger, or pages of a host."""
    from ctxkit.app.hosts import compaction

    if sessions.ledger(config).find(name) is not None:
        return True
    return sessions.history(config).extent(name) is not None or compaction.has_session_files(name, config)
