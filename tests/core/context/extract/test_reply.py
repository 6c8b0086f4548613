"""Messages that state no task."""

import time

import pytest

from ctxkit.core.context.extract.reply import is_scolding, says_nothing
from tests.core.context.extract.test_task import page_of
from tests.core.context.talk import ran, said, user


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("conitnue", True),
        ("weitermachen!", True),
        ("watch seems ok\n\n$ app watch\nPress Ctrl+C to end", True),
        ("watch seems ok\nPlease add a changelog entry.", False),
        ("looks good, please push it", False),
        ("go ahead andd implement these fixes", True),
        ("ookay, go ahead and implement this", True),
        ("please apply these changes", True),
        ("go ahead and implement these fixes then", True),
        ("Implement this parser", False),
        ("Fix it.", False),
        ("fix a.py", False),
        ("修复解析器", False),
        ("/compact", False),
    ],
)
def test_a_message_that_names_no_task(text: str, silent: bool) -> None:
    assert says_nothing(text) is silent


def test_the_task_is_what_was_asked_before_praise() -> None:
    talk = [user("Implement the pruning of logs."), said("Done."), user("watch seems ok\n\n18:19 claude, 1 prompt"), *ran("ls", "a")]
    assert page_of(*talk).task.startswith("Implement the pruning of logs (then: ")


def test_a_scolding_is_no_order() -> None:
    assert is_scolding("WTF is this?")
    assert not is_scolding("Remove the stupid cache.")


def test_long_messages_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("ok " * 100_000, "a" * 300_000, "is ok " * 50_000, "please and " * 50_000):
        says_nothing(text)
        is_scolding(text)
    assert time.perf_counter() - begin < 5
