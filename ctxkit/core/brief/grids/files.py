"""The lines of a listing: which path each names, of which size, in which directory."""

import re
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.grids.fields import number_of
from ctxkit.core.brief.grids.grid import Landmarks
from ctxkit.core.lines import Lines

FOLDERS = 20_000
"""Runs of lines in one directory that are told apart."""
EXTENSIONS = 2_000
"""Extensions that are told apart."""
LARGEST = 12
"""Largest files whose line is remembered."""
LONG = re.compile(
    r"(?: *\d+ +\d+ +)?(?P<mode>[bcdlpsDCMnP-][-rwxsStTl]{9})[.+@]? +(?:\d+ +)?(?P<owner>\S+(?:/\S+| +\S+)?) +"
    r"(?P<size>\d[\d.,]*[BKMGTP]?|\d+, *\d+|\?) +(?:[a-zA-Z-]{2} +\w{4} +)?"
    r"(?:[A-Z][a-z]{2} +\d+ +[\d:]+|\d+ [A-Z][a-z]{2} +[\d:]+"
    r"|\d{4}-\d\d-\d\d [\d:.]+(?: [-+]\d{4})?"
    r"|\d\d-\d\d \d\d:\d\d"
    r"|\d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d) "
    r"(?P<name>.+)$"
)
"""A line of ls -l, find -ls, tar tv or zipinfo."""
DIGITS = 24
"""Characters of the longest size, an exabyte with separators and a unit."""
ZIPPED = re.compile(r" *(\d+)  (?:\S+ +\d+ +-?\d+% +)?\d[\d-]{7,9} \d\d:\d\d   (?:[0-9a-f]{8}  )?(.+)$")
USED = re.compile(r"(\d[\d.,]*[BKMGTP]?i?)(?:\t| +)(/?\S.*)$")
BRANCH = re.compile(
    r"([\u2502| \xa0]*)(?:[\u251c\u2514\u2570][\u2500\u252c]+|\|--|`--|\+--|\\---)[\u2500\u252c-]* ?(.*)$"
)
"""A line of tree, or of what prints its branches alike."""
HEADED = re.compile(r"(.*[^:\s].*):$")
WIDEST = 600
"""Characters of a line that are looked at: no path is longer by much."""
NOISE = re.compile(
    r"Zip file size: .*|\d+ files?, .*|total \d[\d.]*[KMGT]?$|Archive: .*| *-+ +-+.*| *Length +.*| *\d+ +\d+ files?$|$"
    r"|\d+ director(?:y|ies)\b.*"
)
"""Lines around the names: headers, rulers, totals."""


@dataclass(slots=True)
class Folder:
    """Count what stands in one directory on lines ``start`` to ``end``; a later run of the same is another."""

    path: str
    start: int
    end: int
    count: int = 0
    size: float = 0.0


Named = tuple[str, float, bool]
"""What one line names: a path, a size in bytes (-1 for none), whether it is a directory."""


