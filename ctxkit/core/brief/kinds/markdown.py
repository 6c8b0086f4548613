"""Markdown: its headings with the lines of each, what is in them, and their opening words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, quote, shown
from ctxkit.core.brief.texts.chapters import EVERY, Chapter, Scanner, scan
from ctxkit.core.brief.texts.nesting import nested
from ctxkit.core.limits import HEADING_SPACE, HEADINGS
from ctxkit.core.measure import plural

NAME = "markdown"
TYPES: Sequence[str] = ("md",)
SUFFIXES = ("md", "markdown", "mdx", "mdown", "mkd", "mkdn", "mdc")
LARGEST = 32 << 20
"""Bytes up to which Markdown is read."""
LONG = 150
"""Lines of a chapter without a heading from which on the openings of its paragraphs are quoted."""
FEWEST = 8
"""Headings that the poorest map has."""
OPENINGS = ((160, 1.0), (80, 1.0), (80, 0.5), (80, 0.2))
"""Characters of an opening, and the share of the chapters, longest first, whose openings are quoted."""
CODE = re.compile(
    r"\s*+(?:def |class \w|import \w|from \w+ import|#include|#define|function |if \[|fi$|done$|esac$|return\b|"
    r"export \w|[\w.-]+\(\) *\{|echo |set -|[\w.]+ *[:+]?= *\S|FROM |RUN |COPY |\w[\w.-]*:(?: |$)|- \w+:|"
    r"[})\];]+;?$|.*[;{]$|diff --git |@@ |\+\+\+ |index [0-9a-f]{7}|<\?xml)"
)
"""Lines of code, settings and patches, in all of which ``#`` begins something else."""
RST = re.compile(r"^\.\. [\w-]+::|^:\w+: ", re.MULTILINE)
MARKS = re.compile(r"\]\(|\*\*\w|^```|^~~~|^[^\S\n]*(?:[-*+]|\d+\.) \S|^\|.*\|[^\S\n]*$|`\w[^`]*`", re.MULTILINE)


def sniff(document: Document) -> float:
    """Return how sure it is that the document is Markdown: by its name, or by headings and other marks."""
    if document.suffix in SUFFIXES:
        return 0.9
    if document.suffix not in ("", "txt"):
        return 0.0
    rows = document.head.split("\n")[:600]
    scanner = scan(lambda: enumerate(rows, 1))
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    if not heads or document.head.startswith("#!") or RST.search(document.head):
        return 0.0
    if any(_is_ruled(chapter, rows) for chapter in heads):
        return 0.0
    prose = list(_outside(scanner, rows))
    code = sum(CODE.match(row) is not None for row in prose)
    marks = len(MARKS.findall("\n".join(prose))) + 2 * sum(sum(chapter.blocks.values()) for chapter in heads)
    allowed = 3 if marks > 4 * code else 6
    if code * allowed > len(prose) or not all(_is_apart(chapter, rows) for chapter in heads[:1]):
        return 0.0
    apart = sum(_is_apart(chapter, rows) for chapter in heads)
    if apart * 2 < len(heads) or marks < 2 or marks + apart < 5:
        return 0.0
    return 0.85 if apart > 1 else 0.6


def _outside(scanner: Scanner, rows: list[str]) -> Iterator[str]:
    """Yield the lines that are neither blank, nor headings, nor fenced."""
    mark = ""
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if number <= scanner.front or not bare:
            continue
        if bare.startswith(("```", "~~~")):
            mark = "" if mark and bare.startswith(mark) else mark or bare[:3]
            continue
        if not mark and not re.match(r"#{1,6} ", row):
            yield row


def _is_ruled(chapter: Chapter, rows: list[str]) -> bool:
    """Say whether what underlines a heading is a ruler across the page, as reports of test runs have them."""
    title, after = rows[chapter.start - 1].strip(), rows[chapter.start] if chapter.start < len(rows) else ""
    under = after.strip()
    return bool(under) and set(under) <= {"=", "-"} and len(under) >= 60 and abs(len(under) - len(title)) > 8


