"""A reader of search results: the file and the line number of each line."""

from collections.abc import Sequence

from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

MAX_FILES = 20_000
"""Maximum number of distinct files; the others are counted together."""
MAX_RANGES = 60_000
"""Maximum number of ranges within files."""
MAX_RUNS = 6
"""Maximum number of lines stored at which a file comes again."""
MAX_SAMPLES = 6
"""Maximum number of matches quoted per file."""
MATCH = compile_lazily(r"((?:[A-Za-z]:|[\w.@~^{}/-]{1,200}:(?=[^\s:\d]))??[^:\n\0]{1,400}?)[:\0](\d+):(?:\d+:)?")
"""Pattern of a line with a path and a number; git grep puts a revision and a colon before the path."""
NUMBERED_LINE = compile_lazily(r"(\d+)([:-])")
UNNUMBERED = compile_lazily(r"((?:[A-Za-z]:)?[^:\n\0]{1,400}):")
JSON = compile_lazily(
    r'\{"type":"(match|context)","data":\{"path":\{"text":"((?:[^"\\]|\\.)*)"\}.*?"line_number":(\d+)'
)
"""Pattern of a line of ripgrep's --json output about a line of a file."""
SCOPED = compile_lazily(r"(\S{1,400}) (<?[\w~:.*]{1,200}>?) (\d+) ")
"""Pattern of a line of cscope: a path, a function or <global>, and a number."""
CONTEXT = compile_lazily(r"(.{1,400}?)-(\d+)-")


@dataclass(slots=True)
class MatchRange:
    """Hold some matches of one file: lines ``start`` to ``end`` here, ``first`` to ``last`` in the file."""

    start: int
    end: int
    first: int
    last: int
    matches: int


@dataclass(slots=True)
class FileMatches:
    """Hold the matches in one file: their lines here, their number, and their lines in the file.

    ``first_end`` is the last line before another file; ``runs`` are the first lines after others.
    """

    path: str
    start: int
    end: int
    matches: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)
    parts: list[MatchRange] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    run_count: int = 0
    first_end: int = 0

    def note_run(self, number: int) -> None:
        """Note that the file comes again at a line, after another file."""
        self.run_count += 1
        if len(self.runs) < MAX_RUNS:
            self.runs.append(number)


