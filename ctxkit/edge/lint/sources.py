"""Resolve the input of the linter: directories, files, a list of files, or stdin."""

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.errors import MalformedInputError, MissingInputError, UsageError


class Target(NamedTuple):
    """A directory to lint, and the files in it that the user named; empty for all.

    ``prefix`` is the path from the current directory to it, for output.
    """

    root: str
    files: tuple[str, ...] = ()
    prefix: str = ""


def find_targets(paths: Sequence[str]) -> list[Target]:
    """Return the directories to lint, each once; files are linted in the project around them.

    Raise MissingInputError for a path that does not exist.
    """
    directories: dict[str, Target] = {}
    files: list[str] = []
    for path in paths or (".",):
        if os.path.isdir(path):
            root = os.path.normpath(path)
            directories.setdefault(root, Target(root, (), "" if root == "." else f"{root.replace(os.sep, '/')}/"))
        elif os.path.isfile(path):
            files.append(os.path.normpath(path))
        else:
            raise MissingInputError(f"{path}: no such file or directory")
    return [*directories.values(), *_find_file_targets(files)]


def _find_file_targets(files: Sequence[str]) -> list[Target]:
    """Return the projects of files: the current directory if they are below it, else their own directories."""
    by_root: dict[str, list[str]] = {}
    for path in dict.fromkeys(files):
        outside = os.path.isabs(path) or path.startswith("..")
        root = (os.path.dirname(path) or ".") if outside else "."
        by_root.setdefault(root, []).append(os.path.relpath(path, root).replace(os.sep, "/"))
    return [
        Target(root, tuple(names), "" if root == "." else f"{root.replace(os.sep, '/')}/")
        for root, names in by_root.items()
    ]


def resolve_stdin_name(path: str) -> str:
    """Return the path of a document on stdin relative to the current directory; raise UsageError if it is outside."""
    plain = (os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)).replace(os.sep, "/")
    if plain in (".", "..") or plain.startswith("../"):
        raise UsageError(f"--stdin-name {path} is not in the current directory")
    return plain


def parse_stdin(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files on stdin: JSON lines of ``path`` and ``text``, else one document called ``name``.

    Raise MalformedInputError with the line number if some lines are files and another is not, or is outside the
    workspace.
    """
    first = next((line for line in data.split(b"\n", MOST_BLANK) if line.strip()), b"")
    if _parse_file(first, 1) is None:
        return {name: data}
    files: dict[str, bytes] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            row = _parse_file(line, number)
            if row is None:
                raise MalformedInputError(f"stdin: line {number} is not an object with path and text")
            files[_check_inside(row[0], number)] = row[1].encode("utf-8", "surrogatepass")
    return files


MOST_BLANK = 1000
"""Maximum blank lines before the first object; a document may have more."""


def _check_inside(path: str, number: int) -> str:
    """Return a normalized path of stdin's list; raise MalformedInputError unless it is inside the workspace."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    if plain in ("", ".") or plain.startswith(("/", "../")) or plain == ".." or os.path.isabs(path) or "\0" in path:
        problem = "the path is not relative to the workspace, or leads out of it"
        raise MalformedInputError(f"stdin: line {number}: {problem}", hint='{"path": "AGENTS.md", "text": "..."}')
    return plain


def _parse_file(line: bytes, number: int) -> tuple[str, str] | None:
    """Return the path and the text of a file, or None if the line is not an object with both."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except RecursionError:
        raise MalformedInputError(f"stdin: line {number} is nested too deep") from None
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or not isinstance(value.get("text"), str):
        return None
    return value["path"], value["text"]
