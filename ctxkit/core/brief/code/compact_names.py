"""Names of definitions for small targets: all of them, or as many of the most useful as fit."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.code.definition_tree import INNER_RANK, NAMED_KINDS, DefinitionNode
from ctxkit.core.brief.code.signatures import BY_SIGNATURE
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.search import find_largest

NOUN = "definitions"
SHARES = 0.96
"""Share of the names of a section that the next shorter section keeps."""
FEWEST = 4
"""Number of names in the shortest section."""
MAX_LADDER = 20_000
"""Maximum number of names in the longest section that leaves names out."""
SPARE = 1.06
"""Factor of the estimated number of names that fit, from which sections are tried."""
MINOR_KINDS = frozenset(("alias", "macro", "property", "prototype"))
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
    yield Section(title, tuple(lean), NOUN, tight=True)
    nodes = list(_iter_nodes(tree))
    entries = [
        Entry(_format_short_name(node), node.definition.start, node.definition.end, dense=True) for node in nodes
    ]
    yield Section(title, tuple(entries), NOUN, tight=True)
    ranked = sorted(_rank_names(nodes), key=lambda name: name.order)[:MAX_LADDER]

    def make(size: int) -> Section:
        heading = title if size == len(nodes) else f"{title}: {size:,} of {len(nodes):,} definitions"
        return Section(heading, tuple(_make_entries(ranked[:size])), NOUN, tight=True)

    yield from map(make, _list_sizes(len(ranked), find_largest(1, len(ranked), make, fits)))


def _list_sizes(most: int, estimate: Section | None) -> Iterator[int]:
    """Yield the numbers of names to try, closely spaced around the estimated one."""
    expected = sum(1 + len(entry.repeats) for entry in estimate.entries) if estimate else 0
    size = min(most, int(expected * SPARE) + 2)
    while size >= FEWEST:
        yield size
        size = size - 1 if size > expected / SPARE else min(int(size * SHARES), size - 1)


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


def _make_entries(names: Sequence[RankedName]) -> Iterator[Entry]:
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
    if node.rank >= INNER_RANK or definition.kind in MINOR_KINDS or is_alias:
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
