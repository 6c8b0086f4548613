"""Regions between the definitions of a source file: imports, constants and statements."""

from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.brief.document import Definition
from ctxkit.core.brief.outline import Entry
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.quantity import pluralize

_IMPORT = compile_lazily(
    r"(?:import|from|use|using|require|require_relative|include|#\s*include|package|load|source|\.|@import|extern crate"
    r"|pub use|mod|pub mod|export \* from|export \{|library|part|part of|alias|open)\b.*"
    r"|(?:const|let|var|local) .*\brequire\b.*"
)
"""Pattern of an import."""
SOURCES = compile_lazily(r"""['"<]([\w@./:+-]+)['">]""")
_PATH = compile_lazily(r"(?:static |crate |mod |type )?\(?(?<![\w.:\\-])([\w.:\\-]+\w)")
_CONSTANT = compile_lazily(
    r"(?:export |pub(?:\([^)]*\))? |public |private |static |final |extern )*(?:const|static|let|var|val|my|our|local)?"
    r" ?(?:mut )?[$@%]?(?:[A-Za-z_][\w<>\[\].]* [*&]?(?=[A-Za-z_]\w* ?=))?([A-Za-z_]\w*)(?: ?:[^=]+| [*\w]+)? ?"
    r"(?::=|=)(?!=)|#\s*define (\w+)"
)
"""Pattern of an assignment to a name."""
_NEUTRAL = compile_lazily(
    r"\s*(?:#(?!\s*(?:include|define))|//|/\*|\*|--|;|@(?!import\b)\w|[\])}>]++[;,)]*+\s*$|template|else\b|$)"
)
"""Pattern of comments, decorators, closing brackets and blank lines."""
_QUOTES = ('"""', "'''", "/*")
_ENDS = {'"""': '"""', "'''": "'''", "/*": "*/"}
_MAX_NAMES = 8
_MAX_LINE_LENGTH = 400
"""Maximum number of characters read from a line."""


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """Hold a range of lines between definitions, with its kind, such as imports or statements, and its names."""

    kind: str
    start: int
    end: int
    names: tuple[str, ...]

    def format_label(self, most: int = _MAX_NAMES) -> str:
        """Return ``imports (os, re, +3 more)``."""
        if not self.names:
            return self.kind
        more = f", +{len(self.names) - most} more" if len(self.names) > most else ""
        return f"{self.kind} ({', '.join(self.names[:most])}{more})"


def find_regions(lines: Sequence[str], tops: Iterable[Definition]) -> Iterator[CodeRegion]:
    """Yield the regions before, between and after definitions, in order, without comments and blank lines."""
    start = 1
    for top in tops:
        yield from _find_gap_regions(lines, start, top.start - 1)
        start = max(start, top.end + 1)
    yield from _find_gap_regions(lines, start, len(lines))


def _find_gap_regions(lines: Sequence[str], start: int, end: int) -> Iterator[CodeRegion]:
    """Yield the regions of one gap: consecutive lines of the same kind, without comments."""
    sort, first, last, names = "", 0, 0, dict[str, None]()
    for number, line_kind, new_names in _classify_lines(lines, start, end):
        if line_kind not in ("", sort):
            if sort:
                yield CodeRegion(_choose_title(sort, names), first, last, tuple(names))
            sort, first, names = line_kind, number, {}
        if sort:
            last = number
            if line_kind or sort == "imports":
                names.update(dict.fromkeys(new_names))
    if sort:
        yield CodeRegion(_choose_title(sort, names), first, last, tuple(names))


def _choose_title(sort: str, names: Iterable[str]) -> str:
    if sort != "constants":
        return sort
    return sort if all(name.isupper() for name in names) else "variables"


def _find_source(text: str) -> list[str]:
    """Return the name of the source that a line inside a statement names, or nothing."""
    inner = SOURCES.search(text)
    return [inner[1]] if inner and (text[0] in "\"'_" or "} from" in text) else []


def _classify_lines(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (number, kind, names) of each line with content; an empty kind continues the line before."""
    margin, closing = -1, ""
    for number in range(start, end + 1):
        line = lines[number - 1]
        text = line.lstrip()[:_MAX_LINE_LENGTH]
        if closing:
            closing = "" if closing in line else closing
            continue
        opening = next((quote for quote in _QUOTES if text.startswith(quote)), "")
        if opening:
            closing = "" if _ENDS[opening] in line.lstrip()[len(opening) :] else _ENDS[opening]
            continue
        if _NEUTRAL.match(line):
            continue
        indent = len(line) - len(line.lstrip())
        margin = indent if margin < 0 else margin
        if indent > margin or text[0] in "])}>":
            yield number, "", _find_source(text)
        else:
            margin = indent
            yield number, *_classify_line(text)


def _classify_line(text: str) -> tuple[str, list[str]]:
    """Return the kind of an unindented line and the names in it."""
    if _IMPORT.match(text):
        quoted = SOURCES.search(text)
        path = _PATH.search(text.partition(" ")[2] if " " in text else "")
        match = quoted or path
        return "imports", [match[1]] if match and match[1] not in ("type", "import") else []
    constant = _CONSTANT.match(text)
    return ("constants", [constant[1] or constant[2]]) if constant else ("statements", [])


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Hold one conflict: the lines of its three markers, and the names of the two sides."""

    start: int
    middle: int
    end: int
    ours: str
    theirs: str

    def make_entry(self) -> Entry:
        """Return an entry about the conflict."""
        ours, theirs = self.middle - self.start - 1, self.end - self.middle - 1
        sides = f"{self.ours or 'ours'} ({pluralize(ours, 'line')}) against {self.theirs or 'theirs'}"
        return Entry(f"conflict, {sides} ({pluralize(theirs, 'line')})", self.start, self.end)


def find_conflicts(lines: Sequence[str]) -> Iterator[MergeConflict]:
    """Yield the conflicts in ``lines``; markers out of order are ignored."""
    start = middle = 0
    ours = ""
    for number, line in enumerate(lines, 1):
        if line[:7] == "<<<<<<<" and line[7:8] in ("", " "):
            start, middle, ours = number, 0, line[8:].strip()
        elif start and line[:7] in ("=======", "|||||||") and line[7:8] in ("", " "):
            middle = middle or number
        elif start and middle and line[:7] == ">>>>>>>" and line[7:8] in ("", " "):
            yield MergeConflict(start, middle, number, ours, line[8:].strip())
            start = middle = 0
