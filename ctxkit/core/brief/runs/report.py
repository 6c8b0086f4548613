"""The map of a run of tests: verdict, every failing name, and as much of all else as there is room for."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby

from ctxkit.core.brief.depth import AROUND, deepest, size
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, shown
from ctxkit.core.brief.runs.failures import FIRST, LONG, NEAR, VARIANT, Detail, Failure, ranked
from ctxkit.core.brief.runs.names import Placed, packed, pays
from ctxkit.core.brief.runs.verdicts import WIDTH

FORMS = ("name", "group", "dense")
"""How failing tests are named: each in full, below its file or class, or many on a line without their ends.

Where not even that fits, they are ``packed``: many on a line with one range for all of these, or ``bare``: many on a
line, without their groups.
"""
CROWDED = ("dense", "packed", "bare")
"""The forms whose messages stand below all names."""
LEAST = 3
"""Messages that enter before the last names, so that it can be seen what went wrong at all."""
NARROW = 120
"""Characters of a message that are quoted where names crowd the map."""


@dataclass(slots=True)
class Stretch:
    """Name lines ``start`` to ``end`` and hold what may be quoted of them."""

    title: str
    start: int
    end: int
    details: list[Detail] = field(default_factory=list)

    def entry(self, told: set[int]) -> Entry:
        """Return the range with the details whose ids are in ``told``."""
        below = sorted((ranked(d) for d in self.details if id(d) in told), key=lambda entry: entry.start)
        return Entry(self.title, self.start, self.end, NEAR, children=tuple(below))


@dataclass(frozen=True, slots=True)
class Named:
    """Quote a line that names a failing test without a block; ``short`` is what of it stands where room is short."""

    number: int
    text: str
    short: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Hold what a log says of its tests: what stands first, failing tests, and what else is where.

    ``left`` are the lines of failing tests past those that are read, ``example`` the range that the hint shows.
    """

    kind: str
    top: Sequence[Entry]
    broken: Sequence[Failure]
    named: Sequence[Named] = ()
    around: Sequence[Stretch] = ()
    end: Sequence[Entry] = ()
    left: Sequence[Entry] = ()


