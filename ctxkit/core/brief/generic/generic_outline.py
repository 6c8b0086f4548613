"""The outline of text of any kind, sized to the target."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.generic.forms import TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, HeadingGroup, TextSection, find_headings, make_text_sections
from ctxkit.core.brief.generic.line_choice import LineChoice, TokenBudget
from ctxkit.core.brief.generic.remainder import lay_out, pack_lines
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import Rendering, render_outline
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import find_largest
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.vocabulary import Tokenizer

_HEAD_SHARE, END_SHARE = 70, 24
"""Percentage of the space for the beginning, and for the end, of a line."""
_SAMPLE = 90
"""Number of bytes of a sample of the middle."""
_MEASURED = 4_096
"""Number of bytes from which the tokens of a byte are estimated."""
_CUT = "\u2026"
"""Mark of what a name leaves out."""
_NAME_WIDTH, _NAME_END = 44, 12
"""Maximum number of characters of a name, and number of its last characters that a cut leaves."""
_SINGLE_SHARE = 60
"""Percentage of the tokens for headings whose form does not recur, before those that do recur."""
_LINE_TOKENS = 2
"""Tokens of a line number and a comma, besides the digits of the number."""
_MARKED = compile_lazily(r"[#=*~]+ |[=*~-]{2}")
"""Pattern of the mark of a title, which the name of the section does without."""
_RULED = compile_lazily(r"(?<=\S)\s[#=*~-]{2,}\Z")
"""Pattern of a ruler behind a title."""
_LETTER = compile_lazily(r"[^\W\d_]")
MIN_ROOM = 24
"""Minimum number of tokens for a group of headings."""
_SECTION_SHARE, _SMALL_SECTION_SHARE = 22, 25
"""Percentage of the target, and of a target below ROOMY_TARGET, for the index of sections: names take few tokens."""
_SHORT_TEXT = 24
"""Number of bytes for each token of the target below which a text is short for a small map: its lines matter
more than its sections."""
_MIN_PARTS = 60
"""Minimum number of tokens for parts of long lines."""
STEPS = 32
"""Number of sizes that are tried for the parts of long lines, up to twice the estimate."""
_SLACK = 4
"""Tokens by which header and hint may grow with the numbers in them."""
_EXAMPLE_BEFORE, _EXAMPLE_AFTER = 10, 40
"""Number of lines around the first error in the example command."""


@dataclass(frozen=True, slots=True)
class QuoteStyle:
    """Hold the title of the quoted lines, and what leaves out of a line the part that the map does not quote."""

    title: str = ""
    shorten: Callable[[str], str] = str


WHOLE_LINES = QuoteStyle()


def make_generic_outline(
    document: InputDocument,
    name: str,
    summary: Sequence[Section] = (),
    style: QuoteStyle = WHOLE_LINES,
    forms: LineForms | None = None,
) -> Outline:
    """Return the outline that takes as much of the target as possible, after the sections of a ``summary``.

    ``forms`` are those of the document, if they are read already.
    """
    forms = forms or LineForms(document.lines)
    urgent = document.target < ROOMY_TARGET
    summary_outline = Outline(name, tuple(summary))
    quoted = Rendering("", summary_outline).find_quoted_lines() if summary else set()
    taken = document.count(_render(summary_outline)) if summary else 0
    room = max(document.target - document.frame_tokens - _SLACK - taken, 0)
    groups = find_headings(forms, DEEPEST)
    headings = set().union(*(group.numbers for group in groups))
    index = _make_index(document, forms, groups, room)
    named = {entry.start for entry in index.entries if entry.dense} if urgent else set()
    budget = TokenBudget(document.count, room * 3 // 2)
    order = LineChoice(forms, budget, groups, named.union(quoted), style.shorten).order
    example = _choose_example(forms)
    short = [row for row in order if row[0] not in forms.long_lines]
    spent = document.count(_render(Outline(name, (index,)))) + sum(document.count(text) + 6 for _, text in short)
    parts = _quote_parts(document, forms, room - spent)
    if parts:
        order = short

    def make(lines: Sequence[tuple[int, str]]) -> Outline:
        body = (*summary, index, replace(lay_out(lines, forms, headings, quoted), title=style.title), *parts)
        return Outline(name, tuple(section for section in body if section.entries), example=example, urgent=urgent)

    def fits(outline: Outline) -> bool:
        return document.count(_render(outline)) <= room + taken

    return pack_lines(0, order, make, fits) or replace(summary_outline, example=example, urgent=urgent)


def _make_index(document: InputDocument, forms: LineForms, groups: Sequence[HeadingGroup], room: int) -> Section:
    """Return the names of the sections; where tokens are few, a heading is named or quoted, but not both."""
    share = _SECTION_SHARE
    if document.target < ROOMY_TARGET:
        share = _SMALL_SECTION_SHARE // (2 if document.lines.size < room * _SHORT_TEXT else 1)
    return make_name_index(groups, forms, document.count, room * share // 100, (1, forms.total))


def _quote_parts(document: InputDocument, forms: LineForms, room: int) -> tuple[Section, ...]:
    """Return as large parts of the long lines as fit, if the chosen lines leave space."""
    if room < _MIN_PARTS or not forms.long_lines:
        return ()
    parts = find_largest(
        1,
        STEPS,
        lambda size: quote_long_lines(document, forms.long_lines, room * size // (STEPS // 2)),
        lambda section: document.count(_render(Outline("", (section,)))) <= room,
    )
    return (parts,) if parts else ()


def _render(outline: Outline) -> str:
    return render_outline(outline, lambda _, body, __: body, None)


def _choose_example(forms: LineForms) -> tuple[int, int]:
    """Return the lines around the first error, or the first lines."""
    number = forms.find_first_error() or 1
    return max(number - _EXAMPLE_BEFORE, 1), max(min(number + _EXAMPLE_AFTER, forms.total), 1)


def quote_long_lines(document: InputDocument, numbers: list[int], room: int) -> Section:
    """Return a section with parts of the lines ``numbers`` that takes about ``room`` tokens."""
    share = room // max(len(numbers), 1)
    entries = [entry for number in numbers for entry in _quote_line(document, number, share)]
    return Section("Parts of long lines, by bytes from 1" if entries else "", tuple(entries), noun="")


def _quote_line(document: InputDocument, number: int, room: int) -> Iterator[Entry]:
    start, end = document.lines.span(number, number)
    sample = _read(document, start, min(start + _MEASURED, end))
    size = room * min(_MEASURED, end - start) // max(document.count(sample), 1)
    if size >= end - start:
        yield _make_entry(document, start, end)
        return
    head, tail = size * _HEAD_SHARE // 100, size * END_SHARE // 100
    yield _make_entry(document, start, start + head)
    samples = max(size - head - tail, 0) // (_SAMPLE * 3 // 2)
    step = (end - start - head - tail) // (samples + 1)
    for index in range(1, samples + 1):
        at = start + head + step * index
        yield _make_entry(document, at, min(at + _SAMPLE, end))
    yield _make_entry(document, end - tail, end)


def _make_entry(document: InputDocument, start: int, end: int) -> Entry:
    return Entry(_read(document, start, end), start + 1, end, in_bytes=True)


def _read(document: InputDocument, start: int, end: int) -> str:
    """Return bytes ``start`` to ``end`` as text without partial characters and control sequences."""
    data = document.read(start, end - start)
    data = data[:3].lstrip(bytes(range(0x80, 0xC0))) + data[3:]
    return strip_escapes(" ".join(data.decode("utf-8", "ignore").split()))


def make_name_index(
    groups: Sequence[HeadingGroup], forms: LineForms, count: Tokenizer, room: int, quoted: Collection[int]
) -> Section:
    """Return a section with the names of as many headings as fit into ``room`` tokens, those of few headings first.

    Headings that are ``quoted`` elsewhere are not named, nor are lines that state trouble: these are quoted in full.
    """
    sections = make_text_sections(groups, forms)
    alike, single = split_sections([row for row in sections if forms.flags_of(row.start) >> TROUBLE_SHIFT < 2], forms)
    rows = [row for row in _sort_by_group(single, groups) if row.start not in quoted][: max(room, 0)]
    names = [Entry(name_heading(forms.lines.at(row.start)), row.start, row.start, dense=True) for row in rows]
    costs = [_measure(entry, count) for entry in names]
    first = _count_fitting(costs, room if not alike else room * _SINGLE_SHARE // 100)
    grouped, left = _name_groups(alike, forms, count, room - sum(costs[:first]))
    entries = [*names[:first], *grouped, *names[first : first + _count_fitting(costs[first:], left)]]
    entries = [entry for entry in entries if entry.label and not (entry.dense and entry.start in quoted)]
    entries.sort(key=lambda entry: (entry.start, entry.dense))
    some = f"{len(entries)} of " if all(entry.dense for entry in entries) and len(entries) < len(sections) else ""
    title = f"Index ({some}{pluralize(len(sections), 'place')})"
    return Section(title, tuple(entries), noun="", tight=True, preposition="at")


def _sort_by_group(rows: Sequence[TextSection], groups: Sequence[HeadingGroup]) -> list[TextSection]:
    """Return sections whose headings belong to small groups first, then the longest first."""
    sizes = {number: len(group.numbers) for group in groups for number in group.numbers}
    return sorted(rows, key=lambda row: (sizes[row.start] > MIN_ROOM, row.start - row.end))


def _name_groups(
    groups: Sequence[Sequence[TextSection]], forms: LineForms, count: Tokenizer, room: int
) -> tuple[list[Entry], int]:
    """Return the names of headings of each form, which share ``room`` tokens, and the tokens that are left."""
    entries: list[Entry] = []
    for place, group in enumerate(groups):
        share = max(room // (len(groups) - place), MIN_ROOM)
        if room < MIN_ROOM:
            break
        part = list(_name_group(group, forms, count, min(share, room)))
        room -= sum(_measure(entry, count) for entry in part)
        entries += part
    return entries, room


def _name_group(rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield the names of headings of one form if all fit, or else their number and the names that fit."""
    texts = [clean_line(forms.lines.at(row.start), 300) for row in rows[:_COMPARED]]
    if len(set(texts)) * _ALIKE <= len(texts) * 2:
        yield from _name_recurring(rows, forms, count, room)
        return
    shared = _find_shared_words(texts) if len(rows) <= _COMPARED else 0
    if len(rows) * 4 > room or sum(count(text) + 4 for text in texts) > room:
        words = " ".join(texts[0].split()[:shared])
        if shared and _LETTER.search(words):
            yield Entry(f"{len(rows):,} \u00d7 `{words} {_CUT}`", rows[0].start, rows[-1].end)
            room -= count(words) + 10
        if not any(_LETTER.search(" ".join(text.split()[shared:])) for text in texts):
            return
    else:
        shared = 0
    yield from _name_some(_order_sections(rows), forms, count, room, shared)


