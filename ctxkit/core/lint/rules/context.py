"""CTX: the template of CONTEXT.md, as compaction writes it."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.template import MOST, SECTIONS
from ctxkit.core.lint.document import Document, Heading, Kind
from ctxkit.core.lint.finding import Edit, Finding, Fix
from ctxkit.core.lint.rule import INFO, WARNING, Rule
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.workspace import Workspace

_SEED = (
    "The workspace this linter began with: a strict template that any small model can fill, overwritten by each "
    "compaction."
)
RULES = (
    Rule(
        "CTX001",
        "context-sections",
        WARNING,
        "safe",
        "CONTEXT.md lacks a section of its template, has another one, or has them in another order.",
        "Whatever reads it, and the next compaction that merges it, look for Task, Decisions, Facts, Pending and "
        "Errors, in "
        "this order.",
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
        "It is loaded on every turn. What is not among the ten most important things belongs into the session's "
        "history.",
        "## Facts\n- one\n...\n- eleven",
        "## Facts\n- one\n...\n- ten",
        _SEED,
    ),
    Rule(
        "CTX003",
        "context-empty",
        WARNING,
        "none",
        "A section of CONTEXT.md is empty, or still shows what the template asks for.",
        "Without a task the page tells an agent nothing of what to go on with: that is a warning. Another section "
        "may well "
        "have nothing to tell, which is for information; '[Decision 1]' is left over from the template.",
        "## Task\n[One sentence: what the user is working on right now]",
        "## Task\nMove the parser to its own crate.",
        _SEED,
    ),
    Rule(
        "CTX004",
        "context-not-bullets",
        WARNING,
        "unsafe",
        "A section of CONTEXT.md holds something else than bullets of one sentence, or Pending a bullet without its "
        "box.",
        "One thing a bullet can be merged and ticked off; a paragraph can only be appended to.",
        "## Pending\nWe still have to write the tests and then the docs.",
        "## Pending\n- [ ] Write the tests\n- [ ] Write the docs",
        _SEED,
    ),
)
_SLOT = re.compile(r"[-*+]?\s*(?:\[[ x]?\]\s*)?\[[^\]\[]{3,80}\]\.?$")
_BOX = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s")
_ENOUGH = 2
"""Sections of the template that make a file named CONTEXT.md one: others mean something else by the name."""


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield how each CONTEXT.md departs from its template."""
    for document in workspace.documents:
        if document.kind is Kind.CONTEXT and _is_ours(document):
            sections = [heading for heading in document.headings if heading.level == 2]
            yield from _order(document, sections)
            for heading in sections:
                if heading.title in SECTIONS:
                    yield from _section(document, heading)


def _is_ours(document: Document) -> bool:
    titles = {heading.title for heading in document.headings}
    known = len(titles.intersection(SECTIONS))
    return known >= _ENOUGH or (known == 1 and "Context" in titles)


def _order(document: Document, sections: Sequence[Heading]) -> Iterator[Finding]:
    """Yield missing sections at the top, others and misplaced ones at their headings."""
    titles = [heading.title for heading in sections]
    missing = [name for name in SECTIONS if name not in titles]
    top = next((heading.line for heading in document.headings if heading.level == 1), 1)
    if missing:
        said = f"without the section{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        fix = _added(document, sections, missing) if _sorted(titles) else None
        yield Finding("CTX001", WARNING, document.path, top, top, said, fix=fix, essence=f"missing {missing}")
    reached = -1
    for heading in sections:
        if heading.title not in SECTIONS:
            said = f"'{heading.title}' is no section of the template"
            yield Finding("CTX001", WARNING, document.path, heading.line, heading.line, said)
        elif (place := SECTIONS.index(heading.title)) < reached:
            said = f"'{heading.title}' stands after '{SECTIONS[reached]}'"
            yield Finding("CTX001", WARNING, document.path, heading.line, heading.line, said)
        elif place == reached:
            said = f"'{heading.title}' stands here twice"
            yield Finding("CTX001", WARNING, document.path, heading.line, heading.line, said)
        else:
            reached = place


def _sorted(titles: Sequence[str]) -> bool:
    known = [SECTIONS.index(title) for title in titles if title in SECTIONS]
    return known == sorted(known)


def _added(document: Document, sections: Sequence[Heading], missing: Sequence[str]) -> Fix:
    """Return the fix that puts each missing heading where it belongs: before the next one that is there."""
    edits: dict[int, str] = {}
    for name in missing:
        later = SECTIONS[SECTIONS.index(name) + 1 :]
        following = next((heading for heading in sections if heading.title in later), None)
        at = document.starts[following.line - 1] if following else len(document.text)
        edits[at] = edits.get(at, "") + f"## {name}{document.newline}{document.newline}"
    made = []
    for at, text in edits.items():
        if at == len(document.text):
            ended = document.text.endswith("\n") or not document.text
            text = ("" if ended else document.newline) + document.newline + text.rstrip() + document.newline
        made.append(Edit(document.path, at, at, text))
    return Fix(tuple(made), True, f"add {', '.join(missing)}")


def _section(document: Document, heading: Heading) -> Iterator[Finding]:
    inside = document.units_in(heading.line + 1, heading.end_line)
    units = [unit for unit in inside if unit.sort != "heading"]
    slots = [unit for unit in units if _SLOT.match(unit.text.strip())]
    if not units:
        severity = WARNING if heading.title == "Task" else INFO
        said = f"'{heading.title}' is empty"
        yield Finding("CTX003", severity, document.path, heading.line, heading.line, said, essence=heading.title)
    for unit in slots:
        said = f"'{unit.text.strip()[:50]}' is what the template asks for, not an answer"
        yield Finding("CTX003", WARNING, document.path, unit.line, unit.end_line, said)
    if heading.title != "Task":
        lines = {unit.line for unit in slots}
        yield from _bullets(document, heading.title, [unit for unit in units if unit.line not in lines])
    elif len(units) > 1:
        said = "the task takes one sentence"
        yield Finding("CTX004", WARNING, document.path, units[0].line, units[-1].end_line, said)


def _bullets(document: Document, title: str, units: Sequence[Unit]) -> Iterator[Finding]:
    bullets = [unit for unit in units if unit.sort == "bullet"]
    if len(bullets) > MOST:
        said = f"{len(bullets)} bullets in '{title}': {MOST} are the most"
        yield Finding("CTX002", WARNING, document.path, bullets[MOST].line, bullets[-1].end_line, said, essence=title)
    for unit in units:
        if unit.sort != "bullet" and not unit.lead:
            said = f"no bullet, in '{title}'"
            yield Finding(
                "CTX004", WARNING, document.path, unit.line, unit.end_line, said, fix=_bulleted(document, title, unit)
            )
        elif title == "Pending" and unit.depth == 0 and not _BOX.match(document.at(unit.line)):
            said = "an item of 'Pending' without its box: - [ ]"
            yield Finding("CTX004", WARNING, document.path, unit.line, unit.end_line, said)


def _bulleted(document: Document, title: str, unit: Unit) -> Fix | None:
    """Return the fix that makes a bullet of a line of prose; longer ones need their author."""
    if unit.sort != "paragraph" or "\n" in unit.text.strip():
        return None
    return Fix((Edit(document.path, unit.start, unit.start, _mark(title)),), False, "make it a bullet")


def _mark(title: str) -> str:
    return "- [ ] " if title == "Pending" else "- "
