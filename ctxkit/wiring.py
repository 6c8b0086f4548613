"""Connect core to the engines that the settings select, each loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ctxkit import workers
from ctxkit.core.gate.policy import GateServices
from ctxkit.edge import say
from ctxkit.stores import data_dir
from ctxkit.stores import index as index
from ctxkit.stores import local_store as local_store

UnknownWindow = Literal["raise", "assume", "pass"]
"""Handling of an unknown window: raise UsageError, assume a usual size, or let content pass."""

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctxkit.core.brief.document import Definition
    from ctxkit.core.checkup import Check
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.context.chat_model import ChatModel
    from ctxkit.core.context.summary_input import Summarizer
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import NumberedConversation
    from ctxkit.core.exit import Exit
    from ctxkit.core.lint.document.workspace import Workspace
    from ctxkit.core.lint.loading.assemble import WorkspaceOptions
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.snapshot import Snapshot
    from ctxkit.core.tokens.tokenizer import Tokenizer
    from ctxkit.core.tokens.vocabulary import Vocabulary
    from ctxkit.core.tools.search import ToolText
    from ctxkit.edge.compaction import CompactionServices
    from ctxkit.edge.editing import EditRequest
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.history import Histories
    from ctxkit.engines.ledger import SQLiteLedger
    from ctxkit.engines.references import References
    from ctxkit.engines.session_directories import SessionDirectories
    from ctxkit.engines.snapshots import SQLiteSnapshots
    from ctxkit.engines.tool_index import ToolIndex
    from ctxkit.engines.tool_uses import SQLiteToolUses


LOAD_SECONDS, ANSWER_SECONDS = 330.0, 660.0
"""Maximum seconds to load a model, and to get its answer: slightly more than the summarizers' own limits."""


def gate_services(
    settings: Settings, *, store: bool = True, reservation: SessionReservation | None = None
) -> GateServices:
    """Return the gate's services: tokenizer, store (unless disabled), parser and reservation."""
    stores = store and settings["store"]
    return GateServices(
        load_tokenizer,
        (lambda: local_store(settings)) if stores else None,
        find_definitions,
        reservation,
        workers.isolate,
    )


def load_tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return the tokenizer of a vocabulary; an estimate needs no engine."""
    if not vocabulary.exact:
        from ctxkit.core.tokens import estimate

        return estimate.likely_tokenizer(vocabulary)
    from ctxkit.engines import tokens

    return tokens.load_tokenizer(vocabulary)


def make_count_options(request: CliRequest, settings: Settings, default: str = "o200k") -> CountOptions:
    """Return the options for counting conversations, with the ``default`` vocabulary if none is named.

    If the vocabulary is not installed, estimate with a warning. If the call is strict, raise MissingDependencyError
    instead.
    """
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.errors import MissingDependencyError
    from ctxkit.core.tokens.vocabulary import find_vocabulary

    is_named = bool(request.model_name(settings) or request.tokenizer or settings["tokenizer"])
    vocabulary = request.vocabulary(settings) if is_named else find_vocabulary(default)
    try:
        count = load_tokenizer(vocabulary)
    except MissingDependencyError as error:
        if request.strict or settings["strict"]:
            raise
        say.warn(f"tokens are estimated: {error}")
        vocabulary = find_vocabulary("estimate")
        count = load_tokenizer(vocabulary)
    return CountOptions(
        vocabulary, count, parse_json, "" if request.tokenizer else request.model_name(settings), is_named
    )


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text; raise ValueError if it is invalid."""
    from ctxkit.engines import decoder

    return decoder.parse(text)


