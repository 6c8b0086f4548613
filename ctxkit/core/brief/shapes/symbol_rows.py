"""A reader of lists of symbols, as nm, readelf -s and ctags print them: name, kind, and file of each row."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field

WIDEST = 2_000
"""Maximum number of characters of a row that are read."""
MAX_GROUPS, MAX_NAMES = 5_000, 300
"""Maximum number of kinds or files, and of names kept for each."""


@dataclass(frozen=True, slots=True)
class SymbolForm:
    """Describe the rows of a tool: a pattern with the groups name and kind, perhaps also file."""

    tool: str
    pattern: re.Pattern[str]
    meanings: dict[str, str] = field(default_factory=dict)


NM_KINDS = {
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
        NM_KINDS,
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
        if len(self.names) < MAX_NAMES:
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
            match = match_symbol(line, self.form)
            if match:
                self._add_row(number, match)
            elif line.strip() and not line.startswith("!_TAG_"):
                self.other_count += 1
                if len(self.others) < MAX_NAMES:
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


def _add_to(groups: dict[str, SymbolGroup], key: str, name: str, number: int) -> None:
    if key in groups or len(groups) < MAX_GROUPS:
        groups.setdefault(key, SymbolGroup(key)).add(name, number)


def match_symbol(line: str, form: SymbolForm) -> "re.Match[str] | None":
    """Return the match of a row, or None."""
    return form.pattern.fullmatch(line.rstrip("\r")) if len(line) <= WIDEST else None


def find_form(lines: Sequence[str], share: float) -> SymbolForm | None:
    """Return the form that most lines have, at least the share of them, or None."""
    for form in FORMS:
        some = [line for line in islice(lines, 400) if line.strip() and not line.startswith("!_TAG_")]
        count = sum(match_symbol(line, form) is not None for line in some)
        if count >= 8 and count >= share * len(some):
            return form
    return None
