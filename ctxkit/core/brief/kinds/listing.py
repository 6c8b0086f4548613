"""File listings: counts, extensions, the line range of every directory, and the largest files."""

from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.grids.file_listing import (
    MESSAGE,
    DirectoryNode,
    FileListing,
    count_by_level,
    describe_directory,
    detect_form,
    is_scattered,
    iter_gaps,
    join_single_directories,
    merge_runs,
)
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.grids.layout import TWO_BLANKS
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.quick_dataclass import dataclass, field, replace
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.quantity import format_size, pluralize

_MAX_TREE_DEPTH = 40
"""Maximum number of levels of which entries are made."""
_DEPTH_RANKS = 16
"""Number of ranks between two levels."""
_WIDE = 30
"""Number of children from which they are grouped by line, so that the groups form an index."""


@dataclass(slots=True)
class TreeNode:
    """Hold one node: its label, the lines of its subtree, the nodes below it, and the number of its descendants."""

    label: str
    start: int
    end: int
    descendants: int = 0
    children: list["TreeNode"] = field(default_factory=list)


NAME = "listing"
TYPES: Sequence[str] = ("ls", "find", "du")
CLUES = Clues(unless_log=True)
_SAMPLE = 300
_CONFIDENCE = {
    **dict.fromkeys(("long", "zip", "git", "dates"), 0.93),
    **dict.fromkeys(("du", "counts"), 0.85),
    "paths": 0.8,
    "names": 0.75,
}
"""Confidence of each form if all lines have it."""
_FIRST_LEVEL_RANK = 4
_MAX_SCATTERED = 60
"""Maximum number of directories that are listed without their lines."""
_LARGE, _MAX_LARGE = 3, 12
"""Times the mean number of entries from which a directory below the last level is shown, and their maximum number."""
_MAX_RESULTS = 4
"""Maximum number of different words behind the paths of a check."""
PATH = 60
"""Maximum number of characters of a name in an index."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the lines are file names in a form of ls, find, du, tar or unzip."""
    lines = _read_sample(document)
    form, share = detect_form(lines)
    if not form or (form in ("paths", "names") and (_are_cells(lines) or _have_results(lines))):
        return 0.0
    return _CONFIDENCE[form] * share


def _are_cells(lines: Sequence[str]) -> bool:
    """Return whether all lines have the same number of commas, or of several colons: a path is one cell of a table."""
    rows = [line for line in lines if line.strip()]
    commas, colons = ({line.count(mark) for line in rows} for mark in ",:")
    return (len(commas) == 1 and 0 not in commas) or (len(colons) == 1 and min(colons) > 1)


def _have_results(lines: Sequence[str]) -> bool:
    """Return whether most lines end in one of a few words behind the path, as checks of files do: ``a.py   OK``."""
    rows = [line for line in lines if line.strip()]
    results = [cells[1] for cells in map(TWO_BLANKS.split, map(str.strip, rows)) if len(cells) == 2]
    return 2 * len(results) > len(rows) and len(set(results)) <= _MAX_RESULTS


