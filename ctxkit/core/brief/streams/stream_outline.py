"""The outline of a stream of several parts: an index of them, and a map of each in proportion to its size."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from ctxkit.core.brief.detail_level import FRAME_TOKENS
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.remainder import reserve_tokens
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import rank_entries, render_outline
from ctxkit.core.brief.streams.part_map import FEW_PARTS, GENERIC, RANKS, PartMap
from ctxkit.core.brief.streams.stream_index import find_opening, make_index, make_notes
from ctxkit.core.brief.streams.stream_parts import (
    Stream,
    make_part_document,
    move_outline,
    quote_part,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.severity import find_error_lines, rate_severity

LEAST_LINES = 3
"""Minimum number of lines quoted from the beginning of a part."""
HEAD_TOKENS = 40
"""Tokens of the share of a part for each line quoted from its beginning."""
LINE_WIDTH = 300
"""Maximum number of characters of a line quoted from the beginning of a part."""
SHORT_PART = 4
"""Maximum number of lines of a part that are quoted in the index."""
SMALL_PART = 20
"""Maximum number of lines of a part whose ranges of other output are not listed."""
FULL_VARIANTS = 3
"""Number of the most detailed outlines of a kind whose complete rendering shows a part completely."""
PASSES = 3
"""Number of times that unused tokens are divided again."""
SIZE_POWER = 0.4
"""Exponent of the size of a part in its weight: small parts get more for each line."""
LEAST_SHARE = 60
"""Minimum number of tokens for the map of a part."""
KIND_FRAME = 150
"""Tokens that kinds subtract from a target for the frame, which a part does not have."""
MAX_SEARCHED_LINES = 20_000
"""Maximum number of lines of a part that are searched for errors."""
MAX_SEARCHED_ERRORS = 1_000
"""Maximum number of lines with words of errors in a part, whose form is looked at."""
JSON_MEMBER = compile_lazily(r'\s*"[^"\n]{1,80}": ')
"""Pattern of a member of a JSON object on its own line: its words are data."""
_LETTER = compile_lazily(r"[^\W\d_]")
ENTRY_TOKENS = 6
"""Tokens of the line number and the punctuation of an entry."""


def build_stream_outline(name: str, document: InputDocument, stream: Stream) -> Outline:
    """Return an outline with an index of the parts, and the maps of the parts that the target has space for."""
    last = stream.parts[-1]
    maps = [PartMap(part, number, is_last=part is last) for number, part in enumerate(stream.parts, 1)]
    for part_map in maps:
        _read_part(document, part_map)
    index = make_index(document, maps, stream)
    taken = _count(Outline(name, (index,)), document)
    room = max(document.target - reserve_tokens(name, document.target) - FRAME_TOKENS - taken, document.target // 3)
    _map_parts(document, [part_map for part_map in maps if not part_map.rows], room)
    index = make_index(document, maps, stream)
    notes = make_notes(document, maps)
    sections = [section for part_map in maps for section in (*part_map.sections, *_quote_head(document, part_map))]
    return Outline(name, (index, *notes, *sections))


def _quote_head(document: InputDocument, part_map: PartMap) -> Iterator[Section]:
    """Yield a section with the first lines of a part, which use what space the maps of all parts leave."""
    part = part_map.part
    if part_map.rows or part.numbers or not part_map.share or part_map.is_quoted:
        return
    quotes = (entry for section in part_map.sections for entry in _iter_quotes(section.entries))
    quoted = {part.title_line} | {entry.start for entry in quotes}
    first = part.body
    rows = document.lines.enumerate_lines(first, min(part.end, first + max(part_map.share // HEAD_TOKENS, LEAST_LINES)))
    head = [(number, strip_escapes(text).rstrip()) for number, text in rows]
    kept = list(takewhile(lambda row: row[0] not in quoted, head))
    entries = [Entry(text[:LINE_WIDTH], number, number, RANKS + number - first, verbatim=True) for number, text in kept]
    if not any(map(_LETTER.search, (entry.label for entry in entries))):
        return
    yield Section(f"part {part_map.number}: the beginning", tuple(entries), "lines", bare=True, covered=True)


def _iter_quotes(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries that quote lines."""
    for entry in entries:
        if entry.verbatim:
            yield entry
        yield from _iter_quotes(entry.children)


def _read_part(document: InputDocument, part_map: PartMap) -> None:
    """Find the first error of a part, and read its lines if it is short."""
    part = part_map.part
    lines = make_part_document(document, part, 0).lines if part.numbers else document.lines
    first, last = (1, lines.total) if part.numbers else (part.start, part.end)
    after = part.body if not part.numbers else first
    errors = find_error_lines(lines, after, min(last, after + MAX_SEARCHED_LINES))
    trouble = next((row for row in islice(errors, MAX_SEARCHED_ERRORS) if _states_trouble(row[1])), None)
    rows = list(lines.enumerate_lines(first, last)) if part.line_count <= SHORT_PART else []
    if part.numbers:
        trouble = (part.find_number(trouble[0]), trouble[1]) if trouble else None
        rows = [(part.find_number(number), text) for number, text in rows]
    part_map.trouble, part_map.rows = trouble, rows


