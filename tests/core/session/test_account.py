import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import LockedError
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import LedgerEntry, Reservation, Session
from ctxkit.core.tokens.budget import Budget

SESSION, BUDGET = Session("s", 1000, 0), Budget(1000, 0)


class Paper:
    """A ledger of one session in memory, which satisfies core.ledger.Ledger."""

    def __init__(self, used: int = 0) -> None:
        self.session = SESSION._replace(used=used)
        self.holds: dict[int, int] = {}
        self.last = 0

    def find(self, name: str) -> Session | None:
        return self.session._replace(reserved=sum(self.holds.values()))

    def add(self, session: Session) -> bool:
        return False

    def sessions(self) -> list[Session]:
        return [self.session]

    def set_used(self, name: str, used: int) -> Session | None:
        self.session = self.session.with_used(used, 0.0)
        return self.session

    def remove(self, name: str) -> bool:
        return False

    def reserve(self, session, share) -> Reservation:
        taken = self.find("s").occupancy
        tokens = share(taken)
        if tokens is None:
            return Reservation(0, taken)
        self.last += 1
        self.holds[self.last] = tokens
        return Reservation(self.last, taken)

    def record(self, name: str, key: int, item: LedgerEntry, items: int = 1) -> None:
        self.holds.pop(key, None)
        self.session = self.session.with_entry(item, 0.0, items)

    def release(self, key: int) -> None:
        del self.holds[key]


class Torn(Paper):
    """A ledger that cannot be used."""

    def find(self, name: str) -> Session | None:
        raise LockedError("somebody has it")

    def reserve(self, session, share) -> Reservation:
        raise LockedError("somebody has it")

    def record(self, name: str, key: int, item: LedgerEntry, items: int = 1) -> None:
        raise OSError("disk full")


def account_of(paper: Paper, said: list[str] | None = None, *, strict: bool = False) -> SessionReservation:
    return SessionReservation(paper, SESSION, BUDGET, (said if said is not None else []).append, strict=strict)


def item_of(tokens: int) -> LedgerEntry:
    return LedgerEntry("log", tokens, "exact", "raw")


def test_room_is_held_until_it_is_booked() -> None:
    paper = Paper(used=100)
    account = account_of(paper)
    assert account.reserve(900, None)
    assert not account_of(paper).reserve(1, None)
    account.record(item_of(850))
    assert (paper.session.used, paper.holds) == (950, {})
    assert account.budget.used == 950
    assert account_of(paper).reserve(50, None)


def test_a_call_never_takes_more_than_its_limit_or_than_there_is() -> None:
    paper = Paper(used=100)
    assert not account_of(paper).reserve(11, 10)
    assert account_of(paper).reserve(10, 10)
    assert not account_of(paper).reserve(891, None)
    account = account_of(paper)
    assert account.reserve_target(None) == 445
    assert account.refresh_budget().available == 445


def test_taking_again_gives_the_first_back() -> None:
    paper = Paper()
    account = account_of(paper)
    assert account.reserve(800, None)
    assert account.reserve(900, None)
    assert list(paper.holds.values()) == [900]
    account.release()
    account.release()
    assert paper.holds == {}


def test_what_no_longer_fits_is_made_again_within_what_was_held_first() -> None:
    paper = Paper()
    made = []

    def make(target):
        if not made:  # while the first is made, somebody else is faster
            paper.session = paper.session._replace(used=900)
        made.append(target)
        return target

    assert account_of(paper).make_within_target(None, make, lambda size: size) == 50
    assert made == [500, 50]
    assert list(paper.holds.values()) == [50]


def test_what_nothing_is_short_enough_for_holds_nothing() -> None:
    paper = Paper()

    def make(target):
        paper.session = paper.session._replace(used=1000)
        return target

    assert account_of(paper).make_within_target(None, make, lambda size: size or None) == 0
    assert paper.holds == {}


def test_trouble_is_said_once_and_the_budget_alone_decides() -> None:
    said: list[str] = []
    account = account_of(Torn(), said)
    assert account.refresh_budget() == BUDGET
    assert account.reserve(1000, None)
    assert not account.reserve(1001, None)
    account.record(item_of(10))
    assert said == ["session s is not kept: somebody has it"]
    assert account.budget.used == 10


def test_trouble_ends_a_strict_call() -> None:
    account = account_of(Torn(), strict=True)
    with pytest.raises(LockedError):
        account.reserve(1, None)
    with pytest.raises(OSError, match="disk full"):
        account.record(item_of(1))


@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 2))))
def test_the_sum_of_what_was_granted_is_never_above_the_window(wishes) -> None:
    paper, pending, granted = Paper(), [], 0
    for tokens, what in wishes:
        account = account_of(paper)
        if account.reserve(tokens, None):
            pending.append((account, tokens))
        if what and pending:
            mine, size = pending.pop()
            if what == 1:
                mine.record(item_of(size))
                granted += size
            else:
                mine.release()
        assert paper.find("s").occupancy <= 1000
    assert paper.session.used == granted