def _read_sample(document: InputDocument) -> list[str]:
    return [strip_escapes(line) if "\x1b" in line else line for line in document.head_lines[:_SAMPLE]]


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of totals, extensions, largest files, and the directories of the upper levels."""
    form = detect_form(_read_sample(document))[0]
    if not form:
        return None
    listing = FileListing(form).read(document.lines)
    root = listing.tree.close()
    if not root.count:
        return None
    merged = merge_runs(root)
    top = Section("", tuple(_summarize(listing, document)))
    large = Section("Largest", tuple(_list_largest(listing, document)), noun="large entries")
    around = Section("Lines of another form", tuple(_quote_others(listing)), noun="lines")
    if is_scattered(root, merged):
        places = _list_scattered(join_single_directories(merged), listing)
    else:
        places = _list_places(join_single_directories(root), listing, document.target)
    return [Outline(NAME, (top, large, places, around))]


def _quote_others(listing: FileListing) -> Iterator[Entry]:
    """Quote lines of another form; the totals of counts, and messages of the command, come early."""
    for number, line in listing.others[:8]:
        yield quote(number, line, rank=1 if listing.form == "counts" or MESSAGE.match(line) else 9)


def _list_places(root: DirectoryNode, listing: FileListing, most: int) -> Section:
    """Return the directories of the upper levels with their lines."""
    title = f"Directories, with their {_name_amounts(listing)}, all below included"
    entries = make_tree_entries(_make_nodes(root, listing, most), _FIRST_LEVEL_RANK)
    return Section(title, entries, noun="directories", tight=True)


def _list_scattered(root: DirectoryNode, listing: FileListing) -> Section:
    """Return the directories of a merged tree whose entries stand far apart, the largest first."""
    rows = level = [(root.name, root)]
    while level and len(rows) < _MAX_SCATTERED:
        level = [(above + child.name, child) for above, node in level for child in node.children]
        rows = rows + level
    ranked = sorted(rows, key=lambda row: (-row[1].size, -row[1].count))[:_MAX_SCATTERED]
    entries = [
        Entry(describe_directory(replace(node, name=path), _get_format(listing)), rank=_FIRST_LEVEL_RANK + place // 8)
        for place, (path, node) in enumerate(ranked)
    ]
    title = f"Directories, the largest first, with their {_name_amounts(listing)}; their lines stand far apart"
    return Section(title, tuple(entries), noun="directories")


def _name_amounts(listing: FileListing) -> str:
    amount = "sum of the numbers" if listing.form == "counts" else "size"
    return f"number of entries and {amount}" if listing.sized else "number of entries"


def _get_format(listing: FileListing) -> Callable[[int], str]:
    return "{:,}".format if listing.form == "counts" else format_size


def _make_nodes(root: DirectoryNode, listing: FileListing, most: int) -> list[TreeNode]:
    """Return the directories of the upper levels, with an index of long runs of entries."""
    own = root.count - sum(child.count for child in root.children)
    roots = [root] if root.name or own or not root.children else root.children
    levels = count_levels(count_by_level(roots), most)
    return [_make_node(node, listing, levels) for node in roots]


def _make_node(node: DirectoryNode, listing: FileListing, levels: int) -> TreeNode:
    shown = _choose_children(node, levels)
    children = [_make_node(child, listing, levels - 1) for child in shown]
    for start, end in iter_gaps(node, shown, RANGE_LINES) if levels > 0 or not node.children else ():
        for at in range(start, end + 1, RANGE_LINES):
            name = _shorten_path(listing.row_index.find_cells(at)[0], node)
            children.append(TreeNode(f"from {clean_line(name, PATH)}", at, min(at + RANGE_LINES - 1, end)))
    children.sort(key=lambda child: child.start)
    return TreeNode(describe_directory(node, _get_format(listing)), node.start, node.end, 0, children)


def _shorten_path(path: str, node: DirectoryNode) -> str:
    """Return the last part of a path, or the last two if it is not directly in the directory."""
    directory, name = ["", *path.rstrip("/").split("/")][-2:]
    return name if not directory or node.name.endswith(f"{directory}/") else f"{directory}/{name}"


def _choose_children(node: DirectoryNode, levels: int) -> Sequence[DirectoryNode]:
    """Return the directories that are shown below one: on the last level, a few that hold much more than the mean."""
    if levels > 1:
        return node.children
    if levels < 1 or not node.children:
        return ()
    mean = sum(child.count for child in node.children) / len(node.children)
    large = sorted((child for child in node.children if child.count > _LARGE * mean), key=lambda child: -child.count)
    return sorted(large[:_MAX_LARGE], key=lambda child: child.start)


def _summarize(listing: FileListing, document: InputDocument) -> Iterator[Entry]:
    yield Entry(", ".join(_list_counts(listing)), 1, document.lines.total)
    again = _count_repeated(listing)
    if again:
        yield Entry(f"{pluralize(again, 'line')} with a path that another line names too, counted again")
    if listing.files and set(listing.extensions) != {""}:
        ranked = listing.extensions.most_common(16)
        extensions = ", ".join(f"{name or '(none)'} {count:,}" for name, count in ranked)
        more = f", +{len(listing.extensions) - 16:,} more" if len(listing.extensions) > 16 else ""
        yield Entry(f"by extension: {extensions}{more}", rank=1)
    if listing.unknown:
        yield Entry(f"{pluralize(listing.unknown, 'line')} of another form", rank=3)


def _count_repeated(listing: FileListing) -> int:
    """Return how many lines name a path that a line above names, 0 if not all lines are indexed."""
    if len(listing.row_index.lines) < listing.tree.root.count:
        return 0
    paths = [path.removeprefix("./").rstrip("/") for path, *_ in listing.row_index.cells]
    named = [path for path in paths if path.rpartition("/")[2] not in ("", ".", "..")]
    return len(named) - len(set(named))


def _list_counts(listing: FileListing) -> Iterator[str]:
    """Yield the number of files and directories, their sum, and how deep they are."""
    if listing.form in ("du", "counts", "paths", "names"):
        yield f"{listing.files + listing.directories:,} entries"
    else:
        yield pluralize(listing.files, "file")
    if listing.directories and listing.form == "long":
        yield f"{listing.directories:,} {'directory' if listing.directories == 1 else 'directories'}"
    if listing.form == "counts":
        yield f"{int(listing.size):,} as the sum of the numbers before the names"
    elif listing.sized and listing.form != "du":
        yield f"{format_size(int(listing.size))} in all (sizes as listed)"
    if listing.depth:
        yield f"at most {pluralize(listing.depth, 'level')} deep"


def _list_largest(listing: FileListing, document: InputDocument) -> Iterator[Entry]:
    for step, (_, line) in enumerate(listing.largest):
        rank = _FIRST_LEVEL_RANK if step < 3 else _FIRST_LEVEL_RANK + 2 * _DEPTH_RANKS + 1
        yield quote(line, document.lines.at(line), rank=rank)


def make_tree_entries(nodes: Sequence[TreeNode], rank: int) -> tuple[Entry, ...]:
    """Return dense entries of a forest, whose ranks rise with the depth; a single root stands alone."""
    if len(nodes) == 1 and nodes[0].children:
        root = nodes[0]
        alone = Entry(_describe(root), root.start, root.end, rank)
        return (alone, *make_tree_entries(root.children, rank + 1))
    return tuple(_make_entry(node, rank) for node in _group_siblings(nodes))


def _make_entry(node: TreeNode, rank: int) -> Entry:
    children = tuple(_make_entry(child, rank + _DEPTH_RANKS) for child in _group_siblings(node.children))
    return Entry(_describe(node), node.start, node.end, rank, dense=True, children=children)


def _describe(node: TreeNode) -> str:
    """Return the label, with the number of descendants if it is not that of the children."""
    return f"{node.label} [{node.descendants:,} below]" if node.descendants > len(node.children) else node.label


def _group_siblings(nodes: Sequence[TreeNode]) -> Iterator[TreeNode]:
    """Yield the nodes, or if they are many on many lines, groups of neighbours on about RANGE_LINES lines."""
    if len(nodes) <= _WIDE or nodes[-1].end - nodes[0].start < 2 * RANGE_LINES:
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
    for level, width in enumerate(widths[:_MAX_TREE_DEPTH]):
        total += width
        if total > most:
            return max(level, 2)
    return max(min(len(widths), _MAX_TREE_DEPTH), 1)
