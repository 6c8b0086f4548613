"""Find definitions in source code with tree-sitter."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from time import monotonic, thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.brief.document import Definition, MissingGrammar
from ctxkit.engines.declaration import Declaration, find_declaration
from ctxkit.engines.grammars import find_package, load_grammar
from ctxkit.engines.signature import read_fields, read_signature

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

MAX_BYTES = 4_000_000
"""Maximum bytes of content to parse: a tree takes twenty times the memory."""
MAX_LINE_BYTES = 500
"""Maximum mean bytes of a line; minified content parses ten times slower and has no useful outline."""
MAX_GROWTH = 150 << 20
"""Maximum bytes of a tree: code takes 20 times its size, but some broken code 10,000 times."""
TIME_LIMITS = 1.0, 0.3, 2.5
"""Seconds of processor time: a constant, and an amount for each MB; then seconds of wall-clock time.

Content of another language takes 30 to 100 times longer; content of the right language takes about 0.3 s per MB.
"""
PIECE = 65_536
DOC = 100
MERGED = ("elixir", "haskell")
"""Languages in which a function consists of several clauses of the same name."""
QUIET = frozenset(
    ("expression_statement", "return_statement", "string", "comment", "assert_statement", "import_statement")
)
"""Python nodes that cannot contain a definition."""
METHODS = ("method", "constructor", "destructor", "init", "deinit", "subscript", "operator", "indexer")
FUNCTIONS = ("function", "getter", "setter", "macro", "subroutine", "bind", "let", "property")
CODE = frozenset((*METHODS, *FUNCTIONS, "def", "defp", "defmacro", "defmacrop"))
"""Kinds of definitions whose body is code rather than members."""
TYPES = frozenset(
    ("actor", "class", "enum", "interface", "object", "protocol", "record", "struct", "trait", "type", "union")
)
"""Kinds of definitions that may have fields."""


class SpannedDefinition(NamedTuple):
    """A definition with the bytes it spans, before its depth is known."""

    first: int
    last: int
    definition: Definition


def find_definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in ``data`` in order, or None if it cannot be parsed as ``language``.

    Return None if parsing takes too long, most of the tree is errors or no grammar is known, and MissingGrammar if
    ctxkit knows a grammar that is not installed.
    """
    if len(data) > MAX_BYTES or len(data) > MAX_LINE_BYTES * (data.count(b"\n") + 1):
        return None
    loaded = load_grammar(language)
    if loaded is None:
        package = find_package(language)
        return MissingGrammar.of(package) if package else None
    is_late = _make_deadline(len(data))
    tree = _parse(data, loaded, is_late)
    if tree is None:
        return None
    spans = _collect_definitions(tree.root_node, data, language, is_late)
    return None if spans is None else _merge_clauses(_set_depths(spans), language)


def _make_deadline(size: int) -> Callable[[], bool]:
    """Return a function that returns whether the time or memory limit for ``size`` bytes is exceeded."""
    cpu, more, wall = TIME_LIMITS
    until, latest = thread_time() + cpu + more * size / 1e6, monotonic() + wall
    most = _read_peak_memory() + MAX_GROWTH
    return lambda: thread_time() > until or monotonic() > latest or _read_peak_memory() > most


