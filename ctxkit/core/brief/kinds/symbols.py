"""Lists of symbols: kinds and files with counts and ranges, undefined and rare ones with names, an index by name."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import find_most_detail
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.quantity import pluralize

_WIDEST = 2_000
"""Maximum number of characters of a row that are read."""
_MAX_GROUPS, _MAX_NAMES = 5_000, 300
"""Maximum number of kinds or files, and of names kept for each."""


@dataclass(frozen=True, slots=True)
class SymbolForm:
    """Describe the rows of a tool: a pattern with the groups name and kind, perhaps also file."""

    tool: str
    pattern: re.Pattern[str]
    meanings: dict[str, str] = field(default_factory=dict)


_NM_KINDS = {
    "U": "undefined",
    "T": "code",
    "t": "local code",
    "D": "data",
    "d": "local data",
    "B": "zero data",
    "b": "local zero data",
    "R": "read-only data",
    "r": "local read-only data",
    "W": "weak",
    "w": "weak undefined",
    "V": "weak object",
    "v": "weak undefined object",
    "u": "unique",
    "i": "indirect",
    "A": "absolute",
}
"""Meanings of the letters of nm."""
FORMS = (
    SymbolForm(
        "nm",
        compile_lazily(r"^(?:(?P<file>\S{1,200}:) ?)?(?:[0-9a-f]{8,16}| {8,16}) (?P<kind>[A-Za-z]) (?P<name>\S.*)"),
        _NM_KINDS,
    ),
    SymbolForm(
        "readelf",
        compile_lazily(
            r"^ {0,12}\d{1,9}: [0-9a-f]{8,16} {1,12}(?:0x)?[0-9a-f]{1,16} "
            r"(?P<kind>[A-Z]+ +[A-Z]+ +[A-Z]+ {1,12}(?:UND|ABS|COM|UNDEF|\d+)) (?P<name>\S.*)"
        ),
    ),
    SymbolForm(
        "ctags -x",
        compile_lazily(
            r"^(?P<name>\S{1,400}) {1,60}(?P<kind>[a-z]\w{0,30}) {1,20}\d{1,9} (?P<file>\S{0,400}[./]\S{0,400}) .*"
        ),
    ),
    SymbolForm(
        "ctags",
        compile_lazily(
            r'^(?P<name>[^\t]{1,400})\t(?P<file>[^\t]{1,400})\t[/?\d].{0,600};"\t(?:kind:)?(?P<kind>\w{1,30})(?:\t.*)?'
        ),
    ),
)


@dataclass(slots=True)
class SymbolGroup:
    """Count the rows of a kind or a file, and hold the first and last line and the first names."""

    name: str
    count: int = 0
    first: int = 0
    last: int = 0
    names: list[tuple[str, int]] = field(default_factory=list)

    def add(self, name: str, number: int) -> None:
        """Count a row."""
        self.count += 1
        self.first, self.last = self.first or number, number
        if len(self.names) < _MAX_NAMES:
            self.names.append((name, number))


class SymbolReader:
    """Read the rows of a form once."""

    def __init__(self, form: SymbolForm) -> None:
        self.form = form
        self.kinds: dict[str, SymbolGroup] = {}
        self.files: dict[str, SymbolGroup] = {}
        self.count = self.other_count = 0
        self.others: list[tuple[int, str]] = []
        self.is_sorted = True
        self.rows: list[tuple[int, str]] = []
        self._last = ""

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> "SymbolReader":
        """Read numbered lines."""
        for number, line in lines:
            match = _match_symbol(line, self.form)
            if match:
                self._add_row(number, match)
            elif line.strip() and not line.startswith("!_TAG_"):
                self.other_count += 1
                if len(self.others) < _MAX_NAMES:
                    self.others.append((number, line))
        return self

    def _add_row(self, number: int, match: "re.Match[str]") -> None:
        name, groups = match["name"], match.groupdict()
        self.count += 1
        self.rows.append((number, name[:100]))
        self.is_sorted = self.is_sorted and self._last <= name
        self._last = name
        _add_to(self.kinds, " ".join(match["kind"].split()), name, number)
        if groups.get("file"):
            _add_to(self.files, groups["file"].rstrip(":"), name, number)


NAME = "symbols"
TYPES: Sequence[str] = ("nm", "ctags", "readelf")
CLUES = Clues(
    (
        *(" U ", " T ", " W ", " t ", " D ", ';"\t', " member ", " function ", " macro ", " variable ", " FUNC "),
        " class ",
    ),
    unless_log=True,
)
_SHARE = 0.9
"""Minimum share of the lines that are symbols."""
_NAME_WIDTH, _WIDTH = 60, 160
_MAX_FILES, _MAX_OTHERS, _PER_ENTRY = 300, 12, 6
_RARE = 3
"""Maximum number of symbols of a kind that are all named early."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are symbols of one form."""
    return 0.96 if _read_form(document) else 0.0