class Listing:
    """Go through a listing once; ``form`` is long, zip, du, tree, names or paths."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.folders: list[Folder] = []
        self.beyond = 0
        self.files = 0
        self.directories = 0
        self.size = 0.0
        self.sized = 0
        self.depth = 0
        self.extensions: Counter[str] = Counter()
        self.largest: list[tuple[float, int]] = []
        self.others: list[tuple[int, str]] = []
        self.unknown = 0
        self.landmarks = Landmarks()
        self._above = ""
        self._stack: list[str] = []

    def read(self, lines: Lines) -> "Listing":
        """Take all lines of a document."""
        number = 1
        parse: Callable[[str], Named | None] = getattr(self, f"_{self.form}")
        for block in lines.blocks():
            rows = block.replace("\r", "").split("\n")
            self._take(rows, number, parse)
            number += len(rows)
        return self

    def _take(self, rows: Sequence[str], number: int, parse: Callable[[str], Named | None]) -> None:
        paths: list[tuple[str]] = []
        numbers: list[int] = []
        for here, line in enumerate(rows, number):
            named = parse(line[:WIDEST])
            if named is None:
                self._other(here, line)
                continue
            paths.append(named[:1])
            numbers.append(here)
            self._count(*named, here)
        self.landmarks.take(paths, numbers)

    def _other(self, number: int, line: str) -> None:
        head = HEADED.match(line) if line.endswith(":") else None
        if head and self.form in ("long", "names"):
            self._above = head[1].removesuffix("/") + "/"
            self.directories += 1
        elif not NOISE.match(line):
            self.unknown += 1
            if len(self.others) < 20:
                self.others.append((number, line))

    def _count(self, path: str, size: float, is_folder: bool, number: int) -> None:
        above, _, base = path.rstrip("/").rpartition("/")
        if is_folder:
            if not (self._above and self.form in ("long", "names")):
                self.directories += 1
        else:
            self.files += 1
            dot = base.rfind(".")
            extension = base[dot:].lower() if dot > 0 and len(base) - dot <= 12 else ""
            if extension in self.extensions or len(self.extensions) < EXTENSIONS:
                self.extensions[extension] += 1
        depth = path.count("/")
        if depth > self.depth:
            self.depth = depth
        folder = self.folders[-1] if self.folders else None
        if folder is None or folder.path != above:
            if len(self.folders) >= FOLDERS:
                self.beyond += 1
                folder = self.folders[-1]
            else:
                folder = Folder(above, number, number)
                self.folders.append(folder)
        folder.end = number
        folder.count += 1
        if size >= 0 and (not is_folder or self.form == "du"):
            self._weigh(size, folder, number)

    def _weigh(self, size: float, folder: Folder, number: int) -> None:
        self.sized += 1
        self.size += size
        folder.size += size
        if len(self.largest) < LARGEST or size > -self.largest[-1][0]:
            insort(self.largest, (-size, number))
            del self.largest[LARGEST:]

    def _long(self, line: str) -> Named | None:
        found = LONG.match(line)
        if found is None:
            return None
        mode, written, name = found.group("mode", "size", "name")
        name = name.partition(" -> ")[0]
        size = _size(written) if "," not in written else -1
        folder = mode[0] == "d" or name in (".", "..")
        return self._above + name if not name.startswith("/") else name, size, folder

    def _zip(self, line: str) -> Named | None:
        found = ZIPPED.match(line)
        return (found[2], _size(found[1]), found[2].endswith("/")) if found else None

    def _du(self, line: str) -> Named | None:
        found = USED.match(line)
        return (found[2], _size(found[1].removesuffix("i")), True) if found else None

    def _tree(self, line: str) -> Named | None:
        found = BRANCH.match(line)
        if found is None:
            return None
        # npm's branches are two wide, those of tree four
        narrow = "\u2500\u252c" in line or not re.search(r"\u2500\u2500|--", line)
        depth = len(found[1]) // 2 if narrow else (len(found[1]) + 3) // 4
        del self._stack[depth:]
        self._stack.append(found[2].strip())
        return "/".join(self._stack), -1, found[2].endswith("/")

    def _names(self, line: str) -> Named | None:
        if not line or (line.endswith(":") and HEADED.match(line)):
            return None
        return self._above + line, -1, line.endswith("/")

    def _paths(self, line: str) -> Named | None:
        return (line, -1, line.endswith("/")) if line else None


def _size(written: str) -> float:
    """Return a size in bytes, -1 for what is none: no file system holds a number of so many digits."""
    if len(written) > DIGITS:
        return -1
    if written.isdecimal():
        return float(written)
    size = number_of(written)
    return -1 if size is None else size


def form_of(lines: Sequence[str]) -> tuple[str, float]:
    """Return which form of listing lines are and the share of those that are; an empty one for none."""
    rows = [line[:WIDEST] for line in lines if not NOISE.match(line)]
    if len(rows) < 3:
        return "", 0.0
    best = ("", 0.0)
    for form, share in _shares(rows):
        if share > best[1]:
            best = (form, share)
    return best if best[1] >= 0.8 else ("", 0.0)


def _shares(rows: Sequence[str]) -> Iterator[tuple[str, float]]:
    heads = sum(HEADED.match(row) is not None for row in rows)
    bare = max(len(rows) - heads, 1)
    yield "long", min(sum(LONG.match(row) is not None for row in rows) / bare, 1.0)  # a row may be a head as well
    yield "zip", min(sum(ZIPPED.match(row) is not None for row in rows) / bare, 1.0)
    yield "tree", sum(BRANCH.match(row) is not None for row in rows) / len(rows)
    used = [found for found in map(USED.match, rows) if found]
    yield "du", sum("/" in found[2] or found[2] == "." for found in used) / len(rows)
    paths = sum(_is_path(row) for row in rows)
    slashed = sum("/" in row.strip("/") for row in rows)
    if slashed > len(rows) * 0.5:
        yield "paths", paths / len(rows)
    listed = sum(HEADED.match(row) is not None and ("/" in row or row == ".:") for row in rows)
    if listed and sum(len(row) < 120 for row in rows) == len(rows):
        yield "names", 0.85 * (sum(_is_name(row) for row in rows) / len(rows))


def _is_path(row: str) -> bool:
    if not row or row[0] in " \t#<{[(\"'*-" or len(row) > 400 or "://" in row or row.endswith((";", ",", "{", ":")):
        return False
    return " " not in row or row.startswith(("./", "/"))


def _is_name(row: str) -> bool:
    return row[:1] not in " \t" and (row.count(" ") < 3 or row.endswith(":")) and not row.endswith((";", "{", ",", "."))
