"""The record of an edit: one stretch of bytes, found again by what stands up to its end."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.edit.undo import Undo, find_changed_span, parse_undo, restore_content

TURN = st.builds(
    lambda role, words: json.dumps({"role": role, "content": words}, ensure_ascii=False),
    st.sampled_from(["user", "assistant"]),
    st.text("ab\u00e9\U0001f600 \n", max_size=6),
)
TURNS = st.lists(TURN, min_size=1, max_size=6)
LAYOUTS = {
    "lines": lambda turns: "".join(f"{turn}\n" for turn in turns),
    "open lines": "\n".join,
    "list": lambda turns: f"[{','.join(turns)}]",
    "document": lambda turns: '{"model": "m", "messages": [\n ' + ",\n ".join(turns) + "\n], \"n\": 1.10}\n",
}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(deadline=None)
@given(before=TURNS, after=TURNS)
def test_what_differs_is_one_stretch(layout: str, encoding: str, before, after) -> None:
    old, new = (LAYOUTS[layout](turns).encode(encoding) for turns in (before, after))
    found = find_changed_span(parse_transcript(old, "test"), parse_transcript(new, "test"))
    assert old[: found.at] == new[: found.at]
    assert old[found.at + len(found.old) :] == new[found.at + len(found.new) :]
    assert old[: found.at] + found.old + old[found.at + len(found.old) :] == old
    undo = Undo("remove", "openai", (1, 1), 0, found.at, len(found.new), "", "")
    assert restore_content(undo, new, found.old) == old


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_message_that_went_is_a_stretch_of_its_own(layout: str) -> None:
    turns = [json.dumps({"role": "user", "content": f"word {number}"}) for number in range(4)]
    for gone in range(4):
        left = [turn for number, turn in enumerate(turns) if number != gone]
        old, new = LAYOUTS[layout](turns).encode(), LAYOUTS[layout](left).encode()
        found = find_changed_span(parse_transcript(old, "test"), parse_transcript(new, "test"))
        assert turns[gone] in found.old.decode()
        assert not any(turn in found.old.decode() for turn in left)
        assert found.new.strip() == b""


def test_a_record_is_read_as_it_was_written() -> None:
    undo = Undo("remove", "openai", (2, 3), 40, 7, 0, "ab" * 32, "cd" * 32, ({"message": 2, "ids": ["c\udce9"]},))
    found = parse_undo(undo.to_json())
    assert found == undo._replace(changes=({"message": 2, "ids": ["c?"]},))
    assert parse_undo(undo.to_json().replace(b'"version": 1', b'"version": 2')) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"kind":"ctxkit edit","version":1}', b"\xff", b"12"])
def test_anything_else_is_none(data: bytes) -> None:
    assert parse_undo(data) is None
