"""A session, an entry and a change are read as they were written."""

import json

from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.engines.redis_session_state import pair_fields, parse_changes, parse_entries, parse_state
from ctxkit.system.processes import identify_process

SESSION = Session("s", 1000, 200, "m", "t", used=7, created=1.5, updated=2.25)


def answer_of(session: Session, holds: list[bytes]) -> list[object]:
    words = [str(word).encode() for word in pair_fields(session)]
    return [[*words, b"version", b"4"], holds, b"100.5"]


def test_a_state_is_the_session_with_what_is_reserved() -> None:
    ours = f"30 100.4 {identify_process()}".encode()
    state = parse_state(SESSION.name, answer_of(SESSION, [b"1", ours, b"2", b"50 -99999999 elsewhere 1 1"]))
    assert state is not None
    assert state.session == SESSION._replace(reserved=30)
    assert (state.version, state.void, state.now) == (b"4", [b"2"], 100.5)


def test_no_fields_are_no_session() -> None:
    assert parse_state("s", [[], [], b"1.0"]) is None


def test_rows_of_lists() -> None:
    entry = LedgerEntry("log \udcff", 5, "exact", "raw", ref="a" * 64)
    (dated,) = parse_entries([b"12.5 " + json.dumps(entry).encode(), b"", b"1 {}", b"1 [1, 2]", b"x " + json.dumps(entry).encode()])
    assert (dated.entry, dated.at) == (entry, 12.5)
    assert parse_changes([b"3.5 9 reset 100 40", b"", b"3.5 9 reset x 40", b"\xff"]) == [("reset", 100, 40, 3.5)]
