"""Values that follow one another are found, each with its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.json_stream import has_mostly_lines, read_values
from ctxkit.core.errors import MalformedInputError

OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.integers(), max_size=3), min_size=1, max_size=5)


@given(OBJECTS, st.sampled_from([None, 1]), st.sampled_from(["\n", "\r\n", " ", "", "\n\n\t"]))
def test_however_values_are_laid_out_they_are_found(values, indent: int | None, between: str) -> None:
    text = between.join(json.dumps(value, indent=indent) for value in values)
    rows = list(read_values(text, 0, "it", skip_bad=False))
    assert [row.value for row in rows] == values
    assert [json.loads(text[row.start : row.end]) for row in rows] == values
    assert [row.line for row in rows] == [text.count("\n", 0, row.start) + 1 for row in rows]


def test_what_breaks_a_stream_is_named_or_its_lines_are_bad() -> None:
    text = '{"a": 1} {"a": 2}\n{"a": 3\n{"a": 4}\n'
    with pytest.raises(MalformedInputError, match="it: line 3 is not JSON"):
        read_values(text, 0, "it", skip_bad=False)
    rows = list(read_values(text, 0, "it", skip_bad=True))
    assert [(row.line, row.is_valid, row.value) for row in rows] == [(1, False, None), (2, False, None), (3, True, {"a": 4})]


@pytest.mark.parametrize(
    ("text", "lines"),
    [('{}\n{\n{}', True), ("{}\n{\n", False), ('[\n{}\n]', False), ("1\n2\n", False), ("\n\n{}\n", True), ("{} x\n", False)],
)
def test_lines_are_told_from_other_content(text: str, lines: bool) -> None:
    assert has_mostly_lines(text, 0) is lines
