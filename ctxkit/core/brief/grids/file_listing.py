"""A reader of file listings: the path, the size and the directory on each line."""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from re import Pattern

from ctxkit.core.brief.document import count_matching
from ctxkit.core.brief.grids.fields import parse_amount
from ctxkit.core.brief.grids.grid import RowIndex
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import format_size

_MAX_DIRECTORIES = 20_000
"""Maximum number of stored directories; rows of further ones count for the last."""
_MAX_DEPTH = 64
"""Maximum number of levels that are told apart."""
_SCATTERED = 3
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
        parts = _split_directory(directory)
        same = 0
        for node, part in zip(self._open[1:], parts, strict=False):
            if node.name != part:
                break
            same += 1
        while len(self._open) > same + 1:
            self._leave()
        self._directory = directory
        for part in parts[same:]:
            if self.stored >= _MAX_DIRECTORIES:
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


_MAX_EXTENSIONS = 2_000
"""Maximum number of distinct extensions."""
_MAX_LARGEST = 12
"""Number of largest files whose lines are stored."""
LONG_LINE = compile_lazily(
    r"(?: *\d+ +\d+ +)?(?P<mode>[bcdhlpsDCMnP-][-rwxsStTl]{9})[.+@]? +(?:\d+ +)?(?P<owner>\S+(?:/\S+| +\S+)?) +"
    r"(?P<size>\d[\d.,]*[BKMGTP]?|\d+, *\d+|\?) +(?:[a-zA-Z-]{2} +\w{4} +)?"
    r"(?:[A-Z][a-z]{2} +\d+ +[\d:]+|\d+ [A-Z][a-z]{2} +[\d:]+"
    r"|\d{4}-\d\d-\d\d [\d:.]+(?: [-+]\d{4})?"
    r"|\d\d-\d\d \d\d:\d\d"
    r"|\d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d) "
    r"(?P<name>.+)$"
)
"""Pattern of a line of ls -l, find -ls, tar tv or zipinfo."""
_GIT_LINE = compile_lazily(r"\d{6} (?:(?P<type>blob|tree|commit) )?[0-9a-f]{7,64}(?: +(?P<size>\d+|-))?\t(?P<name>.+)$")
"""Pattern of a line of git ls-tree, with sizes or without, or of git ls-files --stage, whose number is no size."""
_DATED_LINE = compile_lazily(
    r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d(?::[\d.]+)? +(?P<size>\d[\d,]*) +(?:[0-7]{3,4} +)?(?:[a-z_][\w-]* +){0,2}"
    r"(?P<name>\.{0,2}/\S.*|[^\s:]+/\S*|[^\s:]+\.\w{1,8})$"
)
"""Pattern of a date, a size and a path, as aws s3 ls and find -printf write them."""
_MAX_SIZE_DIGITS = 24
"""Maximum number of characters of a size: an exabyte with separators and a unit."""
_ZIP_LINE = compile_lazily(r" *(\d+)  (?:\S+ +\d+ +-?\d+% +)?\d[\d-]{7,9} \d\d:\d\d   (?:[0-9a-f]{8}  )?(.+)$")
_DU_LINE = compile_lazily(r"(\d[\d.,]*[BKMGTP]?i?)(?:\t| +)(/?\S.*)$")
_COUNT_LINE = compile_lazily(r" *(\d{1,24})(?: +\d{1,24}){0,3} (?:\./)?(\S.*)$")
"""Pattern of a line of wc, ``ls -s`` or ``uniq -c``: numbers, then a name."""
DIRECTORY_HEADING = compile_lazily(r"([:\s]*+[^:\s\n].*):$")
_MAX_LINE_LENGTH = 600
"""Maximum number of characters read from a line; longer paths are unusual."""
MESSAGE = compile_lazily(
    r"[a-z][\w.+-]{0,30}(?: error| warning)?: .*[^\s:] \S|[^\s:][^:]{0,300}: (?:fatal )?(?:error|warning)\b[^:]{0,20}: "
)
"""Pattern of what a command says between the names, on its error stream: its name, a colon, and some words; or what a
compiler says of a place.
"""
_SENTENCE = compile_lazily(r"\s|[A-Za-z][\w-]{0,60}: |[^/.]*\s[^/.]*\Z")
"""Pattern of a line among paths that is none: indented, a field, or words without a slash and a dot."""
_ABOUT_PATH = compile_lazily(r"[A-Za-z_]\w*=|[^\s:]{1,300}:(?:\d+$|\s+\S|:)|\S{1,300} [-=] \S")
"""Pattern of a line that says something about a path: ``PATH=/bin``, ``a.py:12``, ``/bin/ls: ELF ...``, ``/etc/a = 1``.
"""
_NOISE = compile_lazily(
    r"Zip file size: .*|\d+ files?, .*|total \d[\d.]*[KMGT]?$|Archive: .*| *-+ +-+.*| *Length +.*| *\d+ +\d+ files?$|$"
    r"|\d+ director(?:y|ies)\b.*"
)
"""Pattern of lines around the names: headers, rulers, totals."""
ListedPath = tuple[str, float, bool]
"""A path, its size in bytes (-1 if unknown), and whether it is a directory."""


