"""Lists of packages with one name and version on each line, as pip freeze, rpm -qa, apt list and dnf print them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.data.input_lines import head_lines
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.package_rows import FieldCounter, PackageRow, parse_package_row, shorten_row
from ctxkit.core.text.measure import pluralize

NAME = "packages"
TYPES: Sequence[str] = ()
SAMPLE, LEAST = 400, 8
MAX_PACKAGES = 100_000
"""Maximum number of packages of a list, all of which are held in memory."""
RUN = 10
"""Number of packages listed on one line."""
MAX_ODD = 40
"""Maximum number of quoted lines that are no packages."""
MAX_SHOWN, MAX_DISTINCT = 5, 20
"""Maximum numbers of values that are listed with their counts, and of different values of a field that has a list."""
RARE = 3
"""Maximum number of packages with the same rare value that are named."""
PlacedRow = tuple[int, PackageRow]


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are a name and a version."""
    lines = [line for line in islice(head_lines(document), SAMPLE) if line.strip()]
    rows = [row for line in lines if (row := parse_package_row(line))]
    if len(lines) < LEAST or len(rows) < 0.9 * len(lines):
        return 0.0
    dotted = sum("." in (row.version or row.text) for row in rows)
    doubtful = sum(row.is_doubtful for row in rows)
    if len({row.name for row in rows}) < 0.8 * len(rows) or dotted < 0.7 * len(rows) or doubtful > 0.5 * len(rows):
        return 0.0
    return 0.82 * len(rows) / len(lines)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of all packages in runs of neighbours, and of the lines that are none; None if they are many."""
    odd: list[tuple[int, str]] = []
    rows: list[PlacedRow] = []
    odd_count = 0
    counter = FieldCounter()
    for number, line in document.lines.enumerate_lines():
        row = parse_package_row(line)
        if row:
            rows.append((number, row))
            counter.add(row)
            if len(rows) > MAX_PACKAGES:
                return None
        elif line.strip():
            odd_count += 1
            odd += [(number, line)] if len(odd) < MAX_ODD else []
    if not rows:
        return None
    usual = counter.find_usual()
    top = Section("", (Entry(pluralize(len(rows), "package"), 1, document.lines.total), *_count_fields(counter, rows)))
    around = tuple(quote(number, text, rank=1, width=160) for number, text in odd)
    title = "Lines that are no package" + (f", the first of {odd_count:,}" if odd_count > len(odd) else "")
    lists = (_list_groups(rows, usual), _list_groups(rows, None))
    return [Outline(NAME, (top, Section(title, around, noun="lines"), section)) for section in lists]


def _count_fields(counter: FieldCounter, rows: Sequence[PlacedRow]) -> Iterator[Entry]:
    """Yield an entry for each further field with few different values: how many packages have each of them."""
    if counter.has_overflow:
        return
    for name, counts in counter.counts.items():
        if len(counts) > MAX_DISTINCT:
            continue
        listed = [f"{value} {count:,}" for value, count in counts.most_common(MAX_SHOWN)]
        more = f", +{len(counts) - MAX_SHOWN} more" if len(counts) > MAX_SHOWN else ""
        total = counts.total()
        among = f" (in {total:,} of {len(rows):,})" if total < len(rows) else ""
        rare = {(name, value) for value, count in counts.items() if count <= RARE} if len(counts) > 1 else set()
        named = tuple(quote(number, row.text, rank=3, width=160) for number, row in rows if rare & set(row.fields))
        yield Entry(f"by {name}{among}: {', '.join(listed)}{more}", rank=2, children=named)


def _split_groups(rows: Sequence[PlacedRow]) -> Iterator[list[PlacedRow]]:
    """Yield runs of packages within RANGE_LINES lines."""
    group: list[PlacedRow] = []
    for row in rows:
        if group and row[0] - group[0][0] >= RANGE_LINES:
            yield group
            group = []
        group.append(row)
    yield group


def _list_groups(rows: Sequence[PlacedRow], usual: dict[str, str] | None) -> Section:
    """Return the section of all packages, by their names alone without ``usual`` values.

    A single group needs no heading of its own.
    """
    groups = [_make_group(group, usual) for group in _split_groups(rows)]
    entries = tuple(groups[0].children) if len(groups) == 1 else tuple(groups)
    shared = ", ".join(usual.values()) if usual else ""
    title = "Packages" + (" by name" if usual is None else f" ({shared} unless it says otherwise)" if shared else "")
    return Section(title, entries, noun="runs", complete=usual is not None)


def _make_group(rows: Sequence[PlacedRow], usual: dict[str, str] | None) -> Entry:
    """Return an entry for neighbours, with runs of them below it."""
    labels = [row.name if usual is None else shorten_row(row, usual) for _, row in rows]
    runs = tuple(
        Entry(", ".join(labels[at : at + RUN]), rows[at][0], rows[min(at + RUN, len(rows)) - 1][0], 20)
        for at in range(0, len(rows), RUN)
    )
    return Entry(f"from {labels[0]}", rows[0][0], rows[-1][0], 10, children=runs)
