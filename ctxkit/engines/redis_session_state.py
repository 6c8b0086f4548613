"""Read and write sessions, entries and changes in the form in which a server has them."""

import errno
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ctxkit.core.session.ledger import ACTIVE_SECONDS, LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry
from ctxkit.engines.redis_errors import ServerError
from ctxkit.system.processes import has_ended

TTL = int(ACTIVE_SECONDS)
"""Seconds after its last use at which a session expires."""
_ENTRY_TYPES = [str, int, str, str, bool, str, str, str, str]
_FLOATS = ("created", "updated", "cold_from")
_TEXTS = ("name", "model", "tokenizer")
LARGEST_NUMBER, _LONGEST_NUMBER = 1 << 62, 40
LATEST = 253_402_300_800.0
"""Seconds from 1970 to the year 10000, after which no date can be printed."""
_STORED_FIELDS = Session._fields[:-1]


class SessionState(NamedTuple):
    """A session as the server has it: its version, its void reservations, and the time of the server."""

    session: Session
    version: bytes
    void: list[bytes]
    now: float


def read_number(word: bytes) -> int:
    """Return a whole number that the server has; raise ValueError if it is negative, too large, or none."""
    number = int(word) if len(word) < _LONGEST_NUMBER else -1
    if not 0 <= number < LARGEST_NUMBER:
        raise ValueError("no number")
    return number


def read_time(word: bytes) -> float:
    """Return a time that the server has, in seconds since 1970; raise ValueError if it is none that a date has."""
    at = float(word)
    if not 0 <= at < LATEST:
        raise ValueError("no time")
    return at


def pair_fields(session: Session) -> list[Any]:
    """Return the names and the values of the fields of a session."""
    return [
        word
        for name, value in zip(_STORED_FIELDS, session, strict=False)
        for word in (name, f"{value:.6f}" if name in _FLOATS else value)
    ]


def parse_state(name: str, answer: Any, *, place: str = "") -> SessionState | None:
    """Return the state of a session in the answer of a script, None if there is none.

    Raise ServerError if it is damaged.
    """
    try:
        return _parse_state(name, answer)
    except (ValueError, TypeError, IndexError) as error:
        hint = f"remove it: ctxkit session rm {name}"
        raise ServerError(errno.EBADMSG, f"session {name} is damaged", place, hint) from error


def _parse_state(name: str, answer: Any) -> SessionState | None:
    fields, holds, now = _parse_pairs(answer[0]), _parse_pairs(answer[1]), float(answer[2])
    if not fields:
        return None
    if fields.get(b"name") != name.encode() or b"version" not in fields:
        raise ValueError("no session")
    values: dict[str, Any] = {field: _parse_field(field, fields.get(field.encode(), b"0")) for field in _STORED_FIELDS}
    rows = {key: value.decode().split(" ", 2) for key, value in holds.items()}
    void = [key for key, (_, at, holder) in rows.items() if has_ended(holder, now - float(at))]
    reserved = sum(int(rows[key][0]) for key in rows if key not in void)
    return SessionState(Session(**values, reserved=reserved), fields[b"version"], void, now)


def _parse_pairs(words: Any) -> Mapping[bytes, bytes]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _parse_field(name: str, word: bytes) -> Any:
    if name in _TEXTS:
        return word.decode("utf-8", "replace")
    return read_time(word) if name in _FLOATS else read_number(word)


def parse_entries(rows: Iterable[bytes]) -> list[DatedEntry]:
    """Return the entries of rows of the list of entries, without those that are damaged."""
    return [entry for row in rows for entry in _parse_entry(row)]


def _parse_entry(row: bytes) -> Iterator[DatedEntry]:
    at, _, text = row.partition(b" ")
    with suppress(ValueError, RecursionError):
        facts = json.loads(text)
        if isinstance(facts, list) and [type(fact) for fact in facts] == _ENTRY_TYPES[: len(facts)] and len(facts) > 3:
            yield DatedEntry(LedgerEntry(*facts), read_time(at))


def parse_changes(rows: Iterable[bytes]) -> list[ContextChange]:
    """Return the changes of rows of the list of changes, without those that are damaged."""
    return [change for row in rows for change in _parse_change(row)]


def _parse_change(row: bytes) -> Iterator[ContextChange]:
    with suppress(ValueError):
        at, _, kind, before, after = row.split(b" ")
        numbers = read_number(before), read_number(after), read_time(at)
        yield ContextChange(kind.decode(), *numbers)  # type: ignore[arg-type]  # written by the ledger
