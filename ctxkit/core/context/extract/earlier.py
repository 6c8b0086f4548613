"""Summaries that other programs left in a conversation, read as far as their sections say what is what."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.chat.record import Record
from ctxkit.core.context.extract.elements import find_elements, replace_elements
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.sentences import sentences
from ctxkit.core.context.summary import contents
from ctxkit.core.context.template import Section, normal

_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s*|\*\*|\d{1,2}\.\s+\**)([A-Z][\w &/,'-]{2,60}?)\**:?\**:?\s*$|^\s*(?:#{1,6}\s*|\*\*"
    r"|\d{1,2}\.\s+\**)([A-Z][\w &/,'-]{2,50}?)\**:\**(?=\s)",
    re.MULTILINE,
)
_KINDS: tuple[tuple[Section, re.Pattern[str]], ...] = (
    (
        "Pending",
        re.compile(r"pending|next|remaining|to ?do|in progress|blocked|unfinished|current work", re.IGNORECASE),
    ),
    ("Errors", re.compile(r"error|problem|issue|fix|fail", re.IGNORECASE)),
    (
        "Decisions",
        re.compile(
            r"decision|constraint|preference|rule|approach|user messages|instruction|requirement", re.IGNORECASE
        ),
    ),
    ("Task", re.compile(r"goal|task|primary request|intent|objective|overview", re.IGNORECASE)),
    (
        "Facts",
        re.compile(r"fact|file|done|progress|technical|context|finding|state|completed|code|changes", re.IGNORECASE),
    ),
)
_TAGGED = re.compile(r"<(modified|read)-files>")
_TICKED = re.compile(r"^\s*+[-*]?\s*\[[xX✓]\]")
LONGEST = 240
WORTH = {"Task": 400, "Pending": 690, "Errors": 600, "Decisions": 680, "Facts": 460}


def summary_items(records: Sequence[Record]) -> Iterator[Item]:
    """Yield what the last summary that is no page of ours says, by its sections."""
    held = [record for record in records if record.kind == "summary" and contents(record.words) is None]
    if not held:
        return
    words = held[-1].words
    for found in find_elements(_TAGGED, words, "{}-files"):
        label = {"modified": "Changed before", "read": "Read before"}[found.name]
        paths = [path.strip() for path in found.content.splitlines() if path.strip()]
        if paths:
            yield Item("Facts", (f"{label}: {', '.join(paths)}.",), 700 if found.name == "modified" else 250, 4)
    for at, (section, line) in enumerate(_lines(replace_elements(_TAGGED, words, "", "{}-files"))):
        sentence = next(sentences(line), "")
        if 8 <= len(sentence) <= LONGEST and (section != "Facts" or len(sentence.split()) > 4):
            done = section == "Pending" and bool(_TICKED.match(line))
            kind: Section = "Facts" if done else section
            yield Item(kind, (normal(sentence),), WORTH[section] - min(at, 60) // 2, -1_000_000 + at)


def _lines(words: str) -> Iterator[tuple[Section, str]]:
    """Yield the lines of the sections that are known by their headings."""
    section: Section | None = None
    for line in words.splitlines():
        heading = _HEADING.match(line)
        if heading:
            title = heading[1] or heading[2]
            section = next((kind for kind, pattern in _KINDS if pattern.search(title)), None)
            line = line[heading.end() :]
        if section and line.strip():
            yield section, line
