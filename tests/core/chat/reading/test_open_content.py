"""Content is opened as a document, as lines, as ChatML, or as text."""

import json
from contextlib import suppress
from json import loads

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import ChatMessage, ConversationStart
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.open_content import MainLines, open_content
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.limits import COUNTED_DOCUMENT
from tests.core.chat.talks import FORMATS, Plan, lines, plans
from tests.example_counts import count_examples

TURNS = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
JSONL = "".join(f"{json.dumps(turn)}\n" for turn in TURNS).encode()


def read(data, size=7, **forced):
    found = open_content((data[at : at + size] for at in range(0, len(data), size)), loads, "chat", **forced)
    return found, [entry.parts[0].text for entry in found.entries if isinstance(entry, ChatMessage)]


@pytest.mark.parametrize(
    "data",
    [
        *(json.dumps(TURNS).encode(), json.dumps(TURNS, indent=2).encode(), b"\xef\xbb\xbf" + json.dumps(TURNS).encode()),
        *(JSONL, JSONL.rstrip(b"\n"), JSONL.replace(b"\n", b"\r\n"), JSONL.replace(b"\n", b"\n\n"), b"\n  " + JSONL),
        *(json.dumps(TURNS).encode("utf-16"), json.dumps({"messages": TURNS}).encode()),
        b"<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\ntwo<|im_end|>\n<|im_start|>assistant\n",
    ],
)
def test_a_conversation_is_read_however_it_is_written(data) -> None:
    found, words = read(data)
    assert found.format is not None
    assert words == ["one", "two"]


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"plain words", b"{", b'{"a": 1}\n{"a": 2}\n', b'{"type": "module"}', b"[1, 2]", b"<|im_start|>user"),
        *(b'{"type": 1}\nnot json\n', b"\xff\xfe{\x00", b'{"a": "role"', b"\x00\x01\x02", "\ufeffwords".encode()),
    ],
)
def test_what_is_no_conversation_is_text_byte_for_byte(data) -> None:
    found, _ = read(data)
    assert found.format is None
    assert b"".join(found.chunks) == data
    assert not found.doubt


def test_a_broken_document_that_looks_like_a_conversation_is_text_with_a_doubt() -> None:
    data = json.dumps(TURNS, indent=1).encode()[:-9]
    found, _ = read(data)
    assert found.format is None
    assert b"".join(found.chunks) == data
    assert "counted as text" in found.doubt
    with pytest.raises(MalformedInputError, match="chat: line 8 is not JSON"):
        read(data, given_format=get_format("openai"))


CUT = b'{"role": "user", "con'


@pytest.mark.parametrize(("broken", "line"), [(CUT, 1), (CUT, 2), *((bad, at) for bad in (b"oops", b'"a"', b"7") for at in (2, 5))])
def test_a_broken_line_is_named(broken, line) -> None:
    rows = [*JSONL.splitlines(), *JSONL.splitlines()]
    rows.insert(line - 1, broken)
    with pytest.raises(MalformedInputError, match=f"chat: line {line}[ :]"):
        read(b"\n".join(rows))


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    opened = open_content(iter([JSONL.rstrip() + b"\n" + CUT]), json.loads, "chat")
    assert len([*opened.entries]) == len(JSONL.splitlines())
    assert opened.bad_lines == [len(JSONL.splitlines()) + 1]


def test_bad_lines_can_be_left_out_and_two_values_on_a_line_are_read() -> None:
    lines = JSONL.splitlines()
    data = b"\n".join([*lines, lines[0] + lines[0], b"\0\0\0", CUT, *lines, b""])
    opened = open_content(iter([data]), json.loads, "chat", skip_bad=True)
    assert len([*opened.entries]) == 2 * len(lines) + 2
    assert opened.bad_lines == [4, 5]


def test_sessions_may_begin_with_many_lines_that_are_no_messages() -> None:
    notes = b'{"type": "queue-operation"}\n' * 40
    line = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": TURNS[0]}
    found, words = read(notes + json.dumps(line).encode(), 4096)
    assert found.format is get_format("claude-code")
    assert words == ["one"]


@pytest.mark.parametrize("name", ["claude-code", "codex", "copilot", "pi", "nanobot"])
@given(plan=plans, indent=st.sampled_from([None, 1]))
@settings(max_examples=count_examples(10), deadline=None)
def test_a_list_of_lines_has_the_entries_of_these_lines(name: str, plan: Plan, indent: int | None) -> None:
    entries = FORMATS[name][0](plan)
    listed = open_content([json.dumps(entries, indent=indent).encode()], loads, "chat")
    assert listed.format is get_format(name)
    assert list(listed.entries) == list(open_content([lines(entries)], loads, "chat").entries)


def test_each_line_with_messages_is_a_conversation() -> None:
    data = (json.dumps({"messages": TURNS}) + "\n").encode() * 3
    found = open_content([data], loads, "chat")
    assert sum(isinstance(entry, ConversationStart) for entry in found.entries) == 3


@given(st.binary(max_size=80))
def test_any_bytes_open(data: bytes) -> None:
    found = open_content([b'{"role": "user", ' + data], loads, "chat")
    with suppress(MalformedInputError):
        assert len(list(found.entries)) <= data.count(b"\n") + 1


@pytest.mark.parametrize("start", [b'[{"role": "user", "content": "', b"<|im_start|>user\n"])
def test_content_that_is_too_long_to_be_held_is_text_and_says_so(start: bytes) -> None:
    piece = b"a " * (1 << 20)
    chunks = [start, *[piece] * (COUNTED_DOCUMENT // len(piece) + 1)]
    found = open_content(iter(chunks), loads, "chat")
    assert found.format is None
    assert found.doubt == "over 64 MB, and not JSON lines: counted as text"


MAIN = {"type": "user", "uuid": "1", "isSidechain": False, "message": {"role": "user", "content": "Fix it."}}
SIDE = {"type": "user", "uuid": "2", "isSidechain": True, "message": {"role": "user", "content": "Search."}}
QUOTED = {**MAIN, "uuid": "3", "message": {"role": "user", "content": json.dumps(SIDE)}}
NESTED = {**MAIN, "uuid": "4", "toolUseResult": {"entry": SIDE}}


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_only_lines_of_subagents_are_left_out(size, separators) -> None:
    lines = [json.dumps(value, separators=separators).encode() + b"\n" for value in (MAIN, SIDE, QUOTED, SIDE, NESTED)]
    data = b"".join((*lines, b'{"isSidechain": true, "cut'))
    main_lines = MainLines(data[at : at + size] for at in range(0, len(data), size))
    assert b"".join(main_lines) == b"".join((lines[0], lines[2], lines[4], b'{"isSidechain": true, "cut'))
    assert main_lines.left_out == (2, 2 * len(lines[1]))
