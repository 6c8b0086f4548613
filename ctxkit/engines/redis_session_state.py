"""Read and write sessions, entries and changes in the form in which a server has them."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxkit.core.session.ledger import ACTIVE_SECONDS, LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry
from ctxkit.processes import has_ended

TTL = int(ACTIVE_SECONDS)
"""Seconds after its last use at which a session expires."""
_FLOATS = ("created", "updated")
_TEXTS = ("name", "model", "tokenizer")
_STORED_FIELDS = Session._fields[:-1]


class SessionState(NamedTuple):
    """A session as the server has it: its version, its void reservations, and the time of the server."""

    session: Session
    version: bytes
    void: list[bytes]
    now: float


def pair_fields(session: Session) -> list[Any]:
    """Return the names and the values of the fields of a session."""
    return [
        word
        for name, value in zip(_STORED_FIELDS, session, strict=False)
        for word in (name, f"{value:.6f}" if name in _FLOATS else value)
    ]


def parse_state(answer: Any) -> SessionState | None:
    """Return the state in the answer of a script, None if there is no session."""
    fields, holds, now = _parse_pairs(answer[0]), _parse_pairs(answer[1]), float(answer[2])
    if not fields:
        return None
    values: dict[str, Any] = {name: _parse_field(name, fields.get(name.encode(), b"0")) for name in _STORED_FIELDS}
    rows = {key: value.decode().split(" ", 2) for key, value in holds.items()}
    void = [key for key, (_, at, holder) in rows.items() if has_ended(holder, now - float(at))]
    reserved = sum(int(rows[key][0]) for key in rows if key not in void)
    return SessionState(Session(**values, reserved=reserved), fields[b"version"], void, now)


def _parse_pairs(words: Any) -> Mapping[bytes, bytes]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _parse_field(name: str, word: bytes) -> Any:
    if name in _TEXTS:
        return word.decode("utf-8", "surrogateescape")
    return float(word) if name in _FLOATS else int(word)


def parse_entry(row: bytes) -> DatedEntry:
    """Return an entry from a row of the list of entries."""
    at, _, text = row.partition(b" ")
    return DatedEntry(LedgerEntry(*json.loads(text)), float(at))


def parse_change(row: bytes) -> ContextChange:
    """Return a change from a row of the list of changes."""
    at, _, kind, before, after = row.decode().split(" ")
    return ContextChange(kind, int(before), int(after), float(at))  # type: ignore[arg-type]  # written by the ledger
