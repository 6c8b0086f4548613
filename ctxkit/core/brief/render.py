"""Rendering of outlines to text within a token target."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.lines import find_largest
from ctxkit.core.tokens.vocabulary import Tokenizer

_NEVER_SHOWN = 1 << 60
"""Rank of entries that are omitted from every rendering."""
BEGINNING, END = "the beginning", "the end"
"""Titles of bare sections that a heading prints only above the first or the last line of the section."""
_EXAMPLE = ", such as"
"""End of a label whose children are examples; it is left out if they are."""
AddFrame = Callable[[Outline, str, int], str]
"""Return a body with header and hint; the third argument is the number of source lines that it quotes."""


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """Hold an entry with its effective rank, which is never lower than its parent's."""

    rank: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Rendering:
    """Hold the text of an outline, and which entries it shows: all of them if ``admitted`` is None."""

    text: str
    outline: Outline
    admitted: set[int] | None = None

    def find_quoted_lines(self) -> set[int]:
        """Return the numbers of the lines that the text quotes."""
        quoted: set[int] = set()
        render_outline(self.outline, lambda *_: "", self.admitted, quoted)
        return quoted

    def find_stated_lines(self) -> set[int]:
        """Return the numbers of the lines whose content complete sections state."""
        entries = [entry for section in self.outline.sections if section.complete for entry in section.entries]
        stated: set[int] = set()
        for entry in entries:
            shown = [child for child in entry.children or (entry,) if _is_admitted(child, self.admitted)]
            stated.update(line for part in shown for line in range(part.start, part.end + 1))
        return stated


def add_section(rendering: Rendering, section: Section, add_frame: AddFrame, *, is_first: bool = False) -> Rendering:
    """Return the rendering with a whole section at its end or its beginning; the frame stays that of the outline."""
    before, admitted = rendering.outline, rendering.admitted
    sections = (section, *before.sections) if is_first else (*before.sections, section)
    outline = replace(before, sections=sections)
    if admitted is not None:
        admitted = admitted | {id(entry) for entry in section.entries}
    return Rendering(render_outline(outline, lambda _, *body: add_frame(before, *body), admitted), outline, admitted)


def render_within(outlines: Sequence[Outline], add_frame: AddFrame, count: Tokenizer, target: int) -> Rendering | None:
    """Return the most detailed rendering of ``outlines`` that takes at most ``target`` tokens.

    ``outlines`` describe the same content, from the most detailed to the shortest. The first outline that fits
    completely is used. Of the last outline, as many entries as fit are used, lowest ranks first, and omitted entries
    are given as ranges. Return None if not even the frame fits.
    """
    for outline in outlines:
        if not _can_fit(outline, target):
            continue
        everything = render_outline(outline, add_frame, None)
        if count(everything) <= target:
            return Rendering(everything, outline)
    return _render_most_entries(outlines[-1], add_frame, count, target)


def _render_most_entries(outline: Outline, add_frame: AddFrame, count: Tokenizer, target: int) -> Rendering | None:
    """Return the rendering with the most entries that fits, found by binary search and checked by counting."""
    ranked_entries = _rank_entries(outline)
    most = min(len(ranked_entries), target)
    if len(ranked_entries) > 2 * most:
        outline = _merge_hidden_entries(outline, {id(offer.entry) for offer in ranked_entries[:most]})
        ranked_entries = _rank_entries(outline)

    def render(number: int) -> Rendering:
        admitted = {id(offer.entry) for offer in ranked_entries[:number]}
        return Rendering(render_outline(outline, add_frame, admitted), outline, admitted)

    return find_largest(0, most, render, lambda rendering: count(rendering.text) <= target)


def _can_fit(outline: Outline, target: int) -> bool:
    """Return whether an outline may fit: each entry takes at least one token, except quoted blank lines."""
    left = target
    stack = [section.entries for section in outline.sections if not section.bare]
    while stack and left >= 0:
        entries = stack.pop()
        left -= len(entries)
        if left >= 0:
            stack.extend(entry.children for entry in entries if entry.children)
    return left >= 0


def _rank_entries(outline: Outline) -> list[RankedEntry]:
    """Return all entries of an outline, lowest effective ranks first, parents before children."""
    return sorted(_iter_ranked_entries(outline), key=lambda offer: offer.rank)


