"""Files that say the same for different agents: whole copies, and copies that have drifted apart."""

from collections.abc import Iterator
from posixpath import dirname

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Finding, Place
from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.rule import INFO
from ctxkit.core.lint.twins import telling
from ctxkit.core.lint.workspace import Workspace

SHARED = 0.6
"""Share of the statements of two files that are the same before the one is a copy of the other that drifted."""
FEWEST = 5
"""Statements that such files have at least."""


def copies(workspace: Workspace, loads: Loads) -> Iterator[Finding]:
    """Yield files of one directory that no agent loads together and that are, or were, copies of one another.

    They waste nothing in any window; but they have to be kept the same by hand.
    """
    beside: dict[str, list[Document]] = {}
    for document in workspace.documents:
        if document.kind in (Kind.INSTRUCTIONS, Kind.RULES) and _statements(document):
            beside.setdefault(_home(document.path), []).append(document)
    for documents in beside.values():
        for number, document in enumerate(documents):
            earlier = [one for one in documents[:number] if not loads.together(one.path, document.path)]
            if earlier:
                yield from _compared(max(earlier, key=lambda one: _share(one, document)), document)


def _home(path: str) -> str:
    """Return the directory that a file speaks for: that of .github or .cursor/rules is the one they are in."""
    head = f"/{path}"
    for folder in ("/.github/", "/.cursor/", "/.claude/", "/.windsurf/", "/.clinerules/"):
        head = head.partition(folder)[0] + "/x" if folder in head else head
    return dirname(head)


def _statements(document: Document) -> set[str]:
    return {unit.normal for unit in document.units if telling(unit)}


def _share(one: Document, two: Document) -> float:
    """Return the share of the statements of two files that both have; none where they have too few."""
    mine, yours = _statements(one), _statements(two)
    return len(mine & yours) / len(mine | yours) if min(len(mine), len(yours)) >= FEWEST else 0.0


def _compared(one: Document, two: Document) -> Iterator[Finding]:
    share = _share(one, two)
    if share < SHARED:
        return
    whole = share == 1.0
    differing = len(_statements(one) ^ _statements(two))
    yield Finding(
        "DUP005" if whole else "DUP006",
        INFO,
        *(two.path, 1, two.lines),
        f"says the same as {one.path}; no agent loads both, but they have to be kept alike by hand"
        if whole
        else f"was a copy of {one.path}; {differing} statements now differ",
        related=(Place(one.path, 1, one.lines),),
        concept=f"{one.path} and {two.path}",
        score=None if whole else round(share, 2),
        essence=f"{one.path}\n{two.path}",
    )