class FileListing:
    """Read a listing once; ``form`` is long, zip, git, dates, du, counts, names or paths."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.tree = DirectoryTree()
        self.files = 0
        self.directories = 0
        self.size = 0.0
        self.sized = 0
        self.depth = 0
        self.extensions: Counter[str] = Counter()
        self.largest: list[tuple[float, int]] = []
        self.others: list[tuple[int, str]] = []
        self.unknown = 0
        self.row_index = RowIndex()
        self._above = self._written = ""

    def read(self, lines: IndexedLines) -> "FileListing":
        """Read all lines of a document."""
        number = 1
        parse: Callable[[str], ListedPath | None] = getattr(self, f"_{self.form}")
        for block in lines.blocks():
            rows = block.replace("\r", "").split("\n")
            self._add_rows(rows, number, parse)
            number += len(rows)
        return self

    def _add_rows(self, rows: Sequence[str], number: int, parse: Callable[[str], ListedPath | None]) -> None:
        paths: list[tuple[str]] = []
        numbers: list[int] = []
        for here, line in enumerate(rows, number):
            named = parse(strip_escapes(line[:_MAX_LINE_LENGTH]) if "\x1b" in line else line[:_MAX_LINE_LENGTH])
            if named is None:
                self._read_other(here, line)
                continue
            paths.append(named[:1])
            numbers.append(here)
            self._count_path(*named, here)
        self.row_index.add_rows(paths, numbers)

    def _read_other(self, number: int, line: str) -> None:
        head = DIRECTORY_HEADING.match(line) if line.endswith(":") else None
        if head and self.form in ("long", "names"):
            self._above = head[1].removesuffix("/") + "/"
            self.directories += 1
        elif not _NOISE.match(line):
            self.unknown += 1
            if len(self.others) < 20:
                self.others.append((number, line))

    def _count_path(self, path: str, size: float, is_folder: bool, number: int) -> None:
        above, _, base = path.rstrip("/").rpartition("/")
        if not is_folder:
            self._count_file(base, size, number)
        elif not (self._above and self.form in ("long", "names")):
            self.directories += 1
        depth = path.count("/")
        if depth > self.depth:
            self.depth = depth
        kept = -1 if is_folder or self.form == "du" else size
        self.tree.add_row(above, number, kept)
        if self.form == "du":
            self.tree.set_size(path if path.endswith("/") else f"{path}/", number, self._written)

    def _count_file(self, base: str, size: float, number: int) -> None:
        """Count a file by its extension, and add its size unless that is -1, which stands for an unknown one."""
        self.files += 1
        dot = base.rfind(".")
        extension = base[dot:].lower() if dot > 0 and len(base) - dot <= 12 else ""
        if extension in self.extensions or len(self.extensions) < _MAX_EXTENSIONS:
            self.extensions[extension] += 1
        if size < 0:
            return
        self.sized += 1
        self.size += size
        if len(self.largest) < _MAX_LARGEST or size > -self.largest[-1][0]:
            insort(self.largest, (-size, number))
            del self.largest[_MAX_LARGEST:]

    def _long(self, line: str) -> ListedPath | None:
        match = LONG_LINE.match(line)
        if match is None:
            return None
        mode, written, name = match.group("mode", "size", "name")
        name = name.partition(" link to " if mode[0] == "h" else " -> ")[0]
        size = _parse_size(written) if "," not in written else -1
        folder = mode[0] == "d" or name in (".", "..")
        return self._above + name if not name.startswith("/") else name, size, folder

    def _zip(self, line: str) -> ListedPath | None:
        match = _ZIP_LINE.match(line)
        return (match[2], _parse_size(match[1]), match[2].endswith("/")) if match else None

    def _du(self, line: str) -> ListedPath | None:
        match = _DU_LINE.match(line)
        if match is None:
            return None
        self._written = match[1]
        return match[2], _parse_size(match[1].removesuffix("i")), False

    def _git(self, line: str) -> ListedPath | None:
        match = _GIT_LINE.match(line)
        if match is None:
            return None
        size = match["size"] if match["type"] == "blob" else None
        return match["name"].strip('"'), _parse_size(size) if size else -1, match["type"] == "tree"

    def _dates(self, line: str) -> ListedPath | None:
        match = _DATED_LINE.match(line)
        return (match["name"], _parse_size(match["size"].replace(",", "")), False) if match else None

    def _counts(self, line: str) -> ListedPath | None:
        match = _COUNT_LINE.match(line)
        return (match[2], float(match[1]), False) if match and match[2] != "total" else None

    def _names(self, line: str) -> ListedPath | None:
        if not line or (line.endswith(":") and DIRECTORY_HEADING.match(line)) or MESSAGE.match(line):
            return None
        return self._above + line, -1, line.endswith("/")

    def _paths(self, line: str) -> ListedPath | None:
        return (line, -1, line.endswith("/")) if line and not (MESSAGE.match(line) or _SENTENCE.match(line)) else None


def _parse_size(written: str) -> float:
    """Return a size in bytes, or -1 if the text is not a size; longer numbers do not occur in file systems."""
    if len(written) > _MAX_SIZE_DIGITS:
        return -1
    if written.isdecimal():
        return float(written)
    size = parse_amount(written)
    return -1 if size is None else size


def detect_form(lines: Sequence[str]) -> tuple[str, float]:
    """Return the form of a listing and the share of lines that have it; the form is empty if not detected."""
    rows = [line[:_MAX_LINE_LENGTH] for line in lines if not _NOISE.match(line)]
    if len(rows) < 3:
        return "", 0.0
    best = ("", 0.0)
    for form, share in _score_forms(rows):
        if share > best[1]:
            best = (form, share)
    return best if best[1] >= 0.8 else ("", 0.0)


def _score_forms(rows: Sequence[str]) -> Iterator[tuple[str, float]]:
    heads = [row for row in rows if row.endswith(":") and DIRECTORY_HEADING.match(row)]
    bare = max(len(rows) - len(heads), 1)
    yield "long", min(count_matching(LONG_LINE.match, rows) / bare, 1.0)  # headings may match as well
    yield "zip", min(count_matching(_ZIP_LINE.match, rows) / bare, 1.0)
    yield "git", count_matching(_GIT_LINE.match, rows) / len(rows)
    yield "dates", count_matching(_DATED_LINE.match, rows) / len(rows)
    yield "du", sum(path == "." or _is_deep_path(path) for path in _find_paths(_DU_LINE, rows)) / len(rows)
    yield "counts", sum(map(_is_deep_path, _find_paths(_COUNT_LINE, rows))) / len(rows)
    slashed = sum("/" in row.strip("/") for row in rows)
    if slashed > len(rows) * 0.5 and not _are_other_text(rows):
        yield "paths", sum(map(_is_path, rows)) / len(rows)
    listed = any("/" in row or row == ".:" for row in heads)
    if listed and max(map(len, rows)) < 120:
        yield "names", 0.85 * (sum(map(_is_name, rows)) / len(rows))


def _find_paths(pattern: Pattern[str], rows: Sequence[str]) -> list[str]:
    return [match[2] for match in map(pattern.match, rows) if match]


def _is_deep_path(path: str) -> bool:
    return "/" in path and _is_path(path)


def _is_path(row: str) -> bool:
    if not row or row[0] in " \t#<{[(\"'*-" or len(row) > 400 or "://" in row or row.endswith((";", ",", "{", ":")):
        return False
    return " " not in row or row.startswith(("./", "/"))


def _are_other_text(rows: Sequence[str]) -> bool:
    """Return whether rows that contain slashes are assignments, counts or texts about a path, or encoded bytes."""
    if count_matching(_ABOUT_PATH.match, rows) > len(rows) * 0.2:
        return True
    width = len(rows[0])
    return width > 40 and sum(len(row) == width and " " not in row for row in rows) > len(rows) * 0.9


def _is_name(row: str) -> bool:
    return row[:1] not in " \t" and (row.count(" ") < 3 or row.endswith(":")) and not row.endswith((";", "{", ",", "."))


def _split_directory(directory: str) -> list[str]:
    """Return the parts of a directory's path, each with its slash: ``/usr/lib`` gives ``/``, ``usr/``, ``lib/``."""
    if not directory:
        return []
    parts = [f"{part}/" for part in directory.split("/")]
    return parts if len(parts) <= _MAX_DEPTH else [*parts[: _MAX_DEPTH - 1], "".join(parts[_MAX_DEPTH - 1 :])]


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
    return sum(count_by_level([node])) > _SCATTERED * sum(count_by_level([merged]))


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
