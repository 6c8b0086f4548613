"""Definitions in source code, read off the syntax tree that a grammar makes of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from itertools import count
from time import monotonic, thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.brief.document import Definition
from ctxkit.engines.declaration import Declaration, find_declaration
from ctxkit.engines.grammars import load_grammar

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

MAX_BYTES = 4_000_000
"""Bytes past which content is not parsed: memory grows twentyfold."""
MAX_LINE_BYTES = 500
"""Mean bytes of a line past which content counts as minified: it parses ten times slower and maps to nothing."""
MAX_GROWTH = 150 << 20
"""Bytes that a tree may take: code takes 20 times its size, but some that is broken 10,000 times."""
TIME_LIMITS = 1.0, 0.3, 2.5
"""Seconds of CPU time, more of them for each MB, and seconds on the wall. Content that is not of the language
takes 30 to 100 times longer than content that is; the right one takes about 0.3 s for each MB."""
PIECE = 65_536
TEXT = 400
"""Bytes of a definition from which its signature is made."""
SIGNATURE = 160
DOC = 100
LEADING = re.compile(r"(?:@(?!interface\b)[\w.:]+(?:\([^()]*\))?\s+|\[[^\]\n]*\]\s+|#\[[^\]\n]*\]\s+)+")
"""Annotations and attributes in front of a definition."""
TRAILING = re.compile(r"(?:\s|=>|[{:=]|\bdo$)+$")
"""What leads from a signature into its body."""
COMMENT = re.compile(r"\s*(?://|--|/?\*|#(?!\s*define|\[|!)|@(?!interface\b))")
"""A line of comment or annotation inside a signature."""
MERGED = ("elixir", "haskell")
"""Languages in which one function is written as several clauses of the same name."""
QUIET = frozenset(
    ("expression_statement", "return_statement", "string", "comment", "assert_statement", "import_statement")
)
"""What holds no definition in Python, where expressions cannot."""
METHODS = ("method", "constructor", "destructor", "init", "deinit", "subscript", "operator", "indexer")
FUNCTIONS = ("function", "getter", "setter", "macro", "subroutine", "bind", "let", "property")
CODE = frozenset((*METHODS, *FUNCTIONS, "def", "defp", "defmacro", "defmacrop"))
"""Kinds whose inside is code rather than members."""


class SpannedDefinition(NamedTuple):
    """Hold a definition with the bytes it spans, before its depth is known."""

    first: int
    last: int
    definition: Definition


def find_definitions(data: bytes, language: str) -> list[Definition] | None:
    """Return the definitions in ``data`` in their order, or None when it cannot be parsed as ``language``.

    It cannot when the grammar is absent, parsing takes too long, or most of the tree is errors.
    """
    if len(data) > MAX_BYTES or len(data) > MAX_LINE_BYTES * (data.count(b"\n") + 1):
        return None
    loaded = load_grammar(language)
    is_late = _make_deadline(len(data))
    tree = _parse(data, loaded, is_late) if loaded is not None else None
    if tree is None:
        return None
    spans = _collect_definitions(tree.root_node, data, language, is_late)
    return None if spans is None else _merge_clauses(_set_depths(spans), language)


def _make_deadline(size: int) -> Callable[[], bool]:
    """Return what tells whether the time that ``size`` bytes may take is over, or the memory."""
    cpu, more, wall = TIME_LIMITS
    until, latest = thread_time() + cpu + more * size / 1e6, monotonic() + wall
    most = _read_peak_memory() + MAX_GROWTH
    return lambda: thread_time() > until or monotonic() > latest or _read_peak_memory() > most


def _read_peak_memory() -> int:
    """Return the most memory that the process has held, in bytes; 0 where the system does not say."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return 0
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _parse(data: bytes, language: Language, is_late: Callable[[], bool]) -> Tree | None:
    """Return the tree of ``data``, or None when making it takes too long.

    The source must be a callable: given bytes, tree-sitter 0.26 never asks whether to go on.
    """
    from tree_sitter import Parser

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + PIECE]

    try:
        return Parser(language).parse(read, progress_callback=lambda _at, _failed: is_late())
    except ValueError:  # what a stopped parser raises
        return None


