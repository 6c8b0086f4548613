"""Check the format of a long-term memory (MEM)."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, LintFinding, TextEdit
from ctxkit.core.lint.document.inline import prose_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, INFO, Rule
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.references.paths import is_archived

RULES = (
    Rule(
        "MEM001",
        "memory-not-bullets",
        INFO,
        "unsafe",
        "MEMORY.md contains paragraphs instead of bullets.",
        "A bullet with one fact can be found, compared, replaced and removed. A narrative can only be appended to.",
        "MEMORY.md:\nWe then talked about the deploy and found that staging needs a VPN, so we set it up.",
        "MEMORY.md:\n- Staging needs the VPN.",
        "The workspace that motivated this linter: flat bullet points, no narrative, no session state.",
    ),
    Rule(
        "MEM002",
        "memory-over-cap",
        ERROR,
        "none",
        "MEMORY.md is longer than its loader reads.",
        "Claude Code reads the first 200 lines or 25 KB of the MEMORY.md in its own directory of memories "
        "(~/.claude/projects/NAME/memory). It ignores the rest without a message.",
        "MEMORY.md with 260 lines",
        "MEMORY.md with 60 lines, and a file a topic beside it",
        "Documentation of Claude Code, 'Manage Claude's memory': the first 200 lines or 25 KB, whichever comes first.",
    ),
    Rule(
        "MEM003",
        "relative-date",
        INFO,
        "none",
        "A memory uses a relative date, which has a different meaning tomorrow.",
        "A later reader of 'last week' cannot know which week is meant.",
        "- Moved to the new cluster last week.",
        "- Moved to the new cluster on 2026-02-09.",
        "The workspace that motivated this linter; no peer read has it.",
    ),
)
MAX_LINES, MAX_BYTES = 200, 25 * 1024
"""Limits of what a loader reads of MEMORY.md (documentation of Claude Code, "Manage Claude's memory")."""
_OWN_MEMORY = compile_lazily(r"(?:^|/)\.claude/projects/[^/]+/memory/MEMORY\.md$")
"""Matches the file that Claude Code writes and reads itself: other files of this name are none of its business."""
MIN_PARAGRAPH_WORDS = 12
"""Minimum words of a narrative paragraph; a shorter one is a label."""
_ABOUT = compile_lazily(
    r"\b(?:this (?:file|document|page|memory)|memory|memories|remember|edit|update[ds]?|loaded|long-term|belongs?"
    r"|curated|durable|facts?|notes|index)\b|记忆|更新",
    re.IGNORECASE,
)
_ASIDE = compile_lazily(r"[(\[*_>].*[)\]*_.]$", re.DOTALL)
_KEY_LINE = compile_lazily(r"(?:\*\*|__)[^*_\n]{1,40}(?:[:：](?:\*\*|__)|(?:\*\*|__) ?[:：])[ \t]*\S[^\n]*$")
"""Matches the line of a labelled fact, such as **Name:** value."""
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_WHEN = compile_lazily(
    r"\b(?:yesterday|tomorrow|tonight|today|(?:last|next|this) (?:night|week|weekend|month|quarter|year|morning"
    r"|afternoon|evening|"
    rf"{_DAYS})|(?:\d+|an?|one|two|three|few|couple of|several) (?:minute|hour|day|week|month|year)s? ago|"
    rf"in (?:\d+|two|three|a few) (?:days|weeks|months)|the other day|just now|earlier today)\b"
    rf"|昨天|今天|明天|上周|下周|上个月",
    re.IGNORECASE,
)
_GENERAL = compile_lazily(
    r"\b(?:every|each|when|whenever|if|always|per|daily|how|what|did|e\.g|such as|like|memory/)\b|\?|[\"“'`]$"
    r"|\b(?:never|don'?t|avoid|not) (?:use|say|write)\b|[\"“'](?:today|tomorrow|yesterday|last \w+)[\"”']"
    r"|\w/\w*(?:tonight|today)",
    re.IGNORECASE,
)
"""Matches text about any day, not a particular one."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield paragraphs, text beyond the cap and relative dates of each memory.

    Paragraphs only of a memory at the root, or of one that a host loads: others may be pages about memories.
    """
    loaded = {path for load_set in workspace.load_sets for path in load_set.paths}
    for document in workspace.documents:
        if document.role is FileRole.MEMORY and not is_archived(document.path):
            if "/" not in document.path or not loaded.isdisjoint((document.path, *document.aliases)):
                yield from _find_paragraphs(document)
            if _OWN_MEMORY.search(f"{workspace.project.location}/{document.path}"):
                yield from _check_cap(document)
            yield from _find_relative_dates(document)


def _find_paragraphs(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield one finding for the paragraphs of a memory, at the first of them."""
    first = next((unit for unit in document.units if unit.kind != "heading"), None)
    paragraphs = [
        unit
        for unit in document.units
        if unit.kind == "paragraph" and not (unit.is_intro or unit.list or _is_label(unit))
        if unit is not first or not _ABOUT.search(unit.text)
    ]
    if paragraphs:
        unit, count = paragraphs[0], len(paragraphs)
        message = "a paragraph where a bullet should be: one fact a bullet"
        if count > 1:
            message = f"{count} paragraphs where bullets should be, the first one here: one fact a bullet"
        edits = tuple(filter(None, (_make_bullet(document, paragraph) for paragraph in paragraphs)))
        fix = Fix(edits, False, "make it a bullet" if count == 1 else "make them bullets") if edits else None
        yield LintFinding("MEM001", INFO, document.path, unit.line, unit.end_line, message, fix=fix)