def find_definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in source code, or None if it cannot be parsed."""
    from ctxkit.engines import syntax

    return syntax.find_definitions(data, language)


def ledger(settings: Settings) -> SQLiteLedger:
    """Return the ledger of sessions on this machine."""
    return _open_ledger(data_dir(settings))


_ledgers: dict[str, SQLiteLedger] = {}


_inherited_ledgers: list[dict[str, SQLiteLedger]] = []
"""The ledgers of the process from which this one was forked."""


def _forget_ledgers() -> None:
    """Open new ledgers after a fork: SQLite connections must be neither used nor closed in the child."""
    global _ledgers
    _inherited_ledgers.append(_ledgers)
    _ledgers = {}


workers.AFTER_FORK.append(_forget_ledgers)


def _open_ledger(directory: str) -> SQLiteLedger:
    """Return a ledger that is kept until the process ends: closing the last connection costs a disk write."""
    from ctxkit.engines.ledger import SQLiteLedger

    return _ledgers.get(directory) or _ledgers.setdefault(directory, SQLiteLedger(directory, say.warn))


def history(settings: Settings) -> Histories:
    """Return the histories of sessions on this machine."""
    from ctxkit.engines.history import Histories

    def read_creation(name: str) -> str:
        session_entry = ledger(settings).find(name)
        return repr(session_entry.created) if session_entry else ""

    return Histories(data_dir(settings), say.warn, read_creation)


def snapshots(settings: Settings) -> SQLiteSnapshots:
    """Return the snapshots of sessions on this machine."""
    from ctxkit.engines.snapshots import SQLiteSnapshots

    return SQLiteSnapshots(data_dir(settings), say.warn)


def session_directories(settings: Settings) -> SessionDirectories:
    """Return the directories in which sessions were started."""
    from ctxkit.engines.session_directories import SessionDirectories

    return SessionDirectories(data_dir(settings), say.warn)


def tool_uses(settings: Settings) -> SQLiteToolUses:
    """Return which tools sessions on this machine have used."""
    from ctxkit.engines.tool_uses import SQLiteToolUses

    return SQLiteToolUses(data_dir(settings), say.warn)


def tool_index(texts: Sequence[ToolText]) -> ToolIndex:
    """Return the index of tool definitions."""
    from ctxkit.engines.tool_index import ToolIndex

    return ToolIndex(texts)


def references(settings: Settings) -> References:
    """Return the references to stored content on this machine, except those of sessions."""
    from ctxkit.engines.references import References

    return References(data_dir(settings), say.warn)


def gather_workspace(root: str, tokens: Tokenizer, options: WorkspaceOptions, files: tuple[str, ...]) -> Workspace:
    """Return the workspace of a directory, including the ``files`` named by the user."""
    from ctxkit.edge import source
    from ctxkit.edge.progress import ReadProgress
    from ctxkit.engines.workspace.gather import read_workspace

    ticker = ReadProgress(root)

    def report_read(size: int) -> None:
        ticker(size)
        source.report_read(size)

    try:
        return read_workspace(
            root, tokens, options, files, report_read, lambda path, why: say.warn(f"{path} is {why}, and is skipped")
        )
    finally:
        ticker.clear()


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

    strict = must_know or request.strict or settings["strict"]
    wants_window = must_know or unknown_window != "raise"
    unknown_window = "raise" if strict else unknown_window
    name, problem = request.session_name(settings), ""
    result: tuple[CliRequest, SessionReservation | None] = request, None
    if name:
        try:
            result = _enter_session(name, request, settings, create_missing, unknown_window)
        except Exception as error:  # content must not wait for the ledger
            if strict or isinstance(error, UsageError | SettingsError):
                raise
            problem = f"session {name} cannot be used, and its ledger is not charged: {error}"
            result = request._replace(session=None), None
    request, reservation = result
    if unknown_window != "raise":
        request = request.assume_window(settings)
    elif strict and wants_window:
        request.require_window(settings)
    if problem or (request.assumed and unknown_window != "raise"):
        _warn_of_session(request, settings, name, problem, unknown_window)
    return request, reservation


def _warn_of_session(
    request: CliRequest, settings: Settings, session: str, problem: str, unknown_window: UnknownWindow
) -> None:
    """Warn in one line that a session is unusable or the window is unknown."""
    from ctxkit.edge import window_warning

    if request.assumed and unknown_window != "raise":
        window_warning.warn_of_window(request, settings, session, problem, passes=unknown_window == "pass")
    else:
        window_warning.warn_once(problem, settings, session)


def _enter_session(
    name: str, request: CliRequest, settings: Settings, create_missing: bool, unknown_window: UnknownWindow
) -> tuple[CliRequest, SessionReservation | None]:
    """Return the request inside a session and its reservation; create the session if ``create_missing``."""
    from ctxkit.core.session.account import SessionReservation

    session_ledger = ledger(settings)
    session = session_ledger.find(name)
    if session is None:
        if not create_missing or (unknown_window == "pass" and not request.known_window(settings)):
            return request, None
        request = request.assume_window(settings) if unknown_window == "assume" else request
        session = request.create_session(name, settings)
        session_ledger.add(session)
    if explanation := request.explain_kept_window(session, settings):
        say.warn(explanation)
    request = request.apply_session(session, settings)

    def warn(message: str) -> None:
        """Warn that the ledger is no longer usable."""
        from ctxkit.edge import window_warning

        window_warning.warn_once(message, settings, name)

    strict = request.strict or settings["strict"]
    return request, SessionReservation(session_ledger, session, request.budget(settings), warn, strict=strict)


def checks(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the libraries, the vocabularies and the store."""
    from ctxkit.edge import user_dirs
    from ctxkit.engines.checkup import libraries, vocabularies

    yield from libraries.checks()
    yield from vocabularies.checks()
    try:
        from ctxkit.engines.checkup import storage
    except ImportError:  # a Python without SQLite, which the library checks have reported
        return
    yield from storage.checks(
        settings["cache_dir"] or user_dirs.cache_dir(), settings["data_dir"] or user_dirs.data_dir()
    )


