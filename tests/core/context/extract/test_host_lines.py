"""Lines that a host adds to most messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.host_lines import drop_host_lines, find_host_lines

NOTE = "No tables currently exist. Default tables will be created automatically."
OPEN = "c:\\Users\\user\\lab\\AGENTS.md"


@pytest.mark.parametrize("note", [NOTE, OPEN])
def test_a_line_at_the_end_of_most_messages_is_of_the_host(note: str) -> None:
    messages = [f"Fix {name}.py\n\n{note}" for name in "abc"]
    assert find_host_lines([*messages, "Thanks"]) == {note}
    assert drop_host_lines(messages[0], frozenset({note})) == "Fix a.py"


@pytest.mark.parametrize(
    "line",
    [
        "How can I resolve this for the whole project?",
        "Never push anything to the main branch of it.",
        "Please fix the tests of the whole project now.",
        "For the code present, we get this error:",
        "<<<<<<< Updated upstream",
        "Thanks for all of it.",
    ],
)
def test_a_line_of_the_user_stays(line: str) -> None:
    assert not find_host_lines([f"{line}\n{name}.py fails" for name in "abcd"])


def test_messages_of_one_template_keep_their_lines() -> None:
    template = "\n".join(f"The outline of the template has a line {number} like this" for number in range(3))
    assert not find_host_lines([f"{template}\nRun {name}" for name in "abc"])


def test_few_messages_or_a_small_share_say_nothing() -> None:
    assert not find_host_lines([f"a\n{NOTE}", f"b\n{NOTE}"])
    assert not find_host_lines([*(f"{name}\n{NOTE}" for name in "abc"), *"defghi"])


def test_a_message_that_is_only_the_line_stays() -> None:
    assert drop_host_lines(NOTE, frozenset({NOTE})) == NOTE


@given(st.lists(st.text(max_size=60), max_size=8))
def test_the_lines_that_stay_are_those_of_the_message(messages: list[str]) -> None:
    lines = find_host_lines(messages)
    for message in messages:
        kept = drop_host_lines(message, lines)
        assert set(kept.split("\n")) <= {*message.split("\n"), *(line.strip() for line in message.split("\n")), kept}
        assert bool(kept.strip()) == bool(message.strip())
