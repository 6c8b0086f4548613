"""Outlines of build logs with as much detail as fits."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from ctxkit.core.brief.builds.build_log import (
    MAX_LINE_LENGTH,
    RANGE_LINES,
    BuildLog,
    Chunk,
    CodeGroup,
    format_count,
    format_place,
    join_chunks,
    join_counts,
    make_sort_key,
    merge_ranges,
    name_output,
    quote_closing,
    shorten_names,
    sort_by_line,
    split_parts,
)
from ctxkit.core.brief.builds.findings import ERROR, BuildFinding
from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import mask_line
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.brief.render import FRAME_TOKENS, count_outline_tokens, find_most_detail
from ctxkit.core.text.quantity import pluralize

FORMS = ("coded", "file", "window", "names", "ends")
"""Forms of findings by place: each file with its codes, each file with a count, and ranges with many files.

A range counts and names its files, only names them, or names only the first and the last.
"""
WIDE_FORMS = ("window", "names", "ends")
LAST_RANGES = 3
"""Number of final ranges that rank first, because a reader of the end alone would see them."""
MAX_FINDING_LINES = 12
"""Maximum number of lines quoted from a finding."""
EARLY_END_LINES = 5
"""Number of final lines with a low rank."""
MOST_EARLY_LINES = 24
"""Number of lines after the last finding that rank early if no closing line is known."""
MAX_END_LINES = 40
"""Number of final lines that are quoted if they fit."""
LEAST_SHARE, SMALL_LEAST_SHARE = 100, 200
"""Number of tokens of the target, and of a small one, for each code whose first finding is quoted in any case."""
END_SHARE, SMALL_END_SHARE = 40, 80
"""Number of tokens of the target, and of a small one, for each line after the last finding that ranks early."""
FINDING_WIDTH, SMALL_FINDING_WIDTH = 240, 140
"""Maximum number of characters of the first finding of a code, and in a small map."""
MAX_RUNTIME_ERRORS = 5
"""Maximum codes of what fails at run time whose first finding is quoted before the end."""
MAX_ALIKE = 5
"""Maximum number of quoted findings that differ only in numbers and paths."""
MAX_WHOLE = 2
"""Maximum number of them that are quoted with the lines below, unless they are errors."""
MAX_CLOSING_LINES = 12
"""Number of closing lines that rank first: the first few and the last."""


class BuildOutliner:
    """Build the outlines of a build log for the kind ``name``."""

    def __init__(self, name: str, document: InputDocument, build_log: BuildLog) -> None:
        self._name = name
        self._document = document
        self._is_small = document.target < ROOMY_TARGET
        self._least_share = SMALL_LEAST_SHARE if self._is_small else LEAST_SHARE
        self._end_share = SMALL_END_SHARE if self._is_small else END_SHARE
        self._finding_width = SMALL_FINDING_WIDTH if self._is_small else FINDING_WIDTH
        self._build_log = build_log
        self._texts: dict[int, str] = {row.number: row.text for row in build_log.kept}
        self._paths = dict(_iter_paths(build_log.kept))
        self._placed = sorted(self._paths)
        self._hidden: dict[int, int] = {}
        errors = [group for group in build_log.groups.values() if group.severity == ERROR]
        rest = [group for group in build_log.groups.values() if group.severity != ERROR]
        self._groups = [group for part in (errors, rest) for group in sorted(part, key=make_sort_key)]
        self._top = {finding.number for finding in (build_log.first,) if finding}
        self._details = list(dict.fromkeys(self._order_details()))[: document.target]

    def build_outlines(self) -> list[Outline]:
        """Return the most detailed outline that fits, then shorter ones in case it does not."""
        form, most = FORMS[-1], 0
        for form in FORMS:
            if (
                count_outline_tokens(self._build_outline(form, 0), self._document)
                <= self._document.target - FRAME_TOKENS
            ):
                most = find_most_detail(partial(self._build_outline, form), len(self._details), self._document)
                if form in WIDE_FORMS or most >= min(len(self._groups), 12):
                    break
        least = min(len(self._groups), self._document.target // self._least_share) + len(self._list_first_lines())
        least += 0 if self._build_log.closings else self._count_closing_lines()
        fewer = dict.fromkeys(max(many, least) for many in (most, most * 9 // 10, most * 3 // 4, most // 2, least))
        return [self._build_outline(form, many) for many in fewer]

    def _order_details(self) -> Iterator[int]:
        """Yield the numbers of lines worth quoting, the most important first."""
        build_log = self._build_log
        yield from self._list_first_lines()
        yield from [group.example.number for group in self._groups if group.is_runtime_error][:MAX_RUNTIME_ERRORS]
        last = [
            number
            for number in self._list_last_lines(self._count_closing_lines())
            if number not in {c.last.number for c in build_log.closings.values()}
        ]
        if not build_log.closings:
            yield from reversed(last)
        else:
            yield from (number for number in reversed(last) if self._rank_end(number) == 1)
        yield from (group.example.number for group in _alternate_ends(self._groups) if group.severity == ERROR)
        yield from reversed(last)
        yield from (group.example.number for group in _alternate_ends(self._groups))
        yield from self._list_other_lines(slice(1, None))
        yield from (finding.number for finding in build_log.kept if finding.severity == ERROR)
        for group in [group for group in self._groups if group.severity == ERROR][:8]:
            yield from _list_finding_lines(group.first)
        yield from self._list_other_lines(slice(1))
        yield from self._list_telling_findings()
        yield from self._list_whole_findings()
        yield from reversed(self._list_last_lines(MAX_END_LINES))

    def _list_other_lines(self, part: slice) -> Iterator[int]:
        """Yield the numbers of a part of the lines kept from each range without findings."""
        yield from (number for output_range in self._build_log.others for number, _ in output_range.rows[part])

    def _list_whole_findings(self) -> Iterator[int]:
        """Yield the numbers of all lines of errors, and of the first findings that differ only in their place."""
        alike: Counter[str] = Counter()
        for finding in self._build_log.kept:
            form = mask_line(finding.text)
            alike[form] += 1
            if finding.end > finding.start and (finding.severity == ERROR or alike[form] <= MAX_WHOLE):
                yield from _list_finding_lines(finding)

    def _list_telling_findings(self) -> Iterator[int]:
        """Yield the numbers of the findings, of those that differ only in their place no more than a few."""
        quoted: Counter[str] = Counter()
        for finding in self._build_log.kept:
            form = mask_line(finding.text)
            quoted[form] += 1
            if quoted[form] <= MAX_ALIKE:
                yield finding.number

    def _list_first_lines(self) -> range:
        """Return the numbers of the lines that explain the first error."""
        first = self._build_log.first
        return range(first.number + 1, min(first.end, first.number + 3) + 1) if first else range(0)

    def _count_closing_lines(self) -> int:
        """Return how many lines after the last finding are worth quoting early: more if no closing line is known."""
        after = self._document.lines.total - (self._build_log.windows[-1].end if self._build_log.windows else 0)
        return (
            EARLY_END_LINES
            if self._build_log.closings
            else max(min(after, MOST_EARLY_LINES, self._document.target // self._end_share), EARLY_END_LINES)
        )

    def _list_last_lines(self, most: int) -> list[int]:
        total = self._document.lines.total
        return list(range(max(total - most + 1, 1), total + 1))

    def _build_outline(self, form: str, many: int) -> Outline:
        """Return the outline with the first ``many`` details quoted, each below the range that contains it."""
        quotable = set(self._details[:many]) - self._top
        early_end = () if self._build_log.closings else tuple(self._quote_end(quotable))
        quotable.difference_update(entry.start for entry in early_end)
        sections = [
            Section("", tuple(self._quote_closings()), noun="closing lines"),
            Section(self._name_first_finding(), tuple(self._quote_first_error(quotable)), noun="lines"),
            Section(self._format_counts(), tuple(self._list_codes(quotable)), noun="codes"),
            Section(
                self._name_places(form),
                tuple(self._list_places(form, quotable)),
                noun="ranges",
                covered=self._is_small,
            ),
            Section(
                "Steps" if self._build_log.steps else "Other output",
                tuple(self._list_other_output(quotable)),
                noun="parts",
                covered=self._is_small,
            ),
            Section("", early_end or tuple(self._quote_end(quotable)), noun="lines", bare=True, covered=True),
        ]
        return Outline(self._name, tuple(s for s in sections if s.entries), example=self._find_example(), urgent=True)

    def _name_places(self, form: str) -> str:
        """Return the title of the ranges by file, which says what they are if files share lines."""
        chunks = (chunk for chunks in self._build_log.files.values() for chunk in chunks)
        shares = form not in WIDE_FORMS and any(map(self._count_others, chunks))
        return "By file, each from its first finding to its last" if shares else "By file"

    def _find_example(self) -> tuple[int, int] | None:
        first = self._build_log.first or next(iter(self._build_log.kept), None)
        return (first.start, min(first.end, first.start + RANGE_LINES - 1)) if first else None

    def _quote_closings(self) -> Iterator[Entry]:
        """Yield the closing lines verbatim; of lines with the same words, only the first and the last."""
        kept = sorted(self._build_log.closings.values(), key=lambda closing: closing.last.number)
        late = {id(closing) for closing in (*kept[:2], *kept[2 - MAX_CLOSING_LINES :])}
        for closing in kept:
            yield from quote_closing(closing, 0 if id(closing) in late else 6)
            self._top.update((closing.first.number, closing.last.number))

    def _name_first_finding(self) -> str:
        first = self._build_log.first
        return "First finding" if first and not first.rated else "First error"

    def _quote_first_error(self, quotable: set[int]) -> Iterator[Entry]:
        first = self._build_log.first
        if first is None:
            return
        yield self._quote(first.number, first.text, width=400)
        # The explanation of an error stands below it, as in the log.
        below = range(first.number + 1, min(first.end, first.number + MAX_FINDING_LINES) + 1)
        yield from self._quote_lines([number for number in below if number in quotable], rank=1)
        quotable.difference_update(below)

    def _format_counts(self) -> str:
        build_log = self._build_log
        counted = [pluralize(build_log.errors, "error")] if build_log.errors else []
        counted += [pluralize(build_log.warnings, "warning")] if build_log.warnings else []
        grades = [f"{count:,} {grade}" for grade, count in build_log.grades.most_common(4) if count]
        named = f" ({', '.join(grades)})" if grades else ""
        counted += [pluralize(build_log.unrated, "finding") + named] if build_log.unrated else []
        files = sum(bool(path) for path in build_log.files)
        return f"Found here: {_join_words(counted)}" + (f", in {pluralize(files, 'file')}" if files else "")

    def _list_codes(self, quotable: set[int]) -> Iterator[Entry]:
        """Yield every code with its count; a code's first finding is quoted below it if its line is quotable."""
        dense: list[CodeGroup] = []
        for group in self._groups:
            number = group.example.number
            if number in quotable:
                yield from join_counts(dense)
                dense = []
                finding = self._quote(number, group.example.text, width=self._finding_width, rank=1)
                is_single = group.count == 1
                yield finding if is_single else Entry(f"{format_count(group)}, such as", rank=1, children=(finding,))
                quotable.discard(number)
            elif group.first is self._build_log.first and group.count > 1:
                yield from join_counts(dense)
                dense = []
                yield Entry(f"{format_count(group)}, such as line {number} above", rank=1)
            else:
                dense.append(group)
        yield from join_counts(dense)

    def _list_places(self, form: str, quotable: set[int]) -> Iterator[Entry]:
        """Yield the ranges of the log that contain findings."""
        chunks = self._build_log.windows if form in WIDE_FORMS else join_chunks(sort_by_line(self._build_log.files))
        common = shorten_names(self._build_log.files) if form in WIDE_FORMS else {}
        seen: set[str] = set()
        for at, chunk in enumerate(chunks):
            new = not seen.issuperset(chunk.paths)
            seen.update(chunk.paths)
            rank = 1 if at >= len(chunks) - LAST_RANGES else (2 if chunk.errors else 3) if new else 4
            if at > self._document.target:
                rest = chunks[at:]
                yield Entry("more findings", chunk.start, max(chunk.end for chunk in rest), 5)
                return
            label, others = format_place(chunk, form, common), self._count_others(chunk)
            if form not in WIDE_FORMS and others >= chunk.paths.total():
                label += f"; {pluralize(others, 'other file')} inside"
            yield Entry(label, chunk.start, chunk.end, rank, children=self._quote_below(chunk, quotable))

    def _count_others(self, chunk: Chunk) -> int:
        """Return how many files that a range is not named after have findings on its lines."""
        begin, end = bisect_left(self._placed, chunk.start), bisect_right(self._placed, chunk.end)
        return len({self._paths[number] for number in self._placed[begin:end]}.difference({""}, chunk.paths))

    def _quote_below(self, chunk: Chunk, quotable: set[int]) -> tuple[Entry, ...]:
        """Quote lines of the findings of a range, and lines between them if all of them name a file."""
        own = {*chunk.paths} if "" in chunk.paths else {None, *chunk.paths}
        numbers = [
            number
            for number in range(chunk.start, min(chunk.end, chunk.start + 4 * RANGE_LINES) + 1)
            if number in quotable and self._paths.get(number) in own
        ]
        quotable.difference_update(numbers)
        return tuple(self._quote_lines(numbers, rank=5))

    def _list_other_output(self, quotable: set[int]) -> Iterator[Entry]:
        """Yield the steps of a build, or the ranges between findings."""
        output_ranges = list(split_parts(self._build_log.steps, self._build_log.others))
        if len(output_ranges) > self._document.target // 50:
            output_ranges = list(merge_ranges(output_ranges, self._document.lines))
        for at, output_range in enumerate(output_ranges[: self._document.target]):
            numbers = [
                number
                for number in range(output_range.start, min(output_range.end, output_range.start + RANGE_LINES) + 1)
                if number in quotable
            ]
            quotable.difference_update(numbers)
            near = output_range.end >= self._document.lines.total - RANGE_LINES
            rank = 2 if near else 4 if at < 40 else 6
            label = clean_line(output_range.title, 140) or name_output(
                self._document.lines, output_range.start, output_range.end
            )
            yield Entry(
                label, output_range.start, output_range.end, rank, children=tuple(self._quote_lines(numbers, rank=5))
            )

    def _quote_end(self, quotable: set[int]) -> Iterator[Entry]:
        """Yield the last lines that are quotable and not quoted above."""
        last = sorted(number for number in quotable if number > self._document.lines.total - MAX_END_LINES)
        while last and last[-1] - last[0] >= len(last):
            last.pop(0)  # only consecutive lines may stand below one heading
        total = self._document.lines.total
        rows = [
            self._quote(number, self._read_line(number), self._rank_end(number), 300)
            for number in last
            if last[-1] == total or number <= total
        ]
        while rows and not rows[-1].label:
            rows.pop()
        while rows and not rows[0].label:
            rows.pop(0)
        yield from rows  # with the blank lines inside, because lines below one heading are counted

    def _rank_end(self, number: int) -> int:
        """Return the rank of a final line: first if it follows the last finding and no closing line is known."""
        build_log = self._build_log
        closed = max((closing.last.number for closing in build_log.closings.values()), default=0)
        after = max(closed, build_log.windows[-1].end if build_log.windows else 0)
        if number <= after or self._document.lines.total - number >= self._count_closing_lines():
            return 5
        return 1 if closed else 0

    def _quote_lines(self, numbers: Sequence[int], *, rank: int) -> Iterator[Entry]:
        """Quote lines that are not blank."""
        for number in numbers:
            entry = self._quote(number, self._read_line(number), rank)
            if entry.label:
                yield entry

    def _quote(self, number: int, text: str, rank: int = 0, width: int = 200) -> Entry:
        """Quote a line of which ``text`` may be only the part that is kept."""
        if len(text) >= MAX_LINE_LENGTH and number not in self._hidden:
            whole = clean_line(self._document.lines.at(number), self._document.lines.size + 1)
            self._hidden[number] = max(len(whole) - len(clean_line(text, MAX_LINE_LENGTH)), 0)
        return quote(number, text, rank=rank, width=width, hidden=self._hidden.get(number, 0))

    def _read_line(self, number: int) -> str:
        if number not in self._texts:
            # Read the neighbours too, because they are usually needed next.
            for near, text in self._document.lines.enumerate_lines(number, number + MAX_FINDING_LINES):
                self._texts.setdefault(near, text[:MAX_LINE_LENGTH])
        return self._texts[number]


def _iter_paths(findings: Sequence[BuildFinding]) -> Iterator[tuple[int, str]]:
    """Yield each line of the findings with their path; the line that names a finding is its own."""
    for finding in findings:
        for number in range(finding.start, min(finding.end, finding.start + MAX_FINDING_LINES) + 1):
            yield number, finding.path
    yield from ((finding.number, finding.path) for finding in findings)


def _list_finding_lines(finding: BuildFinding) -> range:
    return range(finding.start, min(finding.end, finding.start + MAX_FINDING_LINES) + 1)


def _alternate_ends(groups: Sequence[CodeGroup]) -> Iterator[CodeGroup]:
    """Yield the first group, the last one, the second one and so on: the frequent and the rare ones by turns."""
    for at in range((len(groups) + 1) // 2):
        yield groups[at]
        yield groups[-1 - at]


def _join_words(words: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def read_build_log(document: InputDocument) -> BuildLog:
    """Return the build log of a whole document."""
    from ctxkit.core.brief.builds.build_evidence import has_plain_findings
    from ctxkit.core.brief.builds.build_reader import BuildReader

    build_log = BuildLog()
    BuildReader(build_log.add, build_log.add_skipped, plain=has_plain_findings(document)).read(document.lines)
    return build_log
