"""Apply the fixes of findings, and check that they lose nothing."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ctxkit.core.lint.document.finding import Fix, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.empty_sections import find_empty_sections, is_linked, remove_heading

LOSSLESS = ("DUP",)
"""Families whose fixes remove copies: each window must keep all its statements."""


class FixResult(NamedTuple):
    """The new texts of changed documents, and the findings that were fixed."""

    texts: Mapping[str, str]
    findings: tuple[LintFinding, ...]


def apply_fixes(workspace: Workspace, findings: Sequence[LintFinding], *, unsafe: bool) -> FixResult:
    """Return the documents' texts after the fixes: each fix complete, none overlapping another.

    Safe fixes come first. Skip a fix that breaks a document or removes the last copy of a statement from a window.
    """
    fixable = [finding for finding in findings if finding.fix and (unsafe or finding.fix.safe) and finding.fix.edits]
    ordered = sorted(
        fixable,
        key=lambda finding: (
            not _require_fix(finding).safe,
            finding.path,
            finding.line,
            finding.column or 0,
            finding.code,
        ),
    )
    while remaining := _keep_complete_sections(workspace, _select_disjoint(ordered), fixable):
        edits = _collect_edits(remaining)
        rejected = _empty_sections(workspace, remaining, edits, unsafe=unsafe)
        texts = {} if rejected else _apply_edits_by_path(workspace, edits)
        rejected = rejected or _find_bad_fixes(workspace, remaining, texts, edits)
        if not rejected:
            return FixResult(texts, tuple(remaining))
        rejected_ids = set(map(id, rejected))
        ordered = [finding for finding in ordered if id(finding) not in rejected_ids]  # what they overlapped is free
    return apply_fixes(workspace, findings, unsafe=False) if unsafe else FixResult({}, ())


def _require_fix(finding: LintFinding) -> Fix:
    assert finding.fix is not None
    return finding.fix


def _select_disjoint(findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Return the findings whose fixes do not overlap those of earlier findings."""
    spans_by_path: dict[str, list[tuple[int, int]]] = {}
    selected = []
    for finding in findings:
        spans = [(edit.path, edit.start, max(edit.end, edit.start + 1)) for edit in _require_fix(finding).edits]
        if all(_is_free(spans_by_path.get(path, []), start, end) for path, start, end in spans):
            selected.append(finding)
            for path, start, end in spans:
                insort(spans_by_path.setdefault(path, []), (start, end))
    return selected


def _keep_complete_sections(
    workspace: Workspace, selected: Sequence[LintFinding], fixable: Sequence[LintFinding]
) -> list[LintFinding]:
    """Return the selected fixes without those of copies in a section of which another copy is not selected.

    Of the copies of one section, all are removed or none: a person who sees half of them removed has to read the rest.
    """
    kept = set(map(id, selected))
    documents = {document.path: document for document in workspace.documents}
    selected_edits = {edit for finding in selected for edit in _require_fix(finding).edits}
    rest = (finding for finding in fixable if id(finding) not in kept)
    left = (finding for finding in rest if not selected_edits.issuperset(_require_fix(finding).edits))
    open_sections = {place for finding in left for place in _find_sections(documents, finding)}
    return [finding for finding in selected if open_sections.isdisjoint(_find_sections(documents, finding))]


def _find_sections(documents: Mapping[str, MarkdownDocument], finding: LintFinding) -> set[tuple[str, int]]:
    """Return the path and the line of the heading of each section from which a fix removes copies."""
    sections: set[tuple[str, int]] = set()
    for edit in _require_fix(finding).edits if finding.code.startswith(LOSSLESS) else ():
        document = documents.get(edit.path)
        if document is not None:
            line = document.line_of(edit.start)
            place = bisect_left(document.headings, line, key=attrgetter("line"))
            sections.add((edit.path, document.headings[place - 1].line if place else 0))
    return sections