def _states_trouble(text: str) -> bool:
    """Return whether a line states trouble, neither in a path nor in a member of JSON."""
    return rate_severity(text) > 0 and JSON_MEMBER.match(text) is None


def _map_parts(document: InputDocument, maps: Sequence[PartMap], room: int) -> None:
    """Map the parts within ``room``; what some parts leave of their shares goes to the others."""
    pending = _share_tokens(maps, room)
    for _ in range(PASSES):
        for part_map in pending:
            _map_part(document, part_map)
        satisfied = [part_map for part_map in maps if part_map.need]
        hungry = [part_map for part_map in pending if not part_map.need]
        left = room - sum(part_map.need for part_map in satisfied)
        if not hungry or left <= sum(part_map.share for part_map in hungry) * 1.1:
            return
        pending = _share_tokens(hungry, left)


def _share_tokens(maps: Sequence[PartMap], room: int) -> list[PartMap]:
    """Divide ``room`` among the parts by a root of their sizes, and return those that get a share.

    The last part and parts with errors count more.
    """
    ranked = sorted(maps, key=_weigh, reverse=True)
    least = LEAST_SHARE if len(maps) <= FEW_PARTS else 2 * LEAST_SHARE
    total = sum(map(_weigh, ranked))
    while ranked and room * _weigh(ranked[-1]) < least * total:
        total -= _weigh(ranked.pop())
    for part_map in ranked:
        part_map.share = int(room * _weigh(part_map) / total)
    return ranked


def _weigh(part_map: PartMap) -> float:
    weight = float(part_map.part.line_count**SIZE_POWER)
    return weight * (1.2 if part_map.trouble else 1.0) * (1.2 if part_map.is_last else 1.0)


def _map_part(document: InputDocument, part_map: PartMap) -> None:
    """Outline a part within its share: all of its lines if they fit, or else as its own kind."""
    part = part_map.part
    quoted = _quote_all(document, part_map)
    if quoted is not None:
        part_map.sections, part_map.is_quoted = (replace(quoted, title=_name_part(part_map)),), True
        return
    part_document = make_part_document(replace(document, frame_tokens=KIND_FRAME), part, part_map.share + KIND_FRAME)
    outlines = document.outline_part(part_document)
    if not outlines:
        return
    part_map.kind = outlines[0].language or outlines[0].kind
    outline = next((outline for outline in outlines if _fits(outline, part_document, part_map.share)), outlines[-1])
    if any(outline is each for each in outlines[:FULL_VARIANTS]) and _fits(outline, part_document, part_map.share):
        part_map.need = _count(outline, part_document)
    if part.line_count <= SMALL_PART:
        outline = replace(outline, sections=tuple(section for section in outline.sections if section.noun != "parts"))
    moved = move_outline(outline, part, _scale_ranks(outline, part_map.share), RANKS)
    sections = [_drop_line(section, find_opening(part_map)) for section in moved.sections]
    part_map.sections = tuple(_title_sections(sections, part_map))


def _drop_line(section: Section, number: int) -> Section:
    """Return a section without the quotation of a line that the index shows; its hidden entries are not named."""
    kept = tuple(entry for entry in section.entries if not (entry.verbatim and entry.start == entry.end == number))
    return replace(section, entries=kept, covered=True)


def _quote_all(document: InputDocument, part_map: PartMap) -> Section | None:
    """Return a section with all lines of a part if they fit into its share."""
    part = part_map.part
    if part.line_count > part_map.share or part.numbers:
        return None
    rows = [
        (number, strip_escapes(text).rstrip()) for number, text in document.lines.enumerate_lines(part.start, part.end)
    ]
    tokens = document.count("\n".join(text for _, text in rows))
    if tokens > part_map.share:
        return None
    part_map.need = max(tokens, 1)
    return quote_part(rows)


def _count(outline: Outline, document: InputDocument) -> int:
    return document.count(render_outline(outline, lambda _, body, __: body, None))


def _fits(outline: Outline, document: InputDocument, share: int) -> bool:
    """Return whether a complete outline fits into a share."""
    entries = sum(len(section.entries) for section in outline.sections)
    return entries <= share and _count(outline, document) <= share


def _scale_ranks(outline: Outline, share: int) -> dict[int, int]:
    """Return new ranks of entries by the share of tokens that is used up to each, so that parts fill up alike."""
    used, ranks = 0.0, {}
    for offer in rank_entries(outline):
        used += len(offer.entry.label) / 3 + ENTRY_TOKENS
        ranks[id(offer.entry)] = int(RANKS * used / share)
    return ranks


def _title_sections(sections: Sequence[Section], part_map: PartMap) -> Iterator[Section]:
    """Yield the sections of a part, each with the number of the part in its title."""
    name = _name_part(part_map)
    for place, section in enumerate(section for section in sections if section.entries):
        short = name if place == 0 else f"part {part_map.number}"
        yield replace(section, title=f"{short}: {section.title}" if section.title else short)


def _name_part(part_map: PartMap) -> str:
    kind = f", {part_map.kind}" if part_map.kind and part_map.kind != GENERIC else ""
    title = f" {clean_line(part_map.part.title, 60)}" if part_map.part.numbers else ""
    return f"part {part_map.number}{title}{kind}"
