"""A document into which lines are planted, and which knows afterwards where they stand."""

import random
import re
from dataclasses import dataclass, field

from bench.lint.units import BULLET, FENCE, HEADING

Tag = tuple[str, int]
"""What is planted: the plant's name, and which of its copies."""


@dataclass
class Sheet:
    """Hold the rows of a document, each with what was planted on it, its line ends, and its byte order mark."""

    rows: list[tuple[str, Tag | None]]
    crlf: bool = False
    bom: bool = False
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str) -> "Sheet":
        """Return the document of a text."""
        bare = text.removeprefix("\ufeff")
        rows = bare.replace("\r\n", "\n").split("\n")
        while len(rows) > 1 and not rows[-1]:
            rows.pop()
        return cls([(row, None) for row in rows], "\r\n" in bare, text != bare)

    @property
    def text(self) -> str:
        """Return the text as it is written, with its line ends."""
        end = "\r\n" if self.crlf else "\n"
        return "\ufeff" * self.bom + end.join(row for row, _ in self.rows) + end

    def places(self) -> dict[Tag, tuple[int, int]]:
        """Return the first and the last line of all that was planted, counted from 1."""
        table: dict[Tag, tuple[int, int]] = {}
        for number, (_, tag) in enumerate(self.rows, 1):
            if tag is not None:
                table[tag] = (table[tag][0] if tag in table else number, number)
        return table

    def add(self, lines: list[str], tag: Tag | None, chance: random.Random, after: int = 0) -> None:
        """Plant lines at a random place: a bullet into a list where there is one, else between blank lines."""
        bullet = bool(BULLET.match(lines[0]))
        within = [place for place in self._within() if place >= after] if bullet else []
        if within and chance.random() < 0.8:
            self._put(chance.choice(within), lines, tag, "")
            return
        between = [place for place in self._between() if place >= after]
        self._put(chance.choice(between), lines, tag, "|")

    def section(self, lines: list[str], tag: Tag | None, chance: random.Random) -> None:
        """Plant a section before a heading of the second level, or at the end."""
        free = self._free()
        places = [n for n, (row, _) in enumerate(self.rows) if n and free[n] and row.startswith("## ")]
        self._put(chance.choice([*places, len(self.rows)]), lines, tag, "|")

    def end(self, lines: list[str], tag: Tag | None) -> None:
        """Plant lines at the very end, after a blank one."""
        self._put(len(self.rows), lines, tag, "|")

    def _put(self, place: int, lines: list[str], tag: Tag | None, around: str) -> None:
        new: list[tuple[str, Tag | None]] = [(line, tag) for line in lines]
        if around and place and self.rows[place - 1][0].strip():
            new.insert(0, ("", None))
        if around and place < len(self.rows) and self.rows[place][0].strip():
            new.append(("", None))
        self.rows[place:place] = new

    def _free(self) -> list[bool]:
        """Return of each row, and of the end, whether it stands outside code, front matter and comments."""
        free, fence, comment = [], "", False
        matter = self.rows[0][0].strip() == "---" and any(row.strip() == "---" for row, _ in self.rows[1:])
        for number, (row, _) in enumerate(self.rows):
            opened = FENCE.match(row)
            free.append(not (matter or fence or comment))
            if matter:
                matter = number == 0 or row.strip() != "---"
            elif fence:
                fence = "" if opened and opened[1].startswith(fence) and not row.strip().strip(fence[0]) else fence
            elif opened and not comment:
                fence = opened[1]
            elif "<!--" in row or comment:
                comment = "-->" not in row
        return [*free, not (fence or comment or matter)]

    def _within(self) -> list[int]:
        """Return places behind a plain bullet that nothing continues, at the outermost level."""
        free, value = self._free(), []
        for place in range(1, len(self.rows) + 1):
            before = self.rows[place - 1]
            behind = self.rows[place][0] if place < len(self.rows) else ""
            ends = not behind.strip() or bool(re.match(r"[-*+] ", behind)) or bool(HEADING.match(behind))
            if re.match(r"[-*+] ", before[0]) and ends and free[place - 1] and free[place] and before[1] is None:
                indented = place + 1 < len(self.rows) and self.rows[place + 1][0].startswith((" ", "\t"))
                value += [] if indented else [place]
        return value

    def _between(self) -> list[int]:
        """Return places between a blank line, or a heading, and a line that is not indented; and the end."""
        free, items = self._free(), []
        for place in range(1, len(self.rows)):
            before, behind = self.rows[place - 1][0], self.rows[place][0]
            opens = not before.strip() or bool(HEADING.match(before))
            split = self.rows[place][1] is not None and self.rows[place][1] == self.rows[place - 1][1]
            if opens and free[place] and free[place - 1] and not behind.startswith((" ", "\t")) and not split:
                items.append(place)
        items = [p for p in items if not self._inside(p)]
        return [*items, len(self.rows)]

    def _inside(self, place: int) -> bool:
        """Return whether a place splits what was planted as one."""
        above = {tag for _, tag in self.rows[:place] if tag}
        below = {tag for _, tag in self.rows[place:] if tag}
        return bool(above & below)