def tidy_store(settings: Settings, ref: str) -> None:
    """Let the store collect old content after something was stored; call it after the output."""
    if not ref:
        return
    from ctxkit.core.text.quantity import parse_age, parse_size

    local_store(settings).tidy(parse_age(settings["cache_max_age"]), parse_size(settings["cache_max_size"]), ref)


def edit_conversation(edit_request: EditRequest, request: CliRequest, settings: Settings) -> Exit:
    """Edit a conversation within its session, if there is one; return the exit status."""
    from ctxkit.edge import editing, source

    def run_edit() -> Exit:
        session_request, reservation = open_session(request, settings, create_missing=False)
        if request.session and reservation is None:
            from ctxkit.core.errors import NotStoredError

            raise NotStoredError(f"no session {request.session}", hint="ctxkit session list shows all sessions")
        session_edit = edit_request._replace(session=reservation.name if reservation else "")
        store = local_store(settings) if settings["store"] else None
        answer, ref = editing.apply_edit(
            session_edit,
            make_count_options(session_request, settings),
            store,
            references(settings).hold,
            _make_edit_recorder(request.session, settings) if request.session else None,
        )
        tidy_store(settings, ref)
        return answer

    return workers.run_in_worker(run_edit, 0 if edit_request.in_place else source.preload(edit_request.file))


def _make_edit_recorder(session: str, settings: Settings) -> Callable[[EditOutcome, NumberedConversation], None]:
    """Return a function that records an edit of the conversation of a session."""
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.session.snapshot import Snapshot

    def record_edit(outcome: EditOutcome, conversation: NumberedConversation) -> None:
        covers = history(settings).extent(session) or HistoryExtent()
        tokens, method = outcome.after.tokens, conversation.get_method(outcome.after)
        form = conversation.transcript.format.NAME
        record_edited(settings, Snapshot(session, outcome.data, form, outcome.messages, tokens, method, covers))

    return record_edit


def record_compaction(settings: Settings, snapshot: Snapshot) -> None:
    """Record a compaction: save the snapshot for resuming the session, and set its tokens in the ledger.

    Warn on failure: the session then resumes from its complete history.
    """
    _record_snapshot(settings, snapshot, "compaction", lambda: ledger(settings).record_compaction)


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


