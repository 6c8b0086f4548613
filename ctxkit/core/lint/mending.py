"""Making the fixes of findings, and proving that nothing was lost by them."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Edit, Finding, Fix
from ctxkit.core.lint.parse import parse
from ctxkit.core.lint.workspace import Workspace

LOSSLESS = ("DUP",)
"""Families whose fixes remove copies: each window that had a statement must have it afterwards."""


class Mended(NamedTuple):
    """Hold the texts of the documents that changed, and the findings that were mended."""

    texts: Mapping[str, str]
    done: tuple[Finding, ...]


def mended(workspace: Workspace, findings: Sequence[Finding], *, unsafe: bool) -> Mended:
    """Return what the fixes of findings make of the documents: each fix whole, none over another.

    Safe fixes come first. A fix after which a document reads differently than it should, or a window lacks a
    statement that it had, is not made.
    """
    wanted = [one for one in findings if one.fix and (unsafe or one.fix.safe) and one.fix.edits]
    ordered = sorted(wanted, key=lambda one: (not _fix(one).safe, one.path, one.line, one.column or 0, one.code))
    done = _disjoint(ordered)
    while done:
        texts = _texts(workspace, done)
        wrong = _wrong(workspace, done, texts)
        if not wrong:
            return Mended(texts, tuple(done))
        refused = set(map(id, wrong))
        done = [one for one in done if id(one) not in refused]
    return Mended({}, ())


def _fix(finding: Finding) -> Fix:
    assert finding.fix is not None
    return finding.fix


def _disjoint(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose fixes touch no character that one before them touches."""
    taken: dict[str, list[tuple[int, int]]] = {}
    chosen = []
    for one in findings:
        spans = [(edit.path, edit.start, max(edit.end, edit.start + 1)) for edit in _fix(one).edits]
        if all(_is_free(taken.get(path, []), start, end) for path, start, end in spans):
            chosen.append(one)
            for path, start, end in spans:
                insort(taken.setdefault(path, []), (start, end))
    return chosen


def _is_free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether none of some sorted spans, of different findings, touches a span."""
    place = bisect_left(taken, (end, 0))
    return place == 0 or max(stop for _, stop in taken[max(0, place - NESTED) : place]) <= start


NESTED = 8
"""Spans of one fix that may lie in each other."""


def _texts(workspace: Workspace, findings: Sequence[Finding]) -> dict[str, str]:
    edits: dict[str, list[Edit]] = {}
    for one in findings:
        for edit in _fix(one).edits:
            edits.setdefault(edit.path, []).append(edit)
    made = {}
    for path, cuts in edits.items():
        document = workspace.document(path)
        if document is not None:
            made[path] = edited(document.text, cuts)
    return made


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits made, none of which touches another."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _wrong(workspace: Workspace, done: Sequence[Finding], texts: Mapping[str, str]) -> list[Finding]:
    """Return the findings whose fixes must not be made: of a document that broke all, of lost statements theirs."""
    after: dict[str, Document] = {}
    wrong: list[Finding] = []
    for path, text in texts.items():
        document = workspace.document(path)
        assert document is not None
        after[path] = parse(path, document.encoded(text), document.kind, document.aliases)
        if _broken(document, after[path]) or _blurred(document, after[path], _edits(done, path)):
            wrong += [one for one in done if any(edit.path == path for edit in _fix(one).edits)]
    if wrong:
        return wrong
    lost = set(_lost(workspace, after))
    if not lost:
        return []
    copies = [one for one in done if one.code.startswith(LOSSLESS) and _takes(workspace, one, lost)]
    return [one for one in copies if one.score is None or not _keeps(workspace, one, after)]


def _keeps(workspace: Workspace, near: Finding, after: Mapping[str, Document]) -> bool:
    """Tell whether each window that loses a near copy has, and keeps, the statement that stays for it."""
    keeper = near.related[0] if near.related else None
    home = workspace.document(keeper.path) if keeper else None
    if keeper is None or home is None:
        return False
    said = {unit.normal for unit in home.units if keeper.line <= unit.line <= keeper.end_line}
    left = {unit.normal for unit in after.get(home.path, home).units}
    cut = {edit.path for edit in _fix(near).edits}
    windows = [loaded.paths for loaded in workspace.load_sets if cut.intersection(loaded.paths)]
    return said <= left and all(home.path in paths for paths in windows) and (bool(windows) or cut == {home.path})


def _broken(before: Document, after: Document) -> bool:
    """Tell whether a document lost its front matter, or has a fence or comment open that was not."""
    opened = sum(not block.closed for block in after.blocks) > sum(not block.closed for block in before.blocks)
    front = before.text[slice(*before.span(1, before.front.end_line))] if before.front else None
    new = after.text[slice(*after.span(1, after.front.end_line))] if after.front else None
    return opened or front != new


def _edits(done: Sequence[Finding], path: str) -> list[Edit]:
    return [edit for one in done for edit in _fix(one).edits if edit.path == path]


def _blurred(before: Document, after: Document, edits: Sequence[Edit]) -> bool:
    """Tell whether a statement that no edit touches is not one any more, as where two have run together."""
    left = {unit.normal for unit in after.units}
    spans = sorted((edit.start, max(edit.end, edit.start + 1)) for edit in edits)
    for unit in before.units:
        if unit.normal not in left:
            place = bisect_left(spans, (unit.end, 0))
            if not place or spans[place - 1][1] <= unit.start:
                return True
    return False


def _lost(workspace: Workspace, after: Mapping[str, Document]) -> Iterator[str]:
    """Yield statements that a window, or a document in none, had and has no more."""
    windows = [loaded.paths for loaded in workspace.load_sets if any(path in after for path in loaded.paths)]
    loaded = {path for paths in windows for path in paths}
    windows += [(path,) for path in after if path not in loaded]
    for paths in windows:
        before: Counter[str] = Counter()
        now: set[str] = set()
        for path in paths:
            document = workspace.document(path)
            if document is not None:
                before.update(unit.normal for unit in document.units if unit.sort != "heading")
                now.update(unit.normal for unit in after.get(path, document).units)
        yield from (normal for normal in before if normal and normal not in now)


def _takes(workspace: Workspace, finding: Finding, lost: set[str]) -> bool:
    """Tell whether a fix removes a statement that is lost."""
    for edit in _fix(finding).edits:
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
