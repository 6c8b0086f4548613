"""Where a summary enters: in front of the messages that stay, as one of its own or before the words of the next."""

from collections.abc import Container, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.pairing import side
from ctxkit.core.chat.record import SYSTEM_ROLES, Place, Record
from ctxkit.core.compact.draft import Case, front
from ctxkit.core.compact.lead import instructs


class Seat(NamedTuple):
    """Place a summary before the entry ``at``, in a role; ``into`` is the passage there that it goes before."""

    at: int
    role: str
    into: Place | None = None


def seat_of(case: Case, gone: Container[int]) -> Seat | None:
    """Return where a summary enters before what stays, None where the API would take it nowhere."""
    begin = front(case.path)
    stay = [(at, record) for at, record in enumerate(case.path) if at >= begin and record.at not in gone]
    talk = [(at, record) for at, record in stay if not instructs(record)]
    if not seams_right(talk, case.transcript.format.RULES):
        return None
    at = min((record.at for _, record in stay), default=max((record.at for record in case.path), default=-1) + 1)
    return _seat(case, at, talk[0][1] if talk else None)


def seatable(case: Case, first: Record | None) -> bool:
    """Tell whether a summary may stand before a message."""
    return _seat(case, 0, first) is not None


def _seat(case: Case, at: int, first: Record | None) -> Seat | None:
    rules = case.transcript.format.RULES
    users = first is not None and side(first) == "user"
    role = case.policy.role or case.habit or rules.summary
    role = "user" if role in SYSTEM_ROLES and (rules.summary == "user" or (rules.opens and not users)) else role
    if role in SYSTEM_ROLES or first is None or not (rules.alternates and users):
        return Seat(at, role)
    if first.passages and not first.results:
        return Seat(first.at, role, first.passages[0].place)
    return None


def seams_right(talk: Sequence[tuple[int, Record]], rules: Rules) -> bool:
    """Tell whether messages that come to stand side by side are of two sides, where roles have to alternate.

    Each comes with its place in the path: what stood side by side before is as it was.
    """
    if not rules.alternates:
        return True
    pairs = pairwise(talk)
    return all(side(one) != side(other) for (at, one), (next_, other) in pairs if next_ > at + 1)
