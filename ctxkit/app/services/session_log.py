"""Edit a conversation within its session, and record compactions, edits and turns in ledger and snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.app.services import engines, sessions
from ctxkit.app.services.engines import make_count_options, parse_script, tidy_store
from ctxkit.app.services.sessions import history, ledger, open_session, references, snapshots
from ctxkit.app.services.stores import open_store
from ctxkit.core.session.history import HistoryExtent, describe_torn_line, read_lines
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import conversations, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import NumberedConversation
    from ctxkit.core.errors import Exit
    from ctxkit.core.session.history import Snapshot
    from ctxkit.core.session.ledger import LedgerEntry, TurnEntry
    from ctxkit.edge.editing import EditRequest
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.session_tables import SQLiteToolUses


def _make_edit_recorder(session: str, settings: Settings) -> Callable[[EditOutcome, NumberedConversation], None]:
    """Return a function that records an edit of the conversation of a session."""
    from ctxkit.core.session.history import Snapshot

    def record_edit(outcome: EditOutcome, conversation: NumberedConversation) -> None:
        """Record an edit in the session's history."""
        covers = history(settings).extent(session) or HistoryExtent()
        tokens, method = outcome.after.tokens, conversation.get_method(outcome.after)
        form = conversation.transcript.format.NAME
        _record_edited(settings, Snapshot(session, outcome.data, form, outcome.messages, tokens, method, covers))

    return record_edit


def make_restore_recorder(call: Call) -> Callable[[NumberedConversation], None] | None:
    """Return a function that records the undo of an edit in the session of a call, None without a session.

    Raise NotStoredError if the session does not exist.
    """
    from ctxkit.core.errors import NotStoredError
    from ctxkit.core.session.history import Snapshot

    request, settings = call
    if not request.session:
        return None
    name = request.session_name(settings)
    if ledger(settings).find(name) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")

    def record_restored(conversation: NumberedConversation) -> None:
        """Save the restored conversation as the snapshot of the session, and set its tokens in the ledger."""
        covers, total = history(settings).extent(name) or HistoryExtent(), conversation.total
        transcript = conversation.transcript
        content, form = transcript.encode(transcript.text), transcript.format.NAME
        messages, method = len(conversation.path), conversation.get_method(total)
        _record_edited(settings, Snapshot(name, content, form, messages, total.tokens, method, covers))

    return record_restored


def record_compaction(settings: Settings, snapshot: Snapshot) -> None:
    """Record a compaction: save the snapshot for resuming the session, and set its tokens in the ledger.

    Warn on failure: the session then resumes from its complete history.
    """
    _record_snapshot(settings, snapshot, "compaction", lambda: ledger(settings).record_compaction)
    unpin_tools(settings, snapshot.session)


def _record_edited(settings: Settings, snapshot: Snapshot) -> None:
    """Record an edit of a session's conversation, as ``record_compaction`` does for a compaction."""
    _record_snapshot(settings, snapshot, "edit", lambda: ledger(settings).record_edit)


def _record_snapshot(
    settings: Settings, snapshot: Snapshot, change: str, open_record: Callable[[], Callable[[str, int, int], object]]
) -> None:
    from ctxkit.core.errors import CtxkitError

    estimated = 0 if snapshot.method == "exact" else snapshot.tokens
    try:
        snapshots(settings).save(snapshot)
        open_record()(snapshot.session, snapshot.tokens, estimated)
    except (CtxkitError, OSError) as error:
        say.warn(f"the {change} of session {snapshot.session} is not recorded: {error}")


def record_turn(settings: Settings, session: str, turn: TurnEntry, results: Iterable[LedgerEntry]) -> None:
    """Record the request of a turn in the ledger, and its stored results, which are kept so; warn on failure."""
    from ctxkit.core.errors import CtxkitError

    try:
        for entry in results:
            ledger(settings).record(session, 0, entry, 0)
        ledger(settings).record_turn(session, turn)
    except (CtxkitError, OSError) as error:
        say.warn(f"the turn of session {session} is not recorded: {error}")


