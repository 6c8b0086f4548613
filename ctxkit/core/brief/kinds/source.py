"""Source code: what it defines and on which lines, then the signatures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.document import Definition, Document
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.patterns import matched
from ctxkit.core.brief.regions import Region, regions
from ctxkit.core.brief.render import render
from ctxkit.core.languages import (
    LANGUAGES,
    language_of_header,
    language_of_name,
    language_of_shebang,
    language_of_text,
)

NAME = "source"
TYPES: Sequence[str] = tuple(LANGUAGES)
PARSED = 4_000_000
"""Bytes past which content is not handed to the parser."""
MATCHED = 32_000_000
"""Bytes past which not even patterns are looked for."""
AROUND = 150
"""Tokens kept for what stands around a map."""
TITLE = "Structure"
GUESSED = "Structure (heuristic: matched by pattern, not parsed)"
INSIDE = 1_000_000
"""Rank from which definitions inside functions enter, after everything else that is defined."""
SIGNED = 2_000_000
"""Rank from which signatures enter."""
SHORTEST = 8
"""Lines of code between definitions that a lean map names; imports it always names."""
TYPELIKE = ("actor", "class", "data", "enum", "interface", "mixin", "protocol", "record", "struct", "trait", "type")
SCOPES = ("defimpl", "defmodule", "defprotocol", "extension", "impl", "instance", "mod", "module", "namespace")
TESTS = ("describe", "context", "suite", "it", "test", "specify")
CONTAINERS = frozenset((*TYPELIKE, *SCOPES, *TESTS, "object", "union"))
"""Kinds whose members stand below them; anything else is code."""
BY_SIGNATURE = frozenset(("impl", "extension", "instance", "defimpl", "block"))
"""Kinds whose name alone says too little: ``impl Display for Config``."""


@dataclass
class Node:
    """Hold a definition and those inside it."""

    definition: Definition
    children: list["Node"] = field(default_factory=list)
    rank: int = 0

    @property
    def contains(self) -> bool:
        """Tell whether members stand in it, rather than code."""
        return self.definition.kind in CONTAINERS

    @property
    def tests(self) -> bool:
        """Tell whether it tests the rest of the file."""
        return self.definition.name.lower().startswith("test")


def sniff(document: Document) -> float:
    """Return how sure it is that this is source code: by name, by first line, by words."""
    if "\0" in document.head:
        return 0.0
    if language_of_name(document.name) and not document.head.lstrip().startswith(("<?xml", "<!DOCTYPE")):
        return 0.9
    if language_of_shebang(document.head.partition("\n")[0]):
        return 0.9
    sure = language_of_text(document.head)[1]
    return sure if not document.suffix else min(sure, 0.6)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return maps from signatures with docstrings down to bare names, None when nothing is defined."""
    language = _language(document)
    found = _parsed(document, language)
    title = TITLE
    if not found and document.lines.size <= MATCHED:
        found, title = matched(document.lines.numbered(), language), GUESSED
    found = [one for one in found or () if 1 <= one.start <= one.end <= document.lines.total]
    if not found:
        return None
    texts = document.lines.texts() if document.lines.size <= PARSED else []
    tree = _tree(found)
    around = list(regions(texts, [node.definition for node in tree]))
    signatures = Section("Key signatures", tuple(_signatures(tree, docs=False)), "signatures")
    explained = Section("Key signatures", tuple(_signatures(tree, docs=True)), "signatures")
    full = Section(title, tuple(_rows(tree, around)), "definitions")
    lean = Section(title, tuple(_lean(tree, [r for r in around if _matters(r)])), "definitions")
    bare = Section(title, tuple(_lean(tree, [r for r in around if r.what == "imports"][:1])), "definitions")
    shapes: list[tuple[Section, ...]] = [(full, explained), (full, signatures), (lean, signatures)]
    if _fits(document, lean, None):
        shapes.append((bare, signatures))
    elif _fits(document, bare, {id(entry) for entry in bare.entries}):
        shapes.append((bare,))
    else:
        shapes.append((Section(f"{title}, top level only", tuple(_tops(tree)), "definitions"),))
    return [Outline(NAME, shape, language) for shape in shapes]


def _language(document: Document) -> str:
    if document.forced in LANGUAGES:
        return document.forced
    first = document.head.partition("\n")[0]
    named = language_of_name(document.name)
    if document.suffix == "h" and named == "c":
        return language_of_header(document.head)
    return named or language_of_shebang(first) or language_of_text(document.head)[0]


def _parsed(document: Document, language: str) -> Sequence[Definition] | None:
    if not language or document.lines.size > PARSED:
        return None
    return document.parse(document.read(0, document.lines.size), language)


