"""Record compactions, edits and turns in the ledger and the snapshots of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.app.services.sessions import history, ledger, snapshots
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import NumberedConversation
    from ctxkit.core.session.ledger import LedgerEntry, TurnEntry
    from ctxkit.core.session.snapshot import Snapshot
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.tool_uses import SQLiteToolUses


def make_edit_recorder(session: str, settings: Settings) -> Callable[[EditOutcome, NumberedConversation], None]:
    """Return a function that records an edit of the conversation of a session."""
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.session.snapshot import Snapshot

    def record_edit(outcome: EditOutcome, conversation: NumberedConversation) -> None:
        """Record an edit in the session's history."""
        covers = history(settings).extent(session) or HistoryExtent()
        tokens, method = outcome.after.tokens, conversation.get_method(outcome.after)
        form = conversation.transcript.format.NAME
        record_edited(settings, Snapshot(session, outcome.data, form, outcome.messages, tokens, method, covers))

    return record_edit


def make_restore_recorder(call: Call) -> Callable[[NumberedConversation], None] | None:
    """Return a function that records the undo of an edit in the session of a call, None without a session.

    Raise NotStoredError if the session does not exist.
    """
    from ctxkit.core.errors import NotStoredError
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.session.snapshot import Snapshot

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
        record_edited(settings, Snapshot(name, content, form, messages, total.tokens, method, covers))

    return record_restored


def record_compaction(settings: Settings, snapshot: Snapshot) -> None:
    """Record a compaction: save the snapshot for resuming the session, and set its tokens in the ledger.

    Warn on failure: the session then resumes from its complete history.
    """
    _record_snapshot(settings, snapshot, "compaction", lambda: ledger(settings).record_compaction)
    unpin_tools(settings, snapshot.session)


def record_edited(settings: Settings, snapshot: Snapshot) -> None:
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
    from ctxkit.engines.tool_uses import SQLiteToolUses

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
