"""A snapshot goes on with what was appended after it, in the layout that it has."""

import json

import pytest

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.session.snapshot import append_lines, find_refs

TURNS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]
LATER = [b'{"role":"user","content":"more","n":1.10}', b'{"role": "assistant", "content": "\xff"}']


def after(data: bytes, later: list[bytes]) -> bytes:
    return append_lines(parse_transcript(data, "test"), later)


def test_nothing_after_it_leaves_it_as_it_is() -> None:
    data = b'\xef\xbb\xbf[ {"role":"user","content":"hi"} ]\n\n'
    assert after(data, []) == data


@pytest.mark.parametrize("last", [b"", b"\n"])
def test_lines_are_added_as_they_are(last: bytes) -> None:
    data = b"\n".join(json.dumps(turn).encode() for turn in TURNS) + last
    assert after(data, LATER) == data.removesuffix(b"\n") + b"\n" + LATER[0] + b"\n" + LATER[1] + b"\n"


def test_lines_end_as_those_before_them() -> None:
    assert after(b'{"role":"user","content":"hi"}\r\n', LATER[:1]).endswith(b'}\r\n' + LATER[0] + b"\r\n")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", [lambda turns: turns, lambda turns: {"a": 1, "messages": turns, "z": [2]}])
def test_a_document_gets_elements(indent: int | None, around) -> None:
    data = json.dumps(around(TURNS), indent=indent).encode() + b"\n"
    made = after(data, LATER[:1])
    assert json.loads(made) == around([*TURNS, json.loads(LATER[0])])
    assert LATER[0] in made
    assert made.endswith(b"\n")
    if indent:
        assert b"},\n" + b" " * (2 if around(TURNS) is TURNS else 4) + LATER[0] in made


def test_a_list_of_lines_goes_on_as_a_list() -> None:
    lines = [{"type": "user", "uuid": name, "parentUuid": None, "sessionId": "s", "message": TURNS[0]} for name in "abc"]
    made = after(json.dumps(lines[:2], indent=2).encode(), [json.dumps(lines[2]).encode()])
    assert json.loads(made) == lines
    assert b"  },\n  {" in made


def test_a_list_of_one_is_continued_too() -> None:
    made = after(b'{"messages": [\n{"role":"user","content":"hi"}\n]}', LATER[:1])
    assert made == b'{"messages": [\n{"role":"user","content":"hi"},\n' + LATER[0] + b"\n]}"


def test_chatml_goes_on_as_chatml() -> None:
    made = after(b"<|im_start|>user\nhi<|im_end|>\n", [b'{"role":"assistant","content":"yes"}'])
    assert [record.words for record in parse_transcript(made, "test").records] == ["hi", "yes"]


def test_refs_are_found_as_they_are_shown_or_whole() -> None:
    text = b"cache get 3f9a2c81d0b4 --lines; 3f9a2c81d0b5, " + b"ab" * 32 + b" 3f9a2c81d0b 3F9A2C81D0B4 3f9a2c81d0b4ff x3f9a2c81d0b4"
    assert find_refs(text) == {"3f9a2c81d0b4", "3f9a2c81d0b5", "abababababab"}
