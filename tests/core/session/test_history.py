"""Entries of conversations as lines: values keep their text, and what was cut short is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.session.history import (
    HistoryLine,
    MarkedMessages,
    append_lines,
    describe_torn_line,
    digest_message,
    encode_entries,
    find_kept_texts,
    find_refs,
    group_marks,
    join_json_line,
    read_lines,
)

USER = {"role": "user", "content": "hi"}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=12,
)


def lines(data: bytes) -> list[bytes]:
    return encode_entries(parse_transcript(data, "test"))


@pytest.mark.slow
@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1, "\t"]))
def test_a_value_on_one_line_is_the_same_value(value, indent) -> None:
    text = json.dumps(value, indent=indent)
    line = join_json_line(text)
    assert "\n" not in line
    assert json.loads(line) == value
    assert line == text or indent is not None


def test_numbers_keep_their_digits_and_strings_their_blanks() -> None:
    text = '{\n "a": 1.10,\r\n "b": 123456789012345678901234567890, "c": "x \\n  y", "a": -0.0\n}'
    assert join_json_line(text) == '{"a":1.10,"b":123456789012345678901234567890,"c":"x \\n  y","a":-0.0}'


def test_a_newline_inside_a_string_becomes_an_escape() -> None:
    assert json.loads(join_json_line('{"a":\n"x\ny"}')) == {"a": "x\ny"}


def test_entries_of_lines_are_as_they_are_written() -> None:
    data = b'{"role": "user",  "content": "hi", "n": 1.10}\r\n\n{"role":"assistant","content":"caf\\u00e9 \xff"}'
    assert lines(data) == [
        b'{"role": "user",  "content": "hi", "n": 1.10}',
        b'{"role":"assistant","content":"caf\\u00e9 \xff"}',
    ]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", [lambda turns: turns, lambda turns: {"model": "m", "messages": turns}])
def test_elements_of_a_document_become_lines(indent: int | None, around) -> None:
    turns = [USER, {"role": "assistant", "content": "a\nb"}]
    assert [json.loads(line) for line in lines(json.dumps(around(turns), indent=indent).encode())] == turns


@pytest.mark.parametrize("indent", [None, 2])
def test_one_message_is_one_line(indent: int | None) -> None:
    (line,) = lines(json.dumps(USER, indent=indent).encode())
    assert json.loads(line) == USER


def test_utf_16_is_turned_into_utf_8() -> None:
    data = ('{"role":"user","content":"h\u00e9 \ud83d"}\n').encode("utf-16-le", "surrogatepass")
    (line,) = lines(b"\xff\xfe" + data)
    assert line == '{"role":"user","content":"h\u00e9 \\ud83d"}'.encode()


def test_chatml_becomes_objects() -> None:
    (first, second) = lines(b"<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>\n")
    assert (json.loads(first)["role"], json.loads(second)["content"]) == ("user", "yes")


def test_what_holds_no_object_was_cut_short() -> None:
    rows = [(1, b'{"a":1}\n'), (2, b'{"a":{"b":1}\n'), (3, b"\n"), (4, b"\0\0\0\n"), (5, b"12\n"), (6, b'{"b":2}')]
    assert list(read_lines(rows, json.loads)) == [
        HistoryLine(1, b'{"a":1}'),
        HistoryLine(2, b'{"a":{"b":1}', complete=False),
        HistoryLine(4, b"\0\0\0", complete=False),
        HistoryLine(5, b"12", complete=False),
        HistoryLine(6, b'{"b":2}'),
    ]


def test_a_line_that_was_cut_short_is_named_with_the_way_to_it() -> None:
    said = describe_torn_line(HistoryLine(1234, b"{", complete=False), "/x/s.jsonl")
    assert said == "line 1,234 was cut short and is skipped: sed -n 1234p /x/s.jsonl shows its bytes"


CHAT = [{"role": "user", "content": "Mend it."}, {"role": "assistant", "content": "Done."}]


def digests(data: str) -> list[str]:
    transcript = parse_transcript(data.encode(), "x")
    return [digest_message(transcript, record) for record in transcript.records]


def test_a_message_has_the_same_digest_as_a_line_and_in_a_list() -> None:
    lines = "".join(f"{json.dumps(message)}\n" for message in CHAT)
    assert digests(json.dumps(CHAT)) == digests(lines)
    assert len(set(digests(lines))) == 2


def test_marks_are_grouped() -> None:
    assert group_marks({"a": "keep", "b": "removable"}) == MarkedMessages(frozenset("a"), frozenset("b"))


def test_short_texts_that_are_kept_are_repeated_by_a_summary() -> None:
    transcript = parse_transcript(json.dumps(CHAT).encode(), "x")
    marked = MarkedMessages(frozenset(digests(json.dumps(CHAT))))
    assert list(find_kept_texts(transcript, marked, 5)) == ["Done."]
    assert list(find_kept_texts(transcript, MarkedMessages(), 5)) == []


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
