import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import LockedError, UsageError
from ctxkit.core.session.ledger import (
    AnswerEntry,
    LedgerEntry,
    Reservation,
    Session,
    SessionReservation,
    check_session_name,
)
from ctxkit.core.tokens.budget import Budget

RESULTS, METHODS = ("raw", "tight", "briefing"), ("exact", "estimate")
ITEMS = st.lists(
    st.builds(
        LedgerEntry, st.just("log"), st.integers(0, 10_000), st.sampled_from(METHODS), st.sampled_from(RESULTS), st.booleans()
    )
)


@given(ITEMS)
def test_a_session_is_the_sum_of_what_entered(items) -> None:
    session = Session("s", 1000, 200)
    for now, item in enumerate(items):
        session = session.with_entry(item, now)
    assert session.used == sum(item.tokens for item in items)
    assert session.estimated == sum(item.tokens for item in items if item.method == "estimate")
    assert session.items == len(items)
    assert session.gatings == sum(item.result == "briefing" for item in items)


def test_an_anchor_is_the_whole_truth_about_what_is_used() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("log", 70, "estimate", "briefing"), 5.0).with_used(12, 9.0)
    assert (session.used, session.estimated, session.items, session.gatings) == (12, 0, 1, 1)


def test_a_compaction_is_an_anchor_that_is_counted() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("log", 70, "exact", "raw"), 5.0).with_compaction(30, 30, 9.0)
    assert (session.used, session.estimated, session.compactions, session.items) == (30, 30, 1, 1)
    assert session.with_compaction(10, 0, 9.5)[5:10] == (10, 0, 1, 0, 2)


def test_time_never_goes_back() -> None:
    session = Session("s", 1000, 200, updated=100.0)
    assert session.with_entry(LedgerEntry("log", 1, "exact", "raw"), 50.0).updated == 100.0
    assert session.with_used(0, 50.0).updated == 100.0


def test_what_is_held_is_taken_too() -> None:
    assert Session("s", 1000, 200, used=30, reserved=12).occupancy == 42


def test_an_entry_may_be_several_items() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("history", 70, "exact", "raw"), 5.0, 16)
    assert (session.items, session.used) == (16, 70)


def test_an_edit_sets_what_is_used() -> None:
    session = Session("s", 1000, 200, used=500, estimated=400).with_edit(30, 0, 9.0)
    assert (session.used, session.estimated, session.edits, session.compactions) == (30, 0, 1, 0)


@pytest.mark.parametrize("name", ["s", "0", "_x", ":a", "build-42", "a.b:c_d-e", "A" * 128, "20261121T141254Z-0d5c7c32"])
def test_a_name_is_letters_digits_and_four_signs(name: str) -> None:
    assert check_session_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".x", "-x", "a/b", "../a", "a b", "a\n", "a\0b", "ä", "\u0663", "a" * 129, "a\\b", "~"]
)
def test_any_other_name_is_a_slip_with_a_hint(name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a session") as raised:
        check_session_name(name)
    assert "letters, digits" in raised.value.hint


def test_an_answer_says_until_when_the_prompt_is_cached() -> None:
    session = Session("s", 1000, 0, used=10, cold_from=5.0)
    answered = session.with_answer(AnswerEntry(700, 2, True, 300), 50.0)
    assert (answered.used, answered.items, answered.due, answered.cold_from) == (700, 2, 1, 350.0)
    assert session.with_answer(AnswerEntry(None, 1), 50.0)._replace(updated=0) == session._replace(items=1, cold_from=0.0)
    assert answered.with_compaction(90, 0, 60.0).cold_from == 0


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
