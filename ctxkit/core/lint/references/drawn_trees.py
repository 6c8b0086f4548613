"""Read the directories that documents draw with lines."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Block, MarkdownDocument

_ENTRY = compile_lazily(
    r"(?P<indent>[│|┃ \t\u00a0]*)[├└┣┗|`+][─━-]{1,3}[ \t\u00a0]?"
    r"(?P<name>[\w.@()\[\]$+-]+(?:/[\w.@()\[\]$+-]+)*)/?(?=[\s,#←→]|$)"
)
"""Matches an entry with a path: a name with blanks or wildcards is none."""
_MARKS = ("├", "└", "┣", "┗", "|--", "`--", "+--")
TAB_SIZE = 4
"""Columns of a tab in a drawing."""


class DrawnEntry(NamedTuple):
    """A file or directory of a drawn tree: its path from the top of the tree, its line, and the text after it."""

    path: str
    line: int
    text: str


class DirectoryDrawing(NamedTuple):
    """A tree below one line, ``top``, which names its directory or project; "" if no line does."""

    top: str
    entries: tuple[DrawnEntry, ...]


def find_drawn_trees(document: MarkdownDocument) -> Iterator[tuple[Block, list[DirectoryDrawing]]]:
    """Yield each fence of a document with the trees drawn in it."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed:
            lines = [(number, document.at(number)) for number in range(block.line + 1, block.end_line)]
            if any(mark in line for _, line in lines for mark in _MARKS):
                yield block, list(_read_trees(lines))


def _read_trees(lines: list[tuple[int, str]]) -> Iterator[DirectoryDrawing]:
    top = ""
    entries: list[DrawnEntry] = []
    parents: list[tuple[int, str]] = []
    for number, line in lines:
        match = _ENTRY.match(line)
        if match is None:
            if not line.strip("│|┃ \t\u00a0\r") or any(mark in line for mark in _MARKS):
                continue  # a line between entries, or an entry that is no path
            if entries:
                yield DirectoryDrawing(top, tuple(entries))
            top, entries, parents = line.partition("#")[0].split("  ")[0].strip().rstrip("/"), [], []
            continue
        depth = len(match["indent"].expandtabs(TAB_SIZE))
        while parents and parents[-1][0] >= depth:
            parents.pop()
        parents.append((depth, match["name"]))
        entries.append(DrawnEntry("/".join(name for _, name in parents), number, line[match.end() :]))
    if entries:
        yield DirectoryDrawing(top, tuple(entries))
