"""A scanner of Markdown chapters: headings, and the content between them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field

ATX = compile_lazily(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$")
FENCE = compile_lazily(r"[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+([^`]*+)$")
UNDERLINE = compile_lazily(r" {0,3}(=+|-{2,})[ \t]*$")
BLOCK = compile_lazily(r"[ \t]*(?:[-*+>|#<=]|\d+[.)][ \t]|$)")
"""Pattern of lines that an underline does not turn into a heading."""
ITEM = compile_lazily(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\S")
RULER = compile_lazily(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*$")
HTML = compile_lazily(r"[ \t]*<h([1-6])\b[^>]*>", re.IGNORECASE)
TAG = compile_lazily(r"<[^<>]*>")
ALT = compile_lazily(r"\balt=[\"']([^\"']+)[\"']", re.IGNORECASE)
KEY = compile_lazily(r"([\w-]+)[ \t]*[:=]")
HIDDEN = {"<!--": "-->", "<pre": "</pre>", "<script": "</script>", "<style": "</style>"}
"""Beginnings and ends of blocks that contain no headings."""
HEADING_LINES = 12
"""Maximum number of lines of an HTML heading."""
OPENING_INTERVAL = 40
"""Minimum number of lines between stored paragraph openings of a chapter."""
FRONT_MATTER_LINES = 200
"""Maximum number of lines of front matter."""


@dataclass(slots=True)
class Chapter:
    """Hold a heading (level 0: the text before the first), its lines, and counts of its content.

    ``end`` is the line before the next chapter of the same or a higher level, ``own_end`` the line before the next
    heading. ``openings`` are the first lines of the first paragraph and of some later ones.
    """

    level: int
    title: str
    start: int
    end: int = 0
    own_end: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    links: int = 0
    tables: int = 0
    items: int = 0
    openings: list[tuple[int, str]] = field(default_factory=list)


class ChapterScanner:
    """Scan the lines of a Markdown text once and collect ``chapters``.

    ``unclosed_fences`` are line numbers of fences that are never closed and count as text.
    """

    def __init__(self, unclosed_fences: frozenset[int] = frozenset()) -> None:
        self.unclosed_fences = unclosed_fences
        self.chapters = [Chapter(0, "", 1)]
        self.front_matter_keys: list[str] = []
        self.front_matter_end = 0
        self.number = 0
        self.open_fence: tuple[int, str] | None = None
        self._until = ""
        self._before: tuple[str, str] = ("", "")
        self._html: tuple[int, int, str] | None = None
        self._yaml = ""

    def scan_lines(self, lines: Iterable[tuple[int, str]], most: int) -> None:
        """Scan the lines, up to the first heading above ``most``."""
        for number, line in lines:
            self.number = number
            self._scan_line(number, line)
            if len(self.chapters) > most + 1:
                break
        self._close_chapters()

    def _scan_line(self, number: int, line: str) -> None:
        if number == 1:
            line = line.removeprefix("\ufeff")
            self._yaml = line.rstrip() if line.rstrip() in ("---", "+++") else ""
        elif self._yaml and self._scan_front_matter(number, line):
            return
        if self.open_fence or self._until:
            self._scan_block_line(line)
            return
        first = line.lstrip(" \t>")[:1]
        if first and first in "`~" and number not in self.unclosed_fences and self._begin_fence(number, line):
            return
        if first == "<" and self._begin_tag(number, line):
            return
        if self._html:
            self._collect_html_heading(line)
            return
        if not self._scan_heading(number, line, first):
            self._scan_text(number, line)
        self._before = (self._before[1], line)

    def _scan_front_matter(self, number: int, line: str) -> bool:
        """Process a line of front matter; return whether it is one."""
        if line.rstrip() in (self._yaml, "..."):
            self._yaml, self.front_matter_end = "", number if self.front_matter_keys else 0
            return bool(self.front_matter_end)
        match = KEY.match(line)
        if match:
            self.front_matter_keys.append(match[1])
        if number > FRONT_MATTER_LINES or (number == 2 and not match):
            self._yaml, self.front_matter_keys = "", []
            return False
        return True

    def _scan_block_line(self, line: str) -> None:
        """Look for the end of a fenced or hidden block."""
        if self._until:
            if self._until in line.lower():
                self._until = ""
        elif self.open_fence:
            mark = self.open_fence[1]
            bare = line.lstrip(" \t>").rstrip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                self.open_fence = None
                self._before = ("", "")

    def _begin_fence(self, number: int, line: str) -> bool:
        match = FENCE.match(line)
        if not match:
            return False
        self.open_fence = (number, match[1])
        word = match[2].strip().split(" ")[0].strip("{}.").partition(",")[0]
        self.chapters[-1].blocks[word[:20]] += 1
        return True

    def _begin_tag(self, number: int, line: str) -> bool:
        bare = line.strip().lower()
        for begin, end in HIDDEN.items():
            if bare.startswith(begin):
                self._until = "" if end in bare[len(begin) :] else end
                return True
        match = HTML.match(line)
        if not match or self._html:
            return False
        self._html = (number, int(match[1]), "")
        self._collect_html_heading(line)
        return True

    def _collect_html_heading(self, line: str) -> None:
        """Collect an HTML heading up to its closing tag."""
        if not self._html:
            return
        number, level, text = self._html
        text += " " + line
        if f"</h{level}>" not in line.lower():
            self._html = (number, level, text) if self.number - number < HEADING_LINES else None
            return
        self._html = None
        words = " ".join(TAG.sub(" ", text).split()) or " ".join(ALT.findall(text))
        if words:
            self._begin_chapter(level, words, number)

    def _scan_heading(self, number: int, line: str, first: str) -> bool:
        if first == "#":
            match = ATX.match(line)
            if match:
                title = re.sub(r"(?:^|(?<![ \t])[ \t]+)#+$", "", match[2] or "")
                self._begin_chapter(len(match[1]), title, number)
                return True
        elif first and first in "=-":
            above, title = self._before
            match = UNDERLINE.match(line)
            if match and not BLOCK.match(title) and (not above.strip() or BLOCK.match(above)):
                self._begin_chapter(1 if match[1][0] == "=" else 2, title.strip(), number - 1)
                return True
        return False

    def _begin_chapter(self, level: int, title: str, start: int) -> None:
        last = self.chapters[-1]
        last.openings = [opening for opening in last.openings if opening[0] < start]
        self.chapters.append(Chapter(level, title, start))

    def _scan_text(self, number: int, line: str) -> None:
        bare = line.strip()
        if not bare:
            return
        chapter = self.chapters[-1]
        chapter.links += line.count("](")
        if ITEM.match(line):
            chapter.items += 1
        elif "-|" in bare.replace(" ", "") and RULER.match(line) and "|" in self._before[1]:
            chapter.tables += 1
        if self._before[1].strip() or bare.startswith(("<", "[![", "![", "|", "---", "***", "[")):
            return
        if not chapter.openings or number >= chapter.openings[-1][0] + OPENING_INTERVAL:
            chapter.openings.append((number, line))

    def _close_chapters(self) -> None:
        """Set the end of every chapter."""
        starts: dict[int, int] = {}
        for chapter in reversed(self.chapters):
            following = [at for level, at in starts.items() if level <= chapter.level or not chapter.level]
            chapter.end = min(following) - 1 if following else self.number
            starts[chapter.level] = chapter.start
        for chapter, after in zip(self.chapters, [*self.chapters[1:], None], strict=True):
            chapter.own_end = after.start - 1 if after else self.number


def scan_chapters(read: Callable[[], Iterable[tuple[int, str]]], most: int = 1 << 30) -> ChapterScanner:
    """Return the chapters of a Markdown text, up to ``most`` headings plus one; an unclosed fence counts as text.

    ``read`` returns the numbered lines, and may be called several times.
    """
    unclosed_fences: set[int] = set()
    while True:
        scanner = ChapterScanner(frozenset(unclosed_fences))
        scanner.scan_lines(read(), most)
        if scanner.open_fence is None or len(unclosed_fences) > 8:
            return scanner
        unclosed_fences.add(scanner.open_fence[0])
