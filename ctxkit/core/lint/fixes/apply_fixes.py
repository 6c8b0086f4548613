"""Apply the fixes of findings, and check that they lose nothing."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument, Unit
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import Workspace

_TARGET = compile_lazily(r"\]\([^()\s#]{0,1000}#([^()\s#]{1,400})\)")


class EmptySection(NamedTuple):
    """A heading or an introduction whose content is removed: its lines, and whether it may be removed too."""

    line: int
    end_line: int
    last_line: int
    is_removable: bool


_LOSSLESS = ("DUP",)
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
    for edit in _require_fix(finding).edits if finding.code.startswith(_LOSSLESS) else ():
        document = documents.get(edit.path)
        if document is not None:
            line = document.line_of(edit.start)
            place = bisect_left(document.headings, line, key=attrgetter("line"))
            sections.add((edit.path, document.headings[place - 1].line if place else 0))
    return sections


def _is_free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether a span overlaps none of the sorted spans."""
    place = bisect_left(taken, (end, 0))
    return place == 0 or max(stop for _, stop in taken[max(0, place - _NESTED) : place]) <= start


_NESTED = 8
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
    lossless = [finding for finding in findings if finding.code.startswith(_LOSSLESS)]
    for path, path_edits in edits.items():
        document = workspace.document(path)
        copies = [finding for finding in lossless if any(_edits_of((finding,), path))]
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
    return bad_fixes or _find_lossy_fixes(workspace, done, after)


def _find_lossy_fixes(
    workspace: Workspace, done: Sequence[LintFinding], after: Mapping[str, MarkdownDocument]
) -> list[LintFinding]:
    """Return the findings about copies whose fixes lose a statement."""
    lost = set(_find_lost_statements(workspace, after))
    if not lost:
        return []
    copies = [
        finding for finding in done if finding.code.startswith(_LOSSLESS) and _removes_lost(workspace, finding, lost)
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


def _list_windows(workspace: Workspace, after: Mapping[str, MarkdownDocument]) -> list[tuple[str, ...]]:
    """Return the paths of each window with a changed document, and each changed document in no window."""
    windows = [loaded.paths for loaded in workspace.load_sets if any(path in after for path in loaded.paths)]
    loaded = {path for paths in windows for path in paths}
    return [*windows, *((path,) for path in after if path not in loaded)]


def _find_lost_statements(workspace: Workspace, after: Mapping[str, MarkdownDocument]) -> Iterator[str]:
    """Yield statements that a window, or a document in no window, has lost."""
    for paths in _list_windows(workspace, after):
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


def find_empty_sections(document: MarkdownDocument, edits: Sequence[TextEdit]) -> list[EmptySection]:
    """Return the sections of a document that edits leave without content, in order.

    A heading is removable if it is not the title of the document. An introduction without its list is not removable.
    """
    removed = _removed_lines(document, edits)
    if not removed:
        return []
    return sorted([*_find_headings(document, removed), *_find_introductions(document, removed)])


def _removed_lines(document: MarkdownDocument, edits: Sequence[TextEdit]) -> set[int]:
    """Return the lines with text that edits remove completely."""
    removed: set[int] = set()
    for edit in edits:
        if edit.replacement.strip() or edit.start >= edit.end:
            continue
        for line in range(document.line_of(edit.start), document.line_of(edit.end - 1) + 1):
            start, end = document.span(line, line)
            text = document.text[start : edit.start] + document.text[edit.end : end]
            if document.text[start:end].strip() and not text.strip():
                removed.add(line)
    return removed


def _find_headings(document: MarkdownDocument, removed: set[int]) -> Iterator[EmptySection]:
    """Yield the headings left without content, the last first; an empty heading is not content of another."""
    heads = [unit for unit in document.units if unit.kind == "heading"]
    numbers = range(1, document.lines + 1)
    texts = [0, *accumulate(bool(document.at(line).strip()) for line in numbers)]
    removals = [0, *accumulate(line in removed for line in numbers)]
    empty: list[int] = []  # negative numbers of the lines of empty headings, sorted
    for unit, heading in zip(reversed(heads), reversed(document.headings), strict=True):
        end, last = unit.end_line, heading.end_line
        removals_inside = removals[last] - removals[end]
        titles_inside = len(empty) - bisect_left(empty, -last)
        if removals_inside and texts[last] - texts[end] == removals_inside + titles_inside:
            yield EmptySection(unit.line, end, last, unit.depth > 1)
            empty += [-line for line in range(end, unit.line - 1, -1)]


def _find_introductions(document: MarkdownDocument, removed: set[int]) -> Iterator[EmptySection]:
    """Yield the introductions that stay while all their bullets go."""
    units = document.units
    for place, unit in enumerate(units):
        if not unit.is_intro or unit.kind not in ("paragraph", "bullet") or unit.line in removed:
            continue
        end = place + 1
        while end < len(units) and _belongs_to(units[end], unit):
            end += 1
        if end > place + 1 and all(unit.line in removed for unit in units[place + 1 : end]):
            yield EmptySection(unit.line, unit.end_line, units[end - 1].end_line, False)


def _belongs_to(unit: Unit, introduction: Unit) -> bool:
    if introduction.kind == "paragraph":
        return unit.kind == "bullet" and unit.intro == introduction.text
    return unit.list == introduction.list and unit.depth > introduction.depth


def remove_heading(document: MarkdownDocument, section: EmptySection) -> TextEdit:
    """Return the edit that removes a heading and the blank lines after it."""
    last = section.end_line
    while last < min(section.last_line, document.lines) and not document.at(last + 1).strip():
        last += 1
    return TextEdit(document.path, *document.span(section.line, last))


def is_linked(document: MarkdownDocument, section: EmptySection, documents: Sequence[MarkdownDocument]) -> bool:
    """Return whether a link leads to a heading."""
    anchor = next((heading.anchor for heading in document.headings if heading.line == section.line), "")
    return any(f"#{anchor}" in document.text and anchor in _TARGET.findall(document.text) for document in documents)