def tool_uses(settings: Settings) -> SQLiteToolUses:
    """Return which tools sessions on this machine have used."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.engines.session_tables import SQLiteToolUses

    return SQLiteToolUses(data_dir(settings), say.warn)


def record_tool_uses(settings: Settings, session: str, transcript: Transcript) -> None:
    """Record which tools the messages call, for ctxkit tools select; a failure costs this record alone."""
    from ctxkit.core.errors import CtxkitError

    names = [call.name for record in transcript.records for call in record.calls if call.name]
    try:
        tool_uses(settings).record(session, names)
    except (CtxkitError, OSError) as error:
        say.warn(f"the calls of tools are not recorded: {error}")


def unpin_tools(settings: Settings, session: str) -> None:
    """Let the tools of a session be deferred again, whose prompt cache a compaction has ended; a failure costs that."""
    from ctxkit.core.errors import CtxkitError

    try:
        tool_uses(settings).unpin_all(session)
    except (CtxkitError, OSError) as error:
        say.warn(f"the tools stay as they were: {error}")


class ResumedConversation(NamedTuple):
    """The conversation of a session: its content, its snapshot (None without one), and the number of later lines.

    ``format`` is the name of its format, "" if only its lines tell. ``extent`` is the part of the history that it
    stands for.
    """

    content: bytes
    snapshot: Snapshot | None
    appended: int
    format: str = ""
    extent: HistoryExtent = HistoryExtent()


def read_resumed(settings: Settings, name: str) -> ResumedConversation | None:
    """Return the conversation from which a session resumes, None if it has neither a snapshot nor a history."""
    snapshot = sessions.snapshots(settings).find(name)
    if snapshot is None:
        return read_history(settings, name)
    lines, extent = _read_new_lines(settings, name, snapshot.covers)
    return ResumedConversation(_append_lines(snapshot, lines), snapshot, len(lines), snapshot.format, extent)


def read_history(settings: Settings, name: str) -> ResumedConversation | None:
    """Return the whole history of a session, None if it has none."""
    lines, extent = _read_new_lines(settings, name, HistoryExtent())
    if not lines:
        return None
    return ResumedConversation(b"".join(line + b"\n" for line in lines), None, len(lines), extent=extent)


def _read_new_lines(settings: Settings, name: str, covers: HistoryExtent) -> tuple[list[bytes], HistoryExtent]:
    """Return the lines of a history after those that a snapshot stands for, and the extent of the history."""
    histories = sessions.history(settings)
    extent = histories.extent(name) or HistoryExtent()
    if extent.lines < covers.lines:
        say.warn(
            f"the history of {name} has {extent.lines:,} lines, and had {covers.lines:,} when its snapshot was saved"
        )
    if extent.lines <= covers.lines:
        return [], extent
    rows = enumerate(histories.read_after(name, covers, extent), covers.lines + 1)
    return list(_select_complete_lines(rows, quote_path(histories.path(name)))), extent


def _select_complete_lines(rows: Iterable[tuple[int, bytes]], path: str) -> Iterator[bytes]:
    for line in read_lines(rows, engines.parse_json):
        if line.complete:
            yield line.data
        else:
            say.warn(describe_torn_line(line, path))


def _append_lines(snapshot: Snapshot, lines: list[bytes]) -> bytes:
    """Return a snapshot with what came after it; one that nothing came after is not even read."""
    if not lines:
        return snapshot.content
    from ctxkit.core.session.history import append_lines

    return append_lines(
        conversations.parse_conversation(snapshot.content, f"the snapshot of {snapshot.session}", snapshot.format),
        lines,
    )


def edit_conversation(edit_request: EditRequest, call: Call) -> Exit:
    """Edit a conversation within its session, if there is one; return the exit status."""
    from ctxkit.edge import bypass, editing, events, source

    request, settings = call

    def log_edit(facts: dict[str, Any]) -> None:
        """Append an event of the edit to the file of events, if there is one."""
        if call.events_file:
            tokens = {"before_tokens": facts["before"], "after_tokens": facts["after"]}
            common_facts = {"name": source.name_of(edit_request.file), **call.describe()}
            events.record(call.events_file, "context_edit", {**common_facts, **facts, **tokens})

    def run_edit() -> Exit:
        """Edit the conversation within its session."""
        session_request, reservation = open_session(*call, create_missing=False)
        if request.session and reservation is None:
            from ctxkit.core.errors import NotStoredError

            raise NotStoredError(f"no session {request.session}", hint="ctxkit session list shows all sessions")
        session_edit = edit_request._replace(session=reservation.name if reservation else "")
        store = open_store(settings) if settings["store"] and not edit_request.dry_run else None
        services = editing.EditServices(
            store,
            references(settings).hold,
            _make_edit_recorder(request.session, settings) if request.session else None,
            log_edit,
            bypass.make_unstored_check(settings, parse_script),
        )
        answer, ref = editing.apply_edit(session_edit, make_count_options(session_request, settings), services)
        tidy_store(settings, ref)
        return answer

    from ctxkit.app.services import workers

    return workers.run_in_worker(run_edit, 0 if edit_request.in_place else source.preload(edit_request.file))
