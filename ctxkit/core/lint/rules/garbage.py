"""HYG002 to HYG004: what compaction and truncation leave behind in files that are read again."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.lint.cutting import cut
from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Finding, Fix
from ctxkit.core.lint.inline import bare, prose
from ctxkit.core.lint.marks import CUT, DATE, MARKED, MINE, PLAIN, ROLE, SELF, SESSION, SPOKEN, THEIRS, TOLD
from ctxkit.core.lint.rule import WARNING, Rule
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "HYG002",
        "self-referential-summary",
        WARNING,
        "unsafe",
        "A memory speaks of the conversation or of its own writing instead of saying what is so.",
        "Sentences such as 'I should prompt them' are what a model says while it summarizes. They are no facts, and "
        "the "
        "next turn obeys them.",
        "The conversation history highlights the need to read files. I should prompt them to specify locations.",
        "- Read files directly, without subagents.",
        "The workspace this linter began with; of 10 public hits for 'I should prompt them' 6 were leaked reasoning, "
        "so that 'I "
        "should' "
        "must stand in front.",
    ),
    Rule(
        "HYG003",
        "session-in-memory",
        WARNING,
        "unsafe",
        "A long-term memory or CONTEXT.md holds turns of a chat or the log of a session.",
        "Long-term memory is for what stays true. A transcript grows with each session and is kept verbatim in the "
        "session's history; notes of a day belong into memory/DATE.md.",
        "MEMORY.md:\n## Compaction Summary (2026-02-16T11:39:46Z)\nuser: please fix the build\nassistant: Done.",
        "MEMORY.md:\n- The build needs Node 22.",
        "The workspace this linter began with (MEMORY.md, lines 22-130); role labels in 4 and dated headings in 8 of "
        "the "
        "repositories read.",
    ),
    Rule(
        "HYG004",
        "truncation-marker",
        WARNING,
        "none",
        "A marker says that text was cut off: the rest of it is lost.",
        "Somebody wrote back what a tool had shortened. The agent now reads half a rule and cannot know the other "
        "half.",
        "- Deploy with `make deploy` after\n[TRUNCATED at 8000 chars]",
        "- Deploy with `make deploy` after the tests pass.",
        "Markers as tools print them: [truncated at 8 chars], ... [truncated at 25KB], [TRUNCATED AT 30 MB].",
    ),
)
_KEPT = (Kind.MEMORY, Kind.DAILY, Kind.CONTEXT)
NEAR = 6
"""Lines between two turns of one chat."""
TRANSCRIPT = 4
"""Labels of roles that make a daily note the record of a chat."""
SAID = 20
"""Characters of a line that is a turn by itself."""
_TEMPLATE = "template"


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield what is left behind in each document."""
    for document in workspace.documents:
        if document.kind in _KEPT and not SPOKEN.search(document.path):
            yield from _self_referential(document)
        if document.kind in (Kind.MEMORY, Kind.CONTEXT):
            yield from _turns(document)
            yield from _sessions(document)
        if document.kind is not Kind.PROMPT:
            yield from _markers(document)


def _self_referential(document: Document) -> Iterator[Finding]:
    spoken = document.kind is Kind.DAILY and len(_labels(document)) >= TRANSCRIPT
    for unit in document.units if not spoken else ():
        if unit.sort in ("paragraph", "bullet"):
            words = " ".join(bare(unit.text).split()).lstrip("-*+•> \t").replace("’", "'")
            found = SELF.search(words)
            if found:
                said = f"a sentence about the conversation, not a fact: '{found[0][:60].strip()}'"
                yield _removable("HYG002", document, unit.line, unit.end_line, said)


def _removable(
    code: str, document: Document, line: int, end_line: int, message: str, keep: Sequence[Unit] = ()
) -> Finding:
    """Return a finding about lines that may go, but for the statements to keep; no fix where these are all."""
    edits = tuple(cut(document, *run) for run in _without(line, end_line, keep))
    fix = Fix(edits, False, "remove it, but for its bullets" if keep else "remove it") if edits else None
    return Finding(code, WARNING, document.path, line, end_line, message, fix=fix)