class Report:
    """Lay out what a log says of its tests, for as much room as there is."""

    def __init__(self, document: Document, found: Findings) -> None:
        self._document = document
        self._found = found
        owners = enumerate(chain((one.details for one in found.broken), (stretch.details for stretch in found.around)))
        details = [(d.rank, d.step, at, d) for at, owned in owners for d in owned]
        self._details = [detail for *_, detail in sorted(details, key=lambda item: item[:3])]
        self._alike = Counter(one.like for one in found.broken if one.same)

    def outlines(self) -> list[Outline]:
        """Return the fullest outline that fits, poorer ones in case it does not, the names alone last."""
        wanted = sum(detail.rank <= VARIANT for detail in self._details)
        depths: dict[str, int] = {}
        for form in FORMS:
            depths[form] = self._deepest(form)
            if depths[form] >= wanted:
                break
        else:
            form = self._crowded(depths)
        most = max(depths[form], 0)
        fewer = dict.fromkeys((most, most * 9 // 10, most * 3 // 4, most // 2, most // 4, 0))
        few = sum(detail.rank == FIRST for detail in self._details[:LEAST])
        last = self._outline("packed" if self._pays() else "bare", few)
        return [*(self._outline(form, many) for many in fewer), last]

    def _crowded(self, depths: dict[str, int]) -> str:
        """Return the form for names that leave no room for all messages: a poorer one must pay off in these."""
        if depths["group"] * 5 >= depths["dense"] * 4 > 0:
            return "group"
        if self._pays():
            depths["packed"] = self._deepest("packed")
            if depths["dense"] * 5 < depths["packed"] * 4 or depths["dense"] < LEAST <= depths["packed"]:
                return "packed"
        return "dense"

    def _pays(self) -> bool:
        """Tell whether names that share a range take less room."""
        return pays([*map(_placed, self._found.broken), *map(_spot, self._found.named)])

    def _deepest(self, form: str) -> int:
        """Return how many details fit with the names in ``form``, -1 when not even the names do."""
        if size(self._outline(form, 0), self._document) > self._document.target - AROUND:
            return -1
        return deepest(partial(self._outline, form), len(self._details), self._document)

    def _outline(self, form: str, many: int) -> Outline:
        """Return the outline with the names in ``form`` and the first ``many`` details."""
        found, told = self._found, {id(detail) for detail in self._details[:many]}
        parts = (
            Section("", tuple(found.top), noun="lines"),
            *self._failures(form, told),
            Section(_heading(form), tuple(self._lines(form)), noun="failures"),
            Section("", tuple(found.left), noun="lines"),
            Section("What else is where", tuple(stretch.entry(told) for stretch in found.around), noun="parts"),
            Section("the end", tuple(found.end), noun="lines", bare=True),
        )
        example = next(((one.start, min(one.end, one.start + LONG - 1)) for one in found.broken), None)
        crowded = form in CROWDED
        return Outline(found.kind, tuple(part for part in parts if part.entries), example=example, urgent=crowded)

    def _failures(self, form: str, told: set[int]) -> Iterator[Section]:
        """Yield the failing tests, each with its messages below or, densely, all messages after all names."""
        broken = self._found.broken
        if form == "packed":
            yield Section("Failures, several to a range", tuple(_packed(broken)), noun="ranges of failures")
            yield Section("Messages", tuple(self._messages(form, told)), noun="lines")
            return
        if form in CROWDED:
            names = [(one, _dense(one)) for one in broken]
            title = f"Failures, each to the line before the next, the last to {broken[-1].end if broken else 0}"
            rows = _by_group(names) if form == "dense" else [entry for _, entry in names]
            yield Section(title, tuple(rows), noun="failures")
            yield Section("Messages", tuple(self._messages(form, told)), noun="lines")
            return
        shown_at = {one.message for one in broken if one.details and id(one.details[0]) in told}
        for title in ("Failures", "Errors"):
            chosen = [one for one in broken if one.error == (title == "Errors")]
            entries = [(one, self._failure(one, form, told, shown_at)) for one in chosen]
            rows = _by_group(entries) if form == "group" else [entry for _, entry in entries]
            yield Section(title, tuple(rows), noun="failures")

    def _lines(self, form: str) -> list[Entry]:
        """Quote the lines that name failing tests without a block, or put several names on a line."""
        if form == "packed":
            return packed(list(map(_spot, self._found.named)))
        return [_line(one, form) for one in self._found.named]

    def _messages(self, form: str, told: set[int]) -> Iterator[Entry]:
        """Yield what is told of the failures in order of lines; of one message, how many say just the same."""
        below = []
        for one in self._found.broken:
            many = self._alike[one.message] + 1
            for detail in one.details:
                if id(detail) in told:
                    entry = (
                        replace(ranked(detail), label=shown(detail.entry.label, NARROW))
                        if _cuts(detail)
                        else ranked(detail)
                    )
                    if many > 2 and entry.start == one.message and detail.rank == FIRST:
                        entry = Entry(f"{many} failures say", rank=entry.rank, children=(entry,))
                    below.append((detail.entry.start, entry))
        below.sort(key=lambda pair: pair[0])
        yield from (_early(entry) if form in ("bare", "packed") else entry for _, entry in below)

    def _failure(self, one: Failure, form: str, told: set[int], shown_at: set[int]) -> Entry:
        """Return a failing test on the lines of its block."""
        name = shown(one.name if form == "name" else one.short or one.name, WIDTH)
        if one.again:
            name += f" ({len(one.again) + 1}x: also at {', '.join(map(str, one.again[:3]))})"
        if one.like and one.like in shown_at and one.message not in shown_at:
            name += f" (message like line {one.like})"
        below = sorted((ranked(d) for d in one.details if id(d) in told), key=lambda entry: entry.start)
        if one.end - one.start >= LONG and one.message:
            below = _near(one, below)
        return Entry(name, one.start, one.end, 1, children=tuple(below))


def _cuts(detail: Detail) -> bool:
    """Tell whether a detail quotes a line that is longer than a crowded map shows."""
    return detail.entry.verbatim and len(detail.entry.label.strip()) > NARROW


def _dense(one: Failure) -> Entry:
    name = one.short or one.name
    return Entry(shown(name, WIDTH), one.start, one.end, 1, dense=True)


def _heading(form: str) -> str:
    return "Failing tests without a block" + (", several to a range" if form == "packed" else "")


def _placed(one: Failure) -> Placed:
    """Return a name with the lines of its block, of a long one those around its message."""
    start, end = one.start, one.end
    if end - start >= LONG and one.message:
        start = max(one.message - LONG // 2, start)
        end = min(start + LONG - 1, end)
    return start, end, shown(one.short or one.name, WIDTH)


def _spot(one: Named) -> Placed:
    return one.number, one.number, shown(one.short, WIDTH)


def _packed(broken: Sequence[Failure]) -> list[Entry]:
    """Return lines of several names, below their files or classes where these are few."""
    groups = [(group, list(rows)) for group, rows in groupby(broken, lambda one: one.group)]
    if len(groups) * 4 > len(broken) or not all(group for group, _ in groups):
        return packed(list(map(_placed, broken)))
    return [
        Entry(group, rows[0].start, rows[-1].end, 1, children=tuple(packed(list(map(_placed, rows)))))
        for group, rows in groups
    ]


def _near(one: Failure, below: Sequence[Entry]) -> list[Entry]:
    """Put what is told of a long block below the part of it that holds its message."""
    start = max(one.message - LONG // 2, one.start)
    end = min(start + LONG - 1, one.end)
    inside = tuple(entry for entry in below if start <= entry.start <= end)
    outside = [entry for entry in below if not start <= entry.start <= end]
    leaf = shown(one.short or one.name, WIDTH)
    return sorted([*outside, Entry(f"what {leaf} says", start, end, 1, children=inside)], key=lambda entry: entry.start)


def _line(one: Named, form: str) -> Entry:
    """Quote a line that names a failing test, no further than the name where room is short."""
    text = one.short if form in CROWDED else one.text
    return Entry(shown(text, WIDTH), one.number, one.number, 1, verbatim=True)


def _early(entry: Entry) -> Entry:
    """Return an entry that enters first, and what it stands above with it."""
    return replace(entry, rank=0, children=tuple(map(_early, entry.children)))


def _by_group(entries: Sequence[tuple[Failure, Entry]]) -> list[Entry]:
    """Put the entries of failing tests below their files or classes, where that saves more than it costs."""
    groups = [(group, list(rows)) for group, rows in groupby(entries, lambda pair: pair[0].group)]
    if len(groups) * 2 > len(entries) or not all(group for group, _ in groups):
        return [entry for _, entry in entries]
    below = [(group, tuple(entry for _, entry in rows)) for group, rows in groups]
    return [Entry(group, rows[0].start, rows[-1].end, 1, children=rows) for group, rows in below]
