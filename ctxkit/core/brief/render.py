"""Turning an outline into text of at most so many tokens."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text.bisection import find_largest
from ctxkit.core.tokens.tokenizer import Tokenizer

NEVER_SHOWN = 1 << 60
"""Rank of entries that are left out of every rendering."""
AddFrame = Callable[[Outline, str, int], str]
"""Put a header before, and a hint after, a body that quotes so many lines."""


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """Place an entry in the order of admission: by rank, never before its parent."""

    rank: int
    entry: Entry


def render_within(outlines: Sequence[Outline], add_frame: AddFrame, count: Tokenizer, target: int) -> str | None:
    """Return the richest rendering of ``outlines`` that takes at most ``target`` tokens.

    ``outlines`` say the same, richest first. The first that fits whole is taken; of the last one,
    as many entries as fit, the lowest ranks first, and what is left out is named as a range.
    None when not even its frame fits.
    """
    for outline in outlines:
        if not _can_fit(outline, target):
            continue
        everything = render_outline(outline, add_frame, None)
        if count(everything) <= target:
            return everything
    return _render_most_entries(outlines[-1], add_frame, count, target)


def _render_most_entries(outline: Outline, add_frame: AddFrame, count: Tokenizer, target: int) -> str | None:
    """Admit as many entries as fit: a binary search, then the proof by counting the result."""
    ranked_entries = _rank_entries(outline)
    most = min(len(ranked_entries), target)
    if len(ranked_entries) > 2 * most:
        outline = _merge_hidden_entries(outline, {id(offer.entry) for offer in ranked_entries[:most]})
        ranked_entries = _rank_entries(outline)
    return find_largest(
        0,
        most,
        lambda number: render_outline(outline, add_frame, {id(offer.entry) for offer in ranked_entries[:number]}),
        lambda text: count(text) <= target,
    )


def _can_fit(outline: Outline, target: int) -> bool:
    """Tell whether an outline has no more entries than tokens: each takes one at least, but for quoted blank lines."""
    left = target
    stack = [section.entries for section in outline.sections if not section.bare]
    while stack and left >= 0:
        entries = stack.pop()
        left -= len(entries)
        if left >= 0:
            stack.extend(entry.children for entry in entries if entry.children)
    return left >= 0


def _rank_entries(outline: Outline) -> list[RankedEntry]:
    return sorted(_iter_ranked_entries(outline), key=lambda offer: offer.rank)


def _merge_hidden_entries(outline: Outline, kept: set[int]) -> Outline:
    """Return an outline in which one entry stands for each run of neighbours that are never shown.

    It renders the same as before, in time that no longer depends on how many there are.
    """
    sections = (
        section if section.bare else replace(section, entries=_merge_hidden_runs(section.entries, kept))
        for section in outline.sections
    )
    return replace(outline, sections=tuple(sections))


def _merge_hidden_runs(entries: Sequence[Entry], kept: set[int]) -> tuple[Entry, ...]:
    merged: list[Entry] = []
    for key, group in groupby(entries, lambda e: None if id(e) in kept else (e.start > 0, e.in_bytes)):
        run = list(group)
        if key is None:
            merged += [replace(e, children=_merge_hidden_runs(e.children, kept)) if e.children else e for e in run]
        else:
            start, end = min(e.start for e in run), max(e.end for e in run)
            merged.append(Entry("", start, end, NEVER_SHOWN, in_bytes=run[0].in_bytes, hidden_count=len(run)))
    return tuple(merged)


def _count_hidden(entries: Sequence[Entry]) -> int:
    return sum(entry.hidden_count for entry in entries)


def _iter_ranked_entries(outline: Outline) -> Iterator[RankedEntry]:
    for section in outline.sections:
        for entry in section.entries:
            yield from _rank_with_children(entry, entry.rank)


def _rank_with_children(entry: Entry, rank: int) -> Iterator[RankedEntry]:
    rank = max(rank, entry.rank)
    yield RankedEntry(rank, entry)
    for child in entry.children:
        yield from _rank_with_children(child, rank)


def render_outline(outline: Outline, add_frame: AddFrame, admitted: set[int] | None) -> str:
    """Return the text of ``outline`` with the admitted entries, all of them when None."""
    quoted: set[int] = set()
    parts: list[str] = []
    above: list[Entry] = []
    for section in outline.sections:
        if section.bare:
            parts.append(_render_bare_section(section, above, admitted, quoted))
            above = []
            continue
        parts.extend(_format_gaps(above, "lines"))
        above = _find_hidden_lines(section, admitted)
        if not above:
            parts.append(_render_section(section, admitted, quoted))
    parts.extend(_format_gaps(above, "lines"))
    return add_frame(outline, "\n\n".join(part for part in parts if part), len(quoted))


def _find_hidden_lines(section: Section, admitted: set[int] | None) -> list[Entry]:
    """Return the entries of a section about lines none of which is shown: they may join the gap that follows."""
    if section.noun != "lines" or any(_is_admitted(entry, admitted) for entry in section.entries):
        return []
    return [entry for entry in section.entries if entry.start]


def _format_gaps(hidden: Sequence[Entry], noun: str) -> list[str]:
    return [f"- {format_gap(hidden, noun)}"] if hidden else []


def _render_section(section: Section, admitted: set[int] | None, quoted: set[int]) -> str:
    body = list(_render_entries(section.entries, section.noun, admitted, quoted, ""))
    if section.tight:
        body = [_tighten_row(row) for row in body]
    heading = [f"## {section.title}"] if section.title and body else []
    return "\n".join(heading + body)


def _tighten_row(row: str) -> str:
    """Return a line of dense entries without the blanks before their numbers: ``52 parse,98 reset``."""
    from re import sub

    return sub(r", (?=\d+(?:-\d+)? )", ",", row)


def _render_bare_section(section: Section, above: Sequence[Entry], admitted: set[int] | None, quoted: set[int]) -> str:
    """Quote consecutive lines below a heading that gives their range; ``above`` was left out right before them."""
    rows = [entry for entry in section.entries if _is_admitted(entry, admitted)]
    if not rows:
        return "\n".join(_format_gaps([*above, *(() if section.covered else section.entries)], section.noun))
    quoted.update(row.start for row in rows)
    title = f" ({section.title})" if section.title else ""
    heading = f"## {format_line_range(rows[0].start, rows[-1].end)}, verbatim{title}"
    before = [*above, *(entry for entry in section.entries if entry.start < rows[0].start and not section.covered)]
    blank = [""] if before else []
    return "\n".join([*_format_gaps(before, section.noun), *blank, heading, *(row.label for row in rows)])


def _render_entries(
    entries: Sequence[Entry], noun: str, admitted: set[int] | None, quoted: set[int], indent: str
) -> Iterator[str]:
    """Yield the lines of entries: each on its own, dense ones together, hidden ones as one gap.

    A dense entry with children begins a line of its own, which goes on with the children. Lines left out within
    the range of the entry above go without saying.
    """
    for style, run in _group_by_style(entries, admitted):
        if style == "hidden":
            if noun:
                yield f"{indent}- {format_gap(run, noun)}"
        elif style == "dense":
            yield f"{indent}- " + ", ".join(_render_dense_entry(entry, admitted) for entry in run)
        elif style == "folded":
            yield f"{indent}- {_render_folded_entry(run[0], admitted)}"
        else:
            entry = run[0]
            if entry.verbatim:
                quoted.add(entry.start)
            bare = _has_only_hidden_children(entry, admitted)
            yield indent + _render_entry(entry) + (_format_hidden_children(entry, noun) if bare else "")
            if not bare:
                covered = noun == "lines" and entry.start and not entry.verbatim
                yield from _render_entries(entry.children, "" if covered else noun, admitted, quoted, indent + "  ")


def _has_only_hidden_children(entry: Entry, admitted: set[int] | None) -> bool:
    """Tell whether no child is shown of an entry whose own range names where they are."""
    covers = entry.start and not entry.verbatim
    return bool(covers and entry.children) and not any(_is_admitted(child, admitted) for child in entry.children)


def _format_hidden_children(entry: Entry, noun: str) -> str:
    """Return how many children are left out of an entry that shows none; lines go without saying."""
    number = _count_hidden(entry.children)
    return "" if noun in ("", "lines") else f" ({number:,} more {noun if number != 1 else to_singular(noun)} inside)"


def _group_by_style(entries: Sequence[Entry], admitted: set[int] | None) -> Iterator[tuple[str, list[Entry]]]:
    """Yield neighbours that are rendered together, with the style they share."""
    run: list[Entry] = []
    before = ""
    for entry in entries:
        style = _choose_style(entry, admitted)
        if run and (style != before or style in ("own", "folded")):
            yield before, run
            run = []
        run.append(entry)
        before = style
    if run:
        yield before, run


def _choose_style(entry: Entry, admitted: set[int] | None) -> str:
    if not _is_admitted(entry, admitted):
        return "hidden"
    if not entry.dense:
        return "own"
    return "folded" if any(_is_admitted(child, admitted) for child in entry.children) else "dense"


def _is_admitted(entry: Entry, admitted: set[int] | None) -> bool:
    return admitted is None or id(entry) in admitted


def _render_folded_entry(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry and its children on one line: ``46-200 class Parser: 52 parse, 98 reset``."""
    return f"{entry.start}-{entry.end} {entry.label}: {_render_children_inline(entry, admitted)}"


