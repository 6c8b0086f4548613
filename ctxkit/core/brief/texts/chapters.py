"""The parts of a Markdown text: headings, and what stands between them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$")
FENCE = re.compile(r"(?:[ \t]|> ?)*(`{3,}|~{3,})[ \t]*([^`]*)$")
UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
BLOCK = re.compile(r"[ \t]*(?:[-*+>|#<=]|\d+[.)][ \t]|$)")
"""How a line begins that no underline makes a heading of."""
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\S")
RULER = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*$")
HTML = re.compile(r"[ \t]*<h([1-6])\b[^>]*>", re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
ALT = re.compile(r"\balt=[\"']([^\"']+)[\"']", re.IGNORECASE)
KEY = re.compile(r"([\w-]+)[ \t]*[:=]")
HIDDEN = {"<!--": "-->", "<pre": "</pre>", "<script": "</script>", "<style": "</style>"}
"""What begins, and what ends, a block in which nothing is a heading."""
TALL = 12
"""Lines that an HTML heading may take."""
EVERY = 40
"""Lines between two paragraphs of a chapter whose openings are kept."""
FRONT = 200
"""Lines that front matter may take."""


@dataclass(slots=True)
class Chapter:
    """Hold a heading (level 0: what comes before the first), its lines, and counts of what is in them.

    ``end`` is where the next chapter of this level or above begins; ``own`` where the next heading is.
    ``openings`` are the first lines of the first paragraph and of some that follow it.
    """

    level: int
    title: str
    start: int
    end: int = 0
    own: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    links: int = 0
    tables: int = 0
    items: int = 0
    openings: list[tuple[int, str]] = field(default_factory=list)


class Scanner:
    """Go through the lines of a Markdown text once; ``chapters`` holds what was found.

    ``plain`` are the numbers of lines whose fences are to be taken as text: they are never closed.
    """

    def __init__(self, plain: frozenset[int] = frozenset()) -> None:
        self.plain = plain
        self.chapters = [Chapter(0, "", 1)]
        self.keys: list[str] = []
        self.front = 0
        self.number = 0
        self.open: tuple[int, str] | None = None
        self._until = ""
        self._before: tuple[str, str] = ("", "")
        self._html: tuple[int, int, str] | None = None
        self._yaml = ""

    def scan(self, lines: Iterable[tuple[int, str]], most: int) -> None:
        """Take the lines, from the first to the one that begins a heading too many."""
        for number, line in lines:
            self.number = number
            self._line(number, line)
            if len(self.chapters) > most + 1:
                break
        self._close()

    def _line(self, number: int, line: str) -> None:
        if number == 1:
            line = line.removeprefix("\ufeff")
            self._yaml = line.rstrip() if line.rstrip() in ("---", "+++") else ""
        elif self._yaml and self._matter(number, line):
            return
        if self.open or self._until:
            self._inside(line)
            return
        first = line.lstrip(" \t>")[:1]
        if first and first in "`~" and number not in self.plain and self._fence(number, line):
            return
        if first == "<" and self._tag(number, line):
            return
        if self._html:
            self._gather(line)
            return
        if not self._heading(number, line, first):
            self._text(number, line)
        self._before = (self._before[1], line)

    def _matter(self, number: int, line: str) -> bool:
        """Take a line of front matter; say whether it is one."""
        if line.rstrip() in (self._yaml, "..."):
            self._yaml, self.front = "", number if self.keys else 0
            return bool(self.front)
        found = KEY.match(line)
        if found:
            self.keys.append(found[1])
        if number > FRONT or (number == 2 and not found):
            self._yaml, self.keys = "", []
            return False
        return True

    def _inside(self, line: str) -> None:
        """Look for the end of a fenced or hidden block."""
        if self._until:
            if self._until in line.lower():
                self._until = ""
        elif self.open:
            mark = self.open[1]
            bare = line.lstrip(" \t>").rstrip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                self.open = None
                self._before = ("", "")

    def _fence(self, number: int, line: str) -> bool:
        found = FENCE.match(line)
        if not found:
            return False
        self.open = (number, found[1])
        word = found[2].strip().split(" ")[0].strip("{}.").partition(",")[0]
        self.chapters[-1].blocks[word[:20]] += 1
        return True

    def _tag(self, number: int, line: str) -> bool:
        bare = line.strip().lower()
        for begin, end in HIDDEN.items():
            if bare.startswith(begin):
                self._until = "" if end in bare[len(begin) :] else end
                return True
        found = HTML.match(line)
        if not found or self._html:
            return False
        self._html = (number, int(found[1]), "")
        self._gather(line)
        return True

    def _gather(self, line: str) -> None:
        """Collect an HTML heading up to its closing tag."""
        if not self._html:
            return
        number, level, text = self._html
        text += " " + line
        if f"</h{level}>" not in line.lower():
            self._html = (number, level, text) if self.number - number < TALL else None
            return
        self._html = None
        words = " ".join(TAG.sub(" ", text).split()) or " ".join(ALT.findall(text))
        if words:
            self._begin(level, words, number)

    def _heading(self, number: int, line: str, first: str) -> bool:
        if first == "#":
            found = ATX.match(line)
            if found:
                title = re.sub(r"(?:^|(?<![ \t])[ \t]+)#+$", "", found[2] or "")
                self._begin(len(found[1]), title, number)
                return True
        elif first and first in "=-":
            above, title = self._before
            found = UNDERLINE.match(line)
            if found and not BLOCK.match(title) and (not above.strip() or BLOCK.match(above)):
                self._begin(1 if found[1][0] == "=" else 2, title.strip(), number - 1)
                return True
        return False

    def _begin(self, level: int, title: str, start: int) -> None:
        last = self.chapters[-1]
        last.openings = [opening for opening in last.openings if opening[0] < start]
        self.chapters.append(Chapter(level, title, start))

    def _text(self, number: int, line: str) -> None:
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
        if not chapter.openings or number >= chapter.openings[-1][0] + EVERY:
            chapter.openings.append((number, line))

    def _close(self) -> None:
        """Give every chapter its end."""
        starts: dict[int, int] = {}
        for chapter in reversed(self.chapters):
            following = [at for level, at in starts.items() if level <= chapter.level or not chapter.level]
            chapter.end = min(following) - 1 if following else self.number
            starts[chapter.level] = chapter.start
        for chapter, after in zip(self.chapters, [*self.chapters[1:], None], strict=True):
            chapter.own = after.start - 1 if after else self.number


def scan(read: Callable[[], Iterable[tuple[int, str]]], most: int = 1 << 30) -> Scanner:
    """Return what a Markdown text consists of, up to ``most`` headings and one; a fence that is never closed is text.

    ``read`` gives its lines with their numbers, each time that it is called.
    """
    plain: set[int] = set()
    while True:
        scanner = Scanner(frozenset(plain))
        scanner.scan(read(), most)
        if scanner.open is None or len(plain) > 8:
            return scanner
        plain.add(scanner.open[0])