def _is_free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether a span overlaps none of the sorted spans."""
    place = bisect_left(taken, (end, 0))
    return place == 0 or max(stop for _, stop in taken[max(0, place - NESTED) : place]) <= start


NESTED = 8
"""Maximum number of spans of one fix that may be nested."""


def _collect_edits(findings: Sequence[LintFinding]) -> dict[str, list[TextEdit]]:
    """Return the edits of fixes by path."""
    edits: dict[str, list[TextEdit]] = {}
    for finding in findings:
        for edit in _require_fix(finding).edits:
            edits.setdefault(edit.path, []).append(edit)
    return edits


def _empty_sections(
    workspace: Workspace, findings: Sequence[LintFinding], edits: Mapping[str, list[TextEdit]], *, unsafe: bool
) -> list[LintFinding]:
    """Remove the headings that unsafe fixes leave without content; return the fixes that leave other such texts.

    Of the fixes that empty a section, skip the last, so that the section keeps one statement.
    """
    rejected: list[LintFinding] = []
    for path, path_edits in edits.items():
        document = workspace.document(path)
        copies = [
            finding for finding in findings if finding.code.startswith(LOSSLESS) and any(_edits_of((finding,), path))
        ]
        if document is None or not copies:
            continue
        titles = []
        for section in find_empty_sections(document, path_edits):
            culprits = [
                copy for copy in copies if _edits_lines(document, copy, section.end_line + 1, section.last_line)
            ]
            if culprits and unsafe and section.is_removable and not is_linked(document, section, workspace.documents):
                titles.append(remove_heading(document, section))
            elif culprits:
                rejected.append(culprits[-1])
        path_edits += titles
    return rejected


def _edits_lines(document: MarkdownDocument, finding: LintFinding, line: int, end_line: int) -> bool:
    """Return whether a fix edits a range of lines of a document."""
    start, end = document.span(line, end_line) if line <= end_line else (0, 0)
    return any(edit.start < end and start < edit.end for edit in _edits_of((finding,), document.path))


def _apply_edits_by_path(workspace: Workspace, edits: Mapping[str, list[TextEdit]]) -> dict[str, str]:
    documents = ((path, workspace.document(path)) for path in edits)
    return {path: apply_edits(document.text, edits[path]) for path, document in documents if document is not None}


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Return a text after edits that do not overlap."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _find_bad_fixes(
    workspace: Workspace, done: Sequence[LintFinding], texts: Mapping[str, str], edits: Mapping[str, list[TextEdit]]
) -> list[LintFinding]:
    """Return the findings whose fixes must be skipped: all of a broken document, else those that lose a statement."""
    after: dict[str, MarkdownDocument] = {}
    bad_fixes: list[LintFinding] = []
    for path, text in texts.items():
        document = workspace.document(path)
        assert document is not None
        after[path] = parse_document(path, document.encode(text), document.role, document.aliases)
        if _is_broken(document, after[path]) or _has_merged_statement(document, after[path], edits[path]):
            bad_fixes += [finding for finding in done if any(edit.path == path for edit in _require_fix(finding).edits)]
    if bad_fixes:
        return bad_fixes
    lost = set(_find_lost_statements(workspace, after))
    if not lost:
        return []
    copies = [
        finding for finding in done if finding.code.startswith(LOSSLESS) and _removes_lost(workspace, finding, lost)
    ]
    return [copy for copy in copies if copy.score is None or not _keeps_statement(workspace, copy, after)]


def _keeps_statement(workspace: Workspace, finding: LintFinding, after: Mapping[str, MarkdownDocument]) -> bool:
    """Return whether each window that loses a near copy keeps the statements that replace it."""
    home = workspace.document(finding.related[0].path) if finding.related else None
    if home is None:
        return False
    keepers = [place for place in finding.related if place.path == finding.related[0].path]
    kept_statements = {unit.normal for place in keepers for unit in home.units_in(place.line, place.end_line)}
    left = {unit.normal for unit in after.get(home.path, home).units}
    cut = {edit.path for edit in _require_fix(finding).edits}
    windows = [loaded.paths for loaded in workspace.load_sets if cut.intersection(loaded.paths)]
    return (
        kept_statements <= left
        and all(home.path in paths for paths in windows)
        and (bool(windows) or cut == {home.path})
    )


def _is_broken(before: MarkdownDocument, after: MarkdownDocument) -> bool:
    """Return whether a document changed its front matter, or got an unclosed fence or comment."""
    opened = sum(not block.closed for block in after.blocks) > sum(not block.closed for block in before.blocks)
    front = before.text[slice(*before.span(1, before.front_matter.end_line))] if before.front_matter else None
    new = after.text[slice(*after.span(1, after.front_matter.end_line))] if after.front_matter else None
    return opened or front != new


def _edits_of(done: Sequence[LintFinding], path: str) -> list[TextEdit]:
    return [edit for finding in done for edit in _require_fix(finding).edits if edit.path == path]


def _has_merged_statement(before: MarkdownDocument, after: MarkdownDocument, edits: Sequence[TextEdit]) -> bool:
    """Return whether a statement outside of all edits is missing, for example because two were joined."""
    left = {unit.normal for unit in after.units}
    spans = sorted((edit.start, max(edit.end, edit.start + 1)) for edit in edits)
    for unit in before.units:
        if unit.normal not in left:
            place = bisect_left(spans, (unit.end, 0))
            if not place or spans[place - 1][1] <= unit.start:
                return True
    return False


def _find_lost_statements(workspace: Workspace, after: Mapping[str, MarkdownDocument]) -> Iterator[str]:
    """Yield statements that a window, or a document in no window, has lost."""
    windows = [loaded.paths for loaded in workspace.load_sets if any(path in after for path in loaded.paths)]
    loaded = {path for paths in windows for path in paths}
    windows += [(path,) for path in after if path not in loaded]
    for paths in windows:
        before: Counter[str] = Counter()
        now: set[str] = set()
        for path in paths:
            document = workspace.document(path)
            if document is not None:
                before.update(unit.normal for unit in document.units if unit.kind != "heading")
                now.update(unit.normal for unit in after.get(path, document).units)
        yield from (normal for normal in before if normal and normal not in now)


def _removes_lost(workspace: Workspace, finding: LintFinding, lost: set[str]) -> bool:
    """Return whether a fix removes a lost statement."""
    for edit in _require_fix(finding).edits:
        document = workspace.document(edit.path)
        if document is None:
            continue
        first, last = document.line_of(edit.start), document.line_of(max(edit.start, edit.end - 1))
        place = bisect_left(document.units, first, key=lambda unit: unit.end_line)
        while place < len(document.units) and (unit := document.units[place]).line <= last:
            if unit.normal in lost and unit.start < edit.end and edit.start < unit.end:
                return True
            place += 1
    return False
