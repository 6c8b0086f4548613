"""Handing core the engines that the settings ask for, each loaded when it is first used."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ctxkit.core.terms import Engines
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctxkit.core.account import Account
    from ctxkit.core.brief.document import Definition
    from ctxkit.core.checkup import Check
    from ctxkit.core.search import Index
    from ctxkit.core.store import Store
    from ctxkit.core.tokenizer import Tokenizer
    from ctxkit.core.vocabulary import Vocabulary
    from ctxkit.edge.request import Request
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.ledger import SQLiteLedger


def engines(settings: Settings, *, store: bool = True, account: Account | None = None) -> Engines:
    """Return tokenizer, store (none when ``store`` is false or the settings say so), parser and account."""
    keeps = store and settings["store"]
    return Engines(tokenizer, (lambda: local_store(settings)) if keeps else None, definitions, account)


def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return the counter of a vocabulary; an estimate needs no engine."""
    if not vocabulary.exact:
        from ctxkit.core import estimate

        return estimate.tokenizer(vocabulary)
    from ctxkit.engines import tokens

    return tokens.tokenizer(vocabulary)


def parse(text: bytes) -> Any:
    """Return the value of a JSON text; raises ValueError when it is none."""
    from ctxkit.engines import decoder

    return decoder.parse(text)


def definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in source code, or None when it cannot be parsed."""
    from ctxkit.engines import syntax

    return syntax.definitions(data, language)


def local_store(settings: Settings) -> Store:
    """Return the store on this machine."""
    from ctxkit.edge import places
    from ctxkit.engines.local import LocalStore

    return LocalStore(settings["cache_dir"] or places.cache_dir(), settings["data_dir"] or places.data_dir(), say.warn)


def index(settings: Settings) -> Index:
    """Return the full text index of the store on this machine."""
    from ctxkit.edge import places
    from ctxkit.engines.index import FullText

    return FullText(settings["cache_dir"] or places.cache_dir(), say.warn)


def ledger(settings: Settings) -> SQLiteLedger:
    """Return the ledger of sessions on this machine."""
    from ctxkit.edge import places

    return _ledger(settings["data_dir"] or places.data_dir())


@cache
def _ledger(directory: str) -> SQLiteLedger:
    """Return a ledger that lasts as long as the process: closing the last connection costs a write to the disk."""
    from ctxkit.engines.ledger import SQLiteLedger

    return SQLiteLedger(directory, say.warn)


def seated(asked: Request, settings: Settings, *, opens: bool = True) -> tuple[Request, Account | None]:
    """Return what is asked inside the session that is named, and the account to book on; else as it is, and None.

    A session that is not there begins, when ``opens``. Where the ledger cannot be used, what is asked comes
    back without a session, with a warning, unless it is strict: then Locked or IOFailed is raised.
    """
    name = asked.seat(settings)
    if not name:
        return asked, None
    from ctxkit.core.account import Account
    from ctxkit.core.trouble import BadSettings, Misuse, Trouble

    book, strict = ledger(settings), asked.strict or settings["strict"]
    try:
        session = book.find(name)
        if session is None:
            if not opens:
                return asked, None
            session = asked.opening(name, settings)
            book.begin(session)
    except (Trouble, OSError) as error:
        if strict or isinstance(error, Misuse | BadSettings):
            raise
        say.warn(f"session {name} cannot be used, and nothing is booked: {error}")
        return asked.alone(settings), None
    asked = asked.within(session, settings)
    return asked, Account(book, session, asked.budget(settings), say.warn, strict=strict)


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
