"""The section of a map with the lines that are relevant to the focus, within a share of the target."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.focus.relevance import Relevance, RelevantLine, find_names
from ctxkit.core.brief.outline import MARK_LENGTH, Entry, Outline, Section, quote
from ctxkit.core.brief.render import AddFrame, Rendering, add_section
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines, find_largest
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.vocabulary import Tokenizer

SHARE, _SMALL_SHARE, _FEW_TERMS = 50, 30, 16
"""Percentage of the target for the lines of a focus, that for a focus of many terms, and the number that is few."""
NAMES_SHARE = 25
"""Percentage of the tokens for lines that the names of their records may take."""
SPARE = 3
"""Factor of the share for lines that replace those that the map quotes itself."""
LINE_TOKENS = 3
"""Tokens of a quoted line besides its text."""
_NAMED_LINES = 5
"""Number of lines that are named if none is quoted in the section."""
MAX_TITLE = 40
"""Number of characters of a focus that the title repeats."""
MIN_REPEATED = 20
"""Number of characters from which a line is not quoted if the map has its text elsewhere."""
WIDTH, _HEAD_WIDTH = 200, 60
"""Number of characters of a line that are quoted, and of the beginning of a longer one whose term is further behind."""
_RAISED_SHARE, _MAX_RAISED, _LONGEST_RANGE = 0.5, 5, 120
"""Share of the weight of the best line from which entries are raised, their number, and that of their lines."""
_BEFORE, _AFTER = 10, 30
"""Number of lines around the first match in the example command."""
Row = tuple[int, str]
"""The number of a line and what is quoted of it."""


class LineGroup(NamedTuple):
    """Hold a relevant line, the last of ``rows``, after those that name its record, whose number is ``record``."""

    record: int
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class FocusLines:
    """Hold the lines that are relevant to a focus, the most relevant first, and the tokens that the map leaves them.

    Each line has the lines that name its record before it. ``total`` is the number of lines that match about as
    well as the best.
    """

    title: str
    total: int
    groups: Sequence[LineGroup]
    tokens: int
    relevance: Relevance

    def raise_entries(self, outline: Outline, total: int) -> Outline:
        """Return an outline with a lower rank for the entries that match best, and a hint that shows the first.

        ``total`` is the number of lines. If no entry matches as well as the lines do, the hint shows the lines around
        the most relevant one.
        """
        if not self.groups:
            return outline
        number, text = self.groups[0].rows[-1]
        rates = {id(entry): self.relevance.rate_text(entry.label) for entry in _iter_named_entries(outline)}
        level = max(rates.values(), default=0.0)
        if not level or level < self.relevance.rate_text(text) * _RAISED_SHARE:
            return replace(outline, example=(max(number - _BEFORE, 1), min(number + _AFTER, total)))
        best = [entry for entry in _iter_named_entries(outline) if rates[id(entry)] == level]
        best = best[:_MAX_RAISED]
        raised = {id(entry) for entry in best}
        sections = (s if s.bare else replace(s, entries=_raise(s.entries, raised)) for s in outline.sections)
        return replace(outline, sections=tuple(sections), example=(best[0].start, best[0].end))

    def add_to(self, rendering: Rendering, document: InputDocument, add_frame: AddFrame) -> Rendering:
        """Return a rendering that begins with as many of the lines as fit and the rendering does not quote.

        If it quotes them all, the best comes first nevertheless.
        """
        quoted, text = rendering.find_quoted_lines() | rendering.find_stated_lines(), rendering.text
        groups = [LineGroup(record, left) for record, rows in self.groups if (left := _drop_known(rows, quoted, text))]
        groups = groups or list(self.groups[:1])

        def render(number: int) -> Rendering:
            return add_section(rendering, self._make_section(groups[:number]), add_frame, is_first=True)

        return find_largest(0, len(groups), render, lambda r: document.count(r.text) <= document.target) or rendering

    def _make_section(self, groups: Sequence[LineGroup]) -> Section:
        """Return the section with groups, or with the numbers of the best lines if there is no space for any."""
        if not self.total:
            about = f": {self.title}" if self.title else ""
            return Section("", (Entry(f"no line holds a word of the focus{about}"),))
        title = ": ".join(("Focus", *((self.title,) if self.title else ()), pluralize(self.total, "line")))
        records: dict[int, dict[int, str]] = {}
        for record, rows in groups:
            records.setdefault(record, {}).update(rows)
        lines = (row for rows in records.values() for row in sorted(rows.items()))
        entries = tuple(quote(*row, width=WIDTH + 3 * MARK_LENGTH) for row in lines)
        numbers = ", ".join(str(group.rows[-1][0]) for group in self.groups[:_NAMED_LINES])
        return Section(title, entries or (Entry(f"the best: {numbers}"),), noun="")


def choose_focus_lines(document: InputDocument) -> FocusLines | None:
    """Return the lines that are relevant to the focus of a document, None for a focus of blanks."""
    focus = " ".join(document.focus.split())
    if not focus:
        return None
    relevance = Relevance(document.lines, focus)
    share = SHARE if relevance.terms <= _FEW_TERMS else _SMALL_SHARE
    most = min(document.target * share // 100, max(document.target - document.frame_tokens, document.target // 3))
    groups: list[LineGroup] = []
    tokens = 0
    for group, size in _group_lines(document, relevance, most * NAMES_SHARE // 100):
        groups.append(group)
        tokens += size
        if tokens >= most * SPARE:
            break
    title = focus if len(focus) <= MAX_TITLE else ""
    return FocusLines(title, relevance.total, groups, min(tokens + document.count(title) + 10, most), relevance)


def _iter_named_entries(outline: Outline) -> Iterator[Entry]:
    """Yield the entries that name a range of lines, parents first."""
    stack = [entry for section in reversed(outline.sections) if not section.bare for entry in reversed(section.entries)]
    while stack:
        entry = stack.pop()
        stack.extend(reversed(entry.children))
        if not entry.in_bytes and not entry.verbatim and entry.start < entry.end < entry.start + _LONGEST_RANGE:
            yield entry


def _raise(entries: Sequence[Entry], raised: Collection[int]) -> tuple[Entry, ...]:
    """Return entries with rank -1 for those to be raised, and for those that hold them."""
    rows = [(entry, _raise(entry.children, raised)) for entry in entries]
    return tuple(
        replace(entry, children=children, rank=-1)
        if id(entry) in raised or any(child.rank < 0 for child in children)
        else entry
        for entry, children in rows
    )


def _group_lines(document: InputDocument, relevance: Relevance, names_left: int) -> Iterator[tuple[LineGroup, int]]:
    """Yield the relevant lines with their tokens, each after the names of its record if these are new.

    ``names_left`` is the number of tokens that names may take in all.
    """
    records: set[int] = {0}
    for line in relevance.rank():
        names = find_names(document.lines, line.record) if line.record not in records else []
        names = [row for row in names if row[0] != line.number]
        size = _count_tokens(document, names)
        if size > names_left:
            names, size, record = [], 0, line.number
        else:
            record = line.record or line.number
        names_left -= size
        records.add(line.record)
        row = (line.number, _cut_around(line.text, line.term))
        yield LineGroup(record, [*names, row]), size + _count_tokens(document, [row])


def _count_tokens(document: InputDocument, rows: Sequence[Row]) -> int:
    return sum(document.count(quote(*row).label) + LINE_TOKENS for row in rows)


def _lower(text: str) -> str:
    """Return a text in small letters that stand where the letters stood: ``İ`` would become two characters."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(letter.lower()[:1] for letter in text)


