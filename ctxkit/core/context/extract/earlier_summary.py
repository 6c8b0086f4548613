"""Summaries by other programs in a conversation, parsed by their section headings."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.elements import find_elements, replace_elements
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.summary import unframe_page
from ctxkit.core.context.template import Section, normalize_line

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
_FILES_TAG = re.compile(r"<(modified|read)-files>")
_TICKED_BOX = re.compile(r"^\s*+[-*]?\s*\[[xX✓]\]")
MAX_SENTENCE = 240
SCORES = {"Task": 400, "Pending": 690, "Errors": 600, "Decisions": 680, "Facts": 460}


def find_summary_items(records: Sequence[Record]) -> Iterator[PageItem]:
    """Yield the sentences of the last foreign summary, each with the section that its heading matches."""
    summaries = [record for record in records if record.kind == "summary" and unframe_page(record.words) is None]
    if not summaries:
        return
    words = summaries[-1].words
    for element in find_elements(_FILES_TAG, words, "{}-files"):
        label = {"modified": "Changed before", "read": "Read before"}[element.name]
        paths = [path.strip() for path in element.content.splitlines() if path.strip()]
        if paths:
            yield PageItem("Facts", (f"{label}: {', '.join(paths)}.",), 700 if element.name == "modified" else 250, 4)
    for at, (section, line) in enumerate(_section_lines(replace_elements(_FILES_TAG, words, "", "{}-files"))):
        sentence = next(split_sentences(line), "")
        if 8 <= len(sentence) <= MAX_SENTENCE and (section != "Facts" or len(sentence.split()) > 4):
            done = section == "Pending" and bool(_TICKED_BOX.match(line))
            kind: Section = "Facts" if done else section
            yield PageItem(kind, (normalize_line(sentence),), SCORES[section] - min(at, 60) // 2, -1_000_000 + at)


def _section_lines(words: str) -> Iterator[tuple[Section, str]]:
    """Yield the lines under known headings, with their sections."""
    section: Section | None = None
    for line in words.splitlines():
        heading = _HEADING.match(line)
        if heading:
            title = heading[1] or heading[2]
            section = next((kind for kind, pattern in _KINDS if pattern.search(title)), None)
            line = line[heading.end() :]
        if section and line.strip():
            yield section, line
