"""Handing core the engines that the settings ask for, each loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ctxkit import workers
from ctxkit.core.terms import Engines
from ctxkit.edge import say
from ctxkit.stores import data_dir
from ctxkit.stores import index as index
from ctxkit.stores import local_store as local_store

UnknownWindow = Literal["raise", "assume", "pass"]
"""What becomes of a window that nobody knows: Misuse, one of usual size, or a request whose content passes."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctxkit.core.account import Account
    from ctxkit.core.brief.document import Definition
    from ctxkit.core.checkup import Check
    from ctxkit.core.compact.outcome import Outcome
    from ctxkit.core.context.matter import Summarizer
    from ctxkit.core.context.voice import Voice
    from ctxkit.core.count.order import Order
    from ctxkit.core.exit import Exit
    from ctxkit.core.lint.assemble import Wanted
    from ctxkit.core.lint.workspace import Workspace
    from ctxkit.core.snapshot import Snapshot
    from ctxkit.core.tokenizer import Tokenizer
    from ctxkit.core.vocabulary import Vocabulary
    from ctxkit.edge.compaction import Shop
    from ctxkit.edge.editing import Edit
    from ctxkit.edge.request import Request
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.history import Histories
    from ctxkit.engines.ledger import SQLiteLedger
    from ctxkit.engines.references import References
    from ctxkit.engines.snapshots import SQLiteSnapshots


LOADING, ASKING = 330.0, 660.0
"""Seconds until a model is loaded, and until it answers: somewhat more than the summarizers allow themselves."""


def engines(settings: Settings, *, store: bool = True, account: Account | None = None) -> Engines:
    """Return tokenizer, store (none when ``store`` is false or the settings say so), parser and account."""
    keeps = store and settings["store"]
    return Engines(tokenizer, (lambda: local_store(settings)) if keeps else None, definitions, account, workers.isolate)


def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return the counter of a vocabulary; an estimate needs no engine."""
    if not vocabulary.exact:
        from ctxkit.core import estimate

        return estimate.tokenizer(vocabulary)
    from ctxkit.engines import tokens

    return tokens.tokenizer(vocabulary)


def order(asked: Request, settings: Settings, default: str = "o200k") -> Order:
    """Return how to count conversations, by the ``default`` vocabulary where neither model nor tokenizer is named.

    Where the vocabulary is not installed, counts are estimates, with a warning, unless it is strict: then
    EngineAbsent is raised.
    """
    from ctxkit.core.count.order import Order
    from ctxkit.core.trouble import EngineAbsent
    from ctxkit.core.vocabulary import vocabulary_of

    named = bool(asked.model_name(settings) or asked.tokenizer or settings["tokenizer"])
    vocabulary = asked.vocabulary(settings) if named else vocabulary_of(default)
    try:
        count = tokenizer(vocabulary)
    except EngineAbsent as error:
        if asked.strict or settings["strict"]:
            raise
        say.warn(f"tokens are estimated: {error}")
        vocabulary = vocabulary_of("estimate")
        count = tokenizer(vocabulary)
    return Order(vocabulary, count, parse, "" if asked.tokenizer else asked.model_name(settings), named)


def parse(text: bytes) -> Any:
    """Return the value of a JSON text; raises ValueError when it is none."""
    from ctxkit.engines import decoder

    return decoder.parse(text)


def definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in source code, or None when it cannot be parsed."""
    from ctxkit.engines import syntax

    return syntax.definitions(data, language)


def ledger(settings: Settings) -> SQLiteLedger:
    """Return the ledger of sessions on this machine."""
    return _ledger(data_dir(settings))


_ledgers: dict[str, SQLiteLedger] = {}


_kept: list[dict[str, SQLiteLedger]] = []
"""The ledgers of the process that this one was forked from."""


def _forget_ledgers() -> None:
    """Open ledgers anew: connections to SQLite must not be used across a fork, nor be closed there."""
    global _ledgers
    _kept.append(_ledgers)
    _ledgers = {}


workers.AFTER_FORK.append(_forget_ledgers)


def _ledger(directory: str) -> SQLiteLedger:
    """Return a ledger that lasts as long as the process: closing the last connection costs a write to the disk."""
    from ctxkit.engines.ledger import SQLiteLedger

    return _ledgers.get(directory) or _ledgers.setdefault(directory, SQLiteLedger(directory, say.warn))


def history(settings: Settings) -> Histories:
    """Return the histories of sessions on this machine."""
    from ctxkit.engines.history import Histories

    def session(name: str) -> str:
        found = ledger(settings).find(name)
        return repr(found.created) if found else ""

    return Histories(data_dir(settings), say.warn, session)


def snapshots(settings: Settings) -> SQLiteSnapshots:
    """Return the snapshots of sessions on this machine."""
    from ctxkit.engines.snapshots import SQLiteSnapshots

    return SQLiteSnapshots(data_dir(settings), say.warn)