def _cut_around(text: str, term: str) -> str:
    """Return a line, of a long one its beginning and what is around the term; ``[+N chars]`` stands for the rest."""
    text = (text if text.isprintable() else strip_escapes(text)).strip()
    at = _lower(text).find(term)
    if len(text) <= WIDTH + MARK_LENGTH or at + len(term) <= WIDTH:
        return text
    start = max(at - WIDTH // 4, _HEAD_WIDTH + MARK_LENGTH)
    end = min(start + WIDTH - _HEAD_WIDTH, len(text))
    rest = f" [+{len(text) - end} chars]" if end < len(text) else ""
    return f"{text[:_HEAD_WIDTH].rstrip()} [+{start - len(text[:_HEAD_WIDTH].rstrip())} chars] {text[start:end]}{rest}"


def _cut_line(text: str, term: str = "") -> str:
    """Return a line with its indent; a long one is cut as ``[+N chars]`` says, around a term if there is one."""
    shown = (text if text.isprintable() else strip_escapes(text)).rstrip()
    return shown if len(shown) <= WIDTH + MARK_LENGTH else _cut_around(text, term)


def _drop_known(rows: Sequence[Row], quoted: Collection[int], text: str) -> list[Row]:
    def is_known(row: Row) -> bool:
        return row[0] in quoted or (len(row[1]) >= MIN_REPEATED and row[1].strip() in text)

    return [] if is_known(rows[-1]) else [row for row in rows if not is_known(row)]


CONTEXT = 2
"""Number of lines around a relevant one."""
_MIN_TOKENS = 4
"""Least number of tokens of a line with its number: more lines than the target has room for are not looked at."""
REST = "[more lines match]\n"
"""The last line if relevant lines are left out."""


def select_passages(lines: IndexedLines, focus: str, count: Tokenizer, target: int) -> str | None:
    """Return as many of the lines that are relevant to a focus as fit the target, in the order of the text.

    Lines are formatted as ``grep -n -C 2`` does, long ones shortened. Return "" if no line holds a word of the focus,
    and None if not even one line fits.
    """
    ranked = list(islice(Relevance(lines, focus).rank(), target // _MIN_TOKENS + 1))
    if not ranked:
        return ""

    def select(context: int) -> str | None:
        """Return the most lines that fit, each with ``context`` lines around it."""
        return find_largest(
            1,
            len(ranked),
            lambda number: _format_passages(lines, ranked[:number], context, is_part=number < len(ranked)),
            lambda text: count(text) <= target,
        )

    return select(CONTEXT) or select(0)


def _format_passages(lines: IndexedLines, relevant: Sequence[RelevantLine], context: int, *, is_part: bool) -> str:
    """Return the text of lines with those around them: ``:`` behind the number of a relevant line, ``-`` of others."""
    by_number = {line.number: line for line in relevant}
    spans = ((max(number - context, 1), min(number + context, lines.total)) for number in sorted(by_number))
    passages = [_format_span(lines, first, last, by_number) for first, last in _join_spans(spans)]
    return ("--\n" if context else "").join(passages) + (REST if is_part else "")


def _join_spans(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield ascending spans, those that touch as one."""
    first, last = 0, -1
    for start, end in spans:
        if start > last + 1:
            if first:
                yield first, last
            first = start
        last = end
    yield first, last


def _format_span(lines: IndexedLines, first: int, last: int, by_number: Mapping[int, RelevantLine]) -> str:
    rows = ((number, by_number.get(number), text) for number, text in lines.enumerate_lines(first, last))
    return "".join(
        f"{number}-{_cut_line(text)}\n" if line is None else f"{number}:{_cut_line(line.text, line.term)}\n"
        for number, line, text in rows
    )
