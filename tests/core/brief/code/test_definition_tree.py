"""Definitions inside each other, and what a map that is short of room leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.definition_tree import (
    INNER_RANK,
    build_tree,
    format_fields,
    format_name,
    make_compact_sections,
    make_signature_sections,
    remove_type_arguments,
)
from ctxkit.core.brief.document import Definition
from ctxkit.core.brief.outline import Section


def one(name, kind, start, end, depth):
    return Definition(name, kind, start, end, depth, name)


FOUND = [
    one("MAX", "macro", 1, 1, 0),
    one("Store", "class", 3, 20, 0),
    one("get", "method", 4, 9, 1),
    one("inner", "function", 5, 7, 2),
    one("main", "function", 22, 30, 0),
]


def test_what_functions_hold_comes_last() -> None:
    macro, store, main = build_tree(FOUND)
    assert [node.rank for node in (macro, store, main)] == [0, 0, 0]
    assert 0 < store.children[0].rank < INNER_RANK <= store.children[0].children[0].rank


CONFIG = Definition("Config", "struct", 3, 9, 0, "pub struct Config", fields=("model: String", "size: u32"))


def test_a_type_shows_its_fields_as_far_as_they_fit() -> None:
    assert format_fields(CONFIG, "rust", 100) == " { model: String, size: u32 }"
    assert format_fields(CONFIG, "go", 100) == " { model: String; size: u32 }"
    assert format_fields(CONFIG, "rust", 20) == " { model: String, ... }"


@given(st.lists(st.text("ab: ", min_size=1, max_size=30), max_size=30), st.integers(1, 200))
def test_fields_take_their_width_or_the_first_alone(fields: list[str], width: int) -> None:
    shown = format_fields(Definition("A", "class", 1, 1, 0, "class A", fields=tuple(fields)), "go", width)
    assert len(shown) <= max(width, len(fields[0]) if fields else 0) + len(" {  }; ...")


def test_sections_cut_signatures_from_the_first_to_the_last() -> None:
    long = Definition("f", "function", 1, 2, 0, f"def f({'parameter, ' * 30})", "What it does.")
    explained, whole, narrow = make_signature_sections(build_tree([long, CONFIG]), "rust")
    labels = [section.entries[0].label for section in (explained, whole, narrow)]
    assert labels[0] == f"{long.signature} \u2014 What it does."
    assert labels[1] == long.signature
    assert labels[2] == f"{long.signature[:160].rstrip()}..."


DEFINITIONS = [
    Definition("MAX", "macro", 1, 1, 0, "#define MAX(a)"),
    Definition("Store", "class", 3, 20, 0, "class Store"),
    Definition("_load", "method", 4, 5, 1, "def _load(self)"),
    Definition("get", "method", 6, 9, 1, "def get(self)"),
    Definition("inner", "function", 7, 8, 2, "def inner()"),
    Definition("main", "function", 22, 30, 0, "def main()"),
]


def test_public_names_stay_longest_and_names_inside_functions_go_first() -> None:
    sections = list(make_compact_sections("Structure", (), build_tree(DEFINITIONS), fits_five))[1:]
    assert [[entry.label for entry in section.entries] for section in sections] == [
        ["MAX", "Store", "_load", "get", "inner", "main"],
        ["MAX", "Store", "_load", "get", "inner", "main"],
        ["MAX", "Store", "_load", "get", "main"],
        ["Store", "_load", "get", "main"],
    ]
    assert [section.title for section in sections[1:]] == [
        "Structure",
        "Structure: 5 of 6 definitions",
        "Structure: 4 of 6 definitions",
    ]


def fits_five(section: Section) -> bool:
    return len(section.entries) <= 5


def test_a_name_that_comes_again_stands_once_with_all_lines() -> None:
    rows = [("open", 3), ("a_long_name_of_a_function", 9), ("open", 12), ("x", 20), ("open", 31), ("y", 40)]
    tree = build_tree([Definition(name, "function", line, line + 2, 0, name) for name, line in rows])
    sections = list(make_compact_sections("S", (), tree, fits_five))[2:]
    shown = [[(entry.label, entry.start, *entry.repeats) for entry in section.entries] for section in sections]
    assert shown[0] == [("open", 3, 12, 31), ("a_long_name_of_a_function", 9), ("x", 20), ("y", 40)]
    assert shown[1] == [("open", 3, 12, 31), ("x", 20), ("y", 40)]
    assert shown[2] == [("open", 3, 12), ("x", 20), ("y", 40)]
    assert sections[2].title == "S: 4 of 6 definitions"


def test_sections_begin_near_the_most_names_that_fit() -> None:
    tree = build_tree([Definition(f"f{at}", "function", at, at, 0, f"f{at}") for at in range(1, 1_001)])
    sections = list(make_compact_sections("S", (), tree, lambda section: len(section.entries) <= 200))[2:]
    assert [len(section.entries) for section in sections[:15]] == list(range(214, 199, -1))


def test_types_come_before_functions_and_aliases_last() -> None:
    rows = [("Alias", "alias", 1, 0), ("aa", "function", 2, 0), ("LongNameOfAClass", "class", 3, 0), ("bb", "method", 4, 1)]
    rows += [("d", "property", 7, 1), ("_e", "method", 8, 1), ("f", "prototype", 9, 0), ("g", "class", 10, 0)]
    rows += [("It", "type", 11, 1)]
    tree = build_tree([Definition(name, kind, line, line, depth, name) for name, kind, line, depth in rows])
    sections = list(make_compact_sections("S", (), tree, fits_five))[2:]
    shown = [{entry.label for entry in section.entries} for section in sections]
    left_out = [shown[at] - shown[at + 1] for at in range(len(shown) - 1)]
    assert not {"Alias", "It"} & shown[0]
    assert left_out == [{"f"}, {"d"}, {"_e"}]
    assert shown[-1] == {"LongNameOfAClass", "aa", "bb", "g"}


@given(st.integers(0, 300))
def test_each_section_is_shorter_than_the_one_before(number: int) -> None:
    tree = build_tree([Definition(f"f{at}", "function", at, at, 0, f"f{at}") for at in range(1, number + 1)])
    sections = list(make_compact_sections("S", (), tree, lambda section: len(section.entries) <= 40))
    sizes = [len(section.entries) for section in sections[1:]]
    assert sizes[0] == number
    assert sizes[1:] == sorted(set(sizes[1:]), reverse=True)
    assert number < 4 or sizes[-1] == 4


@pytest.mark.parametrize(
    ("name", "short"), [("Map<K, V>::get", "Map::get"), ("Map<K, Vec<V>>", "Map"), ("operator<", "operator<"), ("A::operator<<", "A::operator<<"), ("Map<K,", "Map")]
)
def test_type_arguments_are_removed(name: str, short: str) -> None:
    assert remove_type_arguments(name) == short


def test_a_type_is_named_with_its_kind() -> None:
    assert [format_name(node) for node in build_tree(DEFINITIONS)] == ["MAX", "class Store", "main"]
