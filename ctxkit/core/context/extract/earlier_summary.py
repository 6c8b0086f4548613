"""Summaries by other programs in a conversation, parsed section by section."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.constraints import is_everlasting
from ctxkit.core.context.extract.elements import find_elements, replace_elements
from ctxkit.core.context.extract.files import trace_files
from ctxkit.core.context.extract.item import ItemSource, PageItem
from ctxkit.core.context.extract.statement import points_back
from ctxkit.core.context.extract.tool_call import find_tool_calls
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.rules import is_rule
from ctxkit.core.context.sentences import split_sentences, strip_code
from ctxkit.core.context.summary import unframe_page
from ctxkit.core.context.template import Section, normalize_line

_MARKED_HEADING = re.compile(r"(#{1,6})\s*\*{0,3}([^\s#*][^*]{1,60}?)\*{0,3}:?\*{0,3}\s*$")
_NUMBERED_HEADING = re.compile(r"\d{1,2}\.\s+\*{0,3}([A-Z][\w &/,'()-]{2,60}?)(?::\*{0,3}|\*\*:?)(?=\s|$)")
_LABEL_HEADING = re.compile(
    r"\*{0,3}([A-Z][\w &/,'()-]{2,60}?)\*{0,3}:\*{0,3}\s*$"
    r"|\*\*([A-Z][\w &/,'()-]{2,60}?):?\*\*:?(?=\s|$)"
)
_CAPITAL_HEADING = re.compile(r"\*{0,3}([A-Z][A-Z_ ]{2,40}):\*{0,3}(?=\s|$)")
_BULLET = re.compile(r"([ \t]*)((?:[-*+•]|\d{1,3}[.)])[ \t]+)?(.*)$")
SummaryKind = Literal["Task", "Decisions", "Facts", "Pending", "Errors", "Messages"]
_KINDS: tuple[tuple[SummaryKind, re.Pattern[str]], ...] = (
    ("Messages", re.compile(r"user messages", re.IGNORECASE)),
    (
        "Pending",
        re.compile(
            r"pending|next|remain|to[ _]?do\b|in[ _]progress|blocked|unfinished|left to do"
            r"|task[ _]tracking",
            re.IGNORECASE,
        ),
    ),
    ("Decisions", re.compile(r"decision|constraint|preference|rule|instruction|requirement", re.IGNORECASE)),
    ("Errors", re.compile(r"error|problem|issue|fail|bug", re.IGNORECASE)),
    ("Task", re.compile(r"goal|task|request|intent|objective|overview|user[ _]context", re.IGNORECASE)),
    (
        "Facts",
        re.compile(
            r"fact|file|done|progress|technical|context|finding|state|status|completed|code|change|fix|tests?\b"
            r"|current work"
            r"|deps|dependenc|learn|discover|approach",
            re.IGNORECASE,
        ),
    ),
)
_FILES_TAG = re.compile(r"<(modified|read)-files>")
_SUMMARY_TAG = re.compile(r"<(summary)>")
_ANALYSIS_TAG = re.compile(r"<(analysis)>")
_TICKED_BOX = re.compile(r"^\s*+[-*]?\s*\[[xX✓]\]")
_MENDED = re.compile(r"\b(?:fixed|fix|resolved|solved|corrected|worked around|now works|passes)\b", re.IGNORECASE)
_STEP = re.compile(
    r"\W*(?:the )?user['’]?s['’]? (?:most recent |latest |last |current |next )?(?:request|message|question)\b"
    r"|\W*(?:the (?:user|agent) |i |we )?(?:asked|analy[sz]ed|completed|confirmed|discussed|dispatched|examined"
    r"|explored|investigated|launched|looked|planned|presented|ran|read|recovered|requested|researched|review(?:ed|ing)|searched"
    r"|spawned|started|used|verified|viewed|(?:\w+ )?sub-?agents?)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells of a step of the work, not of its result."""
