"""Entries of failing tests: full, dense, packed, below their groups, or around their messages."""

from collections.abc import Callable, Sequence
from itertools import groupby

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.failures import LONG_BLOCK, FailedTest, FailureDetail
from ctxkit.core.brief.runs.name_packing import PlacedName, make_packed_entries
from ctxkit.core.brief.runs.summary_lines import WIDTH
from ctxkit.core.quick_dataclass import dataclass, replace

FORMS = ("name", "group", "dense")
"""Forms of failing tests: full names, names below their file or class, or many names per line.

If these leave no room for messages, the forms are ``packed`` (many names per line with one range, see
``make_packed_entries``), and then those in FOLDED.
"""
FOLDED = {"folded": 1_000, "folded 8": 8, "folded 3": 3, "folded 1": 1, "folded 0": 0, "groups": 0}
"""Forms that name each function once, with the largest number of ids of its parameters.

The last one is for maps without space for all names: it names the files or classes before all functions, and shows or
hides a few functions at a time.
"""
CROWDED_FORMS = ("dense", "packed", *FOLDED)
"""Forms with the messages below all names."""
CROWDED_WIDTH = 120
"""Maximum number of characters of a quoted message in crowded forms."""


@dataclass(frozen=True, slots=True)
class FailureLine:
    """Hold a line that names a failing test without a block; ``short_name`` replaces the text if space is short."""

    number: int
    text: str
    short_name: str


def is_cut(detail: FailureDetail) -> bool:
    """Return whether a detail quotes a line that is too long for a crowded outline."""
    return detail.entry.verbatim and len(detail.entry.label.strip()) > CROWDED_WIDTH


def make_dense_entry(failure: FailedTest, name: str) -> Entry:
    """Return an entry that shares its line with others."""
    return Entry(clean_line(name, WIDTH), failure.start, failure.end, 1, dense=True)


def place_failure(failure: FailedTest) -> PlacedName:
    """Return a name with the lines of its block, or those around the message if the block is long."""
    start, end = failure.start, failure.end
    if end - start >= LONG_BLOCK and failure.message:
        start = max(failure.message - LONG_BLOCK // 2, start)
        end = min(start + LONG_BLOCK - 1, end)
    return start, end, clean_line(failure.short_name or failure.name, WIDTH)


def place_line(failure_line: FailureLine) -> PlacedName:
    """Return the name on a line."""
    return failure_line.number, failure_line.number, clean_line(failure_line.short_name, WIDTH)


def get_full_name(failure: FailedTest) -> str:
    """Return the full name of a failing test, with its file or class."""
    return failure.name if failure.group in failure.name else f"{failure.group}: {failure.short_name or failure.name}"


def pack_failures(failures: Sequence[FailedTest]) -> list[Entry]:
    """Return lines of several names, below their files or classes if these are few."""
    groups = [(group, list(rows)) for group, rows in groupby(failures, lambda failure: failure.group)]
    if len(groups) * 4 > len(failures) or not all(group for group, _ in groups):
        return make_packed_entries([place_failure(replace(row, short_name=get_full_name(row))) for row in failures])
    return [
        Entry(
            group, rows[0].start, rows[-1].end, 1, children=tuple(make_packed_entries(list(map(place_failure, rows))))
        )
        for group, rows in groups
    ]


def nest_around_message(failure: FailedTest, below: Sequence[Entry]) -> list[Entry]:
    """Put the details of a long block below an entry for the part with its message."""
    start = max(failure.message - LONG_BLOCK // 2, failure.start)
    end = min(start + LONG_BLOCK - 1, failure.end)
    inside = tuple(entry for entry in below if start <= entry.start <= end)
    outside = [entry for entry in below if not start <= entry.start <= end]
    leaf = clean_line(failure.short_name or failure.name, WIDTH)
    return sorted([*outside, Entry(f"what {leaf} says", start, end, 1, children=inside)], key=lambda entry: entry.start)


def quote_failure_line(failure_line: FailureLine, form: str) -> Entry:
    """Quote a line that names a failing test; crowded forms quote only the name."""
    text = failure_line.text if form in ("name", "group") else failure_line.short_name
    return Entry(clean_line(text, WIDTH), failure_line.number, failure_line.number, 1, verbatim=True)


def rank_first(entry: Entry) -> Entry:
    """Return an entry with rank 0, and its children with the same rank."""
    return replace(entry, rank=0, children=tuple(map(rank_first, entry.children)))


def nest_by_group(failures: Sequence[FailedTest], make_entry: Callable[[FailedTest, str], Entry]) -> list[Entry]:
    """Return entries of failing tests below their files or classes if that saves space, or else with full names."""
    groups = [(group, list(rows)) for group, rows in groupby(failures, lambda failure: failure.group)]
    if len(groups) * 2 > len(failures) or not all(group for group, _ in groups):
        return [make_entry(failure, get_full_name(failure)) for failure in failures]
    return [
        Entry(
            group,
            rows[0].start,
            rows[-1].end,
            1,
            children=tuple(make_entry(failure, failure.short_name or failure.name) for failure in rows),
        )
        for group, rows in groups
    ]
