"""Names of definitions for small targets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.compact_names import format_name, make_compact_sections, remove_type_arguments
from ctxkit.core.brief.code.definition_tree import build_tree
from ctxkit.core.brief.document import Definition

DEFINITIONS = [
    Definition("MAX", "macro", 1, 1, 0, "#define MAX(a)"),
    Definition("Store", "class", 3, 20, 0, "class Store"),
    Definition("_load", "method", 4, 5, 1, "def _load(self)"),
    Definition("get", "method", 6, 9, 1, "def get(self)"),
    Definition("inner", "function", 7, 8, 2, "def inner()"),
    Definition("main", "function", 22, 30, 0, "def main()"),
]


def test_public_names_stay_longest_and_names_inside_functions_go_first() -> None:
    sections = list(make_compact_sections("Structure", (), build_tree(DEFINITIONS)))[1:]
    assert [[entry.label for entry in section.entries] for section in sections] == [
        ["MAX", "Store", "_load", "get", "inner", "main"],
        ["MAX", "Store", "_load", "get", "main"],
        ["Store", "_load", "get", "main"],
    ]
    assert [section.title for section in sections[1:]] == [
        "Structure: 5 of 6 definitions",
        "Structure: 4 of 6 definitions",
    ]


@given(st.integers(0, 300))
def test_each_section_is_shorter_than_the_one_before(number: int) -> None:
    tree = build_tree([Definition(f"f{at}", "function", at, at, 0, f"f{at}") for at in range(1, number + 1)])
    sizes = [len(section.entries) for section in list(make_compact_sections("S", (), tree))[1:]]
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[0] == number


@pytest.mark.parametrize(
    ("name", "short"), [("Map<K, V>::get", "Map::get"), ("Map<K, Vec<V>>", "Map"), ("operator<", "operator<")]
)
def test_type_arguments_are_removed(name: str, short: str) -> None:
    assert remove_type_arguments(name) == short


def test_a_type_is_named_with_its_kind() -> None:
    assert [format_name(node) for node in build_tree(DEFINITIONS)] == ["MAX", "class Store", "main"]
