"""Markdown: its headings with line ranges, contents and opening words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.brief.texts.chapters import OPENING_INTERVAL, Chapter, ChapterScanner, scan_chapters
from ctxkit.core.brief.texts.nesting import nest_entries
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.limits import HEADING_SPACE, HEADINGS
from ctxkit.core.text.quantity import pluralize

NAME = "markdown"
TYPES: Sequence[str] = ("md",)
CLUES = Clues(
    ("#", "==", "--"), suffixes=("md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdc"), unless_log=True
)
SUFFIXES = ("md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdc")
LARGEST = 32 << 20
"""Maximum size in bytes of Markdown that is read."""
LONG = 150
"""Number of lines from which a chapter without subheadings has its paragraphs' openings quoted."""
FEWEST = 8
"""Number of headings in the shortest outline."""
OPENINGS = ((160, 1.0), (80, 1.0), (80, 0.5), (80, 0.2))
"""Number of characters of an opening, and the share of the longest chapters whose openings are quoted."""
CODE = compile_lazily(
    r"\s*+(?:def |class \w|import \w|from \w+ import|#include|#define|function |if \[|fi$|done$|esac$|return\b|"
    r"export \w|[\w.-]+\(\) *\{|echo |set -|[\w.]+ *[:+]?= *\S|FROM |RUN |COPY |\w[\w.-]*:(?: |$)|- \w+:|"
    r"[})\];]+;?$|.*[;{]$|diff --git |@@ |\+\+\+ |index [0-9a-f]{7}|<\?xml)"
)
"""Pattern of code, settings and patches, in which ``#`` does not begin a heading."""
PLACED = compile_lazily(r"\S{1,300}?:\d+(?::\d+)?: \S")
"""Pattern of a linter's line, which may quote the headings of the document that it is about."""
RST = compile_lazily(r"^\.\. [\w-]+::|^:\w+: ", re.MULTILINE)
MARKS = compile_lazily(r"\]\(|\*\*\w|^```|^~~~|^[^\S\n]*(?:[-*+]|\d+\.) \S|^\|.*\|[^\S\n]*$|`\w[^`]*`", re.MULTILINE)


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is Markdown, from its suffix or from headings and other markup."""
    if document.suffix in SUFFIXES:
        return 0.9
    if document.suffix not in ("", "txt"):
        return 0.0
    rows = document.head.split("\n")[:600]
    scanner = scan_chapters(lambda: enumerate(rows, 1))
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    if not heads or document.head.startswith("#!") or RST.search(document.head):
        return 0.0
    if any(_is_ruled(chapter, rows) for chapter in heads):
        return 0.0
    prose = list(_iter_text_rows(scanner, rows))
    if 2 * sum(PLACED.match(row) is not None for row in prose) > len(prose):
        return 0.0
    code = sum(CODE.match(row) is not None for row in prose)
    marks = len(MARKS.findall("\n".join(prose))) + 2 * sum(sum(chapter.blocks.values()) for chapter in heads)
    allowed = 3 if marks > 4 * code else 6
    if code * allowed > len(prose) or not all(_is_apart(chapter, rows) for chapter in heads[:1]):
        return 0.0
    apart = sum(_is_apart(chapter, rows) for chapter in heads)
    if apart * 2 < len(heads) or marks < 2 or marks + apart < 5:
        return 0.0
    return 0.85 if apart > 1 else 0.6


def _iter_text_rows(scanner: ChapterScanner, rows: list[str]) -> Iterator[str]:
    """Yield the lines that are not blank, not headings, and not in a code fence."""
    mark = ""
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if number <= scanner.front_matter_end or not bare:
            continue
        if bare.startswith(("```", "~~~")):
            mark = "" if mark and bare.startswith(mark) else mark or bare[:3]
            continue
        if not mark and not re.match(r"#{1,6} ", row):
            yield row


def _is_ruled(chapter: Chapter, rows: list[str]) -> bool:
    """Return whether a heading's underline is a page-wide ruler, as in test reports."""
    title, after = rows[chapter.start - 1].strip(), rows[chapter.start] if chapter.start < len(rows) else ""
    under = after.strip()
    return bool(under) and set(under) <= {"=", "-"} and len(under) >= 60 and abs(len(under) - len(title)) > 8


