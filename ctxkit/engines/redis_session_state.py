"""Read and write sessions, entries and changes in the form in which a server has them."""

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ctxkit.core.session.history import ContextMark
from ctxkit.core.session.ledger import ACTIVE_SECONDS, LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ConditionalEntry, ContextChange, DatedEntry
from ctxkit.core.text.lines import LineIndex, find_largest_number, pack_counts
from ctxkit.engines import ledger_scripts as scripts
from ctxkit.engines.ledger_scripts import SessionKeys
from ctxkit.engines.redis_connection import ServerError
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.store_scripts import BlobKeys
from ctxkit.system.processes import has_ended

TTL = int(ACTIVE_SECONDS)
"""Seconds after its last use at which a session expires."""
_ENTRY_TYPES = [str, int, str, str, bool, str, str, str, str]
_FLOATS = ("created", "updated", "cold_from")
_TEXTS = ("name", "model", "tokenizer")
_LARGEST_NUMBER, _LONGEST_NUMBER = 1 << 62, 40
_LATEST = 253_402_300_800.0
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
    if not 0 <= number < _LARGEST_NUMBER:
        raise ValueError("no number")
    return number


def read_time(word: bytes) -> float:
    """Return a time that the server has, in seconds since 1970; raise ValueError if it is none that a date has."""
    at = float(word)
    if not 0 <= at < _LATEST:
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


RENEW_EVERY = 3600
"""Minimum seconds between two renewals of the content that a session refers to."""


def list_sums(entry: LedgerEntry, items: int) -> tuple[int, int, int, int]:
    """Return what an entry of some items adds to the tokens, the estimated tokens, the items and the maps."""
    estimated = 0 if entry.method == "exact" else entry.tokens
    return entry.tokens, estimated, items, int(entry.result == "briefing")


def send_entry(server: RedisServer, keys: list[str], request: ConditionalEntry, most_entries: int) -> list[Any]:
    """Return the answer of the script: whether it recorded the entry, and what follows from that.

    ``keys`` are those of the session, which is not in a cluster. Content is compared with ``most_entries`` entries.
    """
    session, entry = request.session, request.entry
    is_compared = request.is_compared and entry.ref
    facts = (
        *(TTL, *list_sums(entry, 1), entry.ref, json.dumps(entry), RENEW_EVERY),
        *(request.most_taken, session.window, session.reserve, session.model, session.tokenizer),
        *(most_entries if is_compared else "", _find_name(request)),
    )
    if not request.data:
        return list(server.run(scripts.RECORD_IF_FITS, keys, *facts))
    blobs = BlobKeys(server)
    keys = [*keys, blobs.blob(entry.ref), blobs.refs(entry.ref), blobs.index]
    return list(server.run(scripts.RECORD_IF_FITS, keys, *facts, *_describe_content(request), request.data))


def _find_name(request: ConditionalEntry) -> str:
    """Return how the row of an entry with the same name begins after its time, "" if the content has no name."""
    return f" {json.dumps([request.entry.name])[:-1]}, " if request.label.name else ""


def _describe_content(request: ConditionalEntry) -> tuple[Any, ...]:
    """Return the arguments of content in one block: ref, seconds, size, lines with their index, and label."""
    index = LineIndex()
    index.update(request.data)
    words = [word.encode("utf-8", "surrogatepass") for word in request.label]
    ttl = max(int(request.max_age), TTL)
    return request.entry.ref, ttl, len(request.data), index.total, pack_counts(index.newline_counts), *words


def find_most_taken(session: Session, tokens: int, share: Callable[[int], int | None]) -> int:
    """Return the most taken tokens for which ``share`` answers as for the current ones, if it never grows with them."""
    most = max(session.window, session.occupancy)
    number = find_largest_number(session.occupancy, most, lambda taken: share(taken) == tokens)
    return session.occupancy if number is None else number


class RedisContextMarks:
    """The marks of sessions on a server; satisfies core.session.history.MarkStore. They raise ServerError."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._keys = SessionKeys(server)

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest, and renew the time of the marks."""
        (key,) = self._keys.make(session, "marks")
        words, _ = self._server.execute_many([("HGETALL", key), ("EXPIRE", key, TTL)])
        pairs = words.items() if isinstance(words, dict) else zip(words[::2], words[1::2], strict=True)
        return {digest.decode("utf-8", "replace"): mark.decode("utf-8", "replace") for digest, mark in pairs}

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        (key,) = self._keys.make(session, "marks")
        if words := [word for digest in digests for word in (digest, mark)]:
            self._server.execute_many([("HSET", key, *words), ("EXPIRE", key, TTL)])