def _read_form(document: InputDocument) -> SymbolForm | None:
    return find_form(document.head_lines, _SHARE)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the kinds, the files and the names, or None if too many lines are not symbols."""
    form = _read_form(document)
    reader = SymbolReader(form).add_lines(document.lines.enumerate_lines()) if form else None
    if reader is None or reader.count < _SHARE * (reader.count + reader.other_count):
        return None
    top = Section("", tuple(_summarize(reader, document)))
    others = Section("Other lines", tuple(quote(*row, rank=1, width=_WIDTH) for row in reader.others[:_MAX_OTHERS]))
    kinds = Section("Kinds", tuple(_list_kinds(reader)))
    files = Section("Files", tuple(_list_files(reader)), noun="files", tight=True)

    def build(number: int) -> Outline:
        return Outline(NAME, (top, others, kinds, files, _make_index(reader, number, document)))

    return [build(find_most_detail(build, max(reader.count // 4, 8), document))]


def _summarize(reader: SymbolReader, document: InputDocument) -> Iterator[Entry]:
    order = ", sorted by name" if reader.is_sorted and reader.count > 1 else ""
    files = f" in {pluralize(len(reader.files), 'file')}" if reader.files else ""
    yield Entry(f"{pluralize(reader.count, 'symbol')}{files}{order}", 1, document.lines.total)
    for number, _ in dict.fromkeys((reader.rows[0], reader.rows[-1])):
        yield quote(number, document.lines.at(number), rank=2, width=_WIDTH)


def _list_kinds(reader: SymbolReader) -> Iterator[Entry]:
    """Yield the kinds, the most frequent first, with the names of undefined and rare symbols."""
    for group in sorted(reader.kinds.values(), key=lambda group: -group.count):
        meaning = reader.form.meanings.get(group.name, "")
        label = f"{group.name}{f' ({meaning})' if meaning else ''}: {group.count:,}"
        telling = group.count <= _RARE or "undefined" in meaning or "UND" in group.name
        yield Entry(label, group.first, group.last, 1, children=tuple(_list_names(group) if telling else ()))


def _list_names(group: SymbolGroup) -> Iterator[Entry]:
    """Yield the first names of a group with their lines, a few in each entry."""
    for place, first in enumerate(range(0, len(group.names), _PER_ENTRY)):
        some = group.names[first : first + _PER_ENTRY]
        names = ", ".join(f"{name[:_NAME_WIDTH]} ({number})" for name, number in some)
        yield Entry(names, rank=2 + place, hidden_count=len(some))


def _list_files(reader: SymbolReader) -> Iterator[Entry]:
    """Yield the files, those with the most symbols first, a few on each line."""
    ordered = sorted(reader.files.values(), key=lambda group: (-group.count, group.name))
    for place, first in enumerate(range(0, min(len(ordered), _MAX_FILES), _PER_ENTRY)):
        some = ordered[first : min(first + _PER_ENTRY, _MAX_FILES)]
        names = ", ".join(f"{group.name} {group.count:,}" for group in some)
        yield Entry(names, rank=1 + place, hidden_count=len(some))


def _make_index(reader: SymbolReader, number: int, document: InputDocument) -> Section:
    """Return a section with the names at about ``number`` places."""
    stride = -(-reader.count // max(number, 1))
    if 2 * stride > reader.count:  # one name
        return Section("", ())
    places = [reader.rows[at] for at in range(0, reader.count, stride)]
    ends = [line - 1 for line, _ in places[1:]] + [document.lines.total]
    entries = (
        Entry(name[:_NAME_WIDTH], line, end, 6, dense=True) for (line, name), end in zip(places, ends, strict=True)
    )
    title = "Names" if stride == 1 else f"Every {stride:,}th name, each with the lines to the next"
    return Section(title, tuple(entries), noun="names", tight=True)


def _add_to(groups: dict[str, SymbolGroup], key: str, name: str, number: int) -> None:
    if key in groups or len(groups) < _MAX_GROUPS:
        groups.setdefault(key, SymbolGroup(key)).add(name, number)


def _match_symbol(line: str, form: SymbolForm) -> "re.Match[str] | None":
    """Return the match of a row, or None."""
    return form.pattern.fullmatch(line.rstrip("\r")) if len(line) <= _WIDEST else None


def find_form(lines: Sequence[str], share: float) -> SymbolForm | None:
    """Return the form that most lines have, at least the share of them, or None."""
    for form in FORMS:
        some = [line for line in islice(lines, 400) if line.strip() and not line.startswith("!_TAG_")]
        count = sum(_match_symbol(line, form) is not None for line in some)
        if count >= 8 and count >= share * len(some):
            return form
    return None
