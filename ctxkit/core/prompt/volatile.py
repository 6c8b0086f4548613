"""Find text that changes from turn to turn, and so breaks the cached part of a prompt."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ctxkit.core.prompt.builder import Prompt

VolatileKind = Literal["date", "time", "uuid", "counter", "usage", "temporary"]
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_PATTERNS: tuple[tuple[VolatileKind, re.Pattern[str]], ...] = (
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")),
    (
        "date",
        re.compile(
            r"\b(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01])"
            rf"|\b{_MONTH} [0-3]?\d(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|\b[0-3]?\d\.? {_MONTH},? (?:19|20)\d\d\b"
            r"|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b",
            re.IGNORECASE,
        ),
    ),
    ("time", re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?!\d)|\b1[5-9]\d{8}(?:\d{3})?\b")),
    (
        "counter",
        re.compile(
            r"\b(?:turn|step|iteration|attempt|message|request|round|try|call)s?(?: (?:number|no\.?|so far))?"
            r" ?[#:=]? ?\d{1,9}\b(?! ?%)",
            re.IGNORECASE,
        ),
    ),
    (
        "usage",
        re.compile(
            r"\b\d{1,3} ?% used\b|\b\d[\d,]{0,15} ?/ ?\d[\d,]{0,15} (?:tokens )?used\b"
            r"|\b\d[\d,]{0,15} tokens (?:left|remaining)\b",
            re.IGNORECASE,
        ),
    ),
    ("temporary", re.compile(r"/tmp/[\w.-]{0,40}[0-9A-Z_][\w.-]{0,40}|/var/folders/\w{2}/")),
)  # fmt: skip
KINDS: tuple[VolatileKind, ...] = tuple(kind for kind, _ in _PATTERNS)


class VolatileText(NamedTuple):
    """Text that probably changes from turn to turn: its kind, section, place and wording.

    ``line`` is that in the section's content, ``column`` counts characters; both begin at 1.
    """

    kind: VolatileKind
    section: str
    line: int
    column: int
    text: str


def find_volatile_text(prompt: Prompt) -> Iterator[VolatileText]:
    """Yield the volatile text of the cached part of a prompt, which ends at its last breakpoint."""
    end = prompt.breakpoints[-1].characters if prompt.breakpoints else 0
    start = 0
    for section, block in zip(prompt.sections, prompt.blocks, strict=True):
        start += len(block)
        if start > end:
            return
        yield from _search_section(section.name, section.content)


def _search_section(name: str, content: str) -> Iterator[VolatileText]:
    """Yield the volatile text of a section; no pattern spans two lines."""
    matches = sorted(
        (match.start(), kind, match[0]) for kind, pattern in _PATTERNS for match in pattern.finditer(content)
    )
    line, line_start, end = 1, 0, 0
    for start, kind, text in matches:
        line += content.count("\n", end, start)
        line_start = max(line_start, content.rfind("\n", end, start) + 1)
        end = start
        yield VolatileText(kind, name, line, start - line_start + 1, text)