def _is_label(unit: Unit) -> bool:
    """Return whether a paragraph is a label, a remark in brackets or emphasis, or a placeholder."""
    text = unit.text.strip()
    wide = sum(1 for letter in text if ord(letter) > 0x2E7F)
    if text.startswith(("|", ">", "`", "~~", "![", "[", "http")) or _ASIDE.match(text):
        return True
    if all(_KEY_LINE.match(line.strip()) for line in text.split("\n")):
        return True
    return len(text.split()) < MIN_PARAGRAPH_WORDS and wide < 2 * MIN_PARAGRAPH_WORDS


def _make_bullet(document: MarkdownDocument, unit: Unit) -> TextEdit | None:
    """Return the edit that turns a paragraph into a bullet; None if other text precedes it on its line."""
    line = document.text.rfind("\n", 0, unit.start) + 1
    if document.text[line : unit.start].strip(" \t"):
        return None
    lines = [line.strip() for line in unit.text.split("\n")]
    text = f"{document.newline}  ".join(line.rstrip("\r") for line in lines)
    return TextEdit(document.path, unit.start, unit.end, f"- {text}")


def _check_cap(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield the text below the cap."""
    size = len(document.encode())
    if document.lines <= MAX_LINES and size <= MAX_BYTES:
        return
    line = min(MAX_LINES, _line_at_byte(document, MAX_BYTES)) + 1
    message = f"{document.lines} lines, {size:,} bytes; Claude Code reads only {MAX_LINES} lines or {MAX_BYTES:,} bytes"
    yield LintFinding("MEM002", ERROR, document.path, min(line, document.lines), document.lines, message, essence="cap")


def _line_at_byte(document: MarkdownDocument, size: int) -> int:
    """Return the last line that ends within ``size`` bytes."""
    reached = len(document.bom)
    for number in range(1, document.lines + 1):
        start, end = document.span(number, number)
        reached += len(document.text[start:end].encode(document.encoding, "surrogateescape"))
        if reached > size:
            return number - 1
    return document.lines


def _find_relative_dates(document: MarkdownDocument) -> Iterator[LintFinding]:
    for number, line in prose_lines(document):
        match = _WHEN.search(line)
        if match and not line.lstrip().startswith("#") and not _GENERAL.search(line):
            yield LintFinding(
                "MEM003",
                INFO,
                document.path,
                number,
                number,
                f"'{match[0]}' is a relative date; write the date",
                column=match.start() + 1,
                end_column=match.end() + 1,
            )
