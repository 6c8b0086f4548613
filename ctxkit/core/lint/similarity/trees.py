"""Find files for different agents that are copies of each other, possibly drifted."""

from collections.abc import Iterator
from posixpath import dirname

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import INFO
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.duplicate_groups import is_significant

MIN_SHARED = 0.6
"""Minimum share of equal statements in two files of which one is a drifted copy."""
MIN_STATEMENTS = 5
"""Minimum statements of such files."""


def find_file_copies(workspace: Workspace, loads: LoadSetIndex) -> Iterator[LintFinding]:
    """Yield findings for files of one directory that are copies and that no agent loads together.

    They waste no tokens in any window, but must be kept equal by hand.
    """
    by_directory: dict[str, list[MarkdownDocument]] = {}
    for document in workspace.documents:
        if document.role in (FileRole.INSTRUCTIONS, FileRole.RULES) and _find_statements(document):
            by_directory.setdefault(_target_directory(document.path), []).append(document)
    for documents in by_directory.values():
        for number, document in enumerate(documents):
            earlier = [one for one in documents[:number] if not loads.has_common_set(one.path, document.path)]
            if earlier:
                yield from _compare_files(max(earlier, key=lambda one: _shared_ratio(one, document)), document)


def _target_directory(path: str) -> str:
    """Return the directory that a file applies to: for .github or .cursor/rules, their parent."""
    head = f"/{path}"
    for folder in ("/.github/", "/.cursor/", "/.claude/", "/.windsurf/", "/.clinerules/"):
        head = head.partition(folder)[0] + "/x" if folder in head else head
    return dirname(head)


def _find_statements(document: MarkdownDocument) -> set[str]:
    return {unit.normal for unit in document.units if is_significant(unit)}


def _shared_ratio(first: MarkdownDocument, second: MarkdownDocument) -> float:
    """Return the share of statements that two files have in common; 0 if either has too few."""
    mine, yours = _find_statements(first), _find_statements(second)
    return len(mine & yours) / len(mine | yours) if min(len(mine), len(yours)) >= MIN_STATEMENTS else 0.0


def _compare_files(first: MarkdownDocument, second: MarkdownDocument) -> Iterator[LintFinding]:
    share = _shared_ratio(first, second)
    if share < MIN_SHARED:
        return
    is_identical = share == 1.0
    differing = len(_find_statements(first) ^ _find_statements(second))
    yield LintFinding(
        "DUP005" if is_identical else "DUP006",
        INFO,
        *(second.path, 1, second.lines),
        f"same statements as {first.path}; no agent loads both, but somebody must keep them in sync"
        if is_identical
        else f"was a copy of {first.path}; {differing} statements differ now",
        related=(LineRange(first.path, 1, first.lines),),
        concept=f"{first.path} and {second.path}",
        score=None if is_identical else round(share, 2),
        essence=f"{first.path}\n{second.path}",
    )