def references(settings: Settings) -> References:
    """Return who refers to stored content on this machine, beside sessions."""
    from ctxkit.engines.references import References

    return References(data_dir(settings), say.warn)


def workspace(root: str, tokens: Tokenizer, wanted: Wanted, asked: tuple[str, ...]) -> Workspace:
    """Return the workspace in a directory, the files in it that are asked for among it."""
    from ctxkit.edge import source
    from ctxkit.edge.progress import Ticker
    from ctxkit.engines.workspace.gather import gather

    ticker = Ticker(root)

    def seen(size: int) -> None:
        ticker(size)
        source.heard(size)

    try:
        return gather(root, tokens, wanted, asked, seen, lambda path, why: say.warn(f"{path} is {why}, and is skipped"))
    finally:
        ticker.done()


def seated(
    asked: Request,
    settings: Settings,
    *,
    opens: bool = True,
    unknown: UnknownWindow = "raise",
    answers: bool = False,
) -> tuple[Request, Account | None]:
    """Return what is asked inside the session that is named, and the account to book on; else as it is, and None.

    A session that is not there begins, when ``opens``. Where the ledger cannot be used, what is asked comes
    back without a session, with a warning. A window that is ``unknown`` is assumed with a warning, too. A call
    that is strict or ``answers`` a question goes by no guess: then Misuse, Locked or IOFailed is raised.
    """
    from ctxkit.core.trouble import BadSettings, Misuse

    strict = answers or asked.strict or settings["strict"]
    asks = answers or unknown != "raise"
    unknown = "raise" if strict else unknown
    name, trouble = asked.seat(settings), ""
    inside: tuple[Request, Account | None] = asked, None
    if name:
        try:
            inside = _in_session(name, asked, settings, opens, unknown)
        except Exception as error:  # whatever it is, content does not wait for the ledger
            if strict or isinstance(error, Misuse | BadSettings):
                raise
            trouble = f"session {name} cannot be used, and nothing is booked: {error}"
            inside = asked._replace(session=None), None
    asked, account = inside
    if unknown != "raise":
        asked = asked.assume_window(settings)
    elif strict and asks:
        asked.require_window(settings)
    if trouble or (asked.assumed and unknown != "raise"):
        _warn_of(asked, settings, name, trouble, unknown)
    return asked, account


def _warn_of(asked: Request, settings: Settings, session: str, trouble: str, unknown: UnknownWindow) -> None:
    """Say in one line that a session cannot be used or the window is not known."""
    from ctxkit.edge import assumption

    if asked.assumed and unknown != "raise":
        assumption.warn_of_window(asked, settings, session, trouble, passes=unknown == "pass")
    else:
        assumption.warn_once(trouble, settings, session)


def _in_session(
    name: str, asked: Request, settings: Settings, opens: bool, unknown: UnknownWindow
) -> tuple[Request, Account | None]:
    """Return what is asked inside a session, and its account; begin the session if it is not there and ``opens``."""
    from ctxkit.core.account import Account

    book = ledger(settings)
    session = book.find(name)
    if session is None:
        if not opens or (unknown == "pass" and not asked.known_window(settings)):
            return asked, None
        asked = asked.assume_window(settings) if unknown == "assume" else asked
        session = asked.opening(name, settings)
        book.begin(session)
    if overlooked := asked.overlooked(session, settings):
        say.warn(overlooked)
    asked = asked.within(session, settings)

    def warn(message: str) -> None:
        """Say that the ledger cannot be used any more."""
        from ctxkit.edge import assumption

        assumption.warn_once(message, settings, name)

    strict = asked.strict or settings["strict"]
    return asked, Account(book, session, asked.budget(settings), warn, strict=strict)


def checks(settings: Settings) -> Iterator[Check]:
    """Yield what looking at the libraries, the vocabularies and the store finds."""
    from ctxkit.edge import places
    from ctxkit.engines.checkup import libraries, vocabularies

    yield from libraries.checks()
    yield from vocabularies.checks()
    try:
        from ctxkit.engines.checkup import storage
    except ImportError:  # a Python without SQLite, which the libraries have told of
        return
    yield from storage.checks(settings["cache_dir"] or places.cache_dir(), settings["data_dir"] or places.data_dir())


def tidy(settings: Settings, ref: str) -> None:
    """Let the store collect what is old, if something was stored and it is time; call it after the output."""
    if not ref:
        return
    from ctxkit.core.quantity import age_of, bytes_of

    local_store(settings).tidy(age_of(settings["cache_max_age"]), bytes_of(settings["cache_max_size"]), ref)