def _merge_hidden_entries(outline: Outline, kept: set[int]) -> Outline:
    """Return an outline in which one entry represents each run of neighbours that are never shown.

    The rendering is unchanged, but its time does not depend on the number of hidden entries.
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
            merged.append(Entry("", start, end, _NEVER_SHOWN, in_bytes=run[0].in_bytes, hidden_count=len(run)))
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


def render_outline(
    outline: Outline, add_frame: AddFrame, admitted: set[int] | None, quoted: set[int] | None = None
) -> str:
    """Return the text of ``outline`` with the admitted entries, or with all entries if ``admitted`` is None.

    Add the numbers of the quoted lines to ``quoted``.
    """
    quoted = set() if quoted is None else quoted
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
    """Return the entries of a completely hidden section of lines, so that they can join the gap that follows."""
    if section.noun != "lines" or section.covered or any(_is_admitted(entry, admitted) for entry in section.entries):
        return []
    return [entry for entry in section.entries if entry.start]


def _format_gaps(hidden: Sequence[Entry], noun: str) -> list[str]:
    return [f"- {format_gap(hidden, noun)}"] if hidden else []


def _render_section(section: Section, admitted: set[int] | None, quoted: set[int]) -> str:
    if section.covered and not any(_is_admitted(entry, admitted) for entry in section.entries):
        return ""
    body = list(_render_entries(section.entries, section.noun, admitted, quoted, ""))
    if section.tight:
        body = [_tighten_row(row) for row in body]
    if section.preposition:
        body = [_add_preposition(row, section.preposition) for row in body]
    heading = [f"## {section.title}"] if section.title and body else []
    return "\n".join(heading + body)


def _tighten_row(row: str) -> str:
    """Return a line of dense entries without the blanks before their numbers: ``52 parse,98 reset``.

    A blank after a number stays: ``1,98`` would be one number.
    """
    from re import sub

    return sub(r"(\b\d+)?, (?=\d+(?:[-/]\d+)* )", lambda match: match[0] if match[1] else ",", row)


def _add_preposition(row: str, preposition: str) -> str:
    """Return a line of dense entries with a word before its first number: ``- at 52 parse, 98 reset``."""
    from re import sub

    return sub(r"\A- (?=\d+(?:[-/]\d+)* )", f"- {preposition} ", row)


def _render_bare_section(section: Section, above: Sequence[Entry], admitted: set[int] | None, quoted: set[int]) -> str:
    """Quote consecutive lines below a heading with their range; ``above`` are hidden entries directly before them."""
    rows = [entry for entry in section.entries if _is_admitted(entry, admitted)]
    if not rows:
        return "\n".join(_format_gaps([*above, *(() if section.covered else section.entries)], section.noun))
    rows = _take_last_run(rows)
    quoted.update(row.start for row in rows)
    title = f" ({section.title})" if section.title and _holds_title(section, rows) else ""
    heading = f"## {format_line_range(rows[0].start, rows[-1].end)}, verbatim{title}"
    before = [*above, *(entry for entry in section.entries if entry.start < rows[0].start and not section.covered)]
    blank = [""] if before else []
    return "\n".join([*_format_gaps(before, section.noun), *blank, heading, *(row.label for row in rows)])


def _holds_title(section: Section, rows: Sequence[Entry]) -> bool:
    """Return whether the rows include the first or last line with text if the title names the beginning or end."""
    lines = [entry.start for entry in section.entries if entry.label.strip()] or [rows[0].start]
    if section.title.endswith(END):
        return rows[-1].start >= max(lines)
    return not section.title.endswith(BEGINNING) or rows[0].start <= min(lines)


def _take_last_run(rows: list[Entry]) -> list[Entry]:
    """Return the last rows that follow each other: others would stand below line numbers that are not theirs."""
    first = next((at for at in range(len(rows) - 1, 0, -1) if rows[at - 1].start + 1 != rows[at].start), 0)
    return rows[first:]


def _render_entries(
    entries: Sequence[Entry], noun: str, admitted: set[int] | None, quoted: set[int], indent: str
) -> Iterator[str]:
    """Yield the lines of entries: normal entries separately, dense ones together, hidden ones as one gap.

    A dense entry with visible or counted children starts a line, which continues with the visible ones, or if these
    have visible children too, with a line for each of them, indented. Hidden lines within the range of the entry above
    are not mentioned.
    """
    for style, run in _group_by_style(entries, admitted):
        if style == "hidden":
            if noun:
                yield f"{indent}- {format_gap(run, noun)}"
        elif style == "dense":
            yield f"{indent}- " + ", ".join(_render_dense_entry(entry, admitted) for entry in run)
        elif style == "folded":
            yield f"{indent}- {_render_folded_entry(run[0], admitted)}"
        elif style == "tree":
            yield f"{indent}- {run[0].start}-{run[0].end} {run[0].label}:"
            yield from _render_entries(run[0].children, noun, admitted, quoted, indent + "  ")
        else:
            yield from _render_visible_entry(run[0], noun, admitted, quoted, indent)


def _render_visible_entry(
    entry: Entry, noun: str, admitted: set[int] | None, quoted: set[int], indent: str
) -> Iterator[str]:
    """Yield the lines of an entry and of its children; with its own line, how many of them are hidden if all are."""
    if entry.verbatim:
        quoted.update(range(entry.start, entry.end + 1))
    bare = _has_only_hidden_children(entry, admitted)
    text = _render_entry(entry)
    yield indent + (text.removesuffix(_EXAMPLE) + _format_hidden_children(entry, noun) if bare else text)
    if not bare:
        covered = noun == "lines" and entry.start and not entry.verbatim
        yield from _render_entries(entry.children, "" if covered else noun, admitted, quoted, indent + "  ")


def _has_only_hidden_children(entry: Entry, admitted: set[int] | None) -> bool:
    """Return whether an entry with a range, or one that announces an example, hides all its children."""
    covers = (entry.start and not entry.verbatim) or entry.label.endswith(_EXAMPLE)
    return bool(covers and entry.children) and not any(_is_admitted(child, admitted) for child in entry.children)


def _format_hidden_children(entry: Entry, noun: str) -> str:
    """Return a note with the number of hidden children; quoted lines and examples without a range are not mentioned."""
    number = _count_hidden(entry.children)
    if noun in ("", "lines") or not entry.start or all(child.verbatim for child in entry.children):
        return ""
    return f" ({number:,} more {noun if number != 1 else to_singular(noun)} inside)"


def _group_by_style(entries: Sequence[Entry], admitted: set[int] | None) -> Iterator[tuple[str, list[Entry]]]:
    """Yield runs of neighbours that are rendered together, with their style."""
    run: list[Entry] = []
    before = ""
    for entry in entries:
        style = _choose_style(entry, admitted)
        if run and (style != before or style in ("own", "folded", "tree")):
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
    shown = [child for child in entry.children if _is_admitted(child, admitted)]
    if any(_is_admitted(below, admitted) for child in shown for below in child.children):
        return "tree"
    return "folded" if shown or entry.counts_children else "dense"


def _is_admitted(entry: Entry, admitted: set[int] | None) -> bool:
    return admitted is None or id(entry) in admitted


def _render_folded_entry(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry and its children on one line: ``46-200 class Parser: 52 parse, 98 reset``."""
    if entry.counts_children and not any(_is_admitted(child, admitted) for child in entry.children):
        return f"{entry.start}-{entry.end} {entry.label}"
    return f"{entry.start}-{entry.end} {entry.label}: {_render_children_inline(entry, admitted)}"


