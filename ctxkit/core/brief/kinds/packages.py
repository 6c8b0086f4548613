"""Lists of packages with one name and version on each line, as pip freeze, rpm -qa and dpkg-query print them."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.data.input_lines import head_lines
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.measure import pluralize

NAME = "packages"
TYPES: Sequence[str] = ()
PACKAGE = re.compile(r"@?[A-Za-z0-9][\w.+/~:-]{0,120}?(?:===?|@|-|\t| \()(?:\d+:)?v?\d[\w.+~:^-]{0,80}\)?$")
"""Pattern of a line with a name and a version."""
SAMPLE, LEAST = 400, 8
RUN = 10
"""Number of packages listed on one line."""
MAX_ODD = 40
"""Maximum number of quoted lines that are no packages."""
MAX_LENGTH = 250


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are a name and a version."""
    rows = [line.strip() for line in islice(head_lines(document), SAMPLE) if line.strip()]
    if len(rows) < LEAST:
        return 0.0
    matches = sum(_is_package(row) for row in rows)
    names = {re.split(r"[=@\t (]|-\d", row, maxsplit=1)[0] for row in rows}
    dotted = sum("." in row for row in rows)
    if matches < 0.9 * len(rows) or len(names) < 0.8 * len(rows) or dotted < 0.7 * len(rows):
        return 0.0
    return 0.82 * matches / len(rows)


def _is_package(row: str) -> bool:
    return len(row) <= MAX_LENGTH and PACKAGE.match(row) is not None and any(map(str.isalpha, row[:3]))


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of all packages in runs of neighbours, and of the lines that are none."""
    groups: list[Entry] = []
    odd: list[tuple[int, str]] = []
    rows: list[tuple[int, str]] = []
    total = odd_count = 0
    for number, line in document.lines.enumerate_lines():
        row = line.strip()
        if not row:
            continue
        if not _is_package(row):
            odd_count += 1
            odd += [(number, line)] if len(odd) < MAX_ODD else []
            continue
        total += 1
        if rows and number - rows[0][0] >= RANGE_LINES:
            groups.append(_make_group(rows))
            rows = []
        rows.append((number, row))
    if not total:
        return None
    groups.append(_make_group(rows))
    top = Section("", (Entry(pluralize(total, "package"), 1, document.lines.total),))
    around = tuple(quote(number, text, rank=1, width=160) for number, text in odd)
    title = "Lines that are no package" + (f", the first of {odd_count:,}" if odd_count > len(odd) else "")
    return [Outline(NAME, (top, Section(title, around, noun="lines"), *_list_groups(groups)))]


def _list_groups(groups: Sequence[Entry]) -> Iterator[Section]:
    """Yield the section of all packages; a single group needs no heading of its own."""
    entries = tuple(groups[0].children) if len(groups) == 1 else tuple(groups)
    yield Section("Packages", entries, noun="runs of packages")


def _make_group(rows: Sequence[tuple[int, str]]) -> Entry:
    """Return an entry for neighbours, with runs of them below it."""
    runs = tuple(
        Entry(", ".join(" ".join(row.split()) for _, row in run), run[0][0], run[-1][0], 20)
        for run in (rows[at : at + RUN] for at in range(0, len(rows), RUN))
    )
    return Entry(f"from {' '.join(rows[0][1].split())}", rows[0][0], rows[-1][0], 10, children=runs)
