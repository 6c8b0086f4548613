"""Types of nodes tell what they define."""

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Parser

from ctxkit.engines.definition_nodes import (
    BLOCK,
    BODIED,
    ELIXIR,
    LANGUAGE_NOUNS,
    NOUN,
    TEST,
    VALUE,
    find_declaration,
    find_declarator,
    find_first_name,
    find_name,
)
from ctxkit.engines.grammars import load_grammar
from tests.example_counts import count_examples


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


def declarations(language, source):
    """Return (kind, name, whether there is a body) of all that is declared, outer ones first."""
    found, waiting = [], [Parser(load_grammar(language)).parse(textwrap.dedent(source).encode()).root_node]
    while waiting:
        node = waiting.pop(0)
        what = find_declaration(node, language)
        if what is not None:
            found.append((what.kind, what.name.text.decode(), what.body is not None))
        waiting[:0] = node.named_children
    return found


@pytest.mark.parametrize(
    ("language", "source", "found"),
    [
        ("python", "class A:\n    def f(self): pass", [("class", "A", True), ("function", "f", True)]),
        ("python", "f = lambda x: x", []),
        ("python", "total = 7\nprint(total)", []),
        ("javascript", "const f = (a) => a", [("function", "f", True)]),
        ("javascript", "const f = memo(() => {\n  return 1;\n})", [("function", "f", True)]),
        ("javascript", "const f = memo(() => 1)", []),
        ("javascript", "const f = list.map(() => {\n  return 1;\n})", []),
        ("javascript", "const A = class { }", [("class", "A", True)]),
        ("javascript", "const total = 7", []),
        ("typescript", "interface A { f(): void }", [("interface", "A", True), ("method", "f", False)]),
        ("typescript", "type Id = string", [("type", "Id", False)]),
        ("go", "type A struct { x int }", [("type", "A", True)]),
        ("go", "func (a *A) F() { }", [("method", "F", True)]),
        ("go", "var f = func() { }", [("function", "f", True)]),
        ("rust", "mod inner { fn f() { } }", [("mod", "inner", True), ("function", "f", True)]),
        ("rust", "mod elsewhere;", []),
        ("rust", "trait T { fn f(&self); }", [("trait", "T", True), ("function", "f", False)]),
        ("c", "struct node { int x; };", [("struct", "node", True)]),
        ("c", "struct node *find(struct node *n) { }", [("function", "find", True)]),
        ("c", "int total(void);", [("prototype", "total", False)]),
        ("c", "char *name(void);", [("prototype", "name", False)]),
        ("c", "int (*handler)(int);", []),
        ("c", "int total = 7;", []),
        ("c", "typedef struct { int x; } node;", [("type", "node", True)]),
        ("c", "typedef unsigned int word;", []),
        ("c", "#define SQUARE(x) ((x) * (x))\n", [("macro", "SQUARE", False)]),
        ("cpp", "class A { void f(); };", [("class", "A", True), ("method", "f", False)]),
        ("cpp", "class A;", []),
        ("cpp", "namespace n { }", [("namespace", "n", True)]),
        ("java", "interface A { int f(); }", [("interface", "A", True), ("method", "f", False)]),
        ("java", "record P(int x) { }", [("record", "P", True)]),
        ("csharp", "class A { int X { get; set; } }", [("class", "A", True), ("property", "X", True)]),
        ("swift", "struct A { }", [("struct", "A", True)]),
        ("swift", "extension A { }", [("extension", "A", True)]),
        ("kotlin", "interface A { }", [("interface", "A", True)]),
        ("ruby", "class A\n  def f; end\nend", [("class", "A", True), ("method", "f", False)]),
        ("elixir", "defmodule A do\n  def f(x), do: x\nend", [("defmodule", "A", True), ("def", "f", False)]),
        ("elixir", "IO.puts(1)\nimport A", []),
        ("bash", "f() { :; }", [("function", "f", True)]),
        ("zig", "const A = struct { x: u8 };", [("struct", "A", False)]),
    ],
)
def test_what_a_node_declares_is_told_by_kind_name_and_body(language: str, source: str, found) -> None:
    assert declarations(language, source) == found


def test_what_means_a_definition_in_one_language_is_none_in_another() -> None:
    assert declarations("elixir", "def(f)") == [("def", "f", False)]
    assert declarations("ruby", "def(f)") == []
    assert declarations("python", "defmodule(A)") == []


LANGUAGES = st.sampled_from(["python", "javascript", "c", "go", "rust", "elixir", "kotlin"])
PIECES = st.lists(
    st.sampled_from(
        [
            "def ",
            "class ",
            "A",
            "f",
            "(",
            ")",
            "{",
            "}",
            ":",
            "\n",
            "  ",
            "=",
            "struct ",
            "fn ",
            "=>",
            "do ",
            "end",
            ";",
            "*",
        ]
    ),
    max_size=30,
).map("".join)


@settings(deadline=None, max_examples=count_examples(60))
@given(LANGUAGES, PIECES | st.text(max_size=60))
def test_any_tree_at_all_is_answered_and_names_lie_in_their_nodes(language, source) -> None:
    waiting = [Parser(load_grammar(language)).parse(source.encode()).root_node]
    while waiting:
        node = waiting.pop()
        what = find_declaration(node, language)
        if what is not None:
            assert what.kind
            assert node.start_byte <= what.name.start_byte <= what.name.end_byte <= node.end_byte
        waiting.extend(node.named_children)
