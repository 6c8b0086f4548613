"""Find the documents that run commands in a directory outside of the project, and the scripts that they run there."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import ProjectInfo, Workspace
from ctxkit.core.lint.references.calls import find_calls
from ctxkit.core.lint.references.paths import candidate_paths

_PLACE = compile_lazily(
    r"(?:(?<![\w-])cd[ ]|\b(?:from|in|inside)[ ]`)(?:\./)?(?P<path>[A-Za-z][\w.-]{0,60}(?:/[\w.-]{1,60}){1,8})/?"
    r"(?=[`\s;&)\"',]|$)"
)
"""Matches a directory of several names in which something is run; one name alone may be below any directory."""
_RUNNER = compile_lazily(r"\b(?:npm|pnpm|yarn|bun|make|just|poe)\b")


class ForeignCalls(NamedTuple):
    """The paths of such documents, and the names of the scripts that stand beside such a directory.

    The directory is neither there nor in the history: it belongs to another repository, as do its scripts, wherever
    another document names them.
    """

    documents: frozenset[str]
    scripts: frozenset[str]


def find_foreign_calls(workspace: Workspace) -> ForeignCalls:
    """Return the documents that run commands outside of the project, and the scripts that they run there."""
    paths: set[str] = set()
    names: set[str] = set()
    for document in workspace.documents:
        for line in _list_foreign_lines(document, workspace.project):
            paths.add(document.path)
            names.update(call.name for span in (line, *line.split("`")) for call in find_calls(span))
    return ForeignCalls(frozenset(paths), frozenset(names))


def _list_foreign_lines(document: MarkdownDocument, project: ProjectInfo) -> Iterator[str]:
    """Yield the lines that name such a directory, if a runner stands there or on the next line."""
    for match in _PLACE.finditer(document.text) if "/" in document.text else ():
        number = document.line_of(match.start())
        line = document.at(number)
        following = document.at(number + 1) if number < document.lines else ""
        if _RUNNER.search(line) or (_RUNNER.search(following) and "cd " in match[0]):
            places = list(candidate_paths(match["path"], document.path.rpartition("/")[0]))
            if not any(place in project.paths or project.history(place) for place in places):
                end = f"/{match['path']}"
                if not any(path.endswith(end) for path in project.paths):
                    yield line
