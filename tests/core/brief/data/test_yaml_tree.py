import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.data_nodes import walk
from ctxkit.core.brief.data.yaml_tree import read_yaml
from tests.example_counts import count_examples


def values(text):
    return [root.value for root in read_yaml(text.split("\n")).documents]


def spans(text):
    return {
        one.key: (one.at, one.end - 1) for root in read_yaml(text.split("\n")).documents for one in walk(root) if one.key
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: x y\nc:\n", {"a": 1, "b": "x y", "c": None}),
        (
            "a: true\nb: 1.5\nc: ~\nd: 007\ne: '1'\nf: \"x\\ty\"",
            {"a": True, "b": 1.5, "c": None, "d": "007", "e": "1", "f": "x\ty"},
        ),
        ("a:\n  - 1\n  - b: 2\n    c: 3\n  -\n    d: 4\n", {"a": [1, {"b": 2, "c": 3}, {"d": 4}]}),
        ("a:\n- 1\n- 2\nb: 3", {"a": [1, 2], "b": 3}),
        ("- - 1\n  - 2\n- - 3", [[1, 2], [3]]),
        ("a: |\n  x: 1\n   - y\n\n  # z\nb: 2", {"a": "x: 1\n - y\n\n# z\n", "b": 2}),
        ("a: >-\n  one\n  two\nb: |2\n    x\n", {"a": "one two", "b": "  x\n"}),
        ("a: [1, {b: 2, c: [x, 'y, z']}]\nd: {e: f}", {"a": [1, {"b": 2, "c": ["x", "y, z"]}], "d": {"e": "f"}}),
        ("a: [1, # one\n  2,\n  3]\nb: 4", {"a": [1, 2, 3], "b": 4}),
        ("a: &x 5\nb: *x\nc: &y\n  d: 1\ne: *y", {"a": 5, "b": 5, "c": {"d": 1}, "e": "*y"}),
        ("a: !Ref b\nc: !Sub\n  d: 1", {"a": "b", "c": {"d": 1}}),
        ("a: x # no\nb: x#yes\nc: 'x # yes'", {"a": "x", "b": "x#yes", "c": "x # yes"}),
        ("a: one\n  two\n  three\nb: 'it''s\n  here'", {"a": "one two three", "b": "it's here"}),
        ("\"a b\": 1\n'c': 2\nhttp://x: 3\non:\n  push:\n", {"a b": 1, "c": 2, "http://x": 3, "on": {"push": None}}),
    ],
)
def test_what_yaml_says_is_read(text: str, value) -> None:
    found = read_yaml(text.split("\n"))
    assert [root.value for root in found.documents] == [value]
    assert found.problem is None


def test_documents_stand_one_after_the_other() -> None:
    assert values("%YAML 1.2\n---\na: 1\n---\n# none\n---\n- b\n...\n--- text\n") == [{"a": 1}, None, ["b"], "text"]


def test_keys_know_their_lines_without_the_remarks_after_them() -> None:
    assert spans("a:\n  b: 1\n  c: |\n    x\n\n    y\n\n# about d\nd:\n- e: 1\n  f: 2\n") == {
        "a": (1, 6), "b": (2, 2), "c": (3, 6), "d": (9, 11), "e": (10, 10), "f": (11, 11),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "problem", "documents"),
    [
        (["a: 1", "b: 2", "\tc: 3", "d: 4"], (3, "found a tab character that violates indentation"), []),
        (["a: 1", "---", "- b", "c: 2"], (4, "did not find expected '-' indicator"), [{"a": 1}, ["b"]]),
        (["a: 1", "b: \x01"], (2, "control characters are not allowed"), []),
        (["- " * 1_500], (1, "exceeded maximum nesting depth"), [[]]),
    ],
)
def test_the_end_of_what_is_yaml_has_a_line_and_a_reason(lines, problem, documents) -> None:
    found = read_yaml(lines)
    assert found.problem == problem
    assert [root.value for root in found.documents][: len(documents)] == documents or lines[0].startswith("- -")


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b: one entry.\n\n    The value goes on after a blank line.\n  # a remark\n  c: 1\n",
        "a: [\n  {b: 1},\n]\nd: {e: 'x\n  y'}\n",
        "? [a, b]\n: c\n? d\n",
        "a\u2028b: 1\nc: \u00e9\r\n",
    ],
)
def test_unusual_yaml_is_whole(text: str) -> None:
    assert read_yaml(text.split("\n")).problem is None


def test_keys_that_come_twice_and_templates_are_counted() -> None:
    found = read_yaml(["a: 1", "{{- if x }}", "b: 2", "{{- end }}", "a: 3"])
    assert (found.repeats, found.templates) == ([(5, "a", 1)], 2)


def test_nesting_without_end_is_cut() -> None:
    assert read_yaml(["".join(" " * at) + f"k{at}:" for at in range(3_000)]).documents
    assert read_yaml(["- " * 5_000]).documents
    assert read_yaml(["a: " + "[" * 5_000]).documents


@settings(max_examples=count_examples(150), deadline=None)
@given(st.text(alphabet="ab:-# \n'\"[]{},&*|>!?%\t{", max_size=120))
def test_no_text_breaks_it_and_lines_are_inside(text: str) -> None:
    lines = text.split("\n")
    for root in read_yaml(lines).documents:
        for one in walk(root):
            assert 1 <= one.at < one.end <= len(lines) + 1
