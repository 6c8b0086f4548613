"""Sessions in two halves, one to tune on and one kept apart, and chains of different sessions for large windows."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random

from bench.compact.facts import facts
from bench.compact.said import Said
from bench.compact.sessions import Session

CHAINS, CHAIN_CHARS = 24, 900_000
"""Chains in a half, and characters of each: more than a window of 200,000 tokens holds."""


def half_of(sessions: Sequence[Session], half: str) -> list[Session]:
    """Return the sessions of a half, ``tune`` or ``test``: the SHA-256 of a name decides, whatever else there is."""
    return [session for session in sessions if _is_test(session.name) == (half == "test")]


def _is_test(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 1


def chains(sessions: Sequence[Session], many: int = CHAINS, chars: int = CHAIN_CHARS) -> list[Session]:
    """Return chains of different sessions, each in another order; the last one is whole and sets the request."""
    return [_chain(sessions, number, chars) for number in range(many)] if sessions else []


def _chain(sessions: Sequence[Session], number: int, chars: int) -> Session:
    order = Random(number).sample(list(sessions), len(sessions))
    rows: list[Said] = []
    size = at = 0
    while size < chars:
        session = order[at % len(order)]
        part = [
            replace(
                row,
                answers=row.answers and f"{at}:{row.answers}",
                did=[replace(did, id=did.id and f"{at}:{did.id}") for did in row.did],
            )
            for row in session.rows
            if row.role != "system" or not rows
        ]
        rows += part
        size += max(sum(len(row.text) + sum(len(str(did.arguments)) for did in row.did) for row in part), 1)
        at += 1
    return Session(f"chain {number}", "", rows, facts(rows))
