"""Rows of package lists: a name and a version, perhaps with a suite, an architecture, an origin and a state."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

PAIR = re.compile(
    r"@?[A-Za-z0-9][\w.+~/:-]{0,120}?"
    r"(?:(?:===?|@|-|\t)(?:\d+:)?v?\d[\w.+~:^-]{0,80}| \((?:default: )?v?\d[\w.+~:^ ,-]{0,80}\))$"
)
"""Pattern of a name and a version that a mark joins, as pip freeze, rpm -qa and gem list print them."""
LISTED = re.compile(
    r"(?P<name>@?[A-Za-z0-9][\w.+~:@-]{0,120})(?:/(?P<suite>[\w.,+-]{1,80}))?[ \t]{1,80}"
    r"(?P<version>(?:\d+:)?v?\d[\w.+~:^-]{0,80})(?P<rest>(?:[ \t]{1,80}(?:[\w@.+/-]{1,60}|\[[^\]]{1,100}\])){0,3})$"
)
"""Pattern of a name, a version and further fields in columns, as apt, dnf, pacman, brew and conda print them."""
FIELD = re.compile(r"\[[^\]]*\]|\S+")
NO_VERSION = re.compile(r"\d+(?:\.\d+)?$|\d{1,3}(?:\.\d{1,3}){3}$|\d{4}-\d\d-\d\d$|\d\d?:\d\d(?::\d\d)?$")
"""Pattern of amounts, addresses, dates and times."""
MAX_LENGTH = 250
MAX_VALUES = 1_000
"""Maximum number of different values of a field that are counted."""


@dataclass(frozen=True, slots=True)
class PackageRow:
    """Hold the text of a row, its name, its version, its further fields, and whether the version may be an amount.

    A field has a name: ``suite`` after a slash, ``state`` in brackets, or else ``column 3``.
    """

    text: str
    name: str
    version: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    is_doubtful: bool = False


def parse_package_row(line: str) -> PackageRow | None:
    """Return the package of a line, or None."""
    text = line.strip()
    if len(text) > MAX_LENGTH:
        return None
    match = LISTED.match(text)
    if match and any(map(str.isalpha, match["name"] + (match["suite"] or ""))):
        is_doubtful = NO_VERSION.match(match["version"]) is not None
        return PackageRow(text, match["name"], match["version"], tuple(_name_fields(match)), is_doubtful)
    if PAIR.match(text) and any(map(str.isalpha, text[:3])):
        return PackageRow(text, re.split(r"[=@\t (]|-\d", text, maxsplit=1)[0])
    return None


def _name_fields(match: "re.Match[str]") -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each further field."""
    if match["suite"]:
        yield "suite", match["suite"]
    for place, value in enumerate(FIELD.findall(match["rest"]), 3):
        yield "state" if value.startswith("[") else f"column {place}", value


@dataclass(slots=True)
class FieldCounter:
    """Count the values of the further fields of packages, by the name of the field."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    row_count: int = 0
    has_overflow: bool = False

    def add(self, row: PackageRow) -> None:
        """Count the fields of a row."""
        self.row_count += 1
        for name, value in row.fields:
            counts = self.counts.setdefault(name, Counter())
            if value in counts or len(counts) < MAX_VALUES:
                counts[value] += 1
            else:
                self.has_overflow = True

    def find_usual(self) -> dict[str, str]:
        """Return the value that most rows have of each field, for fields that all rows have."""
        usual = {}
        for name, counts in self.counts.items():
            value, count = counts.most_common(1)[0]
            if count * 2 >= self.row_count == counts.total():
                usual[name] = value
        return usual


def shorten_row(row: PackageRow, usual: dict[str, str]) -> str:
    """Return the name and the version of a row with the fields that are not the usual ones."""
    if not row.version:
        return " ".join(row.text.split())
    unusual = [value for name, value in row.fields if usual.get(name) != value]
    return " ".join([row.name, row.version, *unusual])