_STATE = re.compile(
    r"\b(?:currently|at the moment|right now|so far|not yet|still (?:needs?|missing|open|fails?|failing|running)"
    r"|in progress|not[_ ]started|is (?:now )?running|under way)\b",
    re.IGNORECASE,
)
"""A state that the work after a summary may change."""
_STATUS = re.compile(r"\W*+(?:\w[\w-]*+ ){0,4}status\b\W{0,4}:", re.IGNORECASE)
"""The beginning of a state that stands among the decisions."""
_PLACE = re.compile(
    r"\W*(?:(?:the|your|our|local|remote|current|git|working|upstream) ){1,4}"
    r"(?:branch|repo|repository|remote|directory|folder|environment|checkout) (?:is|(?:only )?(?:has|contains))\b"
    r"(?!.*\b(?:must|should|never|always|do not|don['’]t)\b)",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells what there is, not what was demanded or chosen."""
_FILE_CHANGE = re.compile(
    r"\W*(?:Added|Changed|Created|Deleted|Edited|Extended|Modified|Moved|Removed|Renamed|Rewrote|Updated|Wrote) "
    r"(?:[\w-]+ ){0,3}`(?:[^`\s/]{0,80}/[^`\s]{1,240}|[^`\s/]{0,80}\w\.\w{1,5})`"
)
"""The beginning of a report of a change to a file, which is done and no decision."""
_NOTHING = re.compile(
    r"\W*(?:none|nothing|n/a)\b(?:\W*$|[ :,]+(?:\w+ )?(?:specified|stated|given|mentioned|identified|known|noted"
    r"|recorded|explicitly|yet|so far|at this time|currently|beyond|other than|was|were)\b.*)",
    re.IGNORECASE,
)
"""A line that says that a section has no content."""
_COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|\d{1,2}) (?:[\w-]+ ){0,6}[\w-]+[*_]{0,3}:[*_ ]{0,4}$",
    re.IGNORECASE,
)
"""The end of a line that says how many lines below it belong to it: with one of them, it is not true."""
_VAGUE_STATE = re.compile(
    r"[A-Za-z][a-z -]{3,80} (?:is|are|has been|have been) (?:now |all |fully )?"
    r"(?:implemented|working|functional|completed?|done|in place)\W*"
)
"""A state of the whole work, or of a part without a name, which every such work reaches."""
_BINDING = re.compile(r"\W*(?:BINDING|MANDATORY|FORBIDDEN|PROHIBITED|NEVER|DO NOT|MUST(?: NOT)?|RULE)\b")
"""The beginning of a rule in a list of facts."""
_CODE_LABEL = re.compile(r"`[^`]*`[ \t]*(?:\([^()]*\))?\W*")
"""A name with a remark in brackets, such as the heading of what a summary says of a file."""
_SPECIFIC = re.compile(r"[`\d@/_]|\b(?:is|are|was|were|has|have|must|should|will|can|uses?|needs?|requires?)\b")
"""What a line in a list of concepts needs to tell more than a subject: code, a number, a name or a verb."""
_NO_SUBJECT = re.compile(r"(?:^|: )[A-Z][a-z]+ed\b")
_NAMED = re.compile(r"[`\d@/]|[a-z][A-Z]|\w[./_]\w|[^\x00-\x7f\W]")
"""The beginning of a report without a subject; and a mark of a name, a number or another script, without which such a
report does not say what it is about.
"""
MAX_LABEL_WORDS = 3
"""Maximum words of a line that only labels the lines below it."""
MAX_LATER_CALLS = 4
"""Calls after a summary up to which its open items count as open."""
MIN_SENTENCE, MAX_SENTENCE = 8, 240
"""Minimum and maximum characters of a sentence that becomes a bullet."""
SCORES = {"Task": 400, "Pending": 690, "Errors": 600, "Decisions": 680, "Facts": 460}


class SummaryLine(NamedTuple):
    """A line of a summary under a heading: its section, its depth, and its text without marks."""

    kind: SummaryKind
    depth: int
    text: str
    is_bullet: bool = False
    is_done: bool = False


def find_summary_items(records: Sequence[Record]) -> Iterator[PageItem]:
    """Yield the sentences of the last foreign summary, each with the section that its heading matches.

    What it calls open is left out once the work went on, and its facts once a file has changed.
    """
    place = _find_last_summary(records)
    if place < 0:
        return
    words, later = records[place].words, records[place + 1 :]
    has_gone_on = sum(len(record.calls) for record in later) > MAX_LATER_CALLS
    has_changed = _has_changed_files(later)
    for element in find_elements(_FILES_TAG, words, "{}-files"):
        paths = [path.strip() for path in element.content.splitlines() if path.strip()]
        if paths and element.name == "modified":
            yield PageItem("Facts", (f"Changed before: {', '.join(paths)}.",), 700, 4)
    for item in _list_items(words):
        is_old = has_changed and item.section == "Facts"
        if not (is_old or (has_gone_on and _is_state(item))):
            yield item


def find_summary_facts(records: Sequence[Record]) -> Iterator[str]:
    """Yield the facts in the last foreign summary, whether they still hold or not."""
    place = _find_last_summary(records)
    if place >= 0:
        yield from (item.forms[0] for item in _list_items(records[place].words) if item.section == "Facts")


def _find_last_summary(records: Sequence[Record]) -> int:
    """Return the position of the last foreign summary, -1 if there is none."""
    summaries = (at for at, record in enumerate(records) if record.kind == "summary")
    return max((at for at in summaries if unframe_page(records[at].words) is None), default=-1)


def _list_items(words: str) -> Iterator[PageItem]:
    """Yield the items of a summary that tell more than a step that was taken."""
    items = _make_items(join_nested(read_lines(_strip_frame(words))))
    yield from (item for item in items if not _is_passing(item))


def _has_changed_files(records: Sequence[Record]) -> bool:
    """Return whether messages changed, removed or moved a file."""
    history = trace_files(classify_calls(find_tool_calls(records)))
    return bool(history.changed or history.removed or history.moved or history.scratch)


def _is_state(item: PageItem) -> bool:
    """Return whether an item tells of a state that the work after it may have changed: what is open, failed or so."""
    text = item.forms[0]
    is_status = item.section == "Decisions" and bool(_STATUS.match(text))
    return item.section in ("Pending", "Errors") or is_status or (item.section == "Facts" and bool(_STATE.search(text)))


def _is_passing(item: PageItem) -> bool:
    """Return whether an item tells of a step that was taken, of an error that was mended, or of an unnamed thing."""
    text = item.forms[0]
    if _NOTHING.match(text) or (item.section in ("Decisions", "Facts") and points_back(text)):
        return True
    if item.section in ("Decisions", "Facts") and _NO_SUBJECT.search(text) and not _NAMED.search(text):
        return True
    if item.section == "Facts" and is_instruction(text) and not text.startswith("**"):
        return True  # a plan or a demand; a label in bold only looks like one
    if item.section == "Facts" and _VAGUE_STATE.fullmatch(text):
        return True
    is_mended = item.section == "Errors" and bool(_MENDED.search(text))
    return is_mended or (item.section == "Facts" and bool(_STEP.match(text)))


def _strip_frame(words: str) -> str:
    """Return the text of a summary without the thoughts before it, its lists of files and its code."""
    parts = [element.content for element in find_elements(_SUMMARY_TAG, words)]
    text = parts[-1] if parts else replace_elements(_ANALYSIS_TAG, words, "\n")
    return strip_code(replace_elements(_FILES_TAG, text, "", "{}-files"))


def _make_items(lines: Iterator[SummaryLine]) -> Iterator[PageItem]:
    for at, line in enumerate(lines):
        for place, sentence in enumerate(split_sentences(line.text)):
            section: Section = "Decisions" if line.kind == "Messages" else line.kind
            is_demand = section == "Decisions" and is_rule(sentence)
            is_telling = section != "Facts" or (len(sentence.split()) > 4 and not _CODE_LABEL.fullmatch(sentence))
            if line.kind == "Messages":
                is_telling = is_demand and is_everlasting(sentence)
            if not MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE or not is_telling:
                continue
            score = SCORES[section] - min(at, 60) // 2 - min(place, 4)
            source: ItemSource = "demand" if is_demand else ""
            section = "Facts" if line.is_done else section
            is_report = bool(_PLACE.match(sentence) or _FILE_CHANGE.match(sentence))
            section = "Facts" if section == "Decisions" and is_report else section
            section = "Decisions" if section == "Facts" and _BINDING.match(sentence) else section
            yield PageItem(section, (normalize_line(sentence),), score, -1_000_000 + 10 * at + min(place, 9), source)


def read_lines(words: str) -> Iterator[SummaryLine]:
    """Yield the lines under headings whose titles say what they contain."""
    kind: SummaryKind | None = None
    level, is_concept_list = 0, False
    for line in words.splitlines():
        if heading := _read_heading(line):
            title, new_level, rest = heading
            new_kind = next((name for name, pattern in _KINDS if pattern.search(title)), None)
            is_heading = new_kind is not None or not (rest.strip() or new_level > level)
            if is_heading:
                kind, level, line = new_kind, new_level, rest
                is_concept_list = "concept" in title.lower()
            elif new_level < 6 and not _CODE_LABEL.fullmatch(title):
                line = ""  # what follows does not belong to the line above
        if kind and heading and not line:
            yield SummaryLine(kind, 0, "")
        elif kind and line.strip() and (not is_concept_list or _SPECIFIC.search(line)):
            match = _BULLET.match(line)
            assert match is not None
            depth = len(match[1].expandtabs(4)) + (1 if match[2] else 0)
            is_done = kind == "Pending" and bool(_TICKED_BOX.match(line))
            yield SummaryLine(kind, depth, normalize_line(match[3]), bool(match[2]), is_done)


def _read_heading(line: str) -> tuple[str, int, str] | None:
    """Return the title of a heading, its level, and the text after it; None for any other line."""
    if match := _MARKED_HEADING.match(line):
        return match[2], len(match[1]), ""
    if match := _NUMBERED_HEADING.match(line) or _CAPITAL_HEADING.match(line):
        return match[1], 2, line[match.end() :]
    if match := _LABEL_HEADING.match(line):
        return match[1] or match[2], 6, line[match.end() :]
    return None


def join_nested(lines: Iterator[SummaryLine]) -> Iterator[SummaryLine]:
    """Yield lines in which a nested one begins with the line above it; mere introductions are left out."""
    above: list[SummaryLine] = []
    for line in lines:
        above = [parent for parent in above if parent.kind == line.kind and parent.depth < line.depth]
        parent = _find_parent(above) if above else None
        if not (_introduces(line) or (parent and _COUNT.search(parent.text))):
            yield _join_parent(line, parent) if parent else line
        above.append(line)


def _find_parent(above: Sequence[SummaryLine]) -> SummaryLine:
    """Return the line that names what a nested one is about: not a mere label, such as "Key changes", below a name."""
    is_label = len(above) > 1 and _introduces(above[-1]) and len(above[-1].text.split()) <= MAX_LABEL_WORDS
    return above[-2] if is_label and _CODE_LABEL.fullmatch(above[-2].text) else above[-1]


def _introduces(line: SummaryLine) -> bool:
    return line.text.rstrip("*_` ").endswith(":")


def _join_parent(line: SummaryLine, parent: SummaryLine) -> SummaryLine:
    """Return a line after the line above it, if that introduces it, names its file or is a bullet that contains it."""
    if not (_introduces(parent) or parent.is_bullet or _CODE_LABEL.fullmatch(parent.text)):
        return line
    lead = list(split_sentences(parent.text))[-1:] or [parent.text]
    return line._replace(text=f"{lead[0].rstrip('.:*_ ')}: {line.text}")