class SearchResults:
    """Read search results once; ``form`` is the way in which lines name their file.

    ``path``: before every line; ``heading``: on its own line; ``single``: nowhere; ``bare``: before every line without
    a number; ``scoped``: before a function and a number; ``json``: in an object.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        self.files: list[FileMatches] = []
        self.other_files = FileMatches("", 0, 0)
        self.files_left_out = 0
        self.others: list[tuple[int, str]] = []
        self.unknown = 0
        self.separators = 0
        self.parts = 0
        self._file: FileMatches | None = None
        self._prefix = self._context = "\0"
        self._waiting: list[tuple[int, str]] = []
        self._known: dict[str, FileMatches] = {}

    @property
    def match_count(self) -> int:
        """Return the number of lines that match."""
        return sum(file.matches for file in self.files) + self.other_files.matches

    def read(self, lines: IndexedLines) -> "SearchResults":
        """Read all lines of a document."""
        readers = {"path": self._read_path_rows, "heading": self._read_heading_rows}
        readers |= {"single": self._read_single_rows, "bare": self._read_bare_rows, "json": self._read_json_rows}
        readers |= {"scoped": self._read_scoped_rows}
        number = 1
        for block in lines.blocks():
            if "\x1b" in block:
                block = "\n".join(map(strip_escapes, block.split("\n")))
            rows = block.replace("\r", "").split("\n")
            readers[self.form](rows, number)
            number += len(rows)
        self._drop_context("")
        return self

    def _open_file(self, path: str, number: int) -> FileMatches:
        """Return the file of a line, created if it is new."""
        known = self._known.get(path)
        if known:
            if known is not self._file and number > known.end + 2:
                known.note_run(number)
            self._file = known
        elif len(self.files) < MAX_FILES:
            self._file = self._known[path] = FileMatches(path, number, number)
            self.files.append(self._file)
        else:
            if self.other_files.path != path:
                self.files_left_out += 1
            self.other_files.path, self.other_files.start = path, self.other_files.start or number
            self._file = self.other_files
        return self._file

    def _add_line(self, file: FileMatches, number: int, line: str, place: int, *, match: bool) -> None:
        """Count a line of a file; ``place`` is its line number there, or 0."""
        file.end = max(file.end, number)
        if not file.run_count:
            file.first_end = file.end
        if match:
            file.matches += 1
            if len(file.samples) < MAX_SAMPLES:
                file.samples.append((number, clean_line(line)))
        part = file.parts[-1] if file.parts else None
        if part is None or number - part.start >= RANGE_LINES:
            if self.parts >= MAX_RANGES:
                return
            self.parts += 1
            part = MatchRange(number, number, place, place, 0)
            file.parts.append(part)
        part.end, part.matches = number, part.matches + match
        if place:
            part.first, part.last = min(part.first or place, place), max(part.last, place)

    def _read_path_rows(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            file = self._file
            if file is not None and line.startswith(self._prefix):
                digits = line[len(self._prefix) :].partition(":")[0]
                if digits.isdecimal():
                    self._add_line(file, here, line, int(digits), match=True)
                    continue
            elif file is not None and line.startswith(self._context):
                digits = line[len(self._context) :].partition("-")[0]
                if digits.isdecimal():
                    self._add_line(file, here, line, int(digits), match=False)
                    continue
            if line == "--":
                self.separators += 1
            else:
                self._read_other(here, line)

    def _read_other(self, number: int, line: str) -> None:
        """Read a line that does not belong to the open file: the first of another file, context
        before it, or neither.
        """
        match = MATCH.match(line)
        if match is None:
            if CONTEXT.match(line) and len(self._waiting) < 1_000:
                self._waiting.append((number, line))
            else:
                self._note_unknown(number, line)
            return
        path = match[1]
        self._drop_context(path)
        file = self._open_file(path, self._waiting[0][0] if self._waiting else number)
        for place, text in self._waiting:
            digits = text[len(path) + 1 :].partition("-")[0]
            self._add_line(file, place, text, int(digits) if digits.isdecimal() else 0, match=False)
        self._waiting = []
        self._prefix, self._context = f"{path}{line[len(path)]}", f"{path}-"
        self._add_line(file, number, line, int(match[2]), match=True)

    def _drop_context(self, path: str) -> None:
        """Count waiting context lines that do not belong to ``path`` as unknown."""
        mine = [(n, text) for n, text in self._waiting if path and text.startswith(f"{path}-")]
        for row in self._waiting:
            if row not in mine:
                self._note_unknown(*row)
        self._waiting = mine

    def _note_unknown(self, number: int, line: str) -> None:
        if not line.strip():
            return
        self.unknown += 1
        if len(self.others) < 40:
            self.others.append((number, line))

    def _read_heading_rows(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            match = NUMBERED_LINE.match(line)
            if match and self._file is not None:
                self._add_line(self._file, here, line, int(match[1]), match=match[2] == ":")
            elif line == "--":
                self.separators += 1
            elif line.strip():
                self._open_file(line.strip(), here)

    def _read_single_rows(self, rows: Sequence[str], number: int) -> None:
        file = self._file or self._open_file("the file searched", number)
        for here, line in enumerate(rows, number):
            match = NUMBERED_LINE.match(line)
            if match:
                self._add_line(file, here, line, int(match[1]), match=match[2] == ":")
            elif line == "--":
                self.separators += 1
            else:
                self._note_unknown(here, line)

    def _read_scoped_rows(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            match = SCOPED.match(line)
            if match:
                self._add_line(self._open_file(match[1], here), here, line, int(match[3]), match=True)
            else:
                self._note_unknown(here, line)

    def _read_bare_rows(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            if self._file is not None and line.startswith(self._prefix):
                self._add_line(self._file, here, line, 0, match=True)
                continue
            match = UNNUMBERED.match(line)
            if match:
                file = self._open_file(match[1], here)
                self._prefix = f"{match[1]}:"
                self._add_line(file, here, line, 0, match=True)
            elif line == "--":
                self.separators += 1
            else:
                self._note_unknown(here, line)

    def _read_json_rows(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            match = JSON.match(line)
            if match:
                file = self._file if self._prefix == match[2] else self._open_file(match[2], here)
                self._prefix = match[2]
                if file is not None:
                    self._add_line(file, here, line, int(match[3]), match=match[1] == "match")
