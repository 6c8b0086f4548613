"""Turning an outline into text of at most so many tokens."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.largest import largest
from ctxkit.core.tokenizer import Tokenizer

NEVER = 1 << 60
"""Rank of entries that are left out of every rendering."""
Frame = Callable[[Outline, str, int], str]
"""Put a header before, and a hint after, a body that quotes so many lines."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Place an entry in the order of admission: by rank, never before its parent."""

    rank: int
    entry: Entry


def fit(outlines: Sequence[Outline], frame: Frame, count: Tokenizer, target: int) -> str | None:
    """Return the richest rendering of ``outlines`` that takes at most ``target`` tokens.

    ``outlines`` say the same, richest first. The first that fits whole is taken; of the last one,
    as many entries as fit, the lowest ranks first, and what is left out is named as a range.
    None when not even its frame fits.
    """
    for outline in outlines:
        if not _may_fit(outline, target):
            continue
        everything = render(outline, frame, None)
        if count(everything) <= target:
            return everything
    return _most(outlines[-1], frame, count, target)


def _most(outline: Outline, frame: Frame, count: Tokenizer, target: int) -> str | None:
    """Admit as many entries as fit: a binary search, then the proof by counting the result."""
    offers = _in_order(outline)
    most = min(len(offers), target)
    if len(offers) > 2 * most:
        outline = _without_the_rest(outline, {id(offer.entry) for offer in offers[:most]})
        offers = _in_order(outline)
    return largest(
        0,
        most,
        lambda number: render(outline, frame, {id(offer.entry) for offer in offers[:number]}),
        lambda text: count(text) <= target,
    )


def _may_fit(outline: Outline, target: int) -> bool:
    """Tell whether an outline has no more entries than tokens: each takes one at least, but for quoted blank lines."""
    left = target
    stack = [section.entries for section in outline.sections if not section.bare]
    while stack and left >= 0:
        entries = stack.pop()
        left -= len(entries)
        if left >= 0:
            stack.extend(entry.children for entry in entries if entry.children)
    return left >= 0


def _in_order(outline: Outline) -> list[Offer]:
    return sorted(_offers(outline), key=lambda offer: offer.rank)


def _without_the_rest(outline: Outline, kept: set[int]) -> Outline:
    """Return an outline in which one entry stands for each run of neighbours that are never shown.

    It renders the same as before, in time that no longer depends on how many there are.
    """
    sections = (
        section if section.bare else replace(section, entries=_thinned(section.entries, kept))
        for section in outline.sections
    )
    return replace(outline, sections=tuple(sections))


def _thinned(entries: Sequence[Entry], kept: set[int]) -> tuple[Entry, ...]:
    thinned: list[Entry] = []
    for key, group in groupby(entries, lambda e: None if id(e) in kept else (e.start > 0, e.octets)):
        run = list(group)
        if key is None:
            thinned += [replace(e, children=_thinned(e.children, kept)) if e.children else e for e in run]
        else:
            start, end = min(e.start for e in run), max(e.end for e in run)
            thinned.append(Entry("", start, end, NEVER, octets=run[0].octets, many=len(run)))
    return tuple(thinned)


def _number(entries: Sequence[Entry]) -> int:
    return sum(entry.many for entry in entries)


def _offers(outline: Outline) -> Iterator[Offer]:
    for section in outline.sections:
        for entry in section.entries:
            yield from _descend(entry, entry.rank)


def _descend(entry: Entry, rank: int) -> Iterator[Offer]:
    rank = max(rank, entry.rank)
    yield Offer(rank, entry)
    for child in entry.children:
        yield from _descend(child, rank)


def render(outline: Outline, frame: Frame, admitted: set[int] | None) -> str:
    """Return the text of ``outline`` with the admitted entries, all of them when None."""
    quoted: set[int] = set()
    parts: list[str] = []
    above: list[Entry] = []
    for section in outline.sections:
        if section.bare:
            parts.append(_bare(section, above, admitted, quoted))
            above = []
            continue
        parts.extend(_gaps(above, "lines"))
        above = _all_hidden_lines(section, admitted)
        if not above:
            parts.append(_section(section, admitted, quoted))
    parts.extend(_gaps(above, "lines"))
    return frame(outline, "\n\n".join(part for part in parts if part), len(quoted))


def _all_hidden_lines(section: Section, admitted: set[int] | None) -> list[Entry]:
    """Return the entries of a section about lines none of which is shown: they may join the gap that follows."""
    if section.noun != "lines" or any(_shown(entry, admitted) for entry in section.entries):
        return []
    return [entry for entry in section.entries if entry.start]


def _gaps(hidden: Sequence[Entry], noun: str) -> list[str]:
    return [f"- {gap(hidden, noun)}"] if hidden else []


def _section(section: Section, admitted: set[int] | None, quoted: set[int]) -> str:
    body = list(_lines(section.entries, section.noun, admitted, quoted, ""))
    if section.tight:
        body = [_tight(row) for row in body]
    heading = [f"## {section.title}"] if section.title and body else []
    return "\n".join(heading + body)


def _tight(row: str) -> str:
    """Return a line of dense entries without the blanks before their numbers: ``52 parse,98 reset``."""
    from re import sub

    return sub(r", (?=\d+(?:-\d+)? )", ",", row)


