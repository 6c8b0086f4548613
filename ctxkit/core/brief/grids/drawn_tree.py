"""A reader of trees drawn with lines, as tree, npm ls, cargo tree, pipdeptree, Maven and Gradle print them."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.grids.outline_tree import MAX_TREE_DEPTH, TreeNode, count_levels
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines

BRANCH = compile_lazily(
    r"(?:\[INFO\] |\[info\] )?([\u2502|\u2503\u2551 \xa0\t]*)"
    r"(?:[\u251c\u2514\u2570\u2523\u2517\u2560\u255a][\u2500\u2501\u2550\u252c\u2533]+"
    r"|\|-{2,4}|`-{2,4}|\+-{1,4}|\\-{1,4})(?![-+|=])(?![^\n]*[\u2524\u2518\u253c])[ \xa0]*"
)
"""Pattern of the drawing before a node, which is no frame of a table; the first group is that of the levels above."""
CONTINUED = compile_lazily(r"(?:\[INFO\] )?[ \t\xa0]*[\u2502\u2503\u2551|]|[ \t]{2,}\S")
"""Pattern of a line that continues a node: a bar without a branch, or an indented text."""
BAR = compile_lazily(r"[\u2502\u2503\u2551|](?:[ \xa0]|$)")
"""Pattern of a line that continues a root."""
MARKS = compile_lazily(
    r"(UNMET(?: \w+)? DEPENDENCY|UNMET|MISSING|CONFLICT|FAILED)\b|(?<=[ (:\[])(missing|invalid|extraneous|FAILED|\?"
    r"|conflict(?:s|ed)?|not found|omitted for \w+|version managed|deduped|unresolved|ERROR|error|cycl(?:e|ic)|evicted"
    r"|overridden|deprecated)(?![\w.-])|\((\*|n|c)\)"
)
"""Pattern of a word with which a tool marks a node."""
USUAL_MARKS = frozenset(("deduped", "*", "n", "c", "omitted for duplicate", "version managed"))
"""Marks of nodes that are in order."""
VERSIONED = compile_lazily(
    r"(@?[\w.:/+-]*[\w+\]])(?:@|==| v(?=\d)|:jar:|:(?=\d)| \[required: [^\]]*installed: | (?=\d))([\w.+-]+)"
)
"""Pattern of a name with its version, as package managers write it."""
MAX_NAMES = 50_000
"""Maximum number of names whose versions are compared."""
MAX_LINE_LENGTH = 400
"""Maximum number of characters read from a line."""
MAX_MARKED = 400
"""Maximum number of stored lines with an unusual mark."""


@dataclass(slots=True)
class DrawnTree:
    """Hold the nodes of all trees of a text: the line and the depth of each, marks, and versions by name."""

    lines: "array[int]" = field(default_factory=lambda: array("I"))
    depths: "array[int]" = field(default_factory=lambda: array("B"))
    ends: "array[int]" = field(default_factory=lambda: array("I"))
    others: list[tuple[int, str]] = field(default_factory=list)
    unknown: int = 0
    roots: int = 0
    branches: int = 0
    continued: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    marked: list[tuple[int, str]] = field(default_factory=list)
    versions: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Return the number of nodes, the roots included."""
        return len(self.lines)

    def list_conflicts(self) -> list[tuple[str, dict[str, int]]]:
        """Return the names with several versions, each version with its first line."""
        return [(name, versions) for name, versions in self.versions.items() if len(versions) > 1]


