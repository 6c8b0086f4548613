"""Forms and parallel entries: similar statements that do not say the same."""

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity import form_fields
from ctxkit.core.lint.similarity.similarity import Similarity


def units(text):
    return [unit for unit in parse_document("A.md", text.encode()).units if unit.kind != "heading"]


def alike(score=0.8, left=("a",), right=("b",)):
    return Similarity(score, "", frozenset(left), frozenset(right))


def test_the_label_and_the_value_of_a_field() -> None:
    (unit,) = units("- Homepage: https://www.example.com/some/page\n")
    assert form_fields.read_field_label(unit) == "homepage"
    assert form_fields.read_field_value(unit) != ""
    (plain,) = units("- Run the linter before each commit\n")
    assert (form_fields.read_field_label(plain), form_fields.read_field_value(plain)) == ("", "")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("- **Style:** short and plain", "style"),
        ("- **Style**: short and plain", "style"),
        ("3. **Style** short and plain", "style"),
        ("> - Style: short and plain", "style"),
        ("- ## Style and other plain words", ""),
    ],
)
def test_a_bold_label_is_a_label(text: str, label: str) -> None:
    (unit,) = units(f"{text}\n")
    assert form_fields.read_field_label(unit) == label


def test_rows_of_a_table_are_siblings() -> None:
    head, first, second = units("| a | b |\n| - | - |\n| run | fast |\n| walk | slow |\n")
    assert form_fields.is_sibling_pair(first, second, alike())
    assert head.kind == "row"


def test_items_of_one_list_with_other_words_are_siblings_unless_they_are_nearly_equal() -> None:
    first, second = units("- Open the red door\n- Open the blue door\n")
    assert form_fields.is_sibling_pair(first, second, alike())
    assert not form_fields.is_sibling_pair(first, second, alike(0.99))
    assert not form_fields.is_sibling_pair(first, second, alike(0.7, (), ()))


def test_sections_with_numbers_hold_parallel_statements() -> None:
    first, second = units("# Sweep 3\n\n- Clean the floor\n\n# Sweep 5\n\n- Clean the floors\n")
    assert form_fields.is_sibling_pair(first, second, alike(0.99))


def test_steps_of_two_procedures_are_parallel() -> None:
    first, second = units("1. Open the file\n\nThen.\n\n1. Open the file\n")[::2]
    assert form_fields.is_parallel_pair(first, second)
    assert not form_fields.is_parallel_pair(first, first)
