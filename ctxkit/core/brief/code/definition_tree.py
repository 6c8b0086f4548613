"""Nest definitions by their lines, cut their signatures, and list them in few tokens."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.document import Definition
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import find_largest

INNER_RANK = 1_000_000
"""First rank of definitions inside functions, after all other definitions."""
_TYPELIKE = ("actor", "class", "data", "enum", "interface", "mixin", "protocol", "record", "struct", "trait", "type")
_SCOPES = ("defimpl", "defmodule", "defprotocol", "extension", "impl", "instance", "mod", "module", "namespace")
_TESTS = ("describe", "context", "suite", "it", "test", "specify")
_OTHER_CONTAINERS = (
    "abstract type", "architecture", "baremodule", "block", "class create", "contract", "entity",
    "implementation", "input", "keyframes", "library", "media", "message", "mutable struct", "namespace eval",
    "oneof", "package", "program", "role", "service", "section", "stage", "structure", "submodule",
    "type alias", "unit",
)
CONTAINERS = frozenset((*_TYPELIKE, *_SCOPES, *_TESTS, *_OTHER_CONTAINERS, "object", "union"))
"""Kinds with members, not code, inside them."""
NAMED_KINDS = frozenset(
    (
        "add", "arg", "cmd", "copy", "entrypoint", "env", "expose", "healthcheck", "label", "run", "user",
        "volume", "workdir", "aggregate", "database", "domain", "event", "extension", "index", "policy",
        "procedure", "schema", "sequence", "table", "trigger", "view", "data", "module", "moved", "output",
        "provider", "resource", "variable", "directive", "enum", "fragment", "interface", "mutation", "query",
        "rpc", "scalar", "subscription", "union",
    )
)
"""Kinds that a label includes, because the name alone says too little."""
UNCALLABLE_KINDS = frozenset(
    (
        "binding", "cell", "const", "declaration", "label", "macro", "mixin", "pattern", "process", "recipe", "rule",
        "state", "target", "task", "test", "var",
    )
)
"""Kinds that are not called with parentheses."""


@dataclass
class DefinitionNode:
    """Hold a definition and its nested definitions."""

    definition: Definition
    children: list["DefinitionNode"] = field(default_factory=list)
    rank: int = 0

    @property
    def is_container(self) -> bool:
        """Return whether the definition contains members, not code."""
        return self.definition.kind in CONTAINERS

    @property
    def is_test(self) -> bool:
        """Return whether the definition is a test."""
        return self.definition.name.lower().startswith("test")


def build_tree(definitions: Sequence[Definition]) -> list[DefinitionNode]:
    """Return the definitions at the top level, with the others nested and ranked."""
    tops: list[DefinitionNode] = []
    around: list[DefinitionNode] = []
    for definition in definitions:
        node = DefinitionNode(definition)
        del around[definition.depth :]
        (around[-1].children if around else tops).append(node)
        around.append(node)
    _rank_nodes(tops)
    return tops


def _rank_nodes(tops: list[DefinitionNode]) -> None:
    """Rank nested definitions: members of the longest classes first, then tests, then definitions inside functions.

    The members of one class share a rank, so that they are shown or hidden together: each gap costs a line.
    """
    level = [node for node in tops if node.children]
    rank = 1
    depth = 0
    while level:
        depth += 1
        level.sort(key=lambda node: (not node.is_container, node.is_test, node.definition.start - node.definition.end))
        for node in level:
            for child in node.children:
                inner = child.is_container and bool(child.children) and depth == 1
                child.rank = 0 if inner else rank if node.is_container else INNER_RANK + depth
            rank += 1
        level = [child for node in level for child in node.children if child.children]
    _lift_classes(tops)


def _lift_classes(nodes: Sequence[DefinitionNode], inside: bool = False) -> bool:
    """Give classes inside functions, and the definitions around them, the rank of top-level classes."""
    lifted = False
    for node in nodes:
        if _lift_classes(node.children, inside or not node.is_container) or (inside and node.is_container):
            node.rank, lifted = 0, True
    return lifted


_SIGNATURE_RANK = 2_000_000
"""First rank of signatures."""
TITLE = "Key signatures"
_NARROW = 160
"""Maximum number of characters of a signature in the shortest section."""
_FIELD_WIDTHS = (400, 240, 120)
"""Maximum number of characters of the fields of a type, from the most detailed section to the shortest."""
BY_SIGNATURE = frozenset(("impl", "extension", "instance", "defimpl", "block"))
"""Kinds whose name alone says too little: ``impl Display for Config``."""
_COMMA_LANGUAGES = ("rust", "zig")
"""Languages that separate fields with commas; others end them with semicolons or lines."""


def make_signature_sections(tree: Sequence[DefinitionNode], language: str) -> tuple[Section, Section, Section]:
    """Return whole signatures with docstrings, whole signatures, and signatures cut to a common width."""
    ordered = [definition for _, definition in sorted(_find_signatures(tree, False), key=lambda pair: pair[0])]
    explained, whole, narrow = (
        Section(TITLE, tuple(_make_entries(ordered, language, level)), "signatures") for level in range(3)
    )
    return explained, whole, narrow


def _make_entries(definitions: Sequence[Definition], language: str, level: int) -> Iterator[Entry]:
    """Yield an entry for each signature; public ones at the top level come first."""
    for order, definition in enumerate(definitions):
        label = definition.signature
        if level == 2 and len(label) > _NARROW:
            label = f"{label[:_NARROW].rstrip()}..."
        label += format_fields(definition, language, _FIELD_WIDTHS[level])
        if level == 0 and definition.doc:
            label = f"{label} \u2014 {definition.doc}"
        yield Entry(label, definition.start, definition.start, _SIGNATURE_RANK + order)


def format_fields(definition: Definition, language: str, width: int) -> str:
    """Return `` { model: String, ... }`` with the fields that fit into ``width`` characters, or nothing."""
    if not definition.fields:
        return ""
    separator = ", " if language in _COMMA_LANGUAGES or definition.kind == "enum" else "; "
    shown: list[str] = []
    left = width
    for name in definition.fields:
        left -= len(name) + len(separator)
        if left < 0 and shown:
            shown.append("...")
            break
        shown.append(name)
    return f" {{ {separator.join(shown)} }}"


def _find_signatures(nodes: Sequence[DefinitionNode], private: bool) -> Iterator[tuple[tuple[bool, int], Definition]]:
    """Yield definitions with a useful signature and their sort keys; local definitions of functions are left out."""
    for node in nodes:
        definition = node.definition
        hidden = private or node.is_test or (definition.name.startswith("_") and definition.name != "__init__")
        if _has_telling_signature(definition):
            yield (hidden, definition.depth), definition
        if node.is_container:
            yield from _find_signatures(node.children, hidden)


def _has_telling_signature(definition: Definition) -> bool:
    """Return whether the signature says more than the kind and the name."""
    known = definition.kind in BY_SIGNATURE or definition.signature.endswith(f"{definition.kind} {definition.name}")
    return bool(definition.fields) or (not known and definition.signature not in ("", definition.name))


_NOUN = "definitions"
_SHARES = 0.96
"""Share of the names of a section that the next shorter section keeps."""
_FEWEST = 4
"""Number of names in the shortest section."""
_MAX_LADDER = 20_000
"""Maximum number of names in the longest section that leaves names out."""
_SPARE = 1.06
"""Factor of the estimated number of names that fit, from which sections are tried."""
_MINOR_KINDS = frozenset(("alias", "macro", "property", "prototype"))
"""Kinds that are listed last, because they have no body to read or stand for what is defined elsewhere."""
Fits = Callable[[Section], bool]
"""Return whether a section fits, by an estimate of the frame around it."""


@dataclass(frozen=True, slots=True)
class RankedName:
    """Hold the label and the lines of a definition, and its order among the definitions if not all fit."""

    label: str
    start: int
    end: int
    order: tuple[int, int, int]


def format_name(node: DefinitionNode) -> str:
    """Return the label of a definition: ``class Config``, ``parse``."""
    definition = node.definition
    if definition.kind in BY_SIGNATURE:
        return definition.signature if len(definition.signature) <= 60 else f"{definition.kind} {definition.name}"
    named = node.is_container or definition.kind in NAMED_KINDS
    return f"{definition.kind} {definition.name}" if named else definition.name


def make_compact_sections(
    title: str, lean: Sequence[Entry], tree: Sequence[DefinitionNode], fits: Fits
) -> Iterator[Section]:
    """Yield sections from all names to the most useful few: nested names, a flat list, then shorter and shorter lists.

    A list names in its title how many of the definitions it shows. Names that come again stand once, with all lines.
    """
    yield Section(title, tuple(lean), _NOUN, tight=True)
    nodes = list(_iter_nodes(tree))
    entries = [
        Entry(_format_short_name(node), node.definition.start, node.definition.end, dense=True) for node in nodes
    ]
    yield Section(title, tuple(entries), _NOUN, tight=True)
    ranked = sorted(_rank_names(nodes), key=lambda name: name.order)[:_MAX_LADDER]

    def make(size: int) -> Section:
        heading = title if size == len(nodes) else f"{title}: {size:,} of {len(nodes):,} definitions"
        return Section(heading, tuple(_make_name_entries(ranked[:size])), _NOUN, tight=True)

    yield from map(make, _list_sizes(len(ranked), find_largest(1, len(ranked), make, fits)))


def _list_sizes(most: int, estimate: Section | None) -> Iterator[int]:
    """Yield the numbers of names to try, closely spaced around the estimated one."""
    expected = sum(1 + len(entry.repeats) for entry in estimate.entries) if estimate else 0
    size = min(most, int(expected * _SPARE) + 2)
    while size >= _FEWEST:
        yield size
        size = size - 1 if size > expected / _SPARE else min(int(size * _SHARES), size - 1)


def _iter_nodes(nodes: Sequence[DefinitionNode]) -> Iterator[DefinitionNode]:
    """Yield definitions in order, members after their container; kinds without a name are left out."""
    for node in nodes:
        if node.definition.kind not in BY_SIGNATURE or node.definition.kind == "block":
            yield node
        yield from _iter_nodes(node.children)


def _rank_names(nodes: Sequence[DefinitionNode]) -> Iterator[RankedName]:
    """Yield the names of definitions with their order: types first, private names late, minor definitions last.

    Among equals, those that take the least space come first. A name that comes again takes no more than its line,
    but each time it tells less.
    """
    counts: Counter[str] = Counter()
    first: dict[str, tuple[int, int]] = {}
    for node in nodes:
        label, start = _format_short_name(node), node.definition.start
        counts[label] += 1
        width = len(str(start)) + 1
        before = first.get(label, (0, 0))
        level = max(_rate_node(node), before[0])
        size = max(before[1], width * counts[label]) if before[1] else width + len(label)
        first.setdefault(label, (level, size))
        yield RankedName(label, start, node.definition.end, (level, size, start))


def _make_name_entries(names: Sequence[RankedName]) -> Iterator[Entry]:
    """Yield a dense entry for each label, with all of its lines."""
    groups: dict[str, list[RankedName]] = {}
    for name in sorted(names, key=lambda name: name.start):
        groups.setdefault(name.label, []).append(name)
    for label, group in groups.items():
        repeats = tuple(name.start for name in group[1:])
        yield Entry(label, group[0].start, group[0].end, dense=True, repeats=repeats)


def _rate_node(node: DefinitionNode) -> int:
    """Return the level of a definition: 0 for types, 1 for public, 2 for private names, 3 for minor definitions."""
    definition = node.definition
    is_alias = definition.kind == "type" and definition.depth > 0 and definition.start == definition.end
    if node.rank >= INNER_RANK or definition.kind in _MINOR_KINDS or is_alias:
        return 3
    if definition.name.startswith("_") and node.rank > 0:
        return 2
    return 0 if node.children and node.is_container else 1


def _format_short_name(node: DefinitionNode) -> str:
    """Return the name of a definition without type arguments, and without its kind if that is common."""
    is_plain = node.definition.kind in ("class", "struct", "type")
    return remove_type_arguments(node.definition.name if is_plain else format_name(node))


def remove_type_arguments(name: str) -> str:
    """Return a name without type arguments, complete or not: ``Map<K, V>::get`` becomes ``Map::get``."""
    shorter = re.sub(r"(?<=\w)<[^<>]*>", "", name)
    if shorter != name:
        return remove_type_arguments(shorter)
    return re.sub(r"(?<=\w)(?<!\boperator)<.*", "", name)
