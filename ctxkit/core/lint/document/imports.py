"""Find the imports of a document: ``@path`` outside of code."""

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import NamedTuple

from ctxkit.core.lint.document.inline import blank_code_spans
from ctxkit.core.lint.document.markdown import MarkdownDocument

MAX_IMPORT_DEPTH = 5
"""Maximum depth of imports in Claude Code ("Manage Claude's memory": recursively, at most five)."""
_IMPORT = re.compile(r"(?:^|(?<=[\s(]))@((?:~/|\.{0,2}/)?[\w.\-/\\]*[\w\-/])")
_FILE = re.compile(r"\.[A-Za-z][\w-]{0,9}$|/")


class Import(NamedTuple):
    """An import: its position (1-based), its text without the ``@``, and the path it refers to.

    ``path`` is relative to the workspace, and begins with ``..``, ``/`` or ``~`` if it is outside.
    """

    line: int
    column: int
    target: str
    path: str


def find_imports(document: MarkdownDocument) -> Iterator[Import]:
    """Yield the imports of a document in order; a word without a dot or slash is not a file."""
    if "@" not in document.text:
        return
    for number, start in enumerate(document.starts, 1):
        end = document.starts[number] if number < len(document.starts) else len(document.text)
        if document.text.find("@", start, end) < 0 or document.block_at(number):
            continue
        line = blank_code_spans(document.at(number))
        for match in _IMPORT.finditer(line):
            target = match[1].rstrip(".")
            if _FILE.search(target) and not re.match(r"[\w-]+/[\w-]+$", target):
                yield Import(number, match.start() + 1, target, resolve_import(document.path, target))


def resolve_import(path: str, target: str) -> str:
    """Return the path of an import in the file at ``path``."""
    if target.startswith(("~", "/")):
        return target
    return normpath(join(dirname(path), target.replace("\\", "/")))
