"""Types of nodes tell what they define."""

import pytest

from ctxkit.engines.definition_nodes import BLOCK, BODIED, ELIXIR, LANGUAGE_NOUNS, NOUN, TEST, VALUE


@pytest.mark.parametrize(
    ("node_type", "noun"),
    [("function_definition", "function"), ("abstract_class_declaration", "class"), ("enum_item", "enum"), ("method_spec", "method")],
)
def test_the_type_of_a_definition_names_its_kind(node_type: str, noun: str) -> None:
    match = NOUN.fullmatch(node_type)
    assert match is not None
    assert match[1] == noun


@pytest.mark.parametrize("node_type", ["function", "call_expression", "class_body", "parameter_declaration"])
def test_another_type_is_no_definition(node_type: str) -> None:
    assert NOUN.fullmatch(node_type) is None


def test_no_language_repeats_what_the_pattern_says() -> None:
    matches = ((noun, NOUN.fullmatch(node_type)) for nouns in LANGUAGE_NOUNS.values() for node_type, noun in nouns.items())
    assert not [match for noun, match in matches if match and match[1] == noun]


def test_bodies_values_and_calls_are_told_apart() -> None:
    assert BLOCK.fullmatch("class_body")
    assert BLOCK.fullmatch("compound_statement")
    assert not BLOCK.fullmatch("statement")
    assert BODIED.fullmatch("struct_specifier")
    assert VALUE.fullmatch("arrow_function")
    assert not VALUE.fullmatch("call_expression")
    assert ELIXIR.fullmatch("defmacrop")
    assert not ELIXIR.fullmatch("default")
    assert [bool(TEST.fullmatch(call)) for call in ("it", "describe.each", "iterate")] == [True, True, False]