def _matters(region: Region) -> bool:
    return region.what == "imports" or region.end - region.start + 1 >= SHORTEST


def _fits(document: Document, section: Section, admitted: set[int] | None) -> bool:
    """Tell whether a section, or what is admitted of it, leaves room for what stands around and after it."""
    text = render(Outline(NAME, (section,)), lambda _outline, body, _quoted: body, admitted)
    return document.count(text) < document.target - AROUND


def _tree(found: Sequence[Definition]) -> list[Node]:
    """Return the definitions at the top level, the others below them, each with its rank."""
    tops: list[Node] = []
    around: list[Node] = []
    for one in found:
        node = Node(one)
        del around[one.depth :]
        (around[-1].children if around else tops).append(node)
        around.append(node)
    _rank(tops)
    return tops


def _rank(tops: list[Node]) -> None:
    """Rank what is below the top level: members of the longest classes first, then tests, then what functions hold.

    The members of one class share a rank, so that they are shown or left out together: each gap costs a line.
    """
    level = [node for node in tops if node.children]
    rank = 1
    depth = 0
    while level:
        depth += 1
        level.sort(key=lambda node: (not node.contains, node.tests, node.definition.start - node.definition.end))
        for node in level:
            for child in node.children:
                inner = child.contains and bool(child.children) and depth == 1
                child.rank = 0 if inner else rank if node.contains else INSIDE + depth
            rank += 1
        level = [child for node in level for child in node.children if child.children]
    _lift(tops)


def _lift(nodes: Sequence[Node], inside: bool = False) -> bool:
    """Rank classes that stand inside functions, and what they stand in, with the classes at the top level."""
    lifted = False
    for node in nodes:
        if _lift(node.children, inside or not node.contains) or (inside and node.contains):
            node.rank, lifted = 0, True
    return lifted


def _name(node: Node) -> str:
    """Return how a map calls a definition: ``class Config``, ``parse``."""
    one = node.definition
    if one.kind in BY_SIGNATURE:
        return one.signature if len(one.signature) <= 60 else f"{one.kind} {one.name}"
    return f"{one.kind} {one.name}" if node.contains else one.name


def _dense(node: Node) -> Entry:
    one = node.definition
    children = tuple(_dense(child) for child in node.children)
    return Entry(_name(node), one.start, one.end, node.rank, dense=True, children=children)


def _merged(tree: Sequence[Node], around: Sequence[Region]) -> list[Node | Region]:
    """Return definitions and what is between them in the order of their lines."""

    def line(one: Node | Region) -> int:
        return one.start if isinstance(one, Region) else one.definition.start

    return sorted([*tree, *around], key=line)


def _rows(tree: Sequence[Node], around: Sequence[Region]) -> Iterator[Entry]:
    """Yield one entry for everything at the top level, members close together below their class."""
    for one in _merged(tree, around):
        if isinstance(one, Region):
            yield Entry(one.label(), one.start, one.end)
            continue
        label = _name(one) if one.contains else f"{one.definition.name}()"
        children = tuple(_dense(child) for child in one.children)
        yield Entry(label, one.definition.start, one.definition.end, children=children)


def _lean(tree: Sequence[Node], around: Sequence[Region]) -> Iterator[Entry]:
    """Yield the same close together, with fewer names."""
    for one in _merged(tree, around):
        yield Entry(one.label(4), one.start, one.end) if isinstance(one, Region) else _dense(one)


def _tops(tree: Sequence[Node]) -> Iterator[Entry]:
    """Yield what is at the top level by name alone."""
    for node in tree:
        yield Entry(_name(node), node.definition.start, node.definition.end, dense=True)


def _signatures(tree: Sequence[Node], docs: bool) -> Iterator[Entry]:
    """Yield signatures, public ones at the top level first, each on its own line."""
    for order, one in enumerate(sorted(_signed(tree, False), key=lambda pair: pair[0])):
        definition = one[1]
        label = f"{definition.signature} \u2014 {definition.doc}" if docs and definition.doc else definition.signature
        yield Entry(label, definition.start, definition.start, SIGNED + order)


def _signed(nodes: Sequence[Node], private: bool) -> Iterator[tuple[tuple[bool, int], Definition]]:
    """Yield what has a signature worth reading, with its place in the order: what functions hold has none."""
    for node in nodes:
        one = node.definition
        hidden = private or node.tests or (one.name.startswith("_") and one.name != "__init__")
        if _says_more(one):
            yield (hidden, one.depth), one
        if node.contains:
            yield from _signed(node.children, hidden)


def _says_more(one: Definition) -> bool:
    """Tell whether the signature says more than the structure does."""
    known = one.kind in BY_SIGNATURE or one.signature.endswith(f"{one.kind} {one.name}")
    return not known and one.signature not in ("", one.name)
