"""Source code: what it defines and on which lines, then the signatures."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.code.components import COMPONENTS, blocks
from ctxkit.core.brief.code.conflicts import conflicts
from ctxkit.core.brief.code.minified import minified, outlines
from ctxkit.core.brief.code.patterns import matched
from ctxkit.core.brief.code.regions import Region, regions
from ctxkit.core.brief.code.scopes import NOUNS, UNCALLED, Node, nested, size, surface
from ctxkit.core.brief.document import Definition, Document
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import render
from ctxkit.core.languages import (
    LANGUAGES,
    language_of_header,
    language_of_name,
    language_of_shebang,
    language_of_text,
)
from ctxkit.core.limits import DEFINITION_SPACE, DEFINITIONS

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
SIGNED = 2_000_000
"""Rank from which signatures enter."""
SHORTEST = 8
"""Lines of code between definitions that a lean map names; imports it always names."""
TOP = 20
"""Lines in which a file says that it is generated."""
GENERATED = re.compile(
    r"(?i)^\s*(?://|#|/?\*|--|;|%|<!--|\"\"\").*(?:@generated\b|\bcode generated\b|\bdo not (?:edit|modify)\b"
    r"|auto-?generated"
    r"|automatically generated|\bgenerated (?:by|from)\b)"
)
GRAMMARS = {"starlark": "python"}
"""Languages that the grammar of a larger one reads."""
BY_SIGNATURE = frozenset(("impl", "extension", "instance", "defimpl", "block"))
"""Kinds whose name alone says too little: ``impl Display for Config``."""


def sniff(document: Document) -> float:
    """Return how sure it is that this is source code: by name, by first line, by words."""
    if "\0" in document.head:
        return 0.0
    named = language_of_name(document.name, document.head)
    if named == "template":
        return 0.55  # what it is a template of may be known better
    if named and not document.head.lstrip().startswith(("<?xml", "<!DOCTYPE")):
        return 0.9
    if language_of_shebang(document.head.partition("\n")[0]):
        return 0.9
    sure = language_of_text(document.head)[1]
    return sure if not document.suffix else min(sure, 0.6)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return maps from signatures with docstrings down to bare names, None when nothing is defined."""
    language = _language(document)
    if minified(document):
        return outlines(document, NAME, language)
    found = _parsed(document, language)
    title = TITLE
    if not found and document.lines.size <= MATCHED:
        found, title = matched(document.lines.numbered(), language), GUESSED
    found = [one for one in found or () if 1 <= one.start <= one.end <= document.lines.total]
    if not found or (len(found) > DEFINITIONS and len(found) * DEFINITION_SPACE > document.lines.size):
        return None
    texts = document.lines.texts() if document.lines.size <= PARSED else []
    tree = nested(found)
    around = list(regions(texts, [node.definition for node in tree])) if texts else []
    signatures = Section("Key signatures", tuple(_signatures(tree, docs=False)), "signatures")
    explained = Section("Key signatures", tuple(_signatures(tree, docs=True)), "signatures")
    full = Section(title, tuple(_rows(tree, around)), "definitions")
    lean = Section(title, tuple(_lean(tree, [r for r in around if _matters(r)])), "definitions")
    shapes: list[tuple[Section, ...]] = [(full, explained), (full, signatures), (lean, signatures)]
    imports = [region for region in around if region.what == "imports"][:1]
    if _fits(document, lean, None):
        shapes.append((Section(title, tuple(_lean(tree, imports)), "definitions"), signatures))
    else:
        shapes.extend((section,) for section in _close(document, title, tree, imports))
    left = Section("Conflicts that a merge left", tuple(one.entry() for one in conflicts(texts)), "conflicts")
    made = Section("", tuple(_generated(texts)), "lines")
    return [Outline(NAME, (made, left, *shape), language) for shape in shapes]


