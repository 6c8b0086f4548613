"""Conversations that are named, and not read: by what they are, and for nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.reading.unread_format_table import UNREAD_FORMATS
from ctxkit.core.chat.reading.unread_formats import TEXT_PREFIXES, find_unread_format, find_unread_text
from ctxkit.core.count.content import _STARTS
from ctxkit.core.errors import MalformedInputError
from tests.core.chat.reading.test_format_registry import OWN
from tests.core.chat.unread_samples import SAMPLES, Sample, find_row

JSON_SAMPLES = st.sampled_from([sample for sample in SAMPLES if sample.values])


def _is_named(data: bytes, sample: Sample) -> bool:
    """Return whether the error of an editor and the doubt of a count name the format of a sample."""
    with pytest.raises(MalformedInputError, match="which ctxkit does not read") as caught:
        parse_transcript(data, "chat")
    content = open_content(iter([data]), json.loads, "chat")
    assert content.format is None
    name = find_row(sample).name
    assert content.doubt == f"it is {name}, which ctxkit does not read: counted as text"
    assert b"".join(content.chunks) == data
    return str(caught.value) == f"chat: it is {name}, which ctxkit does not read"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_named_and_counted_as_text(sample: Sample) -> None:
    assert all(_is_named(start.encode() + sample.content, sample) for start in ("", "\ufeff", "\n \n"))


@given(JSON_SAMPLES, st.integers(0, 9), st.integers(1, 9))
def test_a_part_of_a_sample_has_no_other_name(sample: Sample, start: int, count: int) -> None:
    assert find_unread_format(sample.values[start : start + count]) in (None, find_row(sample))


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if len(sample.values) > 1], ids=lambda sample: sample.name)
def test_a_list_of_lines_is_named_as_the_lines_are(sample: Sample) -> None:
    assert all(_is_named(json.dumps(sample.values, indent=indent).encode(), sample) for indent in (None, 2))


@given(JSON_SAMPLES, st.dictionaries(st.text(max_size=5).map("x_{}".format), st.integers(), max_size=3))
def test_other_members_do_not_count(sample: Sample, members: dict[str, int]) -> None:
    values = tuple(members | value if isinstance(value, dict) else value for value in sample.values)
    assert find_unread_format(values) is find_row(sample)


def test_each_row_has_a_sample_and_each_sample_its_row_alone() -> None:
    assert {find_row(sample).name for sample in SAMPLES} == {row.name for row in UNREAD_FORMATS}
    for sample in SAMPLES:
        found = find_unread_text(sample.text) if sample.text else find_unread_format(sample.values)
        assert found is find_row(sample)
        assert sample.text or find_format(sample.values) is None


@pytest.mark.parametrize(("name", "value"), OWN)
def test_what_is_read_is_not_named(name: str, value) -> None:
    assert find_unread_format([value]) is None
    assert not isinstance(value, str) or find_unread_text(value) is None


@given(JSON_SAMPLES, st.sampled_from(OWN))
def test_lines_of_a_format_that_is_read_do_not_hide_an_unread_one(sample: Sample, own: tuple[str, object]) -> None:
    assert find_format([own[1], *sample.values]) is None
    assert find_format([*sample.values, own[1]]) is None


def test_a_stream_is_not_read_by_its_later_messages() -> None:
    stream = next(sample for sample in SAMPLES if sample.name == "stream of Gemini CLI").values
    lines = [stream[0], *[{"type": "result"}] * 70, stream[1]]
    with pytest.raises(MalformedInputError, match="stream-json"):
        parse_transcript("".join(json.dumps(value) + "\n" for value in lines).encode(), "chat")


def test_a_message_with_the_answer_of_a_provider_is_read() -> None:
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    assert find_format([{"role": "assistant", "content": "hi", "raw": answer}]) is not None


@pytest.mark.parametrize(
    "value",
    [None, 7, [], [{"uuid": "c"}], ["x"], {"kind": 0, "v": {}}, {"simulations": [1], "tasks": []}, {"request": {"body": 1}}, {}, {"type": "init"}, {"history": "x"}, {"history": ["x"]}, {"history": [{"contextItems": []}]}, {"requests": [1]}, {"mapping": {"a": 1}, "title": "x"}, {"type": "message", "role": "user", "text": "x"}, {"object": "list", "data": [{"id": "gpt-5", "object": "model"}], "has_more": False}, {"traceId": "t", "type": "EVENT", "message": "x"}],
)
def test_other_values_have_no_name(value) -> None:
    assert find_unread_format([value]) is None


def test_the_count_looks_at_the_beginnings_of_all_texts_in_the_table() -> None:
    assert {prefix.encode() for prefix, _ in TEXT_PREFIXES} < set(_STARTS)
