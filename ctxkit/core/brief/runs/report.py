"""Reports of test runs: results, every failing test, and as many details as fit."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import FRAME_TOKENS, count_outline_tokens, find_most_detail
from ctxkit.core.brief.runs.failures import (
    FIRST,
    LONG_BLOCK,
    NEAR,
    NUMBERS,
    REST,
    VARIANT,
    FailedTest,
    FailureDetail,
    quote_row,
    rank_entry,
)
from ctxkit.core.brief.runs.folded_names import (
    PlacedName,
    are_errors_last,
    find_function,
    fold_failures,
    is_packing_shorter,
    make_packed_entries,
)
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.quick_dataclass import dataclass, field, replace
from ctxkit.core.text.lines import IndexedLines

FORMS = ("name", "group", "dense")
"""Forms of failing tests: full names, names below their file or class, or many names per line.

If these leave no room for messages, the forms are ``packed`` (many names per line with one range, see
``make_packed_entries``), and then those in FOLDED.
"""
_FOLDED = {"folded": 1_000, "folded 8": 8, "folded 3": 3, "folded 1": 1, "folded 0": 0, "groups": 0}
"""Forms that name each function once, with the largest number of ids of its parameters.

The last one is for maps without space for all names: it names the files or classes before all functions, and shows or
hides a few functions at a time.
"""
_CROWDED_FORMS = ("dense", "packed", *_FOLDED)
"""Forms with the messages below all names."""
CROWDED_WIDTH = 120
"""Maximum number of characters of a quoted message in crowded forms."""


@dataclass(frozen=True, slots=True)
class FailureLine:
    """Hold a line that names a failing test without a block; ``short_name`` replaces the text if space is short."""

    number: int
    text: str
    short_name: str


MAX_NOTES = 6
"""Maximum number of quoted notes; of more, the first two and the last three."""
_MAX_SUMMARIES = 8
"""Maximum number of quoted results; of more, the first three and the last four."""
END_LINES = (3, 10)
"""Number of final lines quoted from a log without a result: with and without failing tests."""
WIDTH = 300
"""Maximum number of characters of a name or result."""
_FEW_FAILURES = 20
"""Number of failing tests up to which all ids of parameters stay, and files do not rank before functions."""
MIN_MESSAGES = 3
"""Number of messages that rank before the last names, so that the cause is visible."""


@dataclass(slots=True)
class LogRange:
    """Hold lines ``start`` to ``end`` and the details that may be quoted from them."""

    title: str
    start: int
    end: int
    details: list[FailureDetail] = field(default_factory=list)

    def make_entry(self, shown_ids: set[int]) -> Entry:
        """Return the range with the details whose ids are in ``shown_ids``."""
        below = sorted((rank_entry(d) for d in self.details if id(d) in shown_ids), key=lambda entry: entry.start)
        return Entry(self.title, self.start, self.end, NEAR, children=tuple(below))


@dataclass(frozen=True, slots=True)
class ReportContent:
    """Hold the content of a test log: top entries, failing tests, and ranges of other output.

    ``remaining`` are entries for failing tests that are not listed.
    """

    kind: str
    top: Sequence[Entry]
    failures: Sequence[FailedTest]
    failure_lines: Sequence[FailureLine] = ()
    ranges: Sequence[LogRange] = ()
    end: Sequence[Entry] = ()
    remaining: Sequence[Entry] = ()


class Report:
    """Build the outlines of a test log with as much detail as fits."""

    def __init__(self, document: InputDocument, content: ReportContent) -> None:
        self._document = document
        self._content = content
        self._details = _order_details(content)
        many = len(content.failures) + len(content.failure_lines) > _FEW_FAILURES
        self._foldings = tuple(_FOLDED) if many else ("folded",)
        self._crowded_names: dict[str, list[Section]] = {}
        self._alike = Counter(failure.similar_line for failure in content.failures if failure.is_identical)
        is_known = all(failure.message for failure in content.failures) and not content.remaining
        self._at_least = "" if is_known else "at least "

    def build_outlines(self) -> list[Outline]:
        """Return the most detailed outline that fits, then shorter ones in case it does not, and names alone last."""
        message_count = sum(detail.rank <= VARIANT for detail in self._details)
        depths: dict[str, int] = {}
        for form in FORMS:
            depths[form] = self._count_fitting(form)
            if depths[form] >= message_count:
                break
        else:
            form = self._choose_crowded_form(depths)
        most = max(depths[form], 0)
        fewer = dict.fromkeys((most, most * 9 // 10, most * 3 // 4, most // 2, most // 4, 0))
        few = sum(detail.rank == FIRST for detail in self._details[:MIN_MESSAGES])
        last = self._build_outline(self._foldings[-1], few)
        return [*(self._build_outline(form, many) for many in fewer), last]

    def _choose_crowded_form(self, depths: dict[str, int]) -> str:
        """Return the form of names if not all messages fit: a shorter form must allow more messages.

        Names are folded if otherwise no message fits, and have as many ids as leave room for some, so that a larger
        target never names less.
        """
        if depths["group"] * 5 >= depths["dense"] * 4 > 0:
            return "group"
        if self._can_pack():
            depths["packed"] = self._count_fitting("packed")
        form = "dense"
        if "packed" in depths and (
            depths["dense"] * 5 < depths["packed"] * 4 or depths["dense"] < MIN_MESSAGES <= depths["packed"]
        ):
            form = "packed"
        if depths[form] > 0:
            return form
        for form in self._foldings:
            depths[form] = self._count_fitting(form)
            if depths[form] >= MIN_MESSAGES:
                return form
        return form

    def _can_pack(self) -> bool:
        """Return whether names that share a range take less space."""
        return is_packing_shorter(
            [*map(place_failure, self._content.failures), *map(place_line, self._content.failure_lines)]
        )

    def _count_fitting(self, form: str) -> int:
        """Return the number of details that fit with the names in ``form``, or -1 if not even the names fit."""
        names = len(self._content.failures) + len(self._content.failure_lines)
        if form not in _FOLDED and names > self._document.target // 2:  # each takes more than two tokens
            return -1
        if count_outline_tokens(self._build_outline(form, 0), self._document) > self._document.target - FRAME_TOKENS:
            return -1
        return find_most_detail(partial(self._build_outline, form), len(self._details), self._document)

    def _build_outline(self, form: str, many: int) -> Outline:
        """Return the outline with the names in ``form`` and the first ``many`` details."""
        content, shown_ids = self._content, {id(detail) for detail in self._details[:many]}
        parts = (
            Section("", tuple(content.top), noun="lines"),
            *self._build_failure_sections(form, shown_ids),
            Section(_format_heading(form), tuple(self._quote_failure_lines(form)), noun="failures"),
            Section("", tuple(content.remaining), noun="lines"),
            Section(
                "What else is where",
                tuple(log_range.make_entry(shown_ids) for log_range in content.ranges),
                noun="parts",
            ),
            Section("the end", tuple(content.end), noun="lines", bare=True),
        )
        example = next(
            ((failure.start, min(failure.end, failure.start + LONG_BLOCK - 1)) for failure in content.failures), None
        )
        crowded = form in _CROWDED_FORMS and bool(content.failures or content.failure_lines)
        shown = tuple(part for part in parts if part.entries)
        return Outline(content.kind, shown, example=example, urgent=crowded, is_run=True)

    def _build_failure_sections(self, form: str, shown_ids: set[int]) -> Iterator[Section]:
        """Yield sections of the failing tests, each with its messages below, or with all messages after all names."""
        failures = self._content.failures
        if form in _CROWDED_FORMS:
            if form not in self._crowded_names:
                self._crowded_names[form] = self._list_crowded_names(form)
            yield from self._crowded_names[form]
            yield Section("Messages", tuple(self._quote_messages(form, shown_ids)), noun="lines")
            return
        shown_lines = {
            failure.message for failure in failures if failure.details and id(failure.details[0]) in shown_ids
        }
        for title in ("Failures", "Errors"):
            section_failures = [failure for failure in failures if failure.is_error == (title == "Errors")]
            make_entry = partial(self._make_failure_entry, shown_ids, shown_lines)
            if form == "group" or any(failure.group not in failure.name for failure in section_failures):
                entries = nest_by_group(section_failures, make_entry)
            else:
                entries = [make_entry(failure, failure.name) for failure in section_failures]
            yield Section(title, tuple(entries), noun="failures")

    def _list_crowded_names(self, form: str) -> list[Section]:
        """Return the sections of names in a form without messages below them; many errors stand apart."""
        failures = self._content.failures
        if not are_errors_last(failures):
            return [_make_crowded_section("Failures", failures, form)]
        failed = [failure for failure in failures if not failure.is_error]
        errors = [failure for failure in failures if failure.is_error]
        return [_make_crowded_section("Failures", failed, form), _make_crowded_section("Errors", errors, form)]

    def _quote_failure_lines(self, form: str) -> list[Entry]:
        """Quote the lines that name failing tests without a block, or pack several names per line."""
        lines = self._content.failure_lines
        if form == "packed":
            return make_packed_entries(list(map(place_line, lines)))
        if form in _FOLDED:
            failures = [FailedTest(line.short_name, line.number, line.number) for line in lines]
            return fold_failures(failures, _FOLDED[form], groups_first=form == "groups")
        return [quote_failure_line(line, form) for line in self._content.failure_lines]

    def _quote_messages(self, form: str, shown_ids: set[int]) -> Iterator[Entry]:
        """Yield the details of the failures in line order; for repeated messages, with the number of failures."""
        below = []
        for failure in self._content.failures:
            many = self._alike[failure.message] + 1
            for detail in failure.details:
                if id(detail) in shown_ids:
                    entry = (
                        replace(rank_entry(detail), label=clean_line(detail.entry.label, CROWDED_WIDTH))
                        if is_cut(detail)
                        else rank_entry(detail)
                    )
                    if many > 2 and entry.start == failure.message and detail.rank == FIRST:
                        entry = Entry(f"{self._at_least}{many:,} failures say", rank=entry.rank, children=(entry,))
                    below.append((detail.entry.start, entry))
        below.sort(key=lambda pair: pair[0])
        yield from (rank_first(entry) if form == "groups" else entry for _, entry in below)

    def _make_failure_entry(self, shown_ids: set[int], shown_lines: set[int], failure: FailedTest, name: str) -> Entry:
        """Return an entry for a failing test with the lines of its block."""
        name = clean_line(name, WIDTH)
        if failure.repeat_lines:
            name += f" ({len(failure.repeat_lines) + 1}x: also at {', '.join(map(str, failure.repeat_lines[:3]))})"
        if failure.similar_line and failure.similar_line in shown_lines and failure.message not in shown_lines:
            name += f" (message like line {failure.similar_line})"
        below = sorted((rank_entry(d) for d in failure.details if id(d) in shown_ids), key=lambda entry: entry.start)
        if failure.end - failure.start >= LONG_BLOCK and failure.message:
            below = nest_around_message(failure, below)
        return Entry(name, failure.start, failure.end, 1, children=tuple(below))


def _format_heading(form: str) -> str:
    return "Failing tests without a block" + {"packed": ", several to a range"}.get(
        form, ", each function once" if form in _FOLDED else ""
    )


def _make_crowded_section(title: str, failures: Sequence[FailedTest], form: str) -> Section:
    if form == "packed":
        return Section(f"{title}, several to a range", tuple(pack_failures(failures)), noun="ranges of failures")
    if form in _FOLDED:
        entries = fold_failures(failures, _FOLDED[form], groups_first=form == "groups")
        return Section(f"{title}, each function once", tuple(entries), noun="functions")
    most = "" if all(after.start == failure.end + 1 for failure, after in pairwise(failures)) else "at most "
    title = f"{title}, each {most}to the line before the next, the last to {failures[-1].end if failures else 0}"
    return Section(title, tuple(nest_by_group(failures, make_dense_entry)), noun="failures")


MAX_ALIKE = 5
"""Maximum number of lines that differ only in numbers before lines that say something else."""


def _order_details(content: ReportContent) -> list[FailureDetail]:
    """Return all details, the most important first, and of equal ones those of errors last if these are many.

    Further messages of a function come after the first messages of all functions. Of a failure whose message an earlier
    one has, lines that stood there before, apart from numbers, are left out. Of lines that differ only in numbers, the
    first ``MAX_ALIKE`` tell what they tell, and others come last; so do equal ones.
    """
    keyed = list(_rank_details(content.failures))
    for at, log_range in enumerate(content.ranges, len(content.failures)):
        keyed += [(d.rank, False, False, d.step, at, d) for d in log_range.details]
    return [detail for *_, detail in sorted(keyed, key=lambda item: item[:5])]


def _rank_details(failures: Sequence[FailedTest]) -> Iterator[tuple[int, bool, bool, int, int, FailureDetail]]:
    """Yield the details of failures, each after what it is sorted by."""
    errors_last = are_errors_last(failures)
    seen: set[tuple[str, str]] = set()
    texts: set[str] = set()
    alike: Counter[str] = Counter()
    labels: set[str] = set()
    for at, failure in enumerate(failures):
        function = find_function(failure)
        late = errors_last and failure.is_error
        masked = [NUMBERS.sub("0", detail.entry.label) for detail in failure.details]
        for text, detail in zip(masked, failure.details, strict=True):
            if failure.is_identical and detail.entry.verbatim and text in texts:
                continue
            alike[text] += 1
            is_repeated = detail.rank > FIRST and detail.entry.label in labels
            labels.add(detail.entry.label)
            is_last = alike[text] > MAX_ALIKE or is_repeated
            rank = REST + 1 if is_last else detail.rank
            yield rank, rank == FIRST and function in seen, late, detail.step, at, detail
        texts.update(masked)
        seen.add(function)


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


def _quote_marker(marker: Marker, rank: int) -> Entry:
    """Return a quotation of a marker's line."""
    return Entry(clean_line(marker.text, WIDTH), marker.number, marker.number, rank, verbatim=True)