def _read_peak_memory() -> int:
    """Return the peak memory of the process in bytes; 0 if the system does not report it."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return 0
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _parse(data: bytes, language: Language, is_late: Callable[[], bool]) -> Tree | None:
    """Return the tree of ``data``, or None if parsing takes too long.

    The source must be a callable: with bytes, tree-sitter 0.26 never calls the progress callback.
    """
    from tree_sitter import Parser

    def read(offset: int, _point: object) -> bytes:
        """Return a piece of the data for the parser."""
        return data[offset : offset + PIECE]

    try:
        return Parser(language).parse(read, progress_callback=lambda _at, _failed: is_late())
    except ValueError:  # raised by a stopped parser
        return None


def _collect_definitions(
    root: Node, data: bytes, language: str, is_late: Callable[[], bool]
) -> list[SpannedDefinition] | None:
    """Return every definition below ``root``; None at the time limit, or if most of it is errors.

    Inside functions, visit only nodes of several lines: shorter definitions are not worth listing.
    """
    visitor = _Visitor(data, language)
    stack = [(child, False) for child in reversed(root.named_children)]
    for turn in count():
        if not stack:
            break
        if turn % 1024 == 1023 and is_late():
            return None
        stack.extend(visitor.visit(*stack.pop()))
    failed = len(data) if root.type == "ERROR" else visitor.failed
    wrong = failed > len(data) / 2 and _count_covered(visitor.spans) < len(data) / 3
    return None if wrong else visitor.spans


class _Visitor:
    """Collects the definitions of a tree, and counts the bytes that the parser could not read."""

    def __init__(self, data: bytes, language: str) -> None:
        self._data, self._language = data, language
        self.spans: list[SpannedDefinition] = []
        self.failed = 0

    def visit(self, node: Node, inside: bool) -> Iterator[tuple[Node, bool]]:
        """Add the definition at a node, if there is one; return the nodes below it, and whether they are in code."""
        data, language = self._data, self._language
        if node.type == "ERROR":
            self.failed += node.end_byte - node.start_byte
        declaration = find_declaration(node, language)
        if declaration is not None and _is_annotation(node, declaration, data):
            return iter(())
        if declaration is not None and _is_worth_listing(declaration, node, inside, language):
            self.spans.append(_make_definition(node, declaration, data, language))
            inside = inside or declaration.kind in CODE
        return ((child, inside) for child in _find_children(node, inside, language))


def _find_children(node: Node, inside: bool, language: str) -> Iterator[Node]:
    """Yield the children to visit, the last one first."""
    children = reversed(node.named_children)
    if language != "python":
        return filter(_has_several_lines, children) if inside else children
    is_quiet = node.type in QUIET or (inside and not _has_several_lines(node))
    return iter(()) if is_quiet else children


def _has_several_lines(node: Node) -> bool:
    return node.end_point[0] > node.start_point[0]


def _is_annotation(node: Node, declaration: Declaration, data: bytes) -> bool:
    """Return whether a C++ prototype is a macro after the parentheses of another: ``f() REQUIRES(lock);``."""
    if declaration.body is not None or not (declaration.name.text or b"").isupper():
        return False
    before = data[max(node.start_byte - 200, 0) : node.start_byte].rstrip()
    return declaration.kind in ("prototype", "method") and before.endswith((b")", b"const", b"override"))


def _count_covered(spans: list[SpannedDefinition]) -> int:
    """Return the number of bytes inside definitions."""
    total = reached = 0
    for span in spans:  # in order of their first byte
        total += max(span.last - max(span.first, reached), 0)
        reached = max(reached, span.last)
    return total


def _is_worth_listing(declaration: Declaration, node: Node, inside: bool, language: str) -> bool:
    """Return whether to list a definition: inside a function, only definitions of several lines that are not
    prototypes.
    """
    is_large = declaration.kind != "prototype" and _has_several_lines(node)
    return not inside or is_large or language == "python"


def _make_definition(node: Node, declaration: Declaration, data: bytes, language: str) -> SpannedDefinition:
    """Return the definition at ``node``; it starts on the line of its name."""
    name = (declaration.name.text or b"").decode("utf-8", "replace").partition("\n")[0].strip()
    last = _find_last_leaf(node) if language == "python" else _find_end_node(node)
    end = last.end_point[0] + (1 if last.end_point[1] else 0)
    start = declaration.name.start_point[0] + 1
    doc = _read_docstring(declaration.body) if language == "python" and declaration.body is not None else ""
    signature = read_signature(node, declaration.name, declaration.body, data, language)
    if declaration.kind == "type" and declaration.name.start_byte > node.start_byte and name not in signature:
        signature = f"{signature} {name}"  # a typedef's name follows its type
    fields = read_fields(declaration.body, data, language) if declaration.kind in TYPES else ()
    definition = Definition(name, declaration.kind, start, max(start, end), 0, signature, doc, fields)
    return SpannedDefinition(node.start_byte, last.end_byte, definition)


def _find_end_node(node: Node) -> Node:
    """Return the node that a definition ends with; in Dart, the body of a function is a sibling."""
    if not node.type.endswith("_signature"):  # looking up parents and siblings is slow
        return node
    parent = node.parent
    after = (parent if parent is not None and parent.type == "method_signature" else node).next_named_sibling
    return after if after is not None and after.type == "function_body" else node


def _find_last_leaf(node: Node) -> Node:
    """Return the last leaf of a Python definition; comments after it belong to the enclosing block."""
    while node.child_count:
        inner = next((child for child in reversed(node.children) if child.type != "comment"), None)
        if inner is None:
            break
        node = inner
    return node


def _read_docstring(body: Node) -> str:
    """Return the first line of a Python docstring."""
    first = next(iter(body.named_children), None)
    if first is not None and first.type == "expression_statement":
        first = next(iter(first.named_children), None)
    if first is None or first.type != "string":
        return ""
    content = next((child for child in first.named_children if child.type == "string_content"), None)
    text = (content.text or b"").decode("utf-8", "replace").strip().partition("\n")[0].strip() if content else ""
    return text if len(text) <= DOC else f"{text[:DOC].rstrip()}..."


def _set_depths(spans: list[SpannedDefinition]) -> Iterator[Definition]:
    """Yield definitions with their depth: the number of definitions around each."""
    from ctxkit.core.quick_dataclass import replace

    around: list[SpannedDefinition] = []
    for span in sorted(spans, key=lambda f: (f.first, -f.last)):
        while around and around[-1].last <= span.first:
            around.pop()
        if span.definition.name and not (around and _is_typedef_of(around[-1].definition, span.definition)):
            yield replace(span.definition, depth=len(around))
            around.append(span)


def _is_typedef_of(outer: Definition, inner: Definition) -> bool:
    """Return whether a typedef repeats the name of its struct."""
    return outer.kind == "type" and (outer.name, outer.start) == (inner.name, inner.start)


def _merge_clauses(nested: Iterator[Definition], language: str) -> list[Definition]:
    """Return definitions with clauses merged, without prototypes of functions defined in the same content."""
    from ctxkit.core.quick_dataclass import replace

    merged: list[Definition] = []
    for definition in nested:
        last = merged[-1] if merged else None
        if language in MERGED and last and (last.name, last.depth) == (definition.name, definition.depth):
            merged[-1] = replace(last, kind=definition.kind, end=max(last.end, definition.end))
        else:
            merged.append(definition)
    kept = {definition.name for definition in merged if definition.kind != "prototype"}
    return [
        definition
        for definition in merged
        if definition.kind != "prototype" or definition.depth or definition.name not in kept
    ]
