"""Entries of a tree: the upper levels first, deeper ones as the token target allows."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass, field

MAX_TREE_DEPTH = 40
"""Maximum number of levels of which entries are made."""
DEPTH_RANKS = 16
"""Number of ranks between two levels."""
WIDE = 30
"""Number of children from which they are grouped by line, so that the groups form an index."""


@dataclass(slots=True)
class TreeNode:
    """Hold one node: its label, the lines of its subtree, the nodes below it, and the number of its descendants."""

    label: str
    start: int
    end: int
    descendants: int = 0
    children: list["TreeNode"] = field(default_factory=list)


def make_tree_entries(nodes: Sequence[TreeNode], rank: int) -> tuple[Entry, ...]:
    """Return dense entries of a forest, whose ranks rise with the depth; a single root stands alone."""
    if len(nodes) == 1 and nodes[0].children:
        root = nodes[0]
        alone = Entry(_describe(root), root.start, root.end, rank)
        return (alone, *make_tree_entries(root.children, rank + 1))
    return tuple(_make_entry(node, rank) for node in _group_siblings(nodes))


def _make_entry(node: TreeNode, rank: int) -> Entry:
    children = tuple(_make_entry(child, rank + DEPTH_RANKS) for child in _group_siblings(node.children))
    return Entry(_describe(node), node.start, node.end, rank, dense=True, children=children)


def _describe(node: TreeNode) -> str:
    """Return the label, with the number of descendants if it is not that of the children."""
    return f"{node.label} [{node.descendants:,} below]" if node.descendants > len(node.children) else node.label


def _group_siblings(nodes: Sequence[TreeNode]) -> Iterator[TreeNode]:
    """Yield the nodes, or if they are many on many lines, groups of neighbours on about RANGE_LINES lines."""
    if len(nodes) <= WIDE or nodes[-1].end - nodes[0].start < 2 * RANGE_LINES:
        yield from nodes
        return
    group: list[TreeNode] = []
    for node in nodes:
        if group and node.end - group[0].start >= RANGE_LINES:
            yield _merge_group(group)
            group = []
        group.append(node)
    yield _merge_group(group)


def _merge_group(group: Sequence[TreeNode]) -> TreeNode:
    """Return a node for neighbours, or the only node itself."""
    if len(group) == 1:
        return group[0]
    first = group[0].label.partition(" (")[0].removeprefix("from ")
    return TreeNode(f"from {first}", group[0].start, group[-1].end, 0, list(group))


def count_levels(widths: Sequence[int], most: int) -> int:
    """Return how many of the upper levels have at most ``most`` nodes together; two at least."""
    total = 0
    for level, width in enumerate(widths[:MAX_TREE_DEPTH]):
        total += width
        if total > most:
            return max(level, 2)
    return max(min(len(widths), MAX_TREE_DEPTH), 1)