def quote_summaries(markers: Sequence[Marker], *, closed: bool) -> Iterator[Entry]:
    """Yield the result lines verbatim, and a note if the last run has none."""
    yield from _quote_abridged(markers, _MAX_SUMMARIES, 0)
    if not closed:
        which = f" after line {markers[-1].number}" if markers else ""
        yield Entry(f"no closing summary line in this log{which}")


def quote_notes(markers: Sequence[Marker]) -> Iterator[Entry]:
    """Yield notes of a runner outside its tests; of a long crash report, the beginning and the end."""
    yield from _quote_abridged(markers, MAX_NOTES, 1)


def _quote_abridged(markers: Sequence[Marker], most: int, rank: int) -> Iterator[Entry]:
    """Quote markers; of very many, only the first and the last ones."""
    if len(markers) <= most:
        yield from (_quote_marker(marker, rank) for marker in markers)
        return
    first, last = most // 2 - 1, most // 2
    yield from (_quote_marker(marker, rank) for marker in markers[:first])
    hidden = markers[first:-last]
    yield Entry(f"{len(hidden):,} lines like the one above", hidden[0].number, hidden[-1].number, rank)
    yield from (_quote_marker(marker, rank) for marker in markers[-last:])


def quote_ending(lines: IndexedLines, most: int) -> list[Entry]:
    """Return the last lines of an incomplete log; the very last line ranks first."""
    rows = [(number, strip_decorations(text)) for number, text in lines.enumerate_lines(max(lines.total - 2 * most, 1))]
    while rows and not rows[-1][1]:
        rows.pop()
    last = rows[-most:]
    while last and not last[0][1]:
        last.pop(0)
    ranks = range(len(last) + 1, 1, -1)
    return [replace(quote_row(row), rank=rank) for row, rank in zip(last, ranks, strict=True)]