def _render_dense_entry(entry: Entry, admitted: set[int] | None) -> str:
    """Return a dense entry within a list: ``52 parse``, or ``46-200 class Parser (12 more)`` with hidden children.

    With repeats, it is ``52/98 parse``.
    """
    if not entry.children:
        return f"{'/'.join(map(str, (entry.start, *entry.repeats)))} {entry.label}"
    return f"{entry.start}-{entry.end} {entry.label} ({_render_children_inline(entry, admitted)})"


def _render_children_inline(entry: Entry, admitted: set[int] | None) -> str:
    """Return children in a list; hidden ones are given as a count with their range, or without it if all are hidden."""
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
    """Return an entry with its place; of several lines that it quotes, only the first has its number."""
    if entry.verbatim:
        return f"- {entry.start}: {entry.label}"
    if not entry.start:
        return f"- {entry.label}"
    return f"- {format_place(entry)}: {entry.label}"


def format_place(entry: Entry) -> str:
    """Return the place of an entry: ``Lines 46-200``, or ``bytes 120-4031``."""
    return f"bytes {entry.start}-{entry.end}" if entry.in_bytes else format_line_range(entry.start, entry.end)


def format_gap(hidden: Sequence[Entry], noun: str) -> str:
    """Return a note on hidden entries: their place and their number."""
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
    """Return the singular of a regular English plural, also before a clause: ``rows that differ``."""
    for link in (" that ", " of ", " outside "):
        head, word, rest = noun.partition(link)
        if word:
            verb = "s" if link == " that " and rest.isalpha() else ""
            return f"{to_singular(head)}{link}{rest}{verb}"
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


FRAME_TOKENS = 130
"""Maximum tokens of the header and the hint."""


def count_outline_tokens(outline: Outline, document: InputDocument) -> int:
    """Return the number of tokens of an outline without its frame."""
    return document.count(render_outline(outline, lambda _, body, __: body, None))


def find_most_detail(build: Callable[[int], Outline], most: int, document: InputDocument) -> int:
    """Return the largest number of details, up to ``most``, whose outline from ``build`` fits, or 0.

    This is an estimate: the renderer counts the final text.
    """
    room = document.target - FRAME_TOKENS
    low, high = 0, min(most, document.target)
    while low < high:
        middle = (low + high + 1) // 2
        if count_outline_tokens(build(middle), document) <= room:
            low = middle
        else:
            high = middle - 1
    return low