def _render_dense_entry(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry among others: ``52 parse``, ``46-200 class Parser (12 more)`` with children left out."""
    if not entry.children:
        return f"{entry.start} {entry.label}"
    return f"{entry.start}-{entry.end} {entry.label} ({_render_children_inline(entry, admitted)})"


def _render_children_inline(entry: Entry, admitted: set[int] | None) -> str:
    """Return children one after another; what is left out is a range, the entry's own when it is all of them."""
    parts: list[str] = []
    for shown, group in groupby(entry.children, lambda child: _is_admitted(child, admitted)):
        run = list(group)
        if shown:
            parts.extend(_render_dense_entry(child, admitted) for child in run)
        elif len(run) == len(entry.children):
            parts.append(f"{_count_hidden(run):,} more")
        else:
            parts.append(f"{_count_hidden(run):,} more in {run[0].start}-{max(child.end for child in run)}")
    return ", ".join(parts)


def _render_entry(entry: Entry) -> str:
    if entry.verbatim:
        return f"- {entry.start}: {entry.label}"
    if not entry.start:
        return f"- {entry.label}"
    return f"- {format_place(entry)}: {entry.label}"


def format_place(entry: Entry) -> str:
    """Return where an entry's subject stands: ``Lines 46-200``, or ``bytes 120-4031``."""
    return f"bytes {entry.start}-{entry.end}" if entry.in_bytes else format_line_range(entry.start, entry.end)


def format_gap(hidden: Sequence[Entry], noun: str) -> str:
    """Name what is left out: where it is, and how many of what."""
    placed = [entry for entry in hidden if entry.start]
    places = [entry for entry in placed if not entry.in_bytes] or placed
    if noun == "lines" and placed:
        return f"{format_line_range(min(e.start for e in placed), max(e.end for e in placed))}: not shown here"
    number = _count_hidden(hidden)
    count = f"{number:,} more {noun if number != 1 else to_singular(noun)}"
    if not places:
        return count
    start, end = min(e.start for e in places), max(e.end for e in places)
    return f"{format_place(Entry('', start, end, in_bytes=places[0].in_bytes))}: {count}"


def format_line_range(start: int, end: int) -> str:
    """Return ``Line 52`` or ``Lines 46-200``."""
    return f"Line {start}" if start >= end else f"Lines {start}-{end}"


def to_singular(noun: str) -> str:
    """Return the singular of a regular English plural."""
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")
