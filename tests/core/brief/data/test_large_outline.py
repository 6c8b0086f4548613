import json
from glob import glob

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.large_outline import build_large_outlines
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import json as kind
from ctxkit.core.text import lines
from tests.example_counts import count_examples

fractions = st.floats(allow_nan=False).filter(lambda number: not number.is_integer())


def make_values(numbers: st.SearchStrategy[float]) -> st.SearchStrategy[object]:
    return st.recursive(
        st.none() | st.booleans() | numbers | st.text(max_size=40),
        lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
        max_leaves=60,
    )


values = make_values(st.integers()) | make_values(fractions)
"""Not integers beside fractions: of equally frequent numbers, whole reading lists the integers first."""
plain = st.recursive(
    st.none() | st.integers() | st.text("abc \n", max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text("abc", max_size=6), inner, max_size=6),
    max_leaves=30,
)
"""Values without escapes of code points: the decoder calls a text that ends after one an invalid escape."""
records = st.lists(st.dictionaries(st.sampled_from("abc"), st.integers() | st.text(max_size=9)), min_size=1)


def document(text, target=2_000):
    data = text.encode("utf-8", "surrogatepass")
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, target)


def rows(outlines):
    """The entries of the most detailed outline."""
    return [
        (section.title, entry.start, entry.end, entry.label)
        for section in outlines[0].sections
        for entry in section.entries
    ]


def outline(text, window=64, large=100, step=20, target=2_000):
    doc = document(text, target)
    by_bytes = doc.lines.size > kind.LONG_LINES * max(doc.lines.total, 1)
    return build_large_outlines(doc, "json", 0, by_bytes, window=window, large=large, step=step)


@pytest.mark.slow
@settings(max_examples=count_examples(300), deadline=None)
@given(st.lists(values, min_size=1) | st.dictionaries(st.text(max_size=6), values, min_size=1) | records, st.sampled_from([None, 1]))
@example([{"a": 1}, {"a": "x"}] * 20, 1)
@example({f"k{at}": {"v": at, "w": [at] * (at % 5)} for at in range(40)}, 1)
@example({"x": {f"k{at}": {"v": at} for at in range(400)}, "y": [[1, 2]] * 30}, 1)
@example([{"b": [{"c": 1}] * 9}, {"d": {}}, {"b": 1}], None)
@example([{"": -7.706210286399262e-121, "\x1f": -2.2250738585072014e-308, "000": 0, "00\x1f\r\x07\U00010000": 0.5}], None)
@example([float("inf"), []], 1)
@example({"e": "x\ny\\\"\U0001f600" * 90}, None)
def test_the_map_equals_that_of_whole_reading(value, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert rows(outline(text)) == rows(kind.outline(document(text)))


@pytest.mark.slow
@settings(max_examples=count_examples(100), deadline=None)
@given(st.lists(plain, min_size=3), st.data())
def test_a_broken_document_is_mapped_up_to_the_same_place(value, draw: st.DataObject) -> None:
    text = json.dumps(value, indent=1)
    text = text[: draw.draw(st.integers(len(text) // 2, len(text) - 1))]
    mapped, whole = outline(text), kind.outline(document(text))
    assert (mapped is None) == (whole is None)
    if mapped and whole:
        assert [row for row in rows(mapped) if "BROKEN" in row[3]] == [row for row in rows(whole) if "BROKEN" in row[3]]


@pytest.mark.parametrize("planted", ["oops", ",", "]", '"x": ', "1e", '"\\q"', '"\\u12G4"', "tru", "}"])
def test_an_error_in_the_middle_has_the_same_reason_and_path(planted: str) -> None:
    parts = json.dumps({"a": [{"b": [at, {"c": "d" * 9}]} for at in range(60)]}, indent=1).split("{\n   \"b\"")
    text = '{\n   "b"'.join([*parts[:40], f'{planted} {parts[40]}', *parts[41:]])
    broken = [row[3] for row in rows(outline(text)) if "BROKEN" in row[3]]
    assert broken == [row[3] for row in rows(kind.outline(document(text))) if "BROKEN" in row[3]]
    assert len(broken) == 1


def test_text_before_and_after_is_told_apart() -> None:
    body = json.dumps([{"id": at} for at in range(90)], indent=1)
    doc = document(f"warning: x\nmore\n{body}\ndone in 3 s\n")
    mapped = rows(build_large_outlines(doc, "json", 16, False, window=64, large=100, step=20))
    assert mapped == rows(kind.outline(doc))


def test_documents_one_after_the_other_are_rows() -> None:
    text = "\n".join(json.dumps({"a": at, "b": [at] * 50}, indent=1) for at in range(20))
    assert rows(outline(text)) == rows(kind.outline(document(text)))


def test_json_that_is_nested_too_deep_is_said_to_be() -> None:
    for text in ("[" * 5_000, '{"a": [1, 2, ' * 5_000):
        assert "too deep" in rows(outline(text))[0][3]


@pytest.mark.parametrize("name", sorted(glob("tests/cases/**/*.json", recursive=True)))
def test_files_are_mapped_as_by_whole_reading(name: str) -> None:
    with open(name, encoding="utf-8") as file:
        text = file.read()
    doc = document(text)
    by_bytes = doc.lines.size > kind.LONG_LINES * max(doc.lines.total, 1)
    whole, mapped = kind.outline(doc), None
    if text.lstrip()[:1] in ("[", "{"):
        mapped = build_large_outlines(doc, "json", 0, by_bytes, window=999, large=500, step=300)
    if whole and mapped and {title for title, *_ in rows(whole)} <= {"", "Irregular", "Where", rows(mapped)[-1][0]}:
        assert rows(mapped) == rows(whole)
