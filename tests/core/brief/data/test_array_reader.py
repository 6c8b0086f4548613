import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data import array_reader
from ctxkit.core.brief.data.array_reader import ArrayReader
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(array_reader, "WINDOW", 64)
    monkeypatch.setattr(array_reader, "BATCH", 3)


def document(text, target=2_000):
    data = text.encode()
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, target)


def labels(text):
    made = array_reader.build_array_outlines(document(text), "json")[0]
    return [(one.start, one.end, one.label) for section in made.sections for one in section.entries]


def test_rows_that_differ_have_their_lines() -> None:
    rows = [{"id": at, "v": 1, "ü": "é"} for at in range(40)]
    rows[9]["v"] = "x"
    rows[30]["id"] = 4
    said = labels(json.dumps({"n": 1, "data": {"items": rows}}, indent=1, ensure_ascii=False))
    assert said[0][2] == "the array .data.items of 40 elements, the rows; paths are those inside one of them"
    assert said[1] == (50, 54, ".v is a string in 1 of 40; a number in 39 (here .data.items[9])")
    assert said[2] == (155, 159, ".id is 4 a second time (here .data.items[30], first in [4])")


def test_one_long_line_is_told_in_bytes() -> None:
    text = json.dumps([{"id": at, "text": "ü" * 90} for at in range(40)] + [{"id": "x"}], ensure_ascii=False)
    start, end, said = labels(text)[2]
    assert said.startswith(".id is a string in 1 of 41")
    assert text.encode()[start - 1 : end] == b'{"id": "x"}'


def test_where_it_breaks_is_said() -> None:
    text = json.dumps([{"id": at} for at in range(40)], indent=1)
    assert labels(text[:-20])[1][2] == "BROKEN: it ends too early; nothing after it is in this map"
    assert labels(text.replace('"id": 30', '"id" 30'))[1][:2] == (92, 92)
    assert array_reader.build_array_outlines(document('{"a": 1}'), "json") is None
    assert array_reader.build_array_outlines(document("nothing of the kind"), "json") is None


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.recursive(st.text(max_size=9) | st.integers(), lambda inner: st.lists(inner, max_size=3)),
        min_size=9,
        max_size=40,
    )
)
def test_every_element_is_read_at_its_place(values) -> None:
    text = json.dumps(values, indent=1, ensure_ascii=False)
    data = text.encode()
    made = ArrayReader(document(text))
    assert made.read()
    assert made.end_reason == "whole"
    assert made.shape.count == len(values)
    spans = zip(made.starts, [*made.starts[1:]], strict=False)
    assert [json.loads(data[at:end].rstrip(b", \n")) for at, end in spans] == values
