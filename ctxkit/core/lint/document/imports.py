"""Find the imports of a document: ``@path`` outside of code.

Grammar of Claude Code (code.claude.com/docs/en/memory, read in November 2026): a path ends at the first blank without a
backslash, and imports in code are not followed. Claude Code searches the texts of emphasis and links one by one, so
that an import may begin behind their marks. Gemini CLI reads a path up to the next blank too (geminicli.com/docs/
reference/memport).
"""

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.inline import blank_code_spans
from ctxkit.core.lint.document.markdown import MarkdownDocument

MOST_HOPS = 5
"""Maximum number of imports in a chain that any host follows."""
_IMPORT = compile_lazily(r"(?:^|(?<=[\s*_~\[]))@((?:[^\s\\]|\\ )+)")
_PATH = compile_lazily(r"(?:~/|\.{0,2}/|[\w.-])[^@]*$")
_FILE = compile_lazily(r"\.[A-Za-z][\w-]{0,9}$|/")
_PACKAGE = compile_lazily(r"[\w-]+/[\w-]+$")


class Import(NamedTuple):
    """An import: its position (1-based), its text without the ``@``, and the path it refers to.

    ``path`` is relative to the workspace, and begins with ``..``, ``/`` or ``~`` if it is outside. It need not be a
    file: a host tries to read any word behind an ``@``.
    """

    line: int
    column: int
    target: str
    path: str

    @property
    def is_file_name(self) -> bool:
        """Return whether the target has a suffix or a directory, and is not the name of a package with a scope."""
        return bool(_FILE.search(self.target)) and not _PACKAGE.match(self.target)


def find_imports(document: MarkdownDocument) -> Iterator[Import]:
    """Yield the imports of a document in order."""
    if "@" not in document.text:
        return
    for number, start in enumerate(document.starts, 1):
        end = document.starts[number] if number < len(document.starts) else len(document.text)
        if document.text.find("@", start, end) < 0 or document.block_at(number):
            continue
        line = blank_code_spans(document.at(number))
        for match in _IMPORT.finditer(line):
            target = _cut_at_mark(match[1], line[match.start() - 1 : match.start()])
            path = target.replace("\\ ", " ").partition("#")[0]
            if _PATH.match(path):
                yield Import(number, match.start() + 1, target, resolve_import(document.path, path))


def _cut_at_mark(target: str, mark: str) -> str:
    """Return a target without the end of the emphasis or link that began with ``mark``, "" or a blank for none."""
    if mark == "_":  # inside a word it is no mark
        return target.rpartition("_")[0] or target
    return target.partition("]" if mark == "[" else mark)[0] if mark in ("*", "~", "[") else target


def resolve_import(path: str, target: str) -> str:
    """Return the path of an import in the file at ``path``."""
    if target.startswith(("~", "/")):
        return target
    return normpath(join(dirname(path), target.replace("\\", "/")))
