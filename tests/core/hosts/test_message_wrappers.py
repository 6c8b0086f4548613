"""What the table says of hosts is taken off the words of a user."""

import pytest

from ctxkit.core.hosts import message_wrappers
from ctxkit.core.summary.frame import is_instruction
from ctxkit.core.summary.user_words import unwrap_message
from tests.core.summary.talk import records_of, user


@pytest.mark.parametrize("tag", message_wrappers.HOST_TAGS)
def test_elements_of_hosts_are_taken_off(tag: str) -> None:
    assert unwrap_message(f"Fix it.\n<{tag}>\nNever do it.\n</{tag}>") == "Fix it."


@pytest.mark.parametrize("tag", message_wrappers.REQUEST_TAGS)
def test_elements_of_requests_hold_the_words(tag: str) -> None:
    assert unwrap_message(f"The task follows.\n<{tag}>\nFix it.\n</{tag}>") == "Fix it."


@pytest.mark.parametrize("tag", message_wrappers.CONTEXT_TAGS)
def test_elements_of_content_stay_where_nothing_else_is(tag: str) -> None:
    element = f"<{tag}>\nFix it.\n</{tag}>"
    assert unwrap_message(element) == element
    assert unwrap_message(f"{element}\nGo on.") == "Go on."


@pytest.mark.parametrize("notice", message_wrappers.NOTICES)
def test_notices_are_no_words(notice: str) -> None:
    assert unwrap_message(f"{notice} and more.") == ""


@pytest.mark.parametrize("lead", message_wrappers.LEADS)
def test_what_stands_before_the_words_is_taken_off(lead: str) -> None:
    assert unwrap_message(f"Open files: a.py\n{lead}\nFix it.") == "Fix it."


@pytest.mark.parametrize("start", message_wrappers.INSTRUCTIONS)
def test_instructions_of_a_project_stay(start: str) -> None:
    [record] = records_of([user(f"{start}\nNever push.")])
    assert is_instruction(record)
