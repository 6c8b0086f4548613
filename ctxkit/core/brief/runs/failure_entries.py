"""Entries of failing tests: full, dense, packed, below their groups, or around their messages."""

from collections.abc import Sequence
from itertools import groupby

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.failures import LONG_BLOCK, FailedTest, FailureDetail
from ctxkit.core.brief.runs.name_packing import PlacedName, make_packed_entries
from ctxkit.core.brief.runs.summary_lines import WIDTH
from ctxkit.core.quick_dataclass import dataclass, replace

FORMS = ("name", "group", "dense")
"""Forms of failing tests: full names, names below their file or class, or many names per line.

If not even that fits, the forms are ``packed`` (many names per line with one range, see ``make_packed_entries``) or
``bare`` (many names per line, without groups).
"""
CROWDED_FORMS = ("dense", "packed", "bare")
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


def make_dense_entry(failure: FailedTest) -> Entry:
    """Return an entry that shares its line with others."""
    name = failure.short_name or failure.name
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


def pack_failures(failures: Sequence[FailedTest]) -> list[Entry]:
    """Return lines of several names, below their files or classes if these are few."""
    groups = [(group, list(rows)) for group, rows in groupby(failures, lambda failure: failure.group)]
    if len(groups) * 4 > len(failures) or not all(group for group, _ in groups):
        return make_packed_entries(list(map(place_failure, failures)))
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
    text = failure_line.short_name if form in CROWDED_FORMS else failure_line.text
    return Entry(clean_line(text, WIDTH), failure_line.number, failure_line.number, 1, verbatim=True)


def rank_first(entry: Entry) -> Entry:
    """Return an entry with rank 0, and its children with the same rank."""
    return replace(entry, rank=0, children=tuple(map(rank_first, entry.children)))


def nest_by_group(entries: Sequence[tuple[FailedTest, Entry]]) -> list[Entry]:
    """Put the entries of failing tests below their files or classes if that saves space."""
    groups = [(group, list(rows)) for group, rows in groupby(entries, lambda pair: pair[0].group)]
    if len(groups) * 2 > len(entries) or not all(group for group, _ in groups):
        return [entry for _, entry in entries]
    below = [(group, tuple(entry for _, entry in rows)) for group, rows in groups]
    return [Entry(group, rows[0].start, rows[-1].end, 1, children=rows) for group, rows in below]
