"""Find definitions in source code with tree-sitter, and quote their signatures and fields."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from time import monotonic, thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.brief.document import Definition, MissingGrammar
from ctxkit.engines.definition_nodes import Declaration, find_declaration
from ctxkit.engines.grammars import find_package, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_WIDE_BLANK = re.compile(r"[\n\t]|  ")
_QUOTE = re.compile("[\"'`]")
_MAX_TEXT = 6_000
"""Maximum bytes of a definition that are read for its signature."""
_MAX_SIGNATURE = 1_500
"""Maximum characters of a signature; renderers may cut it shorter."""
_MAX_FIELD = 80
_MAX_FIELDS = 60
_MAX_BODY_NODES = 400
"""Maximum nodes of a body that are searched for fields."""
HIDDEN = re.compile(r"(?:\w+_)?comment|annotation|marker_annotation|decorator|attribute_item|attribute_list|attribute")
"""Nodes that a signature omits if they stand before the name; comments are omitted everywhere."""
HEAD = re.compile(r"modifiers|attributes|export_statement|method_signature")
"""Nodes whose children are searched for annotations."""
_SUSPICIOUS = re.compile(rb"//|/\*|#|--|@|\[|\{-|\(\*|;")
"""Text without this contains neither comments nor annotations."""
C_LIKE = ("c", "cpp", "objc")
_ACCESS = re.compile(
    r"(?s)\A.*?\b(?:public|private|protected|signals|Q_SIGNALS)\s*+(?:(?:slots|Q_SLOTS)\s*+)?:(?!:)\s*"
)
"""Matches text up to an access label, which belongs to the members after it, not to one of them."""
_MACRO_LINE = re.compile(r"[A-Z_][A-Z\d_]{2,}(?:\s*\([^()\n]*\))?;?[ \t]*\n\s*")
"""Matches a line that is only the use of a macro."""
_DIRECTIVES = re.compile(r"\A(?:[ \t]*#(?!\s*define\b).*\n\s*)+|(?:\n[ \t]*#.*)+\s*\Z")
"""Matches lines of the preprocessor before and after a signature."""
LEADING = re.compile(r"\A(?:@(?!interface\b)[\w.:]+(?:\([^()]*\))?\s+|\[[^\]\n]*\]\s+|#\[[^\]\n]*\]\s+)+")
"""Matches annotations and attributes before a definition."""
TRAILING = re.compile(r"(?<![\s{:=;])(?<!=>)(?:\s|=>|[{:=;]|\bdo$|\bbegin$)+$")
"""Matches the text between a signature and its body."""
_CLOSING = re.compile(r"\)\s*(?:$|->|[:;{=]|[a-z])")
"""Matches the parenthesis after the last parameter at the beginning of a line; a comma before it says nothing."""
_INITIALIZERS = ("field_initializer_list", "constructor_initializer")
"""Nodes before the body of a constructor that are code."""
FIELD = re.compile(
    r"field_declaration|(?:public_)?field_definition|property_(?:signature|declaration|definition)|enum_variant|enumerator"
    r"|enum_(?:constant|assignment|member_declaration|entry|case)|property_identifier|const_declaration"
    r"|event_field_declaration|val_definition|var_definition|stored_property|container_field"
)
"""Nodes in the body of a type that are its fields or values."""
_DUNDER = re.compile(r"__\w+__\b")
MAX_BYTES = 4_000_000
"""Maximum bytes of content to parse: a tree takes twenty times the memory."""
_MAX_LINE_BYTES = 500
"""Maximum mean bytes of a line; minified content parses ten times slower and has no useful outline."""
_MAX_GROWTH = 150 << 20
"""Maximum bytes of a tree: code takes 20 times its size, but some broken code 10,000 times."""
_TIME_LIMITS = 1.0, 0.3, 2.5
"""Seconds of processor time: a constant, and an amount for each MB; then seconds of wall-clock time.

