"""Check the files that remember for agents: a long-term memory (MEM) and CONTEXT.md of compaction (CTX)."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import ERROR, INFO, WARNING, Fix, LintFinding, Rule, TextEdit
from ctxkit.core.lint.document.inline import prose_lines
from ctxkit.core.lint.document.markdown import FileRole, Heading, MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import find_sentences
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.references.paths import is_archived
from ctxkit.core.summary.template import MAX_BULLETS, SECTIONS

_SEED = (
    "The workspace that motivated this linter: a strict template that any small model can fill, overwritten by each "
    "compaction."
)
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
    Rule(
        "CTX001",
        "context-sections",
        WARNING,
        "safe",
        "CONTEXT.md lacks a section of its template, has an additional one, or has a different order; or its title "
        "'# Context' occurs twice.",
        "Agents that read the file, and the next compaction that merges it, expect the sections Task, Decisions, "
        "Facts, Pending and Errors in this order.",
        "# Context\n\n## Task\nFix the parser.\n\n## Notes\n- ...",
        "# Context\n\n## Task\nFix the parser.\n\n## Decisions\n\n## Facts\n\n## Pending\n\n## Errors",
        _SEED,
    ),
    Rule(
        "CTX002",
        "context-too-long",
        WARNING,
        "none",
        "A section of CONTEXT.md has more than ten bullets.",
        "The file is loaded on every turn. Details beyond the ten most important points belong in the history of "
        "the session.",
        "## Facts\n- one\n...\n- eleven",
        "## Facts\n- one\n...\n- ten",
        _SEED,
    ),
    Rule(
        "CTX003",
        "context-empty",
        WARNING,
        "none",
        "A section of CONTEXT.md is empty or still contains the placeholder of the template.",
        "Without a task, the file does not tell an agent what to continue, so an empty Task is a warning. Any other"
        " empty section is reported for information. A text such as '[Decision 1]' is a placeholder of the "
        "template.",
        "## Task\n[One sentence: what the user is working on right now]",
        "## Task\nMove the parser to its own crate.",
        _SEED,
    ),
    Rule(
        "CTX004",
        "context-not-bullets",
        WARNING,
        "unsafe",
        "A section of CONTEXT.md contains something other than bullets of one sentence, the task is more than one "
        "sentence, or a pending bullet has no check box.",
        "A bullet with one point can be merged and checked off. A paragraph can only grow.",
        "## Pending\nWe still have to write the tests and then the docs.",
        "## Pending\n- [ ] Write the tests\n- [ ] Write the docs",
        _SEED,
    ),
)
MAX_LINES, MAX_BYTES = 200, 25 * 1024
"""Limits of what a loader reads of MEMORY.md (documentation of Claude Code, "Manage Claude's memory")."""
_OWN_MEMORY = compile_lazily(r"(?:^|/)\.claude/projects/[^/]+/memory/MEMORY\.md$")
"""Matches the file that Claude Code writes and reads itself: other files of this name are none of its business."""
_MIN_PARAGRAPH_WORDS = 12
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
    """Yield what is wrong in each memory, and in each CONTEXT.md."""
    yield from _check_memories(workspace)
    yield from _check_contexts(workspace)


def _check_memories(workspace: Workspace) -> Iterator[LintFinding]:
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
    return len(text.split()) < _MIN_PARAGRAPH_WORDS and wide < 2 * _MIN_PARAGRAPH_WORDS


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


_SLOT = compile_lazily(r"[-*+]?\s*(?:\[[ x]?\]\s*)?\[[^\]\[]{3,80}\]\.?$")
_QUOTATION = compile_lazily(r'"[^"\n]{0,1000}+"|“[^“”\n]{0,1000}+”')
_BOX = compile_lazily(r"\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s")
_MIN_SECTIONS = 2
"""Minimum number of template sections that identify a context file: other projects use the name CONTEXT.md differently.
"""


def _check_contexts(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield how each CONTEXT.md departs from its template."""
    for document in workspace.documents:
        if document.role is FileRole.CONTEXT and _is_context_file(document):
            sections = [heading for heading in document.headings if heading.level == 2]
            repeated = [heading.line for heading in document.headings if _is_title(heading)][1:2]
            yield from _check_order(
                document, [section for section in sections if not repeated or section.line < repeated[0]]
            )
            yield from _check_title(document)
            for heading in sections:
                if heading.title in SECTIONS:
                    yield from _check_section(document, heading)


def _is_context_file(document: MarkdownDocument) -> bool:
    titles = {heading.title for heading in document.headings}
    known = len(titles.intersection(SECTIONS))
    return known >= _MIN_SECTIONS or (known == 1 and "Context" in titles)


def _check_order(document: MarkdownDocument, sections: Sequence[Heading]) -> Iterator[LintFinding]:
    """Yield missing sections at the top of the file, and unknown or misplaced sections at their headings."""
    titles = [heading.title for heading in sections]
    missing = [name for name in SECTIONS if name not in titles]
    top = next((heading.line for heading in document.headings if heading.level == 1), 1)
    if missing:
        message = f"missing section{'s' if len(missing) > 1 else ''}: {', '.join(missing)}"
        fix = _make_section_fix(document, sections, missing) if _is_sorted(titles) else None
        yield LintFinding("CTX001", WARNING, document.path, top, top, message, fix=fix, essence=f"missing {missing}")
    reached = -1
    for heading in sections:
        if heading.title not in SECTIONS:
            message = f"'{heading.title}' is not a section of the template"
            yield LintFinding("CTX001", WARNING, document.path, heading.line, heading.line, message)
        elif (place := SECTIONS.index(heading.title)) < reached:
            message = f"'{heading.title}' comes after '{SECTIONS[reached]}'"
            yield LintFinding("CTX001", WARNING, document.path, heading.line, heading.line, message)
        elif place == reached:
            message = f"'{heading.title}' occurs twice"
            yield LintFinding("CTX001", WARNING, document.path, heading.line, heading.line, message)
        else:
            reached = place


