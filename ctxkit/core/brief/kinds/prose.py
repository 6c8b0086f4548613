"""Prose: chapters and paragraphs with line ranges and opening words, sampled evenly over the document."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.error_lines import is_error_line
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.text.measure import pluralize

NAME = "prose"
TYPES: Sequence[str] = ("txt", "article")
LARGEST = 32 << 20
"""Maximum size in bytes of prose that is read."""
CHAPTER = re.compile(
    r"\s{0,40}(?:(?:chapter|part|book|act|scene|section|appendix|volume|kapitel|chapitre|cap[ií]tulo)\s+[\w.:-]+.{0,80}"
    r"|第[0-9一二三四五六七八九十百千]+[章回节節部卷].{0,40}|глава\s+\S+.{0,80}|[IVXLC]{1,7}\.?(?:\s+\S.{0,80})?)\s*$",
    re.IGNORECASE,
)
"""Pattern of a chapter heading, by the words that books use."""
NUMBERED = re.compile(r"\s{0,40}\d+(?:\.\d+)*[.)]? {1,4}[^\W\d_].{0,70}$")
"""Pattern of a numbered heading on its own line."""
ROMAN = re.compile(r"\s*[IVXLC]+\b")
STOP = re.compile(r"[.!?。！？؟।…:;\"'”’»)\]]\s*$")
"""Pattern of the end of a paragraph."""
WORD = re.compile(r"[^\W\d_]{2,}")
ODD = re.compile(r"[{}<>=|\\$#@`~^*_\[\]\t]|\w[(:]\w|://|--\w")
"""Characters that are rare in prose and common elsewhere."""
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, kana and Han characters, which do not separate words by spaces."""
OPENINGS = (160, 100, 80)
"""Numbers of characters of an opening, for outlines of decreasing detail."""
SAMPLE = 300
"""Number of lines read to detect prose."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Hold a paragraph's lines (1-based, inclusive) and its first line; ``is_chapter`` marks a chapter heading."""

    start: int
    end: int
    opening: str
    is_chapter: bool = False


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is prose: mostly letters, few symbols, and paragraphs that end like
    sentences.
    """
    if document.suffix not in ("", "txt", "text"):
        return 0.0
    rows = [row for row in document.head.split("\n")[:SAMPLE] if row.strip()]
    paragraphs = [
        paragraph for paragraph in _split_paragraphs(enumerate(document.head.split("\n")[:SAMPLE], 1)) if paragraph
    ]
    if len(rows) < 5 or sum(map(_is_prose_line, rows)) < 0.8 * len(rows) or any(map(is_error_line, rows)):
        return 0.0
    ended = sum(STOP.search(rest) is not None for _, rest in paragraphs)
    return 0.65 if ended >= 0.6 * len(paragraphs) else 0.0


def _is_prose_line(row: str) -> bool:
    """Return whether a line is mostly letters, with almost no symbols of code or tables."""
    text = row.strip()
    letters = sum(letter.isalpha() or letter.isspace() for letter in text)
    if letters < 0.8 * len(text) or len(ODD.findall(text)) > 1 + len(text) // 150 or "   " in text:
        return False
    return len(WORD.findall(text)) >= 3 or len(UNSPACED.findall(text)) >= 6 or len(text) < 40


def _split_paragraphs(rows: Iterator[tuple[int, str]] | enumerate[str]) -> Iterator[tuple[Paragraph, str]]:
    """Yield the paragraphs, separated by blank lines, each with its last line."""
    start, first, last = 0, "", (0, "")
    for number, row in rows:
        if row.strip():
            if not start:
                start, first = number, row
            last = (number, row)
        elif start:
            yield _make_paragraph(start, first, last[0]), last[1]
            start = 0
    if start:
        yield _make_paragraph(start, first, last[0]), last[1]


def _make_paragraph(start: int, first: str, end: int) -> Paragraph:
    heading = end - start < 2 and CHAPTER.match(first) is not None and not STOP.search(first)
    alone = not ROMAN.match(first) or first.strip().isupper()
    numbered = start == end and NUMBERED.match(first) is not None
    return Paragraph(start, end, first, (heading and alone) or numbered)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the chapters with paragraph openings, or None if there are fewer than two paragraphs."""
    if document.lines.size > LARGEST:
        return None
    paragraphs = [paragraph for paragraph, _ in _split_paragraphs(document.lines.enumerate_lines())]
    if len(paragraphs) < 2:
        return None
    chapters = sum(paragraph.is_chapter for paragraph in paragraphs)
    facts = [pluralize(len(paragraphs) - chapters, "paragraph")] + (
        [pluralize(chapters, "chapter")] if chapters else []
    )
    top = Section("", (Entry(", ".join(facts)),))
    sections = (Section("Paragraphs", tuple(_make_entries(paragraphs, width)), noun="paragraphs") for width in OPENINGS)
    return [Outline(NAME, (top, section)) for section in sections]


def _make_entries(paragraphs: Sequence[Paragraph], width: int) -> Iterator[Entry]:
    """Yield chapters with their paragraphs as children, after the paragraphs before the first chapter."""
    ranks = _spread_ranks(len(paragraphs))
    starts = [place for place, paragraph in enumerate(paragraphs) if paragraph.is_chapter] + [len(paragraphs)]
    for paragraph, rank in zip(paragraphs[: starts[0]], ranks, strict=False):
        yield quote(paragraph.start, paragraph.opening, rank=rank, width=width)
    for place, following in pairwise(starts):
        head, last = paragraphs[place], paragraphs[following - 1]
        inside = zip(paragraphs[place + 1 : following], ranks[place + 1 : following], strict=True)
        openings = tuple(quote(passage.start, passage.opening, rank=rank, width=width) for passage, rank in inside)
        yield Entry(clean_line(head.opening, 120), head.start, last.end, 0, children=openings)


def _spread_ranks(number: int) -> list[int]:
    """Return ranks that select entries evenly: the first and the last, then the middle, then the
    quarters, and so on.
    """
    ranks = [0] * number
    step = 1 << max(number - 1, 1).bit_length()
    for rank in range(1, step.bit_length() + 1):
        for place in range(0, number, step):
            ranks[place] = ranks[place] or rank
        step = max(step // 2, 1)
    if number:
        ranks[-1] = 1
    return ranks
