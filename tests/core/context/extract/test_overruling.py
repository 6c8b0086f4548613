import pytest

from ctxkit.core.context.extract.overruling import find_names, find_rejected, find_revoked
from ctxkit.core.context.extract.requests import UserRequest


def requests(*texts: str) -> list[UserRequest]:
    return [UserRequest(10 * at, text, text) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    "answer", ["No, keep the queue.", "don't do that", "Hmm, wait, no", "Actually, revert it", "I'd rather keep it", "não, espera"]
)
def test_the_messages_before_a_rejection_are_rejected(answer: str) -> None:
    messages = [(1, "A."), (11, "I'll use Redis."), (12, "It is faster."), (21, "B.")]
    assert find_rejected(requests("Fix it.", "Speed it up.", answer), messages) == {11, 12}


@pytest.mark.parametrize(
    "answer", ["it is still slow", "I get a 404 there", "The page does not show anything", "还是报错", "sigue sin funcionar"]
)
def test_the_messages_before_a_complaint_are_rejected(answer: str) -> None:
    assert find_rejected(requests("Fix it.", answer), [(1, "Fixed `a` in a.py.")]) == {1}


@pytest.mark.parametrize("answer", ["No problem, go on.", "Now add a test.", "Note the name.", "Nothing else.", "Not bad!"])
def test_other_answers_reject_nothing(answer: str) -> None:
    assert find_rejected(requests("Fix it.", answer), [(1, "I'll use Redis.")]) == frozenset()


def test_a_short_request_revokes_the_one_before_it() -> None:
    assert find_revoked(requests("Use tabs.", "Never mind.", "Use 4 spaces.")) == {0, 10}
    assert find_revoked(requests("Use tabs.", f"Revert the commit {'that broke the build ' * 9}")) == frozenset()
    assert find_revoked([]) == frozenset()


def test_names_are_code_paths_and_hashes() -> None:
    assert find_names("`run(1)` of src/app.py at 9f2c1ab is in main.go") == {"run(1)", "src/app.py", "9f2c1ab", "main.go"}