def _check_title(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield each further title "Context": a compaction appended to the file instead of replacing it."""
    titles = [heading for heading in document.headings if _is_title(heading)]
    for heading in titles[1:]:
        message = f"'# Context' occurs again after line {titles[0].line}: replace the file at each compaction"
        yield LintFinding("CTX001", WARNING, document.path, heading.line, heading.line, message)


def _is_title(heading: Heading) -> bool:
    return heading.level == 1 and heading.title == "Context"


def _count_sentences(unit: Unit) -> int:
    """Return the number of sentences of a statement; a quotation counts as a part of its sentence."""
    text = _QUOTATION.sub(lambda match: "x" * len(match[0]), unit.text)
    return len(list(find_sentences(text)))


def _is_sorted(titles: Sequence[str]) -> bool:
    known = [SECTIONS.index(title) for title in titles if title in SECTIONS]
    return known == sorted(known)


def _make_section_fix(document: MarkdownDocument, sections: Sequence[Heading], missing: Sequence[str]) -> Fix:
    """Return the fix that inserts each missing heading before the next heading of the template."""
    edits: dict[int, str] = {}
    for name in missing:
        later = SECTIONS[SECTIONS.index(name) + 1 :]
        following = next((heading for heading in sections if heading.title in later), None)
        at = document.starts[following.line - 1] if following else len(document.text)
        edits[at] = edits.get(at, "") + f"## {name}{document.newline}{document.newline}"
    insertions = []
    for at, text in edits.items():
        if at == len(document.text):
            ended = document.text.endswith("\n") or not document.text
            text = ("" if ended else document.newline) + document.newline + text.rstrip() + document.newline
        insertions.append(TextEdit(document.path, at, at, text))
    return Fix(tuple(insertions), True, f"add {', '.join(missing)}")


def _check_section(document: MarkdownDocument, heading: Heading) -> Iterator[LintFinding]:
    inside = document.units_in(heading.line + 1, heading.end_line)
    units = [unit for unit in inside if unit.kind != "heading"]
    slots = [unit for unit in units if _SLOT.match(unit.text.strip())]
    if not units:
        severity = WARNING if heading.title == "Task" else INFO
        message = f"'{heading.title}' is empty"
        yield LintFinding("CTX003", severity, document.path, heading.line, heading.line, message, essence=heading.title)
    for unit in slots:
        message = f"'{unit.text.strip()[:50]}' is a placeholder of the template"
        yield LintFinding("CTX003", WARNING, document.path, unit.line, unit.end_line, message)
    if heading.title != "Task":
        lines = {unit.line for unit in slots}
        yield from _check_bullets(document, heading.title, [unit for unit in units if unit.line not in lines])
    elif sum(map(_count_sentences, units)) > 1:
        message = "the task takes one sentence"
        yield LintFinding("CTX004", WARNING, document.path, units[0].line, units[-1].end_line, message)


def _check_bullets(document: MarkdownDocument, title: str, units: Sequence[Unit]) -> Iterator[LintFinding]:
    bullets = [unit for unit in units if unit.kind == "bullet"]
    if len(bullets) > MAX_BULLETS:
        message = f"{len(bullets)} bullets in '{title}'; the maximum is {MAX_BULLETS}"
        yield LintFinding(
            "CTX002", WARNING, document.path, bullets[MAX_BULLETS].line, bullets[-1].end_line, message, essence=title
        )
    for unit in units:
        if unit.kind != "bullet" and not unit.is_intro:
            message = f"not a bullet, in '{title}'"
            yield LintFinding(
                "CTX004",
                WARNING,
                document.path,
                unit.line,
                unit.end_line,
                message,
                fix=_make_bullet_fix(document, title, unit),
            )
        elif title == "Pending" and unit.depth == 0 and not _BOX.match(document.at(unit.line)):
            message = "an item of 'Pending' without its box: - [ ]"
            yield LintFinding("CTX004", WARNING, document.path, unit.line, unit.end_line, message)
        elif unit.kind == "bullet" and (count := _count_sentences(unit)) > 1:
            message = f"a bullet of {count} sentences, in '{title}': one sentence a bullet"
            yield LintFinding("CTX004", WARNING, document.path, unit.line, unit.end_line, message)


def _make_bullet_fix(document: MarkdownDocument, title: str, unit: Unit) -> Fix | None:
    """Return the fix that turns a line of prose into a bullet; None for longer paragraphs, which need their author."""
    if unit.kind != "paragraph" or "\n" in unit.text.strip():
        return None
    return Fix((TextEdit(document.path, unit.start, unit.start, _bullet_prefix(title)),), False, "make it a bullet")


def _bullet_prefix(title: str) -> str:
    return "- [ ] " if title == "Pending" else "- "
