import json

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.brief.data.syntax_nodes import SyntaxTree
from ctxkit.core.text.positions import JsonMember, JsonPositions


def read(value):
    text = json.dumps(value, indent=1)
    places = JsonPositions(text)
    return SyntaxTree(DataOutliner(places, [JsonMember(None, 0, 0, len(text))], [value]).part_ranges, value)


def word(text):
    return {"t": "Str", "c": text}


def header(*words):
    blanks = [part for text in words for part in (word(text), {"t": "Space"})][:-1]
    return {"t": "Header", "c": [2, ["x", [], []], blanks]}


CODE = {"t": "CodeBlock", "c": [["", ["sh"], []], "make all\nmake test"]}


def test_headings_and_code_blocks_stand_with_their_lines() -> None:
    tree = read({"blocks": [header("What", "is", "this?"), *[{"t": "Para", "c": [word("a")]}] * 9, CODE]})
    section = tree.build_section(20)
    labels = [entry.label for entry in section.entries]
    assert labels == ["25 nodes: Str ×12, Para ×9, Space ×2, Header ×1, CodeBlock ×1", "Header What is this?", "CodeBlock make all"]
    assert section.entries[1].start == 3


def test_named_nodes_with_a_body_are_listed() -> None:
    call = {"type": "Expr", "value": {"type": "Call", "args": [{"type": "Name"}]}}
    tree = read({"type": "Program", "body": [{"type": "FunctionDeclaration", "id": {"type": "Identifier", "name": "run"}, "body": [call] * 9}]})
    assert [entry.label for entry in tree.build_section(20).entries][1:] == ["FunctionDeclaration run"]


def test_rows_with_a_type_and_schemas_are_no_trees() -> None:
    assert not read([{"type": kind, "id": 1} for kind in "abcd" * 9]).counts
    inner = {"type": "object", "items": {"type": "array", "items": {"type": "object", "items": {"type": "string"}}}}
    assert not read([inner] * 9).counts


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["t", "c", "type", "value"]), inner, max_size=4),
)


@given(st.lists(VALUES, min_size=1, max_size=40))
def test_entries_keep_within_the_most(value) -> None:
    tree = read(value)
    if tree.counts:
        assert len(tree.build_section(5).entries) <= 6
