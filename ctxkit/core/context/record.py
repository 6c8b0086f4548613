"""The record below a summary page: quotations of the messages that left, as many as fit below the low-water mark."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.brief.error_lines import is_error_line
from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.evidence import collect_record_texts
from ctxkit.core.context.extract.call_kind import command_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall, classify_calls
from ctxkit.core.context.extract.clip import clip_strictly
from ctxkit.core.context.extract.conclusions import find_conclusion_items
from ctxkit.core.context.extract.conversation_parts import find_parts
from ctxkit.core.context.extract.earlier_summary import find_summary_facts
from ctxkit.core.context.extract.failures import FailedCall, find_failures
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.limits import MARKUP
from ctxkit.core.context.record_files import find_file_lists
from ctxkit.core.context.rules import WISH, find_demands
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.summary_input import SummaryInput
from ctxkit.core.context.template import RECORD_TITLE, Extra, is_record, normalize_line, parse_page
from ctxkit.core.tokens.tokenizer import Tokenizer

GROUPS = (
    "Demands",
    "Failed commands",
    "Changed files",
    "Open items",
    "Latest answers",
    "Earlier summary",
    "User messages",
)
"""Groups of the record, in the order in which they stand and use the remaining tokens.

Only the resolved failures use what the changed files leave.
"""
MAX_MESSAGES = 20_000
"""Maximum tokens of quoted user messages (Codex keeps as many)."""
MAX_LINE = 400
"""Maximum characters of a quoted line of a command."""
MAX_ANSWER = 1_200
"""Maximum characters of a quoted sentence of an answer."""
MIN_FREE = 8
"""Tokens below which no line is worth adding."""
MIN_ANSWER = 40
"""Minimum characters of an agent message that counts as an answer."""
_NUMBER = re.compile(r"\d")
_TROUBLE = re.compile(
    r"error|exception|fail|fatal|cannot|no such|not found|denied|panic|abort|traceback", re.IGNORECASE
)
_LINKS = ("![", "[![", "[[")
"""Beginnings of a line that shows an image or a link."""
_BLANKS = re.compile(r"\s+")


class RecordLine(NamedTuple):
    """A line of the record; ``evidence`` lists the texts that make it superfluous if all of them are kept."""

    group: str
    text: str
    evidence: tuple[str, ...]


def build_record(summary_input: SummaryInput, kept_text: str, max_tokens: int, count: Tokenizer) -> str:
    """Return the record of a conversation, at most ``max_tokens`` long, empty if nothing is missing or fits.

    ``kept_text`` is the text that remains without the record; the record repeats nothing from it.
    """
    kept = fold_text(kept_text)
    left = max_tokens - count(f"{RECORD_TITLE}\n\n")
    lines: dict[str, list[str]] = {}
    spent_on_messages = 0
    for line in _find_missing(_find_lines(summary_input, kept), kept):
        heading_cost = 0 if line.group in lines else count(f"### {line.group}\n\n")
        cost = count(f"{line.text}\n") + 1 + heading_cost
        is_message = line.group == GROUPS[-1]
        if left < MIN_FREE:
            break
        if cost > left or (is_message and spent_on_messages + cost > MAX_MESSAGES):
            continue
        lines.setdefault(line.group, []).append(line.text)
        left -= cost
        spent_on_messages += cost if is_message else 0
    blocks = ["\n".join([f"### {group}", *lines[group]]) for group in GROUPS if group in lines]
    return "\n\n".join([RECORD_TITLE, *blocks]) if blocks else ""


def fold_text(text: str) -> str:
    """Return a text with single spaces."""
    return _BLANKS.sub(" ", text)


def collect_texts(records: Sequence[Record]) -> str:
    """Return all texts of a conversation: messages, calls and results."""
    return "\n".join(collect_record_texts(records))


def _find_missing(lines: Iterator[RecordLine], kept: str) -> Iterator[RecordLine]:
    """Yield the lines that neither the kept text nor an earlier line contains."""
    seen: set[str] = set()
    for line in lines:
        if line.text in seen or MARKUP.search(line.text):
            continue
        seen.add(line.text)
        if not line.evidence or not all(fold_text(text) in kept for text in line.evidence):
            yield line


def _find_lines(summary_input: SummaryInput, kept: str) -> Iterator[RecordLine]:
    """Yield all lines of the record, the most important first; lines of an earlier record follow the new ones.

    Lists of files do not name those that the ``kept`` text names.
    """
    earlier = list(_parse_earlier(summary_input.earlier_page))
    parts = find_parts(summary_input.records)
    classified_calls = classify_calls(parts.calls)
    pending_items = (item for item in parts.find_pending_items() if item.section == "Pending")
    sources = (
        _find_demands(parts.requests),
        _find_failed(classified_calls, resolved=False),
        (RecordLine(GROUPS[2], *file_list) for file_list in find_file_lists(classified_calls, kept)),
        _find_failed(classified_calls, resolved=True),
        (_make_bullet(GROUPS[3], item.forms[-1]) for item in pending_items),
        _find_answers(parts.messages, [request.at for request in parts.requests]),
        (_make_bullet(GROUPS[5], fact) for fact in find_summary_facts(summary_input.records)),
        itertools.chain(_find_demands(parts.requests, wishes=True), _quote_requests(parts.requests)),
    )
    for group, lines in zip((*GROUPS[:3], GROUPS[1], *GROUPS[3:]), sources, strict=True):
        yield from lines
        yield from (line for line in earlier if line.group == group)


def _make_bullet(group: str, text: str) -> RecordLine:
    line = normalize_line(text)
    return RecordLine(group, f"- {line}", (line.rstrip(".。"),))


def _find_answers(messages: Sequence[tuple[int, str]], turn_ends: Sequence[int]) -> Iterator[RecordLine]:
    """Yield the sentences of the last agent message that contain a number, then reports of its work."""
    last = next((words for _, words in reversed(messages) if len(words) > MIN_ANSWER), "")
    for sentence in split_sentences(last):
        if _NUMBER.search(sentence) and len(sentence) <= MAX_ANSWER and not sentence.startswith(_LINKS):
            yield _make_bullet(GROUPS[4], sentence)
    for item in find_conclusion_items(messages, turn_ends):
        if item.section == "Facts":
            yield _make_bullet(GROUPS[4], item.forms[0])


def _find_demands(requests: Sequence[UserRequest], *, wishes: bool = False) -> Iterator[RecordLine]:
    """Yield the user's demands and prohibitions, or wishes, the hardest and newest first."""
    scored = [
        (score, sentence)
        for request in reversed(requests)
        for sentence, score in find_demands(request.own_text)
        if (score <= WISH) == wishes
    ]
    yield from (_make_bullet(GROUPS[0], sentence) for _, sentence in sorted(scored, key=lambda pair: -pair[0]))


