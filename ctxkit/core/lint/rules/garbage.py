"""Find leftovers of compaction and truncation in files that a model reads again (HYG002 to HYG004)."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.chat_markers import (
    CHAT_ONLY_ROLES,
    COMPACTION_MARKER,
    DATE_TITLE,
    MARKER_MENTION,
    MODEL_ROLES,
    ROLE_LABEL,
    SELF_REFERENCE,
    SESSION_FILE,
    SESSION_TITLE,
    TEMPLATE_MARKER,
    TRANSCRIPT_PATH,
    TRUNCATION_MARKER,
    USER_ROLES,
)
from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding, TextEdit
from ctxkit.core.lint.document.inline import blank_code_spans, prose_lines, text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.delete_lines import delete_lines
from ctxkit.core.lint.rules import garbage_texts

RULES = garbage_texts.RULES
_NOTE_ROLES = (FileRole.MEMORY, FileRole.DAILY, FileRole.CONTEXT)
MIN_SESSION_FILES = 2
"""Minimum files of single sessions in a directory that accumulate."""
MAX_TURN_DISTANCE = 6
"""Maximum lines between two turns of one chat."""
MIN_TRANSCRIPT_LABELS = 4
"""Minimum number of role labels that make a daily note a chat transcript."""
MIN_TURN_LENGTH = 20
"""Minimum characters of a line that is a turn by itself."""
MAX_STATEMENT_LENGTH = 10_000
"""Characters of a statement in which a sentence about the conversation is sought."""
_TEMPLATE = "template"
_BEFORE_MENTION = compile_lazily(
    r"(?:[\"“‘«「]|(?:^|\s)'|\b(?:if|when|whenever|whether|unless|until|by)\s)$", re.IGNORECASE
)
"""Matches the text before a sentence that is quoted, is a condition, or belongs to a longer phrase."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield self-references, chats, session logs and truncation markers of each document, and session files."""
    yield from _find_session_files(workspace)
    for document in workspace.documents:
        if document.role in _NOTE_ROLES and not TRANSCRIPT_PATH.search(document.path):
            yield from _find_self_references(document)
            yield from _find_compaction_markers(document)
        if document.role in (FileRole.MEMORY, FileRole.CONTEXT):
            yield from _find_chats(document)
            yield from _find_session_logs(document)
        if document.role is not FileRole.PROMPT:
            yield from _find_truncation(document)


def _find_self_references(document: MarkdownDocument) -> Iterator[LintFinding]:
    for unit in document.units if not _is_transcript(document) else ():
        if unit.kind in ("paragraph", "bullet"):
            text = blank_code_spans(unit.text[:MAX_STATEMENT_LENGTH])
            words = " ".join(text.split()).lstrip("-*+•> \t").replace("’", "'")
            match = SELF_REFERENCE.search(words)
            if match and not _BEFORE_MENTION.search(words[: match.start()]):
                message = f"a sentence about the conversation, not a fact: '{match[0][:60].strip()}'"
                yield _make_removal_finding("HYG002", document, unit.line, unit.end_line, message)


def _is_transcript(document: MarkdownDocument) -> bool:
    """Return whether a file of a day is the transcript of a session."""
    return document.role is FileRole.DAILY and len(_find_role_labels(document)) >= MIN_TRANSCRIPT_LABELS


