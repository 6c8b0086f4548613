"""Signatures and fields in a section of their own."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.definition_tree import build_tree
from ctxkit.core.brief.code.signatures import format_fields, make_signature_sections
from ctxkit.core.brief.document import Definition

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
