"""Find what drawn directories show although the history knows that it is gone (REF001)."""

from collections.abc import Iterator
from posixpath import dirname, join

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, WARNING
from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.references.drawn_trees import DirectoryDrawing, DrawnEntry, find_drawn_trees
from ctxkit.core.lint.references.excuses import is_build_path, says_gone, says_optional
from ctxkit.core.lint.references.introductions import find_introduction, introduces_gone, introduces_samples
from ctxkit.core.lint.references.past_sections import PastSections
from ctxkit.core.lint.references.paths import PathIndex, candidate_paths

MIN_ENTRIES = 3
"""Minimum entries of a drawing of the project: fewer may show anything."""
MAX_TOLD = 3
"""Maximum paths that a message names."""
Removal = tuple[DrawnEntry, RemovedPath]


def find_drawn_paths(document: MarkdownDocument, path_index: PathIndex, past: PastSections) -> Iterator[LintFinding]:
    """Yield a finding for each fence whose drawn directories show paths that were removed or renamed."""
    for block, trees in find_drawn_trees(document):
        introduction = find_introduction(document, block.line)
        if past.is_past(block.line) or introduces_gone(introduction) or introduces_samples(introduction):
            continue
        removals = [removal for tree in trees for removal in _find_removals(tree, dirname(document.path), path_index)]
        if removals:
            yield _make_finding(document, removals)


def _find_removals(tree: DirectoryDrawing, directory: str, path_index: PathIndex) -> list[Removal]:
    """Return the entries of a tree that are gone; none if most of it is not there: it shows something else."""
    removals: list[Removal] = []
    missing = 0
    for entry in tree.entries:
        names = (entry.path, join(tree.top.removeprefix("./"), entry.path))
        if any(path_index.exists(name, directory) for name in names):
            continue
        missing += 1
        if is_build_path(entry.path) or says_gone(entry.text) or says_optional(entry.text):
            continue
        places = [place for name in names for place in candidate_paths(name, directory)]
        if any(path_index.is_ignored(place) for place in places):
            continue
        past = next(filter(None, map(path_index.find_removal, places)), None)
        if past is not None:
            removals.append((entry, past))
    is_drawn = len(tree.entries) >= MIN_ENTRIES and missing <= len(tree.entries) - missing
    return removals if is_drawn else []


def _make_finding(document: MarkdownDocument, removals: list[Removal]) -> LintFinding:
    listed = ", ".join(_describe(*removal) for removal in removals[:MAX_TOLD])
    rest = len(removals) - MAX_TOLD
    count = f"{len(removals)} paths that are" if len(removals) > 1 else "a path that is"
    message = f"the drawn directories show {count} gone: {listed}{f', and {rest} more' if rest > 0 else ''}"
    first, *others = (entry for entry, _ in removals)
    return LintFinding(
        "REF001",
        WARNING if document.role is FileRole.MEMORY else ERROR,
        *(document.path, first.line, first.line, message),
        related=tuple(_locate(document, entry) for entry in others),
        essence="\n".join(entry.path for entry, _ in removals),
    )


def _locate(document: MarkdownDocument, entry: DrawnEntry) -> LineRange:
    return LineRange(document.path, entry.line, entry.line)


def _describe(entry: DrawnEntry, past: RemovedPath) -> str:
    what = f"renamed to {past.renamed_to}" if past.renamed_to else "removed"
    return f"`{entry.path}` ({what} in {past.commit}, {past.date})"
