"""Laying out what compilers, linters and build tools said, for as much room as there is."""

from collections.abc import Iterator, Sequence
from functools import partial

from ctxkit.core.brief.builds.findings import ERROR
from ctxkit.core.brief.builds.labels import (
    by_line,
    closed_with,
    count_of,
    merged,
    parts_of,
    place_of,
    short_names,
    side_by_side,
    weight,
)
from ctxkit.core.brief.builds.tally import REACH, WIDEST, Chunk, Group, Tally
from ctxkit.core.brief.depth import AROUND, deepest, size
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, quote, shown
from ctxkit.core.measure import plural

FORMS = ("coded", "file", "window", "names", "ends")
"""How findings are placed: each file with its codes, each file with a count, many files to a range,
which counts and names them, names them, or names the first and the last."""
WIDE = ("window", "names", "ends")
LATE = 3
"""Ranges at the end that come before all others: what the end alone would show must be found."""
LINES = 12
"""Lines of a finding that are quoted."""
LAST = 5
"""Lines of the end that are quoted early."""
END = 40
"""Lines of the end that are quoted where there is room."""
CLOSED = 12
"""Closing lines that come before anything else: the first few and the last."""


class Diagnosis:
    """Turn a tally into outlines of the kind ``name``."""

    def __init__(self, name: str, document: Document, tally: Tally) -> None:
        self._name = name
        self._document = document
        self._tally = tally
        self._texts: dict[int, str] = {found.number: found.text for found in tally.kept}
        errors = [group for group in tally.groups.values() if group.severity == ERROR]
        rest = [group for group in tally.groups.values() if group.severity != ERROR]
        self._groups = [*sorted(errors, key=weight), *sorted(rest, key=weight)]
        self._top = {one.number for one in (tally.first,) if one}
        self._details = list(dict.fromkeys(self._ordered()))[: document.target]

    def outlines(self) -> list[Outline]:
        """Return the fullest outline that fits, poorer ones in case it does not, the least last."""
        form, most = FORMS[-1], 0
        for form in FORMS:
            if size(self._outline(form, 0), self._document) <= self._document.target - AROUND:
                most = deepest(partial(self._outline, form), len(self._details), self._document)
                if form in WIDE or most >= min(len(self._groups), 12):
                    break
        fewer = dict.fromkeys((most, most * 9 // 10, most * 3 // 4, most // 2, most // 4, 0))
        return [self._outline(form, many) for many in fewer]

    def _ordered(self) -> Iterator[int]:
        """Yield the numbers of lines worth quoting, the most telling first."""
        tally = self._tally
        if tally.first:
            yield from range(tally.first.number + 1, min(tally.first.end, tally.first.number + 3) + 1)
        last = [number for number in self._last(LAST) if number not in {c.last.number for c in tally.closings.values()}]
        yield from (group.first.number for group in self._groups if group.severity == ERROR)
        yield from reversed(last)
        yield from (group.first.number for group in self._groups)
        yield from (number for stretch in tally.others for number, _ in stretch.rows[1:])
        yield from (found.number for found in tally.kept if found.severity == ERROR)
        for group in [one for one in self._groups if one.severity == ERROR][:8]:
            yield from range(group.first.start, min(group.first.end, group.first.start + LINES) + 1)
        yield from (number for stretch in tally.others for number, _ in stretch.rows[:1])
        yield from (found.number for found in tally.kept)
        for found in tally.kept:
            yield from range(found.start, min(found.end, found.start + LINES) + 1)
        yield from reversed(self._last(END))

    def _last(self, most: int) -> list[int]:
        total = self._document.lines.total
        return list(range(max(total - most + 1, 1), total + 1))

    def _outline(self, form: str, many: int) -> Outline:
        """Return the outline with the first ``many`` details quoted, each below the range it stands in."""
        told = set(self._details[:many]) - self._top
        sections = [
            Section("", tuple(self._closings()), noun="closing lines"),
            Section("First error", tuple(self._first(told)), noun="lines"),
            Section(self._counts(), tuple(self._codes(told)), noun="codes"),
            Section("By file", tuple(self._places(form, told)), noun="files"),
            Section("Steps" if self._tally.steps else "Other output", tuple(self._others(told)), noun="parts"),
            Section("", tuple(self._end(told)), noun="lines", bare=True, covered=True),
        ]
        return Outline(self._name, tuple(s for s in sections if s.entries), example=self._example(), urgent=True)

    def _example(self) -> tuple[int, int] | None:
        first = self._tally.first or next(iter(self._tally.kept), None)
        return (first.start, min(first.end, first.start + REACH - 1)) if first else None

    def _closings(self) -> Iterator[Entry]:
        """Yield what the run closed with, as it stands; of lines of the same words the first and the last."""
        kept = sorted(self._tally.closings.values(), key=lambda one: one.last.number)
        late = {id(one) for one in (*kept[:2], *kept[2 - CLOSED :])}
        for one in kept:
            yield from closed_with(one, 0 if id(one) in late else 6)
            self._top.update((one.first.number, one.last.number))

    def _first(self, told: set[int]) -> Iterator[Entry]:
        first = self._tally.first
        if first is None:
            return
        yield quote(first.number, first.text, width=400)
        # what explains it stands below, as it does in the log
        below = range(first.number + 1, min(first.end, first.number + LINES) + 1)
        yield from self._quoted([number for number in below if number in told], rank=1)
        told.difference_update(below)

    def _counts(self) -> str:
        tally = self._tally
        counted = [plural(tally.errors, "error")] if tally.errors else []
        counted += [plural(tally.warnings, "warning")] if tally.warnings else []
        files = sum(bool(path) for path in tally.files)
        return f"Found here: {' and '.join(counted)}" + (f", in {plural(files, 'file')}" if files else "")

    def _codes(self, told: set[int]) -> Iterator[Entry]:
        """Yield every code with its count; the first finding of each below it, where it is told."""
        dense: list[Group] = []
        for group in self._groups:
            number = group.first.number
            if number in told and (group.code or group.count > 1):
                yield from side_by_side(dense)
                dense = []
                child = quote(number, group.first.text, width=240, rank=1)
                label = f"{count_of(group)}, such as"
                yield Entry(label, rank=1, children=(child,))
                told.discard(number)
            elif number in told:
                yield from side_by_side(dense)
                dense = []
                yield quote(number, group.first.text, width=240, rank=1)
                told.discard(number)
            elif group.first is self._tally.first and group.count > 1:
                yield from side_by_side(dense)
                dense = []
                yield Entry(f"{count_of(group)}, such as line {number} above", rank=1)
            else:
                dense.append(group)
        yield from side_by_side(dense)

    def _places(self, form: str, told: set[int]) -> Iterator[Entry]:
        """Yield where the findings are: ranges of the log that are short enough for one look."""
        chunks = self._tally.windows if form in WIDE else by_line(self._tally.files)
        common = short_names(self._tally.files) if form in WIDE else {}
        seen: set[str] = set()
        for at, chunk in enumerate(chunks):
            new = not seen.issuperset(chunk.paths)
            seen.update(chunk.paths)
            rank = 1 if at >= len(chunks) - LATE else (2 if chunk.errors else 3) if new else 4
            if at > self._document.target:
                rest = chunks[at:]
                yield Entry("more findings", chunk.start, max(one.end for one in rest), 5)
                return
            yield Entry(place_of(chunk, form, common), chunk.start, chunk.end, rank, children=self._below(chunk, told))

    def _below(self, chunk: Chunk, told: set[int]) -> tuple[Entry, ...]:
        numbers = [
            number for number in range(chunk.start, min(chunk.end, chunk.start + 4 * REACH) + 1) if number in told
        ]
        told.difference_update(numbers)
        return tuple(self._quoted(numbers, rank=5))

    def _others(self, told: set[int]) -> Iterator[Entry]:
        """Yield the steps of a build, or what stands between findings."""
        stretches = list(parts_of(self._tally.steps, self._tally.others))
        if len(stretches) > self._document.target // 50:
            stretches = list(merged(stretches))
        for at, stretch in enumerate(stretches[: self._document.target]):
            numbers = [
                number for number in range(stretch.start, min(stretch.end, stretch.start + REACH) + 1) if number in told
            ]
            told.difference_update(numbers)
            near = stretch.end >= self._document.lines.total - REACH
            rank = 2 if near else 4 if at < 40 else 6
            label = shown(stretch.title or "other output", 140)
            yield Entry(label, stretch.start, stretch.end, rank, children=tuple(self._quoted(numbers, rank=5)))

    def _end(self, told: set[int]) -> Iterator[Entry]:
        """Yield the last lines, where they are told and nothing above has quoted them."""
        last = sorted(number for number in told if number > self._document.lines.total - END)
        while last and last[-1] - last[0] >= len(last):
            last.pop(0)  # only consecutive lines may stand below one heading
        total = self._document.lines.total
        rows = [(number, shown(self._line(number), 300)) for number in last if last[-1] == total or number <= total]
        while rows and not rows[-1][1]:
            rows.pop()
        while rows and not rows[0][1]:
            rows.pop(0)
        for number, text in rows:  # blank lines inside stay: those below one heading are counted
            yield Entry(text, number, number, 5, verbatim=True)

    def _quoted(self, numbers: Sequence[int], *, rank: int, width: int = 200) -> Iterator[Entry]:
        """Quote lines that are not blank."""
        for number in numbers:
            text = shown(self._line(number), width)
            if text:
                yield Entry(text, number, number, rank, verbatim=True)

    def _line(self, number: int) -> str:
        if number not in self._texts:
            # neighbours are asked for next: one read serves them all
            for near, text in self._document.lines.numbered(number, number + LINES):
                self._texts.setdefault(near, text[:WIDEST])
        return self._texts[number]


def findings_of(document: Document) -> Tally:
    """Read a whole document."""
    from ctxkit.core.brief.builds.compilations import Compilation

    tally = Tally()
    Compilation(tally.take, tally.skip).read(document.lines)
    return tally