def _collect_definitions(
    root: Node, data: bytes, language: str, is_late: Callable[[], bool]
) -> list[SpannedDefinition] | None:
    """Return every definition below ``root``, or None when it is mostly errors, with little recognized in them.

    Inside functions, only what spans several lines is entered: nothing else is worth a place on a map.
    """
    spans: list[SpannedDefinition] = []
    failed = len(data) if root.type == "ERROR" else 0
    stack = [(child, False) for child in reversed(root.named_children)]
    for turn in count():
        if not stack or (turn % 1024 == 1023 and is_late()):
            break
        node, inside = stack.pop()
        if node.type == "ERROR":
            failed += node.end_byte - node.start_byte
        several = node.end_point[0] > node.start_point[0]
        declaration = find_declaration(node, language)
        if declaration is not None and _is_worth_listing(declaration, several, inside, language):
            spans.append(_make_definition(node, declaration, data, language))
            inside = inside or declaration.kind in CODE
        if inside and language != "python":
            stack.extend((c, True) for c in reversed(node.named_children) if c.end_point[0] > c.start_point[0])
        elif (several or not inside) and not (language == "python" and node.type in QUIET):
            stack.extend((child, inside) for child in reversed(node.named_children))
    wrong = failed > len(data) / 2 and _count_covered(spans) < len(data) / 3
    return None if wrong or stack else spans


def _count_covered(spans: list[SpannedDefinition]) -> int:
    """Return how many bytes lie in a definition."""
    total = reached = 0
    for span in spans:  # in order of their first byte
        total += max(span.last - max(span.first, reached), 0)
        reached = max(reached, span.last)
    return total


def _is_worth_listing(declaration: Declaration, several: bool, inside: bool, language: str) -> bool:
    """Tell whether a definition is one: inside a function, a promise is a variable and one line is an expression."""
    return not inside or (several and declaration.kind != "prototype") or language == "python"


def _make_definition(node: Node, declaration: Declaration, data: bytes, language: str) -> SpannedDefinition:
    """Return the definition at ``node``; it starts on the line of its name."""
    name = (declaration.name.text or b"").decode("utf-8", "replace").partition("\n")[0].strip()
    last = _find_last_leaf(node) if language == "python" else _find_end_node(node)
    end = last.end_point[0] + (1 if last.end_point[1] else 0)
    start = declaration.name.start_point[0] + 1
    doc = _read_docstring(declaration.body) if language == "python" and declaration.body is not None else ""
    signature = _read_signature(node, declaration.body, data)
    if declaration.kind == "type" and declaration.name.start_byte > node.start_byte and name not in signature:
        signature = f"{signature} {name}"  # a typedef's comes after what it names
    definition = Definition(name, declaration.kind, start, max(start, end), 0, signature, doc)
    return SpannedDefinition(node.start_byte, last.end_byte, definition)


def _find_end_node(node: Node) -> Node:
    """Return the node a definition ends with: Dart puts the body of a function beside it."""
    if not node.type.endswith("_signature"):  # asking for parents and siblings is slow
        return node
    parent = node.parent
    after = (parent if parent is not None and parent.type == "method_signature" else node).next_named_sibling
    return after if after is not None and after.type == "function_body" else node


def _find_last_leaf(node: Node) -> Node:
    """Return the leaf that a Python definition ends with: comments after it belong to a block, not to it."""
    while node.child_count:
        inner = next((child for child in reversed(node.children) if child.type != "comment"), None)
        if inner is None:
            break
        node = inner
    return node


def _read_signature(node: Node, body: Node | None, data: bytes) -> str:
    """Return the text from the beginning of the line up to the body, on one line."""
    begin = data.rfind(b"\n", 0, node.start_byte) + 1
    if not data[begin : node.start_byte].replace(b" ", b"").replace(b"\t", b"").isalpha():
        begin = node.start_byte
    end = body.start_byte if body is not None and body.start_byte > node.start_byte else node.end_byte
    text = data[begin : min(end, begin + TEXT)].decode("utf-8", "ignore").strip()
    if text[:1] in ("@", "[", "#"):
        text = LEADING.sub("", text, count=1)
    if body is None and not text.endswith((";", ")")):
        text = text.partition("\n")[0]
    text = "\n".join(line for line in text.split("\n") if not COMMENT.match(line))
    text = " ".join(TRAILING.sub("", text).split())
    text = text.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return text if len(text) <= SIGNATURE else f"{text[:SIGNATURE].rstrip()}..."


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
    """Yield definitions with their depth: how many others each lies in."""
    from dataclasses import replace

    around: list[SpannedDefinition] = []
    for span in sorted(spans, key=lambda f: (f.first, -f.last)):
        while around and around[-1].last <= span.first:
            around.pop()
        if span.definition.name and not (around and _is_typedef_of(around[-1].definition, span.definition)):
            yield replace(span.definition, depth=len(around))
            around.append(span)


def _is_typedef_of(outer: Definition, inner: Definition) -> bool:
    """Tell whether a typedef gives a struct the name that it has."""
    return outer.kind == "type" and (outer.name, outer.start) == (inner.name, inner.start)


def _merge_clauses(nested: Iterator[Definition], language: str) -> list[Definition]:
    """Return definitions with clauses merged, and without promises of what stands below."""
    from dataclasses import replace

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
