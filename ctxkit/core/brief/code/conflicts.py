"""Merge conflicts in a text."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.quantity import pluralize


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
