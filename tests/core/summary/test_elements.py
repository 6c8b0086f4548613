"""Elements are found in linear time, whatever is opened and never closed."""

import re
from time import process_time

import pytest

from ctxkit.core.chat.model.message import ChatMessage, MessagePart, Record
from ctxkit.core.summary.elements import find_elements, replace_elements, strip_line_ends
from ctxkit.core.summary.tool_call import find_tool_calls, strip_commands
from ctxkit.core.summary.user_words import unwrap_message

TAG = re.compile(r"<(\w+)>")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<a>1</a> <b>2</b>", [("a", "1"), ("b", "2")]),
        ("<a><b>1</b></a>", [("a", "<b>1</b>")]),
        ("<a><b>1</b>", [("b", "1")]),
        ("</a><a>", []),
        ("<a><a></a></a>", [("a", "<a>")]),
    ],
)
def test_an_element_ends_at_the_next_closing_tag_of_its_name(text: str, found) -> None:
    assert [(one.name, one.content) for one in find_elements(TAG, text)] == found


def test_elements_are_replaced_and_lose_one_newline_at_each_end() -> None:
    assert replace_elements(TAG, "x<a>1</a>y<b>", "-") == "x-y<b>"
    assert strip_line_ends("\n\na\n") == "\na"


def seconds(words):
    record = Record(0, 0, 0, {}, "assistant", entries=(ChatMessage("assistant", (MessagePart("text", words),)),))
    started = process_time()
    find_tool_calls([record, record._replace(role="user")])
    strip_commands(words)
    unwrap_message(words)
    return process_time() - started


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(
    "unit",
    [
        *("```a b\n", "<command>", "<function=a>", "<read_file>", '<invoke name="a">', "<file>", "<task>", "<a></b>"),
        *("<command-name>\n", "<command-name> </x>", "<task></x>", "<execute_bash></command>"),
    ],
)
def test_what_is_opened_many_times_and_never_closed_takes_linear_time(unit) -> None:
    short, long = (f"</x>{unit * (size // len(unit))}" for size in (8_000, 64_000))
    small = max(min(seconds(short) for _ in range(3)), 0.001)
    assert min(seconds(long) for _ in range(2)) < 20 * small