def _generated(texts: Sequence[str]) -> Iterator[Entry]:
    """Yield the line near the top that says that a program wrote the file."""
    for number, text in enumerate(texts[:TOP], 1):
        if GENERATED.search(text):
            yield quote(number, text, width=120)
            return


def _language(document: Document) -> str:
    if document.forced in LANGUAGES:
        return document.forced
    first = document.head.partition("\n")[0]
    named = language_of_name(document.name, document.head)
    if document.suffix == "h" and named == "c":
        return language_of_header(document.head)
    return named or language_of_shebang(first) or language_of_text(document.head)[0]


def _parsed(document: Document, language: str) -> Sequence[Definition] | None:
    if not language or document.lines.size > PARSED:
        return None
    if language in COMPONENTS:
        return blocks(document)
    return document.parse(document.read(0, document.lines.size), GRAMMARS.get(language, language))


def _matters(region: Region) -> bool:
    return region.what == "imports" or region.end - region.start + 1 >= SHORTEST


def _fits(document: Document, section: Section, admitted: set[int] | None) -> bool:
    """Tell whether a section, or what is admitted of it, leaves room for what stands around and after it."""
    text = render(Outline(NAME, (section,)), lambda _outline, body, _quoted: body, admitted)
    return document.count(text) < document.target - AROUND


def _name(node: Node) -> str:
    """Return how a map calls a definition: ``class Config``, ``parse``."""
    one = node.definition
    if one.kind in BY_SIGNATURE:
        return one.signature if len(one.signature) <= 60 else f"{one.kind} {one.name}"
    return f"{one.kind} {one.name}" if node.contains or one.kind in NOUNS else one.name


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
        plain = one.contains or one.definition.kind in NOUNS or one.definition.kind in UNCALLED
        label = _name(one) if plain else f"{one.definition.name}()"
        children = tuple(_dense(child) for child in one.children)
        yield Entry(label, one.definition.start, one.definition.end, children=children)


def _lean(tree: Sequence[Node], around: Sequence[Region]) -> Iterator[Entry]:
    """Yield the same close together, with fewer names."""
    for one in _merged(tree, around):
        yield Entry(one.label(4), one.start, one.end) if isinstance(one, Region) else _dense(one)


def _close(document: Document, title: str, tree: Sequence[Node], imports: Sequence[Region]) -> Iterator[Section]:
    """Yield maps for little room: all names, those worth most of it, and what is at the top level alone."""
    yield Section(title, tuple(_lean(tree, imports)), "definitions", tight=True)
    kept = [node for node in map(surface, tree) if node]
    left = sum(map(size, tree)) - sum(map(size, kept))
    title += f" ({left:,} macros and inner functions left out)" * bool(left)
    yield Section(title, tuple(_lean(kept, imports)), "definitions", tight=True)
    yield Section(title, tuple(_flat(kept)), "definitions", tight=True)
    if any(node.definition.kind in BY_SIGNATURE for node in kept):
        return  # their names cost more than they say
    names = Section(title, tuple(map(_dense, kept)), "definitions", tight=True)
    if _fits(document, names, {id(entry) for entry in names.entries}):
        yield names
    else:
        tops = (replace(entry, label=_plain(entry.label), children=()) for entry in names.entries)
        yield Section(f"{title}, top level only", tuple(tops), "definitions", tight=True)


def _flat(nodes: Sequence[Node]) -> Iterator[Entry]:
    """Yield names with their lines alone, one after another: members follow what they are of; blocks have no name."""
    for node in nodes:
        one = node.definition
        if one.kind not in BY_SIGNATURE or one.kind == "block":
            yield Entry(_plain(_name(node)), one.start, one.end, node.rank, dense=True)
        yield from _flat(node.children)


def _plain(name: str) -> str:
    """Return a name without what stands between angle brackets, as ``Map<K, V>::get`` has."""
    shorter = re.sub(r"(?<=\w)<[^<>]*>", "", name)
    return name if shorter == name else _plain(shorter)


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
