"""What a document says, one statement at a time: the bench's own reading of Markdown, apart from any detector's."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

BULLET = re.compile(r"\A\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
HEADING = re.compile(r"#{1,6}\s")
RULE = re.compile(r"\s*(?:(?:[-*_]\s*){3,}|\|?[\s:|-]*-{2,}[\s:|-]*)$")
MARKS = re.compile(r"[*_`~]+|^#{1,6}\s+")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Unit:
    """Hold one statement: its kind, its text, and its first and last line, counted from 1.

    The text is on one line, but for hard line breaks.
    """

    kind: str
    text: str
    line: int
    end_line: int


def normal(text: str) -> str:
    """Return what is left of a statement without its format: marks, case, blanks and the last stop."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    text = LINK.sub(r"\1", BULLET.sub("", text, count=1))
    text = re.sub(r"\s+", " ", MARKS.sub("", text)).strip().casefold()
    return text.rstrip(" .!;:,。！；：،؛").replace('"', "")


def units(text: str) -> list[Unit]:
    """Return the bullets, paragraphs and table rows of a document: no headings, code, front matter or comments."""
    return list(_gather(list(_classify(text.removeprefix("\ufeff")))))


def _classify(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the kind and the text of each line."""
    rows = text.replace("\r\n", "\n").split("\n")
    fence, comment = "", False
    matter = rows[0].strip() == "---" and "---" in (row.strip() for row in rows[1:])
    for number, row in enumerate(rows, 1):
        opened = FENCE.match(row)
        if matter:
            matter = number == 1 or row.strip() != "---"
        elif fence:
            closes = opened and opened[1].startswith(fence) and not row.strip().strip(fence[0])
            fence = "" if closes else fence
        elif comment:
            comment = "-->" not in row
        elif opened:
            fence = opened[1]
        elif row.lstrip().startswith("<!--"):
            comment = "-->" not in row
        elif row.strip() and not HEADING.match(row) and not RULE.match(row):
            kind = "row" if row.lstrip().startswith("|") else "bullet" if BULLET.match(row) else "more"
            yield number, kind, row
            continue
        yield number, "end", ""


def _gather(rows: list[tuple[int, str, str]]) -> Iterator[Unit]:
    """Join the lines of one statement."""
    kind, lines, first, last = "", [""], 0, 0
    for number, what, row in [*rows, (len(rows) + 1, "end", "")]:
        if what == "more" and kind in ("bullet", "paragraph"):
            lines.append(row)
            last = number
            continue
        if kind:
            text = "".join(line.strip() + ("\n" if line.endswith("  ") else " ") for line in lines)
            yield Unit(kind, text.strip(), first, last)
        kind = {"end": "", "more": "paragraph"}.get(what, what)
        lines, first, last = [row], number, number
