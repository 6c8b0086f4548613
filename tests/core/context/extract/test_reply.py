"""Messages that state no task."""

import time

import pytest

from ctxkit.core.context.extract.reply import (
    find_choice,
    is_answer_list,
    is_continuing,
    is_interjection,
    is_output,
    is_prompt_line,
    is_scolding,
    says_nothing,
)
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
        ("continue generating", True),
        ("Continue from where you left off.", True),
        ("continue with the release", False),
        ("2026-01-01 10:00:00 INFO start\n" * 8, True),
        ("2026-01-01 10:00:00 INFO start\n" * 8 + "why does it start?", False),
        ("2026-01-01 10:00:00 INFO start\n" * 8 + "Fix the start of it.", False),
        ('{"kind": "config-apply", "status": "ok"}', True),
        ('{"a": 1} Fix it.', False),
        ("web | started\n" * 3 + "and then nothing\n" * 4, False),
        ("/compact", False),
        ("works for me", True),
        ("ok, that sounds good to me.", True),
        ("Nothing works for me", False),
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


@pytest.mark.parametrize(
    ("text", "silent"),
    [("don't stop", True), ("please coninue don't stop", True), ("Keep going and don\u2019t stop!", True), ("don't do that", False), ("don't stop the server", False)],
)
def test_an_order_not_to_stop_names_no_task(text: str, silent: bool) -> None:
    assert says_nothing(text) is silent


def test_a_copy_of_a_terminal_is_no_task() -> None:
    log = "2026-04-02 19:48:10.580 | DEBUG | registered\nready\nroot@a1:~/app# "
    shell = "PS C:\\app> ssh root@10.0.0.1\nWelcome to Ubuntu\nroot@a1:~# systemctl status\nfailed\nroot@a1:~#"
    trace = f"Traceback (most recent call last):\n  File x\n{shell}"
    assert all(map(is_output, [log, shell, f"c:\\app\\AGENTS.md\n\n{log}", f"(venv) me@box:/r$ ls\na\n{log}", trace]))
    assert not any(map(is_output, [f"{shell}\nWhy does it fail?", f"Why does it fail?\n{shell}", "root@a1:~# ", "", "c:\\app\\a.md"]))
    page = page_of(user("Close the lab."), *ran("ls", "a"), said("Which output do you see?"), user(shell))
    assert page.task.startswith("Close the lab")


def test_long_copies_are_read_in_linear_time() -> None:
    start = time.perf_counter()
    assert is_output(f"root@a:~# x\n{'a@b:' * 200_000}\n{'x' * 400_000}\nroot@a:~#")
    assert time.perf_counter() - start < 1


def test_a_choice_and_a_list_of_answers() -> None:
    assert [find_choice(text) for text in ("B", "2.", "Phương án A đi", "go with plan 3 please", "pick option B", "Build it", "q")] == ["B", "2", "A", "3", "B", "", ""]
    assert is_answer_list("1. All 3\n2. Yes recommended\n")
    assert not is_answer_list("1. Yes\nDo the rest as well, then commit it and push.")
    assert not is_answer_list("1. Fix a.py\n2. Fix b.py")


def test_an_order_to_go_on_does_not_say_with_what() -> None:
    assert all(map(is_continuing, ["continue", "please go on", "don't stop", "proceed"]))
    assert not any(map(is_continuing, ["yes", "continue with the parser of dates"]))
    assert is_prompt_line("root@a:~# ls")


@pytest.mark.parametrize(("text", "says"), [("哈？", True), ("왜?", True), ("怎么办？", False), ("é?", False), ("好", False)])
def test_an_interjection_states_no_task(text: str, says) -> None:
    assert is_interjection(text) is says


def test_an_option_is_chosen_after_words_of_consent() -> None:
    assert find_choice("okay try again option 1") == "1"
    assert find_choice("yes, do option B") == "B"
    assert find_choice("okay try again with a file") == ""