def _find_failed(classified_calls: Sequence[ClassifiedCall], *, resolved: bool) -> Iterator[RecordLine]:
    """Yield the failed commands that are or are not ``resolved``, newest first, each with its error lines."""
    failed_calls = (failed for failed in find_failures(classified_calls) if bool(failed.resolution) == resolved)
    for failed in sorted(failed_calls, key=lambda failed: -failed.at):
        attempt = clip_strictly(_find_first_line(classified_calls[failed.at]) or failed.attempt, MAX_LINE)
        lines = _find_error_lines(failed, classified_calls[failed.at])
        errors = [clip_strictly(line, MAX_LINE) for line in lines if line]
        resolution = f"; {failed.resolution}" if failed.resolution else ""
        message = f": {' / '.join(errors)}" if errors else " failed"
        yield RecordLine(GROUPS[1], f"- `{attempt}`{message}{resolution}", (attempt, *errors))


def _find_first_line(classified_call: ClassifiedCall) -> str:
    command = command_of(classified_call.call).strip() if classified_call.kind == "run" else ""
    return normalize_line(command.split("\n", 1)[0]) if command else ""


def _find_error_lines(failed: FailedCall, classified_call: ClassifiedCall) -> Iterator[str]:
    """Yield the first error line of a failure, the last line that reports or mentions trouble, else the status line."""
    tail = classified_call.call.text[-4_000:].split("\n")
    reports = next((line for line in reversed(tail) if line.strip() and is_error_line(line)), "")
    mentions = next((line for line in reversed(tail) if _TROUBLE.search(line)), "")
    status = "" if failed.line else next(iter(failed.more_lines), "")
    yield from dict.fromkeys(normalize_line(line) for line in (failed.line, reports, mentions, status))


def _quote_requests(requests: Sequence[UserRequest]) -> Iterator[RecordLine]:
    """Yield the user's messages verbatim, newest first."""
    for request in reversed(requests):
        quote = "\n".join(f"> {line}".rstrip() for line in request.text.strip().split("\n"))
        yield RecordLine(GROUPS[-1], f"{quote}\n", (request.text.strip(),))


def _parse_earlier(page_text: str) -> Iterator[RecordLine]:
    """Yield the lines of the record below an earlier page."""
    page = parse_page(page_text) if RECORD_TITLE in page_text else None
    for extra in page.extra if page else ():
        if is_record(extra):
            yield from _parse_record(extra)


def _parse_record(extra: Extra) -> Iterator[RecordLine]:
    for block in extra.text.split("\n### ")[1:]:
        group, _, body = block.partition("\n")
        if group == GROUPS[-1]:
            for quote in re.split(r"\n[ \t]*\n", body.strip("\n")):
                words = re.sub(r"^> ?", "", quote, flags=re.MULTILINE)
                yield RecordLine(group, f"{quote}\n", (words,))
        elif group in GROUPS:
            bullets = (line for line in body.split("\n") if line.startswith("- "))
            yield from (RecordLine(group, line, (line.removeprefix("- "),)) for line in bullets)
