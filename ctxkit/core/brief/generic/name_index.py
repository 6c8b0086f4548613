"""The index of the sections of a text: names after their lines, without ranges."""

from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.generic.forms import TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup, TextSection, make_text_sections
from ctxkit.core.brief.generic.sections import ALIKE, COMPARED, list_alike, order_sections, split_sections
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.vocabulary import Tokenizer

CUT = "\u2026"
"""Mark of what a name leaves out."""
NAME_WIDTH, NAME_END = 44, 12
"""Maximum number of characters of a name, and number of its last characters that a cut leaves."""
SINGLE_SHARE = 60
"""Percentage of the tokens for headings whose form does not recur, before those that do recur."""
LINE_TOKENS = 2
"""Tokens of a line number and a comma, besides the digits of the number."""
_MARKED = compile_lazily(r"[#=*~]+ |[=*~-]{2}")
"""Pattern of the mark of a title, which the name of the section does without."""
_RULED = compile_lazily(r"(?<=\S)\s[#=*~-]{2,}\Z")
"""Pattern of a ruler behind a title."""
_LETTER = compile_lazily(r"[^\W\d_]")
MIN_ROOM = 24
"""Minimum number of tokens for a group of headings."""


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
    first = _count_fitting(costs, room if not alike else room * SINGLE_SHARE // 100)
    left = room - sum(costs[:first])
    entries = names[:first]
    for place, group in enumerate(alike):
        share = max(left // (len(alike) - place), MIN_ROOM)
        if left < MIN_ROOM:
            break
        part = list(_name_group(group, forms, count, min(share, left)))
        left -= sum(_measure(entry, count) for entry in part)
        entries += part
    entries += names[first : first + _count_fitting(costs[first:], left)]
    entries = [entry for entry in entries if entry.label and not (entry.dense and entry.start in quoted)]
    entries.sort(key=lambda entry: (entry.start, entry.dense))
    some = f"; {len(entries)} named" if all(entry.dense for entry in entries) and len(entries) < len(sections) else ""
    title = f"Sections ({pluralize(len(sections), 'heading')}{some})"
    return Section(title, tuple(entries), noun="", tight=True, preposition="at")


def _sort_by_group(rows: Sequence[TextSection], groups: Sequence[HeadingGroup]) -> list[TextSection]:
    """Return sections whose headings belong to small groups first, then the longest first."""
    sizes = {number: len(group.numbers) for group in groups for number in group.numbers}
    return sorted(rows, key=lambda row: (sizes[row.start] > MIN_ROOM, row.start - row.end))


def _name_group(rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield the names of headings of one form if all fit, or else their number and the names that fit."""
    texts = [clean_line(forms.lines.at(row.start), 300) for row in rows[:COMPARED]]
    if len(set(texts)) * ALIKE <= len(texts) * 2:
        group, *names = list_alike(rows, forms, count, room)
        is_telling = len({entry.label for entry in names}) * ALIKE >= len(names) * (ALIKE - 1)
        yield from (group, *names) if is_telling else (group,)
        return
    shared = _find_shared_words(texts) if len(rows) <= COMPARED else 0
    if len(rows) * 4 > room or sum(count(text) + 4 for text in texts) > room:
        words = " ".join(texts[0].split()[:shared])
        if shared and _LETTER.search(words):
            yield Entry(f"{len(rows):,} \u00d7 `{words} {CUT}`", rows[0].start, rows[-1].end)
            room -= count(words) + 10
        if not any(_LETTER.search(" ".join(text.split()[shared:])) for text in texts):
            return
    else:
        shared = 0
    yield from _name_some(order_sections(rows), forms, count, room, shared)


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
    if len(name) <= NAME_WIDTH:
        return name
    return f"{name[: NAME_WIDTH - NAME_END].rstrip()}{CUT}{name[-NAME_END:].lstrip()}"


def _measure(entry: Entry, count: Tokenizer) -> int:
    """Return the tokens of an entry with its place."""
    return count(entry.label) + (count(str(entry.start)) + LINE_TOKENS if entry.dense else 10)


def _count_fitting(costs: Sequence[int], room: int) -> int:
    """Return how many of the first costs fit."""
    for place, cost in enumerate(costs):
        room -= cost
        if room < 0:
            return place
    return len(costs)