def _bare(section: Section, above: Sequence[Entry], admitted: set[int] | None, quoted: set[int]) -> str:
    """Quote consecutive lines below a heading that gives their range; ``above`` was left out right before them."""
    rows = [entry for entry in section.entries if _shown(entry, admitted)]
    if not rows:
        return "\n".join(_gaps([*above, *(() if section.covered else section.entries)], section.noun))
    quoted.update(row.start for row in rows)
    title = f" ({section.title})" if section.title else ""
    heading = f"## {reach(rows[0].start, rows[-1].end)}, verbatim{title}"
    before = [*above, *(entry for entry in section.entries if entry.start < rows[0].start and not section.covered)]
    blank = [""] if before else []
    return "\n".join([*_gaps(before, section.noun), *blank, heading, *(row.label for row in rows)])


def _lines(
    entries: Sequence[Entry], noun: str, admitted: set[int] | None, quoted: set[int], indent: str
) -> Iterator[str]:
    """Yield the lines of entries: each on its own, dense ones together, hidden ones as one gap.

    A dense entry with children begins a line of its own, which goes on with the children. Lines left out within
    the range of the entry above go without saying.
    """
    for style, run in _runs(entries, admitted):
        if style == "hidden":
            if noun:
                yield f"{indent}- {gap(run, noun)}"
        elif style == "dense":
            yield f"{indent}- " + ", ".join(_dense(entry, admitted) for entry in run)
        elif style == "folded":
            yield f"{indent}- {_folded(run[0], admitted)}"
        else:
            entry = run[0]
            if entry.verbatim:
                quoted.add(entry.start)
            bare = _left_out(entry, admitted)
            yield indent + _line(entry) + (_inside_of(entry, noun) if bare else "")
            if not bare:
                covered = noun == "lines" and entry.start and not entry.verbatim
                yield from _lines(entry.children, "" if covered else noun, admitted, quoted, indent + "  ")


def _left_out(entry: Entry, admitted: set[int] | None) -> bool:
    """Tell whether no child is shown of an entry whose own range names where they are."""
    covers = entry.start and not entry.verbatim
    return bool(covers and entry.children) and not any(_shown(child, admitted) for child in entry.children)


def _inside_of(entry: Entry, noun: str) -> str:
    """Return how many children are left out of an entry that shows none; lines go without saying."""
    number = _number(entry.children)
    return "" if noun in ("", "lines") else f" ({number:,} more {noun if number != 1 else singular(noun)} inside)"


def _runs(entries: Sequence[Entry], admitted: set[int] | None) -> Iterator[tuple[str, list[Entry]]]:
    """Yield neighbours that are rendered together, with the style they share."""
    run: list[Entry] = []
    before = ""
    for entry in entries:
        style = _style(entry, admitted)
        if run and (style != before or style in ("own", "folded")):
            yield before, run
            run = []
        run.append(entry)
        before = style
    if run:
        yield before, run


def _style(entry: Entry, admitted: set[int] | None) -> str:
    if not _shown(entry, admitted):
        return "hidden"
    if not entry.dense:
        return "own"
    return "folded" if any(_shown(child, admitted) for child in entry.children) else "dense"


def _shown(entry: Entry, admitted: set[int] | None) -> bool:
    return admitted is None or id(entry) in admitted


def _folded(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry and its children on one line: ``46-200 class Parser: 52 parse, 98 reset``."""
    return f"{entry.start}-{entry.end} {entry.label}: {_inside(entry, admitted)}"


def _dense(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry among others: ``52 parse``, ``46-200 class Parser (12 more)`` with children left out."""
    if not entry.children:
        return f"{entry.start} {entry.label}"
    return f"{entry.start}-{entry.end} {entry.label} ({_inside(entry, admitted)})"


def _inside(entry: Entry, admitted: set[int] | None) -> str:
    """Return children one after another; what is left out is a range, the entry's own when it is all of them."""
    parts: list[str] = []
    for shown, group in groupby(entry.children, lambda child: _shown(child, admitted)):
        run = list(group)
        if shown:
            parts.extend(_dense(child, admitted) for child in run)
        elif len(run) == len(entry.children):
            parts.append(f"{_number(run):,} more")
        else:
            parts.append(f"{_number(run):,} more in {run[0].start}-{max(child.end for child in run)}")
    return ", ".join(parts)


def _line(entry: Entry) -> str:
    if entry.verbatim:
        return f"- {entry.start}: {entry.label}"
    if not entry.start:
        return f"- {entry.label}"
    return f"- {place(entry)}: {entry.label}"


def place(entry: Entry) -> str:
    """Return where an entry's subject stands: ``Lines 46-200``, or ``bytes 120-4031``."""
    return f"bytes {entry.start}-{entry.end}" if entry.octets else reach(entry.start, entry.end)


def gap(hidden: Sequence[Entry], noun: str) -> str:
    """Name what is left out: where it is, and how many of what."""
    placed = [entry for entry in hidden if entry.start]
    places = [entry for entry in placed if not entry.octets] or placed
    if noun == "lines" and placed:
        return f"{reach(min(e.start for e in placed), max(e.end for e in placed))}: not shown here"
    number = _number(hidden)
    count = f"{number:,} more {noun if number != 1 else singular(noun)}"
    if not places:
        return count
    start, end = min(e.start for e in places), max(e.end for e in places)
    return f"{place(Entry('', start, end, octets=places[0].octets))}: {count}"


def reach(start: int, end: int) -> str:
    """Return ``Line 52`` or ``Lines 46-200``."""
    return f"Line {start}" if start >= end else f"Lines {start}-{end}"


def singular(noun: str) -> str:
    """Return the singular of a regular English plural."""
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")