def _without(line: int, end_line: int, keep: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of lines that hold none of some statements."""
    for unit in keep:
        if line < unit.line:
            yield line, unit.line - 1
        line = unit.end_line + 1
    if line <= end_line:
        yield line, end_line


def _facts(document: Document, line: int, end_line: int, turns: Collection[int] = ()) -> list[Unit]:
    """Return the bullets, rows and blocks of code in some lines, but for turns of a chat."""
    inside = document.units_in(line, end_line)
    return [unit for unit in inside if unit.sort in ("bullet", "row", "code") and unit.line not in turns]


def _labels(document: Document) -> list[tuple[int, str]]:
    """Return the lines that begin with the label of a role, or hold the mark of a chat template, and whose they are."""
    labels: list[tuple[int, str]] = []
    for number, line in prose(document):
        found = ROLE.match(line)
        if found or MARKED.search(line):
            labels.append((number, found["role"].lower() if found else _TEMPLATE))
    return labels


def _turns(document: Document) -> Iterator[Finding]:
    """Yield stretches of chat: labels of roles, of the model and of who speaks with it."""
    stretch: list[tuple[int, str]] = []
    for label in _labels(document):
        if stretch and label[0] - stretch[-1][0] > NEAR:
            yield from _chat(document, stretch)
            stretch = []
        stretch.append(label)
    yield from _chat(document, stretch)


def _chat(document: Document, stretch: list[tuple[int, str]]) -> Iterator[Finding]:
    roles = {role for _, role in stretch}
    both = roles.intersection(MINE) and roles.intersection(THEIRS)
    alone = [number for number, role in stretch if role in PLAIN and _opens(document.at(number), role)]
    if not stretch or not (both or alone or _TEMPLATE in roles):
        return
    line, last = stretch[0][0], stretch[-1][0]
    place = bisect_right(document.units, last, key=lambda unit: unit.line)
    end = max(last, document.units[place - 1].end_line) if place else last
    many = f"{len(stretch)} turns" if len(stretch) > 1 else "a turn"
    keep = _facts(document, line, end, {number for number, _ in stretch})
    said = f"{many} of a chat in a file that is to hold what stays true"
    yield _removable("HYG003", document, line, end, said, keep)


def _opens(line: str, role: str) -> bool:
    """Tell whether a line begins with a label as a chat writes it: neither a bullet nor bold, and something said."""
    return line.lower().startswith(role) and len(line) >= SAID


def _sessions(document: Document) -> Iterator[Finding]:
    """Yield sections that are the log of a session, by their headings."""
    for heading in document.headings:
        dated = DATE.match(heading.title)
        if SESSION.search(heading.title) or dated:
            end = max(heading.line, _last_line(document, heading.line, heading.end_line))
            said = f"the log of a session in long-term memory: '{heading.title[:60]}'"
            keep = _facts(document, heading.line, end)
            found = _removable("HYG003", document, heading.line, end, said, keep)
            yield found._replace(fix=None) if dated and keep else found  # facts of a day lose their day


def _last_line(document: Document, line: int, end_line: int) -> int:
    """Return the last line of a section that is not blank."""
    while end_line > line and not document.at(end_line).strip():
        end_line -= 1
    return end_line


def _markers(document: Document) -> Iterator[Finding]:
    """Yield marks of truncation; files that people write may speak of such marks, which is none."""
    if "truncated" not in document.text.lower() and not any(mark in document.text for mark in _RARER):
        return
    for number, line in prose(document):
        found = CUT.search(line)
        if found and (document.kind in _KEPT or _stands_alone(line, found)):
            said = f"text was cut off here and is lost: '{found[0].strip()[:60]}'"
            start, end = found.span()
            yield Finding(
                "HYG004", WARNING, document.path, number, number, said, column=start + 1, end_column=end + 1
            )


def _stands_alone(line: str, found: re.Match[str]) -> bool:
    """Tell whether a mark in brackets, or behind dots, is no word of a sentence about such marks."""
    around = line[max(0, found.start() - 200) : found.start()] + line[found.end() : found.end() + 200]
    return found[0].startswith(("[", "(", "<", "…", "...")) and not TOLD.search(around)


_RARER = ("cleared]", "clipped", "omitted", "elided", "skipped", "hidden", "shortened", " more ", " cut", "snip", "+")
"""Words one of which stands in every other mark of truncation."""
