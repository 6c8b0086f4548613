import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Parser

from ctxkit.engines.declaration import find_declaration
from ctxkit.engines.grammars import load_grammar
from tests.example_counts import count_examples


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
