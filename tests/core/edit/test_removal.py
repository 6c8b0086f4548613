"""A range of messages is removed or summarized, and the rest is as valid as before."""

import json

import pytest

from ctxkit.core.edit.removal import SUMMARY_END, frame_summary, remove_messages, summarize_messages
from ctxkit.core.errors import UsageError
from tests.core.edit.talk import CHAT, number

REF = "0123456789ab"


def messages(edited):
    value = json.loads(edited.transcript.text)
    return value if isinstance(value, list) else value["messages"]


def test_the_range_leaves_and_the_rest_stays() -> None:
    edited = remove_messages(number(), (2, 5))
    assert messages(edited) == [CHAT[0], *CHAT[5:]]
    assert edited.fewer == 4


def test_a_call_without_its_result_is_refused() -> None:
    with pytest.raises(UsageError, match="without messages 3:3"):
        remove_messages(number(), (3, 3))


def test_a_summary_takes_the_place_of_the_range() -> None:
    edited = summarize_messages(number(), (2, 5), "It is fixed.", REF)
    first, summary, *rest = messages(edited)
    assert (first, rest) == (CHAT[0], CHAT[5:])
    assert summary == {"role": "user", "content": frame_summary("It is fixed.", (2, 5), REF)}
    assert edited.fewer == 3


@pytest.mark.parametrize(
    ("span", "contents"),
    [((1, 2), [f"{frame_summary('S.', (1, 2), '')}{SUMMARY_END}c", "d", "e"]), ((2, 3), [f"a\n\n{frame_summary('S.', (2, 3), '')}", "d", "e"])],
)
def test_where_roles_alternate_a_summary_joins_a_message_of_the_user(span, contents) -> None:
    turns = [{"role": ("user", "assistant")[at % 2], "content": letter} for at, letter in enumerate("abcde")]
    edited = summarize_messages(number({"model": "claude", "max_tokens": 5, "system": "s", "messages": turns}), span, "S.", "")
    assert [turn["content"] for turn in messages(edited)] == contents
    assert edited.fewer == 2


def test_a_summary_names_the_command_only_if_the_messages_are_stored() -> None:
    assert "ctxkit cache get" in frame_summary(" S.\n", (2, 5), REF)
    assert frame_summary(" S.\n", (2, 5), "") == "[ctxkit edit] Messages 2:5 stand here in short.\n\nS."
