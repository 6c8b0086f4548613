"""Connect core to the ledger, histories, snapshots and references of sessions, each loaded on first use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.app.services.engines import parse_script
from ctxkit.core.store.label import title_of
from ctxkit.edge import say, user_dirs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.history import HistoryStore, MarkStore, Snapshot, SnapshotStore
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.session.ledger_interface import Ledger
    from ctxkit.edge.request import Call, CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.catalog import References
    from ctxkit.engines.ledger import SQLiteLedger
    from ctxkit.engines.session_tables import SessionDirectories

    UnknownWindow = Literal["raise", "assume", "pass"]
    """Handling of an unknown window: raise UsageError, assume a usual size, or let content pass."""

_LONGEST_PIN = 2_000
"""Maximum characters of a kept message that a summary repeats; a longer one is only not cleared."""
_watches: list[Callable[[], None]] = []


def watch_sessions(report: Callable[[], None]) -> None:
    """Let ``report`` be called, once, before this process uses what belongs to a session."""
    _watches[:] = [report]


def _report_use() -> None:
    while _watches:
        _watches.pop()()


def ledger(settings: Settings) -> Ledger:
    """Return the ledger of sessions: the shared one of the settings, if any, else that of this machine."""
    _report_use()
    if isinstance(settings["store"], str):
        from ctxkit.app.services.redis_sessions import open_shared_ledger

        return open_shared_ledger(settings, _open_ledger)
    from ctxkit.app.services.stores import data_dir

    return _open_ledger(data_dir(settings))


_ledgers: dict[str, SQLiteLedger] = {}
_inherited_ledgers: list[dict[str, SQLiteLedger]] = []
"""The ledgers of the process from which this one was forked."""


def _forget_ledgers() -> None:
    """Open new ledgers after a fork: SQLite connections must be neither used nor closed in the child."""
    global _ledgers
    _inherited_ledgers.append(_ledgers)
    _ledgers = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_ledgers)


def _open_ledger(directory: str) -> SQLiteLedger:
    """Return a ledger that is kept until the process ends: closing the last connection costs a disk write."""
    from ctxkit.engines.ledger import SQLiteLedger

    return _ledgers.get(directory) or _ledgers.setdefault(directory, SQLiteLedger(directory, say.warn))


def history(settings: Settings) -> HistoryStore:
    """Return the histories of sessions, on the shared store of the settings, if any, else on this machine."""
    _report_use()
    if isinstance(settings["store"], str):
        from ctxkit.app.services.redis_sessions import open_histories

        return open_histories(settings, _open_ledger)
    from ctxkit.app.services.stores import data_dir
    from ctxkit.engines.history import Histories

    def read_creation(name: str) -> str:
        """Return when a session was created, empty if it does not exist."""
        session_entry = ledger(settings).find(name)
        return repr(session_entry.created) if session_entry else ""

    return Histories(data_dir(settings), say.warn, read_creation)


def snapshots(settings: Settings) -> SnapshotStore:
    """Return the snapshots of sessions, on the shared store of the settings, if any, else on this machine."""
    _report_use()

    def prepare(snapshot: Snapshot) -> Snapshot:
        """Return the form of a snapshot that may be stored."""
        return _leave_out_unstored(snapshot, settings)

    if isinstance(settings["store"], str):
        from ctxkit.app.services.redis_sessions import open_snapshots

        return open_snapshots(settings, _open_ledger, prepare)
    from ctxkit.app.services.stores import data_dir
    from ctxkit.engines.catalog import SQLiteSnapshots

    return SQLiteSnapshots(data_dir(settings), say.warn, prepare)


def _leave_out_unstored(snapshot: Snapshot, settings: Settings) -> Snapshot:
    """Return a snapshot without the output of commands that ``never_store`` names."""
    from ctxkit.edge import bypass

    is_unstored = bypass.make_unstored_check(settings, parse_script)
    if is_unstored is None:
        return snapshot
    from ctxkit.core.chat.reading.format_registry import get_format
    from ctxkit.core.chat.reading.transcript import parse_transcript
    from ctxkit.core.compact.trigger import leave_out_results

    transcript = parse_transcript(snapshot.content, "the snapshot", get_format(snapshot.format), skip_bad=True)
    storable = leave_out_results(transcript, is_unstored).transcript
    return snapshot._replace(content=storable.encode(storable.text))


def session_directories(settings: Settings) -> SessionDirectories:
    """Return the directories in which sessions were started."""
    _report_use()
    from ctxkit.app.services.stores import data_dir
    from ctxkit.engines.session_tables import SessionDirectories

    return SessionDirectories(data_dir(settings), say.warn)


def context_marks(settings: Settings) -> MarkStore:
    """Return the marks of messages, on the shared store of the settings, if any, else on this machine."""
    _report_use()
    if isinstance(settings["store"], str):
        from ctxkit.app.services.redis_sessions import open_marks

        return open_marks(settings, _open_ledger)
    from ctxkit.app.services.stores import data_dir
    from ctxkit.engines.session_tables import SQLiteContextMarks

    return SQLiteContextMarks(data_dir(settings), say.warn)


def apply_marks(policy: CompactionPolicy, transcript: Transcript, session: str, settings: Settings) -> CompactionPolicy:
    """Return the policy that keeps messages marked as kept, and removes those marked as removable first."""
    from ctxkit.core.errors import CtxkitError
    from ctxkit.core.session.history import find_kept_texts, group_marks

    try:
        marked = group_marks(context_marks(settings).find(session))
    except (CtxkitError, OSError) as error:
        say.warn(f"the marks of session {session} cannot be read: {error}")
        return policy
    texts = find_kept_texts(transcript, marked, _LONGEST_PIN)
    return policy._replace(marked=marked, pins=(*policy.pins, *texts))


def references(settings: Settings) -> References:
    """Return the references to stored content on this machine, except those of sessions."""
    from ctxkit.app.services.stores import data_dir, hold_shared
    from ctxkit.engines.catalog import References

    return References(data_dir(settings), say.warn, lambda refs: hold_shared(refs, settings))


def replace_repeated(
    gate_result: GateResult, policy: GatePolicy, services: GateServices, request: CliRequest, settings: Settings
) -> GateResult:
    """Return the result with content replaced that the session has in context already, unless ``--again`` asks for it.

    The entry of the content in the ledger gets a ref, so that later content can be compared with it.
    """
    reservation = services.reservation
    if reservation is None or gate_result.result not in ("raw", "tight", "briefing"):
        return gate_result
    from ctxkit.core.gate.repetition import replace_repeated

    asks_for_whole = request.again or settings["again"]

    def list_entries() -> Sequence[LedgerEntry]:
        return () if asks_for_whole else ledger(settings).entries_in_context(reservation.name)

    return replace_repeated(gate_result, policy, services, list_entries)


def open_session(
    request: CliRequest,
    settings: Settings,
    *,
    create_missing: bool = True,
    unknown_window: UnknownWindow = "raise",
    must_know: bool = False,
) -> tuple[CliRequest, SessionReservation | None]:
    """Return the request within its session and the reservation; without a session, the request and None.

    Create a missing session if ``create_missing``. If the ledger is unusable, return the request without a session and
    warn. ``unknown_window`` says how to handle an unknown window. If the call is strict or ``must_know``, raise
    UsageError, LockedError or InputOutputError instead of guessing.
    """
    from ctxkit.core.errors import SettingsError, UsageError
    from ctxkit.edge.request import Call

    settings.is_strict |= request.strict
    strict = must_know or settings.is_strict
    requires_window = strict and (must_know or unknown_window != "raise")
    unknown_window = "raise" if strict else unknown_window
    name, problem, is_typed = request.session_name(settings), "", bool(request.model)
    reservation: SessionReservation | None = None
    if name:
        try:
            call = Call(request, settings)
            request, reservation = _enter_session(name, call, unknown_window, create_missing=create_missing)
        except Exception as error:  # content must not wait for the ledger
            if strict or isinstance(error, UsageError | SettingsError):
                raise
            problem = f"session {name} cannot be used, and its ledger is not charged: {error}"
            request = request._replace(session=None)
    if requires_window:
        request.require_window(settings)
    request = request if unknown_window == "raise" else request.assume_window(settings)
    _warn_of_session(Call(request, settings), name, problem, unknown_window, is_typed=is_typed)
    return request, reservation


def _warn_of_session(
    call: Call, session: str, problem: str, unknown_window: UnknownWindow, *, is_typed: bool
) -> None:
    """Warn in one line if a session is unusable or the window is assumed."""
    is_assumed = call.request.assumed and unknown_window != "raise"
    if not (problem or is_assumed):
        return
    if is_assumed:
        passes = unknown_window == "pass"
        warn_of_window(call, session, problem, passes=passes, is_typed=is_typed)
    else:
        _warn_in_session(problem, call.settings, session)


def _enter_session(
    name: str, call: Call, unknown_window: UnknownWindow, *, create_missing: bool
) -> tuple[CliRequest, SessionReservation | None]:
    """Return the request inside a session and its reservation; create the session if ``create_missing``."""
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.edge.session_request import apply_session, create_session, explain_kept_window

    request, settings = call
    session_ledger = ledger(settings)
    session = session_ledger.find(name)
    if session is None:
        if not create_missing or (unknown_window == "pass" and not request.known_window(settings)):
            return request, None
        request = request.assume_window(settings) if unknown_window == "assume" else request
        session = create_session(request, name, settings)
        session_ledger.add(session)
    if explanation := explain_kept_window(request, session, settings):
        say.warn(explanation)
    request = apply_session(request, session, settings)

    def warn(message: str) -> None:
        """Warn that the ledger is no longer usable."""
        _warn_in_session(message, settings, name)

    budget = request.budget(settings)
    return request, SessionReservation(session_ledger, session, budget, warn, strict=settings.is_strict)


_WINDOW_HINT = "--model NAME, CTXKIT_MODEL or --window N says how large it is"


def warn_of_window(
    call: Call, session: str, problem: str = "", *, passes: bool = False, is_typed: bool = False
) -> None:
    """Warn in one line that the window is unknown, after the ``problem`` with the session, if any.

    If it ``passes``, content passes unchanged; otherwise the request's window is assumed. Warn each time if the name of
    the model ``is_typed`` on the command line.
    """
    request, settings = call
    name = request.model_name(settings)
    unknown = "unknown model, and no such file" if name.lower().endswith(".gguf") else "unknown model"
    cause = f"{unknown}: {title_of(name)}" if name else "no model is named"
    answer = "content passes unchanged" if passes else f"a window of {request.window:,} tokens is assumed"
    message = "; ".join(part for part in (problem, f"{cause}: {answer}") if part)
    if is_typed:
        say.warn(f"{message} ({_suggest_models(name)}{_WINDOW_HINT})")
        return
    _warn_in_session(message, settings, session, lambda: f" ({_suggest_models(name)}{_WINDOW_HINT})")


def _warn_in_session(message: str, settings: Settings, session: str, suffix: Callable[[], str] = str) -> None:
    """Warn once per session, else once per hour; ``suffix`` returns the end of the line, and is
    called only if needed.
    """
    from ctxkit.edge import notices

    seconds = notices.EVER if session else notices.HOUR
    folder = settings["cache_dir"] or user_dirs.cache_dir()
    about = session.encode("utf-8", "replace")
    notices.warn_once(notices.Notice(message, about, suffix=suffix), folder, seconds)


def _suggest_models(name: str) -> str:
    """Return a question with known names similar to ``name``, "" if there are none."""
    from ctxkit.core.models import lookup

    near = lookup.find_similar_names(name[:200]) if name else []
    return f"did you mean {' or '.join(near)}? " if near else ""