class DrawnTreeReader:
    """Read a text line by line; a line without a drawing directly before a branch is the root of a tree."""

    def __init__(self) -> None:
        self.tree = DrawnTree()
        self._columns: list[int] = []
        self._candidate: tuple[int, str] | None = None
        self._skipped = 0

    def read(self, lines: IndexedLines) -> DrawnTree:
        """Read all lines of a document."""
        return self.read_rows(lines.enumerate_lines())

    def read_rows(self, rows: "Iterator[tuple[int, str]] | Sequence[tuple[int, str]]") -> DrawnTree:
        """Read numbered lines."""
        for number, line in rows:
            self._add_line(number, line[:MAX_LINE_LENGTH])
        self._drop_candidate()
        return self.tree

    def _add_line(self, number: int, line: str) -> None:
        branch = BRANCH.match(line)
        if branch:
            self._add_branch(number, len(branch[1].expandtabs()), line[branch.end() :].strip())
        elif self._candidate is not None and BAR.match(line):
            self._skipped += 1
        elif self.tree.ends and self._candidate is None and self._columns and CONTINUED.match(line):
            self.tree.ends[-1] = number
            self.tree.continued += 1
        else:
            self._drop_candidate()
            if line.strip():
                self._candidate = (number, line)
            self._columns = []

    def _add_branch(self, number: int, column: int, label: str) -> None:
        if self._candidate is not None:
            self._add_root(*self._candidate)
        while self._columns and self._columns[-1] >= column:
            self._columns.pop()
        self._columns.append(column)
        self.tree.branches += 1
        self._add_node(number, len(self._columns), label)

    def _add_root(self, number: int, text: str) -> None:
        self.tree.continued += self._skipped
        self._skipped, self._candidate = 0, None
        self._add_node(number, 0, text.strip())
        self.tree.roots += 1

    def _add_node(self, number: int, depth: int, label: str) -> None:
        self.tree.lines.append(number)
        self.tree.depths.append(min(depth, 255))
        self.tree.ends.append(number)
        self._count_marks(number, label)
        self._note_version(number, label)

    def _count_marks(self, number: int, label: str) -> None:
        mark = MARKS.search(label)
        if mark is None:
            return
        name = mark[1] or mark[2] or mark[3]
        self.tree.marks[name] += 1
        if name not in USUAL_MARKS and len(self.tree.marked) < MAX_MARKED:
            self.tree.marked.append((number, label))

    def _note_version(self, number: int, label: str) -> None:
        match = VERSIONED.match(label)
        if match and match[2][:1].isdigit():
            versions = self.tree.versions
            if match[1] in versions or len(versions) < MAX_NAMES:
                versions.setdefault(match[1], {}).setdefault(match[2], number)

    def _drop_candidate(self) -> None:
        """Take a line without a branch below it as a root only if it is a name with a version."""
        if self._candidate is None:
            return
        version = VERSIONED.match(self._candidate[1]) if self.tree.roots else None
        if version and version[2][:1].isdigit() and version.end() == len(self._candidate[1].rstrip()):
            self._add_root(*self._candidate)
            return
        self.tree.unknown += 1 + self._skipped
        if len(self.tree.others) < 60:
            self.tree.others.append(self._candidate)
        self._skipped, self._candidate = 0, None


def build_upper_levels(tree: DrawnTree, lines: IndexedLines, most: int) -> tuple[list[TreeNode], int]:
    """Return the nodes of the upper levels, about ``most`` of them, and how many levels these are."""
    widths = Counter(tree.depths)
    levels = count_levels([widths[depth] for depth in range(max(widths, default=0) + 1)], most)
    forest: list[TreeNode] = []
    stack: list[TreeNode] = []
    ends, sizes = measure_subtrees(tree)
    for place, depth in enumerate(tree.depths):
        if depth >= levels or len(stack) > MAX_TREE_DEPTH:
            continue
        number = tree.lines[place]
        label = clean_label(lines.at(number))
        node = TreeNode(label, number, ends[place], sizes[place])
        while len(stack) > depth:
            stack.pop()
        (stack[-1].children if stack else forest).append(node)
        stack.append(node)
    return forest, levels


def measure_subtrees(tree: DrawnTree) -> "tuple[array[int], array[int]]":
    """Return the last line of each node's subtree and the number of its descendants."""
    ends, sizes = array("I", tree.ends), array("I", bytes(4 * len(tree.ends)))
    open_places: list[int] = []
    for place, depth in enumerate(tree.depths):
        while open_places and tree.depths[open_places[-1]] >= depth:
            _close(open_places, ends, sizes)
        open_places.append(place)
    while open_places:
        _close(open_places, ends, sizes)
    return ends, sizes


def _close(open_places: list[int], ends: "array[int]", sizes: "array[int]") -> None:
    """Add a finished node to the node above it."""
    place = open_places.pop()
    if open_places:
        above = open_places[-1]
        ends[above] = max(ends[above], ends[place])
        sizes[above] += sizes[place] + 1


def clean_label(line: str, width: int = 80) -> str:
    """Return the text of a node without its drawing, cut to ``width`` characters."""
    branch = BRANCH.match(line[:MAX_LINE_LENGTH])
    text = line[branch.end() if branch else 0 : MAX_LINE_LENGTH].strip()
    return text if len(text) <= width else text[:width].rstrip() + "..."