Content of another language takes 30 to 100 times longer; content of the right language takes about 0.3 s per MB.
"""
PIECE = 65_536
_DOC = 100
_MERGED = ("elixir", "haskell")
"""Languages in which a function consists of several clauses of the same name."""
QUIET = frozenset(
    ("expression_statement", "return_statement", "string", "comment", "assert_statement", "import_statement")
)
"""Python nodes that cannot contain a definition."""
_METHODS = ("method", "constructor", "destructor", "init", "deinit", "subscript", "operator", "indexer")
_FUNCTIONS = ("function", "getter", "setter", "macro", "subroutine", "bind", "let", "property")
CODE = frozenset((*_METHODS, *_FUNCTIONS, "def", "defp", "defmacro", "defmacrop"))
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
    if len(data) > MAX_BYTES or len(data) > _MAX_LINE_BYTES * (data.count(b"\n") + 1):
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
    cpu, more, wall = _TIME_LIMITS
    until, latest = thread_time() + cpu + more * size / 1e6, monotonic() + wall
    most = _read_peak_memory() + _MAX_GROWTH
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
    signature = _read_signature(node, declaration.name, declaration.body, data, language)
    if declaration.kind == "type" and declaration.name.start_byte > node.start_byte and name not in signature:
        signature = f"{signature} {name}"  # a typedef's name follows its type
    fields = _read_fields(declaration.body, data, language) if declaration.kind in TYPES else ()
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
    return text if len(text) <= _DOC else f"{text[:_DOC].rstrip()}..."


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
        if language in _MERGED and last and (last.name, last.depth) == (definition.name, definition.depth):
            merged[-1] = replace(last, kind=definition.kind, end=max(last.end, definition.end))
        else:
            merged.append(definition)
    kept = {definition.name for definition in merged if definition.kind != "prototype"}
    return [
        definition
        for definition in merged
        if definition.kind != "prototype" or definition.depth or definition.name not in kept
    ]


def _read_signature(node: Node, name: Node, body: Node | None, data: bytes, language: str) -> str:
    """Return the text from the beginning of the definition to the body, on one line.

    Comments, and annotations before the name, are omitted. All other text is that of the source.
    """
    begin = _find_beginning(node, name, data)
    end = _find_end(node, body)
    cut = end - begin > _MAX_TEXT
    text = _read_visible(node, name, begin, min(end, begin + _MAX_TEXT), data)
    if language in C_LIKE:
        text = _remove_macros(text, (name.text or b"").decode("utf-8", "replace"))
    text = LEADING.sub("", text)
    if body is None and not text.rstrip().endswith((";", ")")):
        text = text.strip().partition("\n")[0]
    text = join_lines(TRAILING.sub("", text))
    return f"{text[:_MAX_SIGNATURE].rstrip()}..." if cut or len(text) > _MAX_SIGNATURE else text


def _find_beginning(node: Node, name: Node, data: bytes) -> int:
    """Return the byte where the definition begins: that of its line if only words such as export stand before it."""
    begin = data.rfind(b"\n", 0, node.start_byte) + 1
    before = data[begin : node.start_byte].replace(b" ", b"").replace(b"\t", b"")
    return begin if before.isalpha() else min(node.start_byte, name.start_byte)


def _find_end(node: Node, body: Node | None) -> int:
    """Return the byte where the signature ends: the body, or the initializers of a constructor before it."""
    end = body.start_byte if body is not None and body.start_byte > node.start_byte else node.end_byte
    for child in node.named_children if body is not None else ():
        if child.type in _INITIALIZERS:
            return min(end, child.start_byte)
    return end


def _read_visible(node: Node, name: Node, begin: int, end: int, data: bytes) -> str:
    """Return the text between two bytes without its comments and the annotations before ``name``."""
    if _SUSPICIOUS.search(data, begin, end) is None:
        return data[begin:end].decode("utf-8", "replace").strip()
    parts, at = [], begin
    for first, last in _iter_hidden(node, name.start_byte, end):
        if first >= at:
            parts.append(data[at:first])
            at = last
    parts.append(data[at : max(end, at)])
    return b"".join(parts).decode("utf-8", "replace").strip()


def _iter_hidden(node: Node, name: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last byte of each comment up to ``end``, and of each annotation before ``name``, in order."""
    stack = [(child, True) for child in reversed(node.children)]
    while stack:
        child, head = stack.pop()
        if child.start_byte >= end:
            continue
        if "comment" in child.type or (head and child.start_byte < name and HIDDEN.fullmatch(child.type)):
            yield child.start_byte, child.end_byte
        elif child.child_count:
            inner = head and HEAD.fullmatch(child.type) is not None
            stack.extend((deeper, inner) for deeper in reversed(child.children))


def _remove_macros(text: str, name: str) -> str:
    """Return a C or C++ signature without access labels and lines of macros before it, if a type remains."""
    text = _DIRECTIVES.sub("", text)
    at = text.find(name)
    head, tail = (text[:at], text[at:]) if at >= 0 else ("", text)
    head = _ACCESS.sub("", head)
    while (macro := _MACRO_LINE.match(head)) and head[macro.end() :].strip():
        head = head[macro.end() :]
    return head + tail


def join_lines(text: str) -> str:
    """Return text on one line, without a comma before its last parenthesis; blanks in strings are kept."""
    if not _WIDE_BLANK.search(text):
        return text.strip()
    rows = [row for row in map(str.strip, text.split("\n")) if row]
    if not _QUOTE.search(text):
        rows = [" ".join(row.split()) for row in rows]
    joined = rows[0] if rows else ""
    for row in rows[1:]:
        if joined.endswith(",") and _CLOSING.match(row):
            joined = joined[:-1]
        joined += ("" if joined.endswith(("(", "[")) or row[0] in ")]" else " ") + row
    return joined


def _read_fields(body: Node | None, data: bytes, language: str) -> tuple[str, ...]:
    """Return the text of the fields, or the values of an enumeration, in the body of a type."""
    if body is None:
        return ()
    from itertools import islice

    nodes = (_find_field(child, language) for child in islice(body.named_children, _MAX_BODY_NODES))
    texts = (_read_field(node, data) for node in nodes if node is not None)
    return tuple(islice(filter(None, texts), _MAX_FIELDS + 1))


def _find_field(node: Node, language: str) -> Node | None:
    """Return the field that a child of a body is, or None."""
    if language == "python":
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_child_count else None
        left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
        return inner if left is not None and left.type == "identifier" else None
    return (
        node if FIELD.fullmatch(node.type) and not node.has_error and find_declaration(node, language) is None else None
    )


def _read_field(node: Node, data: bytes) -> str:
    """Return the text of a field on one line, cut before a long value or a body."""
    text = _read_visible(node, node, node.start_byte, min(node.end_byte, node.start_byte + _MAX_TEXT), data)
    text = join_lines(LEADING.sub("", text)).rstrip(",; ")
    if _DUNDER.match(text):
        return ""
    if len(text) > _MAX_FIELD:
        short, mark, _ = (*re.split(r"(?<!\s)\s*+(\{|(?<![=<>!])=(?![=>]))", text, maxsplit=1), "", "")[:3]
        text = f"{short[:_MAX_FIELD].rstrip()} {mark.replace('{', '')}...".replace("=...", "= ...")
    return text