def _is_apart(chapter: Chapter, rows: list[str]) -> bool:
    """Return whether a heading starts its line after a blank line, and no heading follows directly."""
    row = rows[chapter.start - 1].removeprefix("\ufeff")
    before = rows[chapter.start - 2] if chapter.start > 1 else ""
    after = rows[chapter.start] if chapter.start < len(rows) else ""
    return not row.startswith(" ") and (row[:2] == "<h" or not before.strip()) and not re.match(r"# ", after)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines with fewer and fewer headings and less about each, or None if there are no headings."""
    if document.lines.size > LARGEST:
        return None
    most = max(HEADINGS, document.lines.size // HEADING_SPACE)
    scanner = scan_chapters(document.lines.enumerate_lines, most)
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    if not heads or len(heads) > most:
        return None
    sizes = [len(heads)]
    while sizes[-1] > FEWEST:
        sizes.append(sizes[-1] * 4 // 5)
    room = document.target // 8
    outlines = [_make_outline(scanner, len(heads), *more) for more in OPENINGS if len(heads) <= room]
    return outlines + [_make_outline(scanner, size) for size in sizes if size <= max(room, FEWEST)]


def _summarize(scanner: ChapterScanner, shown_heads: int) -> list[Entry]:
    heads = sum(chapter.level > 0 for chapter in scanner.chapters)
    blocks: Counter[str] = Counter()
    for chapter in scanner.chapters:
        blocks.update(chapter.blocks)
    counts = [
        pluralize(heads, "heading") + (f" ({shown_heads:,} of them shown)" if shown_heads < heads else ""),
        _format_blocks(blocks),
        _format_count(sum(chapter.links for chapter in scanner.chapters), "link"),
        _format_count(sum(chapter.tables for chapter in scanner.chapters), "table"),
        _format_count(sum(chapter.items for chapter in scanner.chapters), "list item"),
    ]
    entries = [Entry(", ".join(filter(None, counts)))]
    if scanner.front_matter_end:
        keys = ", ".join(scanner.front_matter_keys[:12])
        entries.append(Entry(f"front matter: {keys}", 1, scanner.front_matter_end))
    return entries


def _format_count(count: int, noun: str) -> str:
    return pluralize(count, noun) if count else ""


def _format_blocks(blocks: Counter[str]) -> str:
    total = sum(blocks.values())
    named = [(word, count) for word, count in blocks.most_common() if word]
    if len(named) == 1 and named[0][1] == total:
        return pluralize(total, f"{named[0][0]} block")
    some = ", ".join(f"{word} {count}" if count > 1 else word for word, count in named[:4])
    more = f", +{len(named) - 4} more languages" if len(named) > 4 else ""
    return pluralize(total, "code block") + (f" ({some}{more})" if some else "") if total else ""


def _make_outline(scanner: ChapterScanner, most: int, width: int = 0, share: float = 0.0) -> Outline:
    """Return an outline of ``most`` chapters, outer and long ones first, with openings for a ``share`` of them."""
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    levels = sorted({chapter.level for chapter in heads})
    by_length = sorted(heads, key=lambda chapter: chapter.start - chapter.end)
    chapter_ids = {id(chapter) for chapter in sorted(by_length, key=lambda chapter: chapter.level)[:most]}
    opened_ids = {id(chapter) for chapter in by_length[: int(len(heads) * share)]}
    rows: list[tuple[int, Entry]] = []
    for place, chapter in enumerate(scanner.chapters):
        if id(chapter) not in chapter_ids:
            continue
        rank = levels.index(chapter.level)
        inner = _quote_openings(chapter, width, rank + 10) if id(chapter) in opened_ids else []
        description = _describe_chapter(scanner, place, chapter_ids, width)
        label = f"{'#' * chapter.level} {clean_line(chapter.title, 160)}{description}"
        rows.append((chapter.level, Entry(label, chapter.start, chapter.end, rank, children=tuple(inner))))
    summary = Section("", tuple(_summarize(scanner, len(chapter_ids))))
    sections = Section("Sections", (*_make_preface_entry(scanner, width), *nest_entries(rows)), noun="sections")
    return Outline(NAME, (summary, sections), example=_choose_example(by_length))


def _choose_example(by_length: list[Chapter]) -> tuple[int, int]:
    """Return the line range of the longest chapter that is short enough to read at once."""
    for chapter in by_length:
        if chapter.end - chapter.start < 120:
            return chapter.start, chapter.end
    return by_length[-1].start, by_length[-1].start + 119


def _make_preface_entry(scanner: ChapterScanner, width: int) -> Iterator[Entry]:
    """Yield an entry for the text before the first heading."""
    chapter = scanner.chapters[0]
    start = scanner.front_matter_end + 1
    if chapter.own_end >= start and (chapter.openings or chapter.own_end - start > 2):
        inner = tuple(_quote_openings(chapter, width, 10)) if width else ()
        yield Entry("(before the first heading)", start, chapter.own_end, children=inner)


def _describe_chapter(scanner: ChapterScanner, place: int, chapter_ids: set[int], width: int) -> str:
    """Return a note on a chapter's contents and on the number of subheadings without an entry."""
    chapter = scanner.chapters[place]
    hidden, inside = 0, 7
    for at in range(place + 1, len(scanner.chapters)):
        later = scanner.chapters[at]
        if later.level <= chapter.level:
            break
        if id(later) in chapter_ids:
            inside = min(inside, later.level)
        elif later.level <= inside:
            hidden += 1
            inside = 7
    facts = [f"{pluralize(hidden, 'sub-heading')} not shown"] if hidden else []
    if width:
        holds = (
            _format_blocks(chapter.blocks),
            _format_count(chapter.links, "link"),
            _format_count(chapter.tables, "table"),
        )
        facts += filter(None, holds)
    return f" ({', '.join(facts)})" if facts else ""


def _quote_openings(chapter: Chapter, width: int, rank: int) -> list[Entry]:
    """Quote the opening of a chapter; of a long chapter, quote openings throughout it."""
    every = OPENING_INTERVAL if chapter.own_end - chapter.start >= LONG else chapter.own_end
    quotes: list[Entry] = []
    for number, text in chapter.openings:
        if not quotes or number >= quotes[-1].start + every:
            quotes.append(quote(number, text, rank=rank, width=width))
    return quotes
