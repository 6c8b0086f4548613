"""Trees drawn with lines: the upper levels with ranges, marked nodes, and names with several versions."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.drawn_tree import (
    USUAL_MARKS,
    DrawnTree,
    DrawnTreeReader,
    build_upper_levels,
)
from ctxkit.core.brief.grids.outline_tree import DEPTH_RANKS, make_tree_entries
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.quantity import pluralize

NAME = "tree"
TYPES: Sequence[str] = ()
CLUES = Clues(("\u2500", "\u2501", "--", "+-", "\\-"), unless_log=True)
SAMPLE = 600
"""Number of lines read to detect a tree."""
TITLES = 2
"""Number of lines around a tree that do not count against it, such as a total."""
MAX_CONFLICTS = 60
"""Maximum number of names listed with several versions."""
NAMES_PER_ROW = 5
MARKED_RANK, FIRST_LEVEL_RANK = 10, 20
CONFLICT_RANK = FIRST_LEVEL_RANK + DEPTH_RANKS + 1
"""Rank of the names with several versions: after the second level."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are roots, branches, or continue a branch."""
    rows = list(enumerate(document.head_lines[:SAMPLE], 1))
    tree = DrawnTreeReader().read_rows(rows)
    nodes = tree.branches + tree.roots
    if tree.branches < 3 or tree.continued > 4 * tree.branches:
        return 0.0
    outside = max(tree.unknown - TITLES, 0)
    share = (nodes + tree.continued) / (nodes + tree.continued + outside)
    return 0.94 * share if share >= 0.85 else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the upper levels; deeper nodes rank after them."""
    tree = DrawnTreeReader().read(document.lines)
    if not tree.count:
        return None
    forest, _ = build_upper_levels(tree, document.lines, document.target)
    top = Section("", tuple(_summarize(tree)))
    nodes = Section(
        "Nodes with the lines of their subtrees",
        make_tree_entries(forest, FIRST_LEVEL_RANK),
        noun="subtrees",
        tight=True,
    )
    return [Outline(NAME, (top, *_list_marked(tree, document), *_list_conflicts(tree), nodes))]


def _summarize(tree: DrawnTree) -> Iterator[Entry]:
    depth = max(tree.depths)
    roots = f"{pluralize(tree.roots, 'root')}, " if tree.roots else ""
    label = f"{pluralize(tree.count, 'node')}, {roots}at most {pluralize(depth, 'level')} deep"
    yield Entry(label, tree.lines[0], tree.ends[-1])
    if tree.marks:
        marks = ", ".join(f"{_format_mark(name)} {count:,}" for name, count in tree.marks.most_common(12))
        yield Entry(f"marks: {marks}", rank=1)
    last = tree.lines[-1]
    for number, text in tree.others[:12]:
        yield quote(number, text, rank=2 if number > last or number < tree.lines[0] else 12)
    if tree.unknown > 12:
        yield Entry(f"{tree.unknown - 12:,} more lines are no nodes", rank=13)


def _format_mark(name: str) -> str:
    return f"({name})" if len(name) == 1 else name


def _list_marked(tree: DrawnTree, document: InputDocument) -> Iterator[Section]:
    """Yield a section of the nodes with an unusual mark."""
    if tree.marked:
        entries = tuple(quote(number, document.lines.at(number), rank=MARKED_RANK) for number, _ in tree.marked)
        total = sum(count for name, count in tree.marks.items() if name not in USUAL_MARKS)
        yield Section(f"Marked nodes ({total:,})", entries, noun="marked nodes")


def _list_conflicts(tree: DrawnTree) -> Iterator[Section]:
    """Yield a section of the names that occur with several versions."""
    conflicts = tree.list_conflicts()
    if not conflicts:
        return
    rows = [_format_versions(name, versions) for name, versions in conflicts[:MAX_CONFLICTS]]
    unlisted = len(conflicts) - len(rows)
    entries = []
    for at in range(0, len(rows), NAMES_PER_ROW):
        part = rows[at : at + NAMES_PER_ROW]
        hidden = len(part) + (unlisted if at + NAMES_PER_ROW >= len(rows) else 0)
        rank = CONFLICT_RANK + (DEPTH_RANKS if at else 0)
        entries.append(Entry("; ".join(part), rank=rank, hidden_count=hidden))
    yield Section(f"Names with several versions ({len(conflicts):,})", tuple(entries), noun="names")


def _format_versions(name: str, versions: dict[str, int]) -> str:
    """Return ``debug@4.4.3 at 20, 2.6.9 at 92``."""
    places = [f"{version} at {line}" for version, line in list(versions.items())[:8]]
    return f"{name} {', '.join(places)}"