def edited(wanted: Edit, asked: Request, settings: Settings) -> Exit:
    """Carry out an edit of a conversation in the session that is named, if there is one; return the answer."""
    from ctxkit.edge import editing, source

    def edit() -> Exit:
        inside, account = seated(asked, settings, opens=False)
        named = wanted._replace(session=account.name if account else "")
        store = local_store(settings) if settings["store"] else None
        answer, ref = editing.perform(named, order(inside, settings), store, references(settings).hold)
        tidy(settings, ref)
        return answer

    return workers.apart(edit, 0 if wanted.in_place else source.preload(wanted.file))


def settle(settings: Settings, snapshot: Snapshot) -> None:
    """Note a compaction: keep the snapshot that a resumed session reads, and go on from its tokens in the ledger.

    What cannot be kept is a warning: the session then resumes from its whole history.
    """
    from ctxkit.core.trouble import Trouble

    estimated = 0 if snapshot.method == "exact" else snapshot.tokens
    try:
        snapshots(settings).save(snapshot)
        ledger(settings).compacted(snapshot.session, snapshot.tokens, estimated)
    except (Trouble, OSError) as error:
        say.warn(f"the compaction of session {snapshot.session} is not noted: {error}")


def summarizer(name: str, settings: Settings, *, typed: bool = False) -> Summarizer | None:
    """Return who writes summaries by that name, None for ``extract``, which needs no model; raises Misuse.

    A model is loaded, and a server reached, when there is something to summarize. A key is sent only to an address
    that is ``typed`` on the command line, or stands in the environment or in the user's file: never to one that
    a project alone gives, trusted or not.
    """
    kind, _, rest = name.partition(":")
    if name in ("", "extract"):
        return None
    if kind not in ("llama", "cmd", "http", "https") or (kind != "llama" and not rest.strip("/ ")):
        from ctxkit.core.trouble import Misuse

        raise Misuse(f"unknown summarizer: {name}", hint="extract, llama[:FILE.gguf], http(s)://... or cmd:PROGRAM")
    from ctxkit.core.context.distil import distilling
    from ctxkit.edge import progress

    keyed = typed or settings.is_of_user("summarizer", name)

    def call() -> Voice:
        workers.expect(LOADING)
        voice = _voice(kind, rest, name, keyed)
        return voice._replace(ask=workers.patiently(voice.ask, ASKING))

    return distilling(call, lambda parts: progress.stepped(parts, "summary"))


def _voice(kind: str, rest: str, name: str, keyed: bool) -> Voice:
    """Return the model behind a summarizer's name."""
    if kind == "cmd":
        from ctxkit.engines.summarizers import command

        return command.voice(rest)
    if kind != "llama":
        from ctxkit.engines.summarizers import endpoint

        return endpoint.voice(name) if keyed else endpoint.voice(name, {})
    from ctxkit.core.context.grammar import grammar
    from ctxkit.edge.checkup.weights import chosen
    from ctxkit.engines.summarizers import llama

    return llama.voice(chosen(rest), grammar())


def compacting(settings: Settings, asked: Request, writer: str | None) -> Shop:
    """Return what a compaction works with: the store, who writes the summary, the references and the session.

    Without a ``writer`` the setting holds.
    """
    from ctxkit.core.compact.writing import writing
    from ctxkit.core.masking import mask_script
    from ctxkit.edge.compaction import Shop

    # Reports, manifests and warnings name the summarizer, whose address or command may hold a key.
    chosen, writes = _chosen_summarizer(settings, writer)
    write = writing(mask_script(chosen), writes, say.warn, strict=asked.strict or settings["strict"])
    keeps = settings["store"] and not asked.no_store
    return Shop(
        (lambda: local_store(settings)) if keeps else None,
        write,
        lambda path, refs: references(settings).hold(path, refs),
        lambda outcome, session, method: _settled(settings, outcome, session, method),
    )


def _chosen_summarizer(settings: Settings, writer: str | None) -> tuple[str, Summarizer | None]:
    """Return the summarizer that is named, else the setting's; ``extract`` where that cannot be understood."""
    from ctxkit.core.trouble import BadSettings, Misuse

    if writer:
        return writer, summarizer(writer, settings, typed=True)
    name, source = settings.of("summarizer")
    try:
        return name, summarizer(name, settings)
    except Misuse as error:
        settings.blame(BadSettings(f"{source}: {error}", hint=error.hint))
    return "extract", None


def _settled(settings: Settings, outcome: Outcome, session: str, method: str) -> None:
    """Note the compaction of a session; the snapshot stands for its history as it is now."""
    from ctxkit.core.history import Extent
    from ctxkit.core.snapshot import Snapshot
    from ctxkit.core.trouble import Trouble

    assert outcome.transcript is not None
    try:
        covers = history(settings).extent(session) or Extent()
    except (Trouble, OSError) as error:
        say.warn(f"the compaction of session {session} is not noted: {error}")
        return
    after, form = outcome.after, outcome.transcript.format.NAME
    settle(settings, Snapshot(session, outcome.content, form, after.messages, after.amount.tokens, method, covers))
