"""Types of nodes tell what they define."""

import textwrap

import pytest
from tree_sitter import Parser

from ctxkit.engines.definition_nodes import (
    BLOCK,
    BODIED,
    ELIXIR,
    LANGUAGE_NOUNS,
    NOUN,
    TEST,
    VALUE,
    find_declarator,
    find_first_name,
    find_name,
)
from ctxkit.engines.grammars import load_grammar


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


def nodes(language, source):
    """Yield every node of the tree, outer ones first."""
    waiting = [Parser(load_grammar(language)).parse(textwrap.dedent(source).encode()).root_node]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting[:0] = node.named_children


def first(language, source, kind):
    return next(node for node in nodes(language, source) if node.type == kind)


def text(node):
    return None if node is None else node.text.decode()


@pytest.mark.parametrize(
    ("language", "source", "kind", "name"),
    [
        ("python", "def total(): pass", "function_definition", "total"),
        ("python", "class Store(Base): pass", "class_definition", "Store"),
        ("javascript", "store.get = function () {}", "assignment_expression", "get"),
        ("javascript", "get = function () {}", "assignment_expression", "get"),
        ("javascript", "x = { get: function () {} }", "pair", "get"),
        ("javascript", "class A { drop = () => {} }", "field_definition", "drop"),
        ("rust", "impl Display for Store {}", "impl_item", "Store"),
        ("rust", "impl<T> Store<T> {}", "impl_item", "Store"),
        ("rust", "mod store { }", "mod_item", "store"),
        ("go", "func (s *Store) Get() {}", "method_declaration", "Get"),
        ("go", "type Store struct {}", "type_spec", "Store"),
        ("c", "int *total(void) { }", "function_definition", "total"),
        ("c", "struct node { int x; };", "struct_specifier", "node"),
        ("cpp", "void Store::close() { }", "function_definition", "Store::close"),
        ("java", "class A { A() { } }", "constructor_declaration", "A"),
        ("swift", "class A { init() { } }", "init_declaration", "init"),
        ("swift", "class A { deinit { } }", "deinit_declaration", "deinit"),
        ("csharp", "class A { int this[int i] { get { return 1; } } }", "indexer_declaration", "this"),
        ("kotlin", "class A { companion object { } }", "companion_object", "companion"),
        ("ruby", "def self.total; end", "singleton_method", "total"),
    ],
)
def test_a_definition_has_the_name_that_its_language_gives_it(language: str, source: str, kind: str, name: str) -> None:
    assert text(find_name(first(language, source, kind))) == name


def test_what_has_no_name_has_none() -> None:
    assert find_name(first("c", "struct { int x; } y;", "struct_specifier")) is None
    assert find_name(first("javascript", "x = class { }", "class")) is None


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("int total;", "declaration", "total"),
        ("int *total;", "declaration", "total"),
        ("int (*handler)(int);", "declaration", "handler"),
        ("char *(*(*handler)(void))[3];", "declaration", "handler"),
        ("int table[3][4];", "declaration", "table"),
        ("int total = 7;", "declaration", "total"),
        ("typedef int (*handler)(int);", "type_definition", "handler"),
        ("int total(int *wrong) { }", "function_definition", "total"),
        ("struct node { int x; };", "struct_specifier", None),
    ],
)
def test_a_declarator_is_followed_to_the_name_inside(source: str, kind: str, name: str | None) -> None:
    assert text(find_declarator(first("c", source, kind))) == name


def test_the_first_name_is_found_among_the_children_or_in_what_stands_around_it() -> None:
    call = first("elixir", "def total(a, b) do\nend", "arguments")
    assert text(find_first_name(call)) == "total"
    guarded = first("elixir", "def total(a) when a > 1 do\nend", "arguments")
    assert text(find_first_name(guarded)) == "total"
    assert find_first_name(first("python", "7", "integer")) is None