def _find_compaction_markers(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield the markers of a compaction, such as [VERBATIM], that begin or end a line."""
    if "]" not in document.text:
        return
    for number, line in prose_lines(document):
        match = COMPACTION_MARKER.search(line)
        if match and (not line[: match.start()].strip(" \t-*+>") or not line[match.end() :].strip()):
            start = document.starts[number - 1]
            edit = TextEdit(document.path, start + match.start(), start + match.end())
            yield LintFinding(
                "HYG002",
                WARNING,
                document.path,
                number,
                number,
                f"a marker of a compaction, not a fact: {match[0].strip()}",
                column=match.start() + 1,
                end_column=match.end() + 1,
                fix=Fix((edit,), False, "remove the marker"),
            )


def _find_session_files(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield one finding for each directory in which files of single sessions accumulate."""
    by_directory: dict[str, list[MarkdownDocument]] = {}
    for document in workspace.documents:
        if document.role is FileRole.DAILY and SESSION_FILE.search(document.path):
            by_directory.setdefault(dirname(document.path), []).append(document)
    for directory, documents in by_directory.items():
        if len(documents) >= MIN_SESSION_FILES:
            first, *others = documents
            where = f"in {directory}" if directory else "beside the memory"
            yield LintFinding(
                *("HYG003", WARNING, first.path, 1, max(1, first.lines)),
                f"{len(documents)} files of single sessions accumulate {where}; keep their facts in MEMORY.md",
                related=tuple(LineRange(other.path, 1, max(1, other.lines)) for other in others),
                tokens=sum(workspace.tokens(document.text) for document in documents),
                essence=directory,
            )


def _make_removal_finding(
    code: str, document: MarkdownDocument, line: int, end_line: int, message: str, keep: Sequence[Unit] = ()
) -> LintFinding:
    """Return a finding whose fix removes the lines except the statements to keep; no fix if all lines are kept."""
    edits = tuple(delete_lines(document, *run) for run in _uncovered_lines(line, end_line, keep))
    fix = Fix(edits, False, "remove it, but for its bullets" if keep else "remove it") if edits else None
    return LintFinding(code, WARNING, document.path, line, end_line, message, fix=fix)


def _uncovered_lines(line: int, end_line: int, keep: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of lines that contain no statement of ``keep``."""
    for unit in keep:
        if line < unit.line:
            yield line, unit.line - 1
        line = unit.end_line + 1
    if line <= end_line:
        yield line, end_line


def _find_facts(document: MarkdownDocument, line: int, end_line: int, turns: Collection[int] = ()) -> list[Unit]:
    """Return the bullets, rows and code blocks of a range of lines, except the turns of a chat."""
    inside = document.units_in(line, end_line)
    return [unit for unit in inside if unit.kind in ("bullet", "row", "code") and unit.line not in turns]


def _find_role_labels(document: MarkdownDocument) -> list[tuple[int, str]]:
    """Return (line, role) of each line that begins with a role label or contains a chat template marker."""
    labels: list[tuple[int, str]] = []
    for number, line in prose_lines(document):
        match = ROLE_LABEL.match(line)
        if match or TEMPLATE_MARKER.search(line):
            labels.append((number, match["role"].lower() if match else _TEMPLATE))
    return labels


def _find_chats(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield the chat transcripts of a document: groups of lines with role labels."""
    stretch: list[tuple[int, str]] = []
    for label in _find_role_labels(document):
        if stretch and label[0] - stretch[-1][0] > MAX_TURN_DISTANCE:
            yield from _check_stretch(document, stretch)
            stretch = []
        stretch.append(label)
    yield from _check_stretch(document, stretch)


def _check_stretch(document: MarkdownDocument, stretch: list[tuple[int, str]]) -> Iterator[LintFinding]:
    roles = {role for _, role in stretch}
    both = roles.intersection(MODEL_ROLES) and roles.intersection(USER_ROLES)
    alone = [number for number, role in stretch if role in CHAT_ONLY_ROLES and _is_turn(document.at(number), role)]
    if not stretch or not (both or alone or _TEMPLATE in roles):
        return
    line, last = stretch[0][0], stretch[-1][0]
    place = bisect_right(document.units, last, key=lambda unit: unit.line)
    end = max(last, document.units[place - 1].end_line) if place else last
    many = f"{len(stretch)} chat turns" if len(stretch) > 1 else "a chat turn"
    keep = _find_facts(document, line, end, {number for number, _ in stretch})
    message = f"{many} in a long-term memory"
    yield _make_removal_finding("HYG003", document, line, end, message, keep)


def _is_turn(line: str, role: str) -> bool:
    """Return whether a line begins with a bare role label, without a bullet or bold, and is long enough for a turn."""
    return line.lower().startswith(role) and len(line) >= MIN_TURN_LENGTH


def _find_session_logs(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield sections that are session logs, recognized by their headings."""
    for heading in document.headings:
        dated = DATE_TITLE.match(heading.title)
        if SESSION_TITLE.search(heading.title) or dated:
            end = max(heading.line, _last_text_line(document, heading.line, heading.end_line))
            start, stop = document.span(heading.line, end)
            if dated and _DECISION.search(document.text, start, stop):
                continue
            message = f"a session log in long-term memory: '{heading.title[:60]}'"
            keep = _find_facts(document, heading.line, end)
            finding = _make_removal_finding("HYG003", document, heading.line, end, message, keep)
            yield finding._replace(fix=None) if dated and keep else finding  # dated facts would lose their date


_DECISION = compile_lazily(r"\*\*(?:decision|rule|rationale)\b|(?-i:\bMUST\b)", re.IGNORECASE)
"""Matches what a record of decisions has: its date says since when they hold."""


def _last_text_line(document: MarkdownDocument, line: int, end_line: int) -> int:
    """Return the last line of a section that is not blank."""
    while end_line > line and not document.at(end_line).strip():
        end_line -= 1
    return end_line


def _find_truncation(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield truncation markers; in files that people write, skip sentences about such markers."""
    if "truncated" not in document.text.lower() and not any(mark in document.text for mark in _RARER):
        return
    for number, raw in text_lines(document) if not _is_transcript(document) else ():
        if "truncated" not in raw.lower() and not any(mark in raw for mark in _RARER):
            continue
        line = blank_code_spans(raw)
        match = TRUNCATION_MARKER.search(line)
        is_note = document.role in _NOTE_ROLES
        if match and (_ends_text(line, match) if is_note else _is_standalone(line, match)):
            message = f"text was truncated here: '{match[0].strip()[:60]}'"
            start, end = match.span()
            yield LintFinding(
                "HYG004", WARNING, document.path, number, number, message, column=start + 1, end_column=end + 1
            )


def _ends_text(line: str, match: re.Match[str]) -> bool:
    """Return whether a marker begins or ends its line; one inside a sentence that goes on is quoted by it."""
    return not re.search(r"\w", line[: match.start()]) or not re.search(r"\w", line[match.end() :])


def _is_standalone(line: str, match: re.Match[str]) -> bool:
    """Return whether a marker in brackets or after dots is not part of a sentence about such markers.

    Words in parentheses with "to" say to what length something is cut, and not that this text was.
    """
    if match[0].startswith("(") and "truncated to" in match[0].lower():
        return False
    around = line[max(0, match.start() - 200) : match.start()] + line[match.end() : match.end() + 200]
    return match[0].startswith(("[", "(", "<", "…", "...")) and not MARKER_MENTION.search(around)


_RARER = ("cleared]", "clipped", "omitted", "elided", "skipped", "hidden", "shortened", " more ", " cut", "snip", "+")
"""Substrings of the less common truncation markers; each of these markers contains at least one."""