def _name_recurring(rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield the number of headings of which few differ, and the names of their sections if those differ."""
    group, *names = list_alike(rows, forms, count, room)
    is_telling = len({entry.label for entry in names}) * _ALIKE >= len(names) * (_ALIKE - 1)
    yield from (group, *names) if is_telling else (group,)


def _name_some(
    rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int, shared: int
) -> Iterator[Entry]:
    """Yield the names of sections in order until the room is used, without their first ``shared`` words."""
    for row in rows:
        text = clean_line(forms.lines.at(row.start), 300)
        name = name_heading(" ".join(text.split()[shared:]) if shared else text)
        entry = Entry(name, row.start, row.start, dense=True)
        room -= _measure(entry, count)
        if room < 0:
            return
        yield entry


def _find_shared_words(texts: Sequence[str]) -> int:
    """Return how many of their first words all texts share, at most all but one."""
    words = [text.split() for text in texts]
    columns = list(zip(*words, strict=False))[: min(map(len, words)) - 1]
    return next((at for at, column in enumerate(columns) if len(set(column)) > 1), len(columns))


def name_heading(text: str) -> str:
    """Return a heading without the colon or the brace at its end, cut in the middle if it is long."""
    text = clean_line(text, 300)
    bare = text.strip("#=*-~_<>: ") if _MARKED.match(text) else text.removesuffix(":").removesuffix(" {").rstrip()
    name = _RULED.sub("", bare or text)
    if len(name) <= _NAME_WIDTH:
        return name
    return f"{name[: _NAME_WIDTH - _NAME_END].rstrip()}{_CUT}{name[-_NAME_END:].lstrip()}"


def _measure(entry: Entry, count: Tokenizer) -> int:
    """Return the tokens of an entry with its place."""
    return count(entry.label) + (count(str(entry.start)) + _LINE_TOKENS if entry.dense else 10)


def _count_fitting(costs: Sequence[int], room: int) -> int:
    """Return how many of the first costs fit."""
    for place, cost in enumerate(costs):
        room -= cost
        if room < 0:
            return place
    return len(costs)


_ALIKE = 5
"""Number of headings of one form from which they are counted and listed by name."""
_MAX_GROUPS = 6
"""Maximum number of forms of headings that are counted."""
_COMPARED = 400
"""Number of headings of a group whose text is compared."""
_TELLING = 15
"""Number of lines below a heading among which the telling one is looked for."""
_FAR_BELOW = 4
"""Number of lines below a heading from which the telling line is not read together with it."""
_MAX_COUNTED, _COUNTED_WIDTH = 8, 30
"""Maximum number of recurring headings that are counted, and maximum number of characters of each."""
_ADDRESS = compile_lazily(r"0x[0-9a-fA-F]{4,16}\W?\Z")
_WORD = compile_lazily(r"[^\W\d_]{3,40}")
_WIDTH = 90
"""Maximum number of characters of a heading."""


def split_sections(
    sections: Sequence[TextSection], forms: LineForms
) -> tuple[list[list[TextSection]], list[TextSection]]:
    """Return the sections whose headings have one form, the smallest groups first, and those that stand alone."""
    groups: dict[int, list[TextSection]] = {}
    for section in sections:
        groups.setdefault(forms.shapes[forms.form_of(section.start)], []).append(section)
    alike = [rows for rows in groups.values() if len(rows) >= _ALIKE]
    alike.sort(key=len, reverse=True)
    kept = {id(rows) for rows in alike[:_MAX_GROUPS]}
    single = [row for rows in groups.values() if id(rows) not in kept for row in rows]
    return alike[:_MAX_GROUPS][::-1], single


class _CommonHeading(NamedTuple):
    """Describe headings of one form: their ``label``, what all begin and end with, and whether only few differ."""

    label: str
    prefix: str = ""
    suffix: str = ""
    recurs: bool = True


def list_alike(rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield an entry with the number of headings of one form, and a dense list of those that fit."""
    common = _describe_common(rows, forms)
    offset, ordered = _find_telling_line(rows, forms) if common.recurs else 0, _order_sections(rows)
    named = f", named by line {offset} below it" if offset >= _FAR_BELOW else ""
    texts = [clean_line(forms.lines.at(min(row.start + offset, row.end)), 300) for row in ordered]
    if common.prefix and not offset:
        end = len(common.suffix)
        texts = shorten_names([text[len(common.prefix) : len(text) - end] or text for text in texts])
    is_telling = any(map(_LETTER.search, texts)) and (not common.recurs or _tell_apart(texts))
    left = room - count(common.label + named) - 6
    names = list(_list_names(texts, ordered, count, left)) if is_telling else []
    yield Entry(common.label + named if names else common.label, rows[0].start, rows[-1].end)
    yield from sorted(names, key=lambda entry: entry.start)


def _describe_common(rows: Sequence[TextSection], forms: LineForms) -> _CommonHeading:
    texts = [clean_line(forms.lines.at(row.start), 300) for row in rows[:_COMPARED]]
    steps = sorted(after.start - row.start for row, after in pairwise(rows))
    size = f"{steps[0]} lines apart" if steps[0] == steps[-1] else f"{steps[0]}-{steps[-1]} lines apart"
    prefix, suffix = _find_common(texts)
    if len(rows) <= _COMPARED and len(set(texts)) == 1:
        return _CommonHeading(f"{len(rows)} \u00d7 `{texts[0][:_WIDTH]}`, {size}")
    if len(rows) <= _COMPARED and prefix:
        title = f"{prefix[:_WIDTH]}\u2026{suffix[-40:]}"[:_WIDTH]
        counted = _count_names(rows, texts, prefix, suffix)
        return _CommonHeading(f"{len(rows)} \u00d7 `{title}`, {size}{counted}", prefix, suffix, bool(counted))
    return _CommonHeading(f"{len(rows)} lines such as `{texts[0][:_WIDTH]}`, {size}", recurs=False)


def _list_names(texts: Sequence[str], rows: Sequence[TextSection], count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield the names of sections that fit into ``room`` tokens, in order."""
    for name, row in zip(texts, rows, strict=True):
        text = name if len(name) <= 60 else f"{name[:40]}\u2026{name[-18:]}"
        room -= count(text) + 4
        if room < 0:
            return
        if text:
            yield Entry(text, row.start, row.start, dense=True)


def _tell_apart(texts: Sequence[str]) -> bool:
    """Return whether most texts have a word that at most a third of them have; numbers alone name no section."""
    words = [set(_WORD.findall(text)) for text in texts]
    counts = Counter(word for row in words for word in row)
    telling = sum(any(counts[word] * 3 <= len(texts) for word in row) for row in words)
    return telling * 2 >= len(texts)


def shorten_names(texts: Sequence[str]) -> list[str]:
    """Return names without the words that all of them have in the same place, and without addresses.

    What is left out is an ellipsis between two words that stay.
    """
    words = [text.split() for text in texts]
    columns = list(zip(*words, strict=False)) if len({len(row) for row in words}) == 1 else []
    kept = [at for at, column in enumerate(columns) if len(set(column)) > 1 and not all(map(_ADDRESS.match, column))]
    if kept and len(kept) < len(columns):
        return [_join_words([row[at] for at in kept], kept) for row in words]
    return list(texts)


def _join_words(words: Sequence[str], places: Sequence[int]) -> str:
    """Return words in one text, with an ellipsis between those that do not stand side by side."""
    text = words[0]
    for word, place, before in zip(words[1:], places[1:], places, strict=False):
        text += f" {word}" if place == before + 1 else f" \u2026 {word}"
    return text


def _count_names(rows: Sequence[TextSection], texts: Sequence[str], prefix: str, suffix: str) -> str:
    """Return how often each heading occurs, and its first line, if few recur: ``; 99 Para, the first at 3``."""
    names: dict[str, list[int]] = {}
    for row, text in zip(rows, texts, strict=True):
        names.setdefault(text[len(prefix) : len(text) - len(suffix)], []).append(row.start)
    if len(names) > _MAX_COUNTED or len(names) * _ALIKE > len(texts):
        return ""
    ordered = sorted(names.items(), key=lambda item: -len(item[1]))
    return "; " + ", ".join(
        f"{len(numbers)} {name[:_COUNTED_WIDTH]}, the first at {numbers[0]}" for name, numbers in ordered
    )


def _find_telling_line(rows: Sequence[TextSection], forms: LineForms) -> int:
    """Return which line below equal headings tells the sections apart, 0 if none does."""
    sample = rows[:_COMPARED:8] if len(rows) > 100 else rows[:_COMPARED]
    most, best = len(sample) * 3 // 10, 0
    for offset in range(1, _TELLING):
        distinct = {forms.form_of(row.start + offset) for row in sample if row.start + offset <= row.end}
        if len(distinct) > most:
            most, best = len(distinct), offset
    return best


def _find_common(texts: Sequence[str]) -> tuple[str, str]:
    """Return what all texts begin with and end with, up to whole words."""
    prefix = _find_prefix(texts)
    while prefix and prefix[-1].isalnum():
        prefix = prefix[:-1]
    suffix = _find_prefix([text[len(prefix) :][::-1] for text in texts])[::-1]
    while suffix and suffix[0].isalnum():
        suffix = suffix[1:]
    return prefix, suffix


def _find_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    same = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:same]


def _order_sections(rows: Sequence[TextSection]) -> list[TextSection]:
    """Return the first three and the last section, then the oddest, then the others at even distances."""
    odd = sorted(rows, key=lambda row: -row.oddness)[:6]
    ends = [*rows[:3], rows[-1], *(row for row in odd if row.oddness > 1)]
    step, order = len(rows), list(ends)
    while step > 1:
        step //= 2
        order.extend(rows[::step])
        if len(order) > 2_000:
            break
    return list(dict.fromkeys(order))