def _is_apart(chapter: Chapter, rows: list[str]) -> bool:
    """Say whether a heading begins its line, after a blank one, and no line like it comes next."""
    row = rows[chapter.start - 1].removeprefix("\ufeff")
    before = rows[chapter.start - 2] if chapter.start > 1 else ""
    after = rows[chapter.start] if chapter.start < len(rows) else ""
    return not row.startswith(" ") and (row[:2] == "<h" or not before.strip()) and not re.match(r"# ", after)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the headings, ever fewer of them and with ever less about each; None without any."""
    if document.lines.size > LARGEST:
        return None
    most = max(HEADINGS, document.lines.size // HEADING_SPACE)
    scanner = scan(document.lines.numbered, most)
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    if not heads or len(heads) > most:
        return None
    sizes = [len(heads)]
    while sizes[-1] > FEWEST:
        sizes.append(sizes[-1] * 4 // 5)
    room = document.target // 8
    made = [_outline(scanner, len(heads), *more) for more in OPENINGS if len(heads) <= room]
    return made + [_outline(scanner, size) for size in sizes if size <= max(room, FEWEST)]


def _summary(scanner: Scanner, shown_heads: int) -> list[Entry]:
    heads = sum(chapter.level > 0 for chapter in scanner.chapters)
    blocks: Counter[str] = Counter()
    for chapter in scanner.chapters:
        blocks.update(chapter.blocks)
    counts = [
        plural(heads, "heading") + (f" ({shown_heads:,} of them shown)" if shown_heads < heads else ""),
        _blocks(blocks),
        _some(sum(chapter.links for chapter in scanner.chapters), "link"),
        _some(sum(chapter.tables for chapter in scanner.chapters), "table"),
        _some(sum(chapter.items for chapter in scanner.chapters), "list item"),
    ]
    entries = [Entry(", ".join(filter(None, counts)))]
    if scanner.front:
        keys = ", ".join(scanner.keys[:12])
        entries.append(Entry(f"front matter: {keys}", 1, scanner.front))
    return entries


def _some(count: int, noun: str) -> str:
    return plural(count, noun) if count else ""


def _blocks(blocks: Counter[str]) -> str:
    total = sum(blocks.values())
    named = [(word, count) for word, count in blocks.most_common() if word]
    if len(named) == 1 and named[0][1] == total:
        return plural(total, f"{named[0][0]} block")
    some = ", ".join(f"{word} {count}" if count > 1 else word for word, count in named[:4])
    more = f", +{len(named) - 4} more languages" if len(named) > 4 else ""
    return plural(total, "code block") + (f" ({some}{more})" if some else "") if total else ""


def _outline(scanner: Scanner, most: int, width: int = 0, share: float = 0.0) -> Outline:
    """Return ``most`` chapters, outer and long ones first, and the openings of a ``share`` of them."""
    heads = [chapter for chapter in scanner.chapters if chapter.level]
    levels = sorted({chapter.level for chapter in heads})
    by_length = sorted(heads, key=lambda chapter: chapter.start - chapter.end)
    chosen = {id(chapter) for chapter in sorted(by_length, key=lambda chapter: chapter.level)[:most]}
    opened = {id(chapter) for chapter in by_length[: int(len(heads) * share)]}
    rows: list[tuple[int, Entry]] = []
    for place, chapter in enumerate(scanner.chapters):
        if id(chapter) not in chosen:
            continue
        rank = levels.index(chapter.level)
        inner = _openings(chapter, width, rank + 10) if id(chapter) in opened else []
        label = f"{'#' * chapter.level} {shown(chapter.title, 160)}{_about(scanner, place, chosen, width)}"
        rows.append((chapter.level, Entry(label, chapter.start, chapter.end, rank, children=tuple(inner))))
    summary = Section("", tuple(_summary(scanner, len(chosen))))
    sections = Section("Sections", (*_before(scanner, width), *nested(rows)), noun="sections")
    return Outline(NAME, (summary, sections), example=_example(by_length))


def _example(by_length: list[Chapter]) -> tuple[int, int]:
    """Return the lines of the longest chapter that can be read at once."""
    for chapter in by_length:
        if chapter.end - chapter.start < 120:
            return chapter.start, chapter.end
    return by_length[-1].start, by_length[-1].start + 119


def _before(scanner: Scanner, width: int) -> Iterator[Entry]:
    """Yield what stands before the first heading."""
    chapter = scanner.chapters[0]
    start = scanner.front + 1
    if chapter.own >= start and (chapter.openings or chapter.own - start > 2):
        inner = tuple(_openings(chapter, width, 10)) if width else ()
        yield Entry("(before the first heading)", start, chapter.own, children=inner)


def _about(scanner: Scanner, place: int, chosen: set[int], width: int) -> str:
    """Say what a chapter holds, and how many headings right below it have no entry."""
    chapter = scanner.chapters[place]
    hidden, inside = 0, 7
    for at in range(place + 1, len(scanner.chapters)):
        later = scanner.chapters[at]
        if later.level <= chapter.level:
            break
        if id(later) in chosen:
            inside = min(inside, later.level)
        elif later.level <= inside:
            hidden += 1
            inside = 7
    said = [f"{plural(hidden, 'sub-heading')} not shown"] if hidden else []
    if width:
        holds = (_blocks(chapter.blocks), _some(chapter.links, "link"), _some(chapter.tables, "table"))
        said += filter(None, holds)
    return f" ({', '.join(said)})" if said else ""


def _openings(chapter: Chapter, width: int, rank: int) -> list[Entry]:
    """Quote how a chapter begins; of a long one, how paragraphs throughout it begin."""
    every = EVERY if chapter.own - chapter.start >= LONG else chapter.own
    chosen: list[Entry] = []
    for number, text in chapter.openings:
        if not chosen or number >= chosen[-1].start + every:
            chosen.append(quote(number, text, rank=rank, width=width))
    return chosen
