import json
from glob import glob

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.data_outliner import (
    MIN_ENTRIES,
    DataContent,
    DataOutliner,
    LargeText,
    PartsIndex,
    build_data_outlines,
    build_large_outlines,
)
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import json as kind
from ctxkit.core.brief.outline import Entry
from ctxkit.core.text import lines
from ctxkit.core.text.positions import JsonMember, JsonPositions
from tests.example_counts import count_examples


def charted(text, *, by_bytes=False):
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [json.loads(text)], by_bytes=by_bytes)
    return chart.build_outlines("json", (), 2_000)[0]


def test_what_is_odd_stands_where_it_is() -> None:
    rows = [{"id": at, "v": 1} for at in range(40)]
    rows[9]["v"] = "x"  # type: ignore[assignment]
    rows[30]["id"] = 4
    odd = charted(json.dumps(rows, indent=1)).sections[1].entries
    assert [(one.start, one.label) for one in odd] == [
        (40, "[].v is a string in 1 of 40; a number in 39 (here [9])"),
        (123, "[].id is 4 a second time (here [30], first in [4])"),
    ]


def test_one_long_line_has_a_path_to_begin_with() -> None:
    text = json.dumps({"a b": [{"id": at, "text": "x" * 90} for at in range(400)]})
    assert charted(text, by_bytes=True).path == '["a b"][0:20]'
    assert charted(text).path == ""


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
    return build_large_outlines(LargeText(doc, 0, window, large, step), "json", by_bytes)


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
    mapped = rows(build_large_outlines(LargeText(doc, 16, 64, 100, 20), "json", False))
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
        mapped = build_large_outlines(LargeText(doc, 0, 999, 500, 300), "json", by_bytes)
    if whole and mapped and {title for title, *_ in rows(whole)} <= {"", "Irregular", "Where", rows(mapped)[-1][0]}:
        assert rows(mapped) == rows(whole)


TYPES = [
    {"kind": "OBJECT", "name": "Mutation", "fields": [{"name": "pay", "args": [{"name": "id"}]}, {"name": "undo", "args": [], "isDeprecated": True}]},
    {"kind": "ENUM", "name": "Status", "enumValues": [{"name": "NEW"}, {"name": "PAID"}]},
    {"kind": "SCALAR", "name": "ID"},
    {"kind": "OBJECT", "name": "__Type", "fields": [{"name": "kind"}]},
]


def list_types(value):
    text = json.dumps(value, indent=1)
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [value])
    outline = chart.build_outlines("json", (), 2_000)[0]
    return [entry for section in outline.sections if section.title.startswith("Types") for entry in section.entries]


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"data": value}])
def test_types_have_their_members_and_lines(wrap):
    entries = list_types(wrap({"__schema": {"types": TYPES}}))
    assert [entry.label for entry in entries] == ["type Mutation: pay(id), undo (deprecated)", "enum Status: NEW, PAID", "scalars: ID"]
    assert entries[0].start < entries[0].end < entries[1].start


@pytest.mark.parametrize("value", [{"__schema": {"types": [1, {}]}}, {"types": TYPES}, {"data": None}, []])
def test_other_data_has_none(value):
    assert list_types(value) == []


def sections(value, target=2_000):
    text = json.dumps(value, indent=1)
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [value])
    made = chart.build_outlines("json", (), target)
    return [
        [(one.start, one.label) for one in section.entries]
        for part in made
        for section in part.sections
        if section.title == "Operations"
    ]


def described(number):
    paths = {
        f"/things/{at}": {"get": {"operationId": f"get{at}"}, "post": {"summary": "Make one"}} for at in range(number)
    }
    return {"openapi": "3.0.0", "paths": paths}


def test_operations_have_their_lines() -> None:
    assert sections(described(1))[0] == [(5, "GET /things/0: get0"), (8, "POST /things/0: Make one")]


def test_many_are_told_by_path_or_by_runs_of_paths() -> None:
    made = sections(described(200))
    assert made[0][0] == (4, "/things/0 to /things/1 (4 operations on 2 paths)")
    assert all(rows[0][0] == 4 for rows in made)
    assert len(made[-1]) < len(made[0]) <= 130
    assert sections(described(80))[0][0] == (4, "/things/0 (GET, POST)")


def test_other_data_has_none_of_openapi() -> None:
    assert sections({"paths": {"/a": {"get": {}}}}) == []
    assert sections({"openapi": "3", "paths": [1]}) == []


def shape_of(values):
    shape = DataShape(True)
    shape.add(values, range(1, len(values) + 1))
    return shape


def rows_of(keys):
    return shape_of([{f"key{number}": number for number in range(keys)}] * 3)


def places(most):
    return [Entry(f"rows {number}", number, number) for number in range(1, most + 1)]


def made(root, odd=0, target=2000, where=places):
    parts = PartsIndex("Where", "parts", where)
    anomalies = [Entry(f"odd {number}", number, number) for number in range(1, odd + 1)]
    return build_data_outlines("json", DataContent([Entry("3 rows")], anomalies, root, parts), target)


def sections_dataset(outline):
    return {section.noun: section for section in outline.sections}


def labels(outline, noun):
    return [entry.label for entry in sections_dataset(outline)[noun].entries]


def test_a_map_has_its_summary_then_what_is_odd_the_shape_and_the_parts() -> None:
    first = made(shape_of([{"id": 1}, {"id": 2}]), odd=1)[0]
    assert first.kind == "json"
    assert [section.title for section in first.sections] == [
        "",
        "Irregular",
        "Shape (a schema; paths, types, how often)",
        "Where",
    ]
    assert labels(first, "entries") == ["3 rows"]
    assert labels(first, "irregularities") == ["odd 1"]
    assert labels(first, "paths") == ["(top): object with 1 key", ".id: integer 1 ×1, 2 ×1"]


@pytest.mark.parametrize("target", [0, 100, 1000, 8000])
@pytest.mark.parametrize("odd", [0, 1, 50])
def test_each_map_is_poorer_than_the_one_before_down_to_the_poorest(target: int, odd: int) -> None:
    sizes = [
        sum(len(section.entries) for section in outline.sections[1:])
        for outline in made(rows_of(60), odd=odd, target=target)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= MIN_ENTRIES + 1  # one more to say that oddities are left out


def test_a_small_target_begins_with_a_smaller_map() -> None:
    large, small = made(rows_of(60), target=8000), made(rows_of(60), target=400)
    assert len(large) > len(small)
    assert len(labels(large[0], "paths")) == 61
    assert len(labels(small[0], "paths")) == 38


def test_oddities_left_out_are_counted() -> None:
    first = made(rows_of(3), odd=90, target=240)[0]
    assert labels(first, "irregularities") == [
        *(f"odd {number}" for number in range(1, 16)),
        "75 more like these, not shown",
    ]


def test_paths_left_out_are_counted_in_the_heading() -> None:
    last = made(rows_of(60))[-1]
    shown = len(labels(last, "paths"))
    assert sections_dataset(last)["paths"].title == (
        f"Shape (a schema; paths, types, how often; {61 - shown} deeper or further paths not shown)"
    )


def test_what_the_shape_leaves_free_goes_to_the_parts() -> None:
    asked = []

    def where(most):
        asked.append(most)
        return []

    made(shape_of([1, 2]), target=800, where=where)
    assert asked[0] == 42 - 1
    assert asked == sorted(asked, reverse=True)
