"""Directories of a file listing: how many entries each has, their size, and the lines that hold them."""

from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.quantity import format_size

MAX_DIRECTORIES = 20_000
"""Maximum number of stored directories; rows of further ones count for the last."""
MAX_DEPTH = 64
"""Maximum number of levels that are told apart."""
SCATTERED = 3
"""Runs per directory from which a listing counts as sorted by something else than its directories."""


@dataclass(slots=True)
class DirectoryNode:
    """Hold one run of lines with the entries of a directory and of the directories below it.

    ``count`` and ``size`` include the directories below. ``note`` is a size that the listing itself gives.
    """

    name: str
    start: int
    end: int
    count: int = 0
    size: float = 0.0
    note: str = ""
    children: list["DirectoryNode"] = field(default_factory=list)


class DirectoryTree:
    """Build directories from the rows of a listing, in the order of its lines."""

    def __init__(self) -> None:
        self.root = DirectoryNode("", 0, 0)
        self.stored = 0
        self._open: list[DirectoryNode] = [self.root]
        self._directory: str | None = None
        self._closed: tuple[str, DirectoryNode] | None = None

    def add_row(self, directory: str, number: int, size: float) -> None:
        """Add an entry of ``directory`` on line ``number``; a negative size is unknown."""
        if directory != self._directory:
            self._enter(directory, number)
        self.root.start = self.root.start or number
        node = self._open[-1]
        node.count += 1
        node.end = number
        if size > 0:
            node.size += size

    def set_size(self, path: str, number: int, note: str) -> None:
        """Note the size that a listing gives for a directory after its entries, on line ``number``."""
        if self._closed and self._closed[0] == path:
            node = self._closed[1]
            node.note, node.end = note, number

    def close(self) -> DirectoryNode:
        """Finish all open directories and return the root."""
        while len(self._open) > 1:
            self._leave()
        return self.root

    def _enter(self, directory: str, number: int) -> None:
        """Close the directories that a row is not in, and open those that it is in."""
        parts = split_directory(directory)
        same = 0
        for node, part in zip(self._open[1:], parts, strict=False):
            if node.name != part:
                break
            same += 1
        while len(self._open) > same + 1:
            self._leave()
        self._directory = directory
        for part in parts[same:]:
            if self.stored >= MAX_DIRECTORIES:
                break
            self.stored += 1
            node = DirectoryNode(part, number, number)
            self._open[-1].children.append(node)
            self._open.append(node)

    def _leave(self) -> None:
        node = self._open.pop()
        above = self._open[-1]
        above.count += node.count
        above.size += node.size
        above.end = max(above.end, node.end)
        path = "".join(part.name for part in self._open[1:]) + node.name
        self._closed = (path, node)


def split_directory(directory: str) -> list[str]:
    """Return the parts of a directory's path, each with its slash: ``/usr/lib`` gives ``/``, ``usr/``, ``lib/``."""
    if not directory:
        return []
    parts = [f"{part}/" for part in directory.split("/")]
    return parts if len(parts) <= MAX_DEPTH else [*parts[: MAX_DEPTH - 1], "".join(parts[MAX_DEPTH - 1 :])]


def join_single_directories(node: DirectoryNode) -> DirectoryNode:
    """Return a node whose chains of directories with nothing but one directory are joined: ``src/main/java/``."""
    while len(node.children) == 1 and node.children[0].count == node.count:
        child = node.children[0]
        note = node.note or child.note
        node = DirectoryNode(
            node.name + child.name, child.start, max(node.end, child.end), child.count, child.size, note
        )
        node.children = child.children
    node.children = [join_single_directories(child) for child in node.children]
    return node


def merge_runs(node: DirectoryNode) -> DirectoryNode:
    """Return a node in which each directory is there once, with the entries and sizes of all its runs."""
    merged: dict[str, DirectoryNode] = {}
    for child in node.children:
        whole = merged.setdefault(child.name, DirectoryNode(child.name, child.start, child.end, note=child.note))
        whole.count += child.count
        whole.size += child.size
        whole.end = child.end
        whole.children += child.children
    children = [merge_runs(child) for child in merged.values()]
    return DirectoryNode(node.name, node.start, node.end, node.count, node.size, node.note, children)


def is_scattered(node: DirectoryNode, merged: DirectoryNode) -> bool:
    """Return whether the runs of a directory stand far apart, as in a listing that is sorted by size."""
    return sum(count_by_level([node])) > SCATTERED * sum(count_by_level([merged]))


def iter_gaps(node: DirectoryNode, children: Sequence[DirectoryNode], least: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of at least ``least`` lines of a directory that are in none of some ``children`` of it."""
    at = node.start
    for child in children:
        if child.start - at >= least:
            yield at, child.start - 1
        at = max(at, child.end + 1)
    if node.end + 1 - at >= least:
        yield at, node.end


def count_by_level(nodes: Sequence[DirectoryNode]) -> list[int]:
    """Return the number of directories on each level."""
    widths: list[int] = []
    level = list(nodes)
    while level:
        widths.append(len(level))
        level = [child for node in level for child in node.children]
    return widths


def describe_directory(node: DirectoryNode, format_amount: Callable[[int], str] = format_size) -> str:
    """Return ``src/ (154; 1.2 MB)``: the name, the number of entries and the size."""
    size = f"; {node.note or format_amount(int(node.size))}" if node.note or node.size else ""
    return f"{node.name or 'the top'} ({node.count:,}{size})"