def make_summarizer(name: str, settings: Settings, *, typed: bool = False) -> Summarizer | None:
    """Return the summarizer with a name, None for ``extract``, which needs no model; raise UsageError if unknown.

    The model is loaded, or the server contacted, on first use. A key is sent only to an address that is ``typed`` on
    the command line, or set in the environment or the user's file. It is never sent to an address that only a project's
    settings give, trusted or not.
    """
    kind, _, rest = name.partition(":")
    if name in ("", "extract"):
        return None
    if kind not in ("llama", "cmd", "http", "https") or (kind != "llama" and not rest.strip("/ ")):
        from ctxkit.core.errors import UsageError

        raise UsageError(f"unknown summarizer: {name}", hint="extract, llama[:FILE.gguf], http(s)://... or cmd:PROGRAM")
    from ctxkit.core.context.model_summarizer import make_model_summarizer
    from ctxkit.edge import progress

    sends_key = typed or settings.is_set_by_user("summarizer", name)

    def connect() -> ChatModel:
        workers.extend_deadline(LOAD_SECONDS)
        chat_model = _open_chat_model(kind, rest, name, sends_key)
        return chat_model._replace(ask=workers.wrap_with_deadline(chat_model.ask, ANSWER_SECONDS))

    return make_model_summarizer(connect, lambda parts: progress.show_steps(parts, "summary"))


def _open_chat_model(kind: str, rest: str, name: str, sends_key: bool) -> ChatModel:
    """Return the chat model of a summarizer's name."""
    if kind == "cmd":
        from ctxkit.engines.summarizers import command

        return command.open_chat_model(rest)
    if kind != "llama":
        from ctxkit.engines.summarizers import endpoint

        return endpoint.open_chat_model(name) if sends_key else endpoint.open_chat_model(name, {})
    from ctxkit.core.context.grammar import build_grammar
    from ctxkit.edge.checkup.weights import find_model
    from ctxkit.engines.summarizers import llama

    return llama.open_chat_model(find_model(rest), build_grammar())


def compaction_services(settings: Settings, request: CliRequest, summarizer_name: str | None) -> CompactionServices:
    """Return the services of a compaction: store, summary writer, references and session.

    Without a ``summarizer_name``, use the setting.
    """
    from ctxkit.core.compact.summary_writer import make_summary_writer
    from ctxkit.core.redaction.masking import mask_script
    from ctxkit.edge.compaction import CompactionServices

    # Reports, manifests and warnings name the summarizer, whose address or command may contain a key.
    name, summarize = _choose_summarizer(settings, summarizer_name)
    write = make_summary_writer(mask_script(name), summarize, say.warn, strict=request.strict or settings["strict"])
    stores = settings["store"] and not request.no_store
    return CompactionServices(
        (lambda: local_store(settings)) if stores else None,
        write,
        lambda path, refs: references(settings).hold(path, refs),
        lambda outcome, session, method: _record_outcome(settings, outcome, session, method),
    )


def _choose_summarizer(settings: Settings, summarizer_name: str | None) -> tuple[str, Summarizer | None]:
    """Return the named summarizer, else that of the settings; ``extract`` if the setting is invalid."""
    from ctxkit.core.errors import SettingsError, UsageError

    if summarizer_name:
        return summarizer_name, make_summarizer(summarizer_name, settings, typed=True)
    name, source = settings.lookup("summarizer")
    try:
        return name, make_summarizer(name, settings)
    except UsageError as error:
        settings.blame(SettingsError(f"{source}: {error}", hint=error.hint))
    return "extract", None


def _record_outcome(settings: Settings, outcome: CompactionOutcome, session: str, method: str) -> None:
    """Record the compaction of a session; the snapshot replaces its history up to now."""
    from ctxkit.core.errors import CtxkitError
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.session.snapshot import Snapshot

    assert outcome.transcript is not None
    try:
        covers = history(settings).extent(session) or HistoryExtent()
    except (CtxkitError, OSError) as error:
        say.warn(f"the compaction of session {session} is not recorded: {error}")
        return
    after, form = outcome.after, outcome.transcript.format.NAME
    record_compaction(
        settings, Snapshot(session, outcome.content, form, after.messages, after.amount.tokens, method, covers)
    )
