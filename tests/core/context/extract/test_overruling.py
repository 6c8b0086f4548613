import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.overruling import drop_overruled, find_names, find_rejected, find_revoked
from ctxkit.core.context.extract.requests import UserRequest


def requests(*texts: str) -> list[UserRequest]:
    return [UserRequest(10 * at, text, text) for at, text in enumerate(texts)]


def facts(*texts: str) -> list[PageItem]:
    return [PageItem("Facts", (text,), 500, 10_000 * at) for at, text in enumerate(texts)]


def hold(*texts: str, moved_on_at: int = -1) -> list[str]:
    return [item.forms[0] for item in drop_overruled(facts(*texts), moved_on_at)]


@pytest.mark.parametrize(
    "answer", ["No, keep the queue.", "don't do that", "Hmm, wait, no", "Actually, revert it", "I'd rather keep it", "não, espera"]
)
def test_the_messages_before_a_rejection_are_rejected(answer: str) -> None:
    messages = [(1, "A."), (11, "I'll use Redis."), (12, "It is faster."), (21, "B.")]
    assert find_rejected(requests("Fix it.", "Speed it up.", answer), messages) == {11, 12}


@pytest.mark.parametrize("answer", ["No problem, go on.", "Now add a test.", "Note the name.", "Nothing else.", "Not bad!"])
def test_other_answers_reject_nothing(answer: str) -> None:
    assert find_rejected(requests("Fix it.", answer), [(1, "I'll use Redis.")]) == frozenset()


def test_a_short_request_revokes_the_one_before_it() -> None:
    assert find_revoked(requests("Use tabs.", "Never mind.", "Use 4 spaces.")) == {0, 10}
    assert find_revoked(requests("Use tabs.", f"Revert the commit {'that broke the build ' * 9}")) == frozenset()
    assert find_revoked([]) == frozenset()


def test_a_diagnosis_holds_until_the_user_moves_on_or_it_is_solved() -> None:
    diagnosis = "The issue is that `a.env` is not loaded."
    assert hold(diagnosis) == [diagnosis]
    assert hold(diagnosis, moved_on_at=5) == []
    assert hold(diagnosis, "I fixed the loader in `b.py`.") == ["I fixed the loader in `b.py`."]


def test_what_was_left_to_do_is_gone_when_the_user_moves_on() -> None:
    assert hold("`db.py` is still missing the argument.", moved_on_at=5) == []
    assert hold("`db.py` is still missing the argument.") == ["`db.py` is still missing the argument."]


def test_a_failure_is_gone_after_all_passed() -> None:
    assert hold("The theme test is still failing in 2 files.", "All 22 tests pass now.") == ["All 22 tests pass now."]


def test_a_later_statement_on_the_same_names_replaces_a_state() -> None:
    older, newer = "`.env` is commented out in `.gitignore`.", "`.env` is ignored by line 39 of `.gitignore`."
    assert hold(older, newer) == [newer]
    assert hold("I added `.env`.", newer) == ["I added `.env`.", newer]
    assert hold("`a.py` is 12 lines long.", newer) == ["`a.py` is 12 lines long.", newer]


def test_names_are_code_paths_and_hashes() -> None:
    assert find_names("`run(1)` of src/app.py at 9f2c1ab is in main.go") == {"run(1)", "src/app.py", "9f2c1ab", "main.go"}


@given(st.lists(st.text(max_size=60), max_size=8), st.integers(-1, 9))
def test_only_given_items_come_back_in_order(texts: list[str], moved_on_at: int) -> None:
    items = [PageItem("Facts", (text,), 500, 1000 * at) for at, text in enumerate(texts)]
    kept = list(drop_overruled(items, moved_on_at))
    assert [item for item in items if item in kept] == kept


def test_a_proposal_from_before_the_last_request_is_left_out() -> None:
    assert hold("Use a simpler model near rest instead of `Pacejka`.", moved_on_at=5) == []
    assert hold("Use a simpler model near rest instead of `Pacejka`.", moved_on_at=-1) != []
    assert hold("The `create` function needs to be updated.", moved_on_at=5) == []
