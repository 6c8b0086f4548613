"""Names of definitions for small targets: all of them, or as many of the most useful as fit."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.code.definition_tree import INNER_RANK, NAMED_KINDS, DefinitionNode
from ctxkit.core.brief.code.signatures import BY_SIGNATURE
from ctxkit.core.brief.outline import Entry, Section

NOUN = "definitions"
SHARES = 0.96
"""Share of the names of a section that the next shorter section keeps."""
FEWEST = 4
"""Number of names in the shortest section."""
MAX_LADDER = 20_000
"""Maximum number of names in the longest section that leaves names out."""


def format_name(node: DefinitionNode) -> str:
    """Return the label of a definition: ``class Config``, ``parse``."""
    definition = node.definition
    if definition.kind in BY_SIGNATURE:
        return definition.signature if len(definition.signature) <= 60 else f"{definition.kind} {definition.name}"
    named = node.is_container or definition.kind in NAMED_KINDS
    return f"{definition.kind} {definition.name}" if named else definition.name


def make_compact_sections(title: str, lean: Sequence[Entry], tree: Sequence[DefinitionNode]) -> Iterator[Section]:
    """Yield sections from all names to the most useful few: nested names, a flat list, then shorter and shorter lists.

    A list names in its title how many of the definitions it shows.
    """
    yield Section(title, tuple(lean), NOUN, tight=True)
    nodes = list(_iter_nodes(tree))
    order = sorted(range(len(nodes)), key=lambda at: (*_rank_name(nodes[at]), at))
    entries = [
        Entry(_format_short_name(node), node.definition.start, node.definition.end, dense=True) for node in nodes
    ]
    yield Section(title, tuple(entries), NOUN, tight=True)
    size = min(int(len(nodes) * SHARES), MAX_LADDER)
    while size >= FEWEST:
        kept = sorted(order[:size])
        heading = f"{title}: {size:,} of {len(nodes):,} definitions"
        yield Section(heading, tuple(entries[at] for at in kept), NOUN, tight=True)
        size = min(int(size * SHARES), size - 1)


def _iter_nodes(nodes: Sequence[DefinitionNode]) -> Iterator[DefinitionNode]:
    """Yield definitions in order, members after their container; kinds without a name are left out."""
    for node in nodes:
        if node.definition.kind not in BY_SIGNATURE or node.definition.kind == "block":
            yield node
        yield from _iter_nodes(node.children)


def _rank_name(node: DefinitionNode) -> tuple[bool, bool, int]:
    """Return the order of a name: definitions inside functions and macros last, public before private ones."""
    definition = node.definition
    inner = node.rank >= INNER_RANK or definition.kind == "macro"
    return inner, definition.name.startswith("_") and node.rank > 0, node.rank


def _format_short_name(node: DefinitionNode) -> str:
    """Return the name of a definition without type arguments, and without its kind if that is common."""
    is_plain = node.definition.kind in ("class", "struct", "type")
    return remove_type_arguments(node.definition.name if is_plain else format_name(node))


def remove_type_arguments(name: str) -> str:
    """Return a name without type arguments: ``Map<K, V>::get`` becomes ``Map::get``."""
    shorter = re.sub(r"(?<=\w)<[^<>]*>", "", name)
    return name if shorter == name else remove_type_arguments(shorter)
