"""What there is to lint: directories and files that are named, a list of files, or what comes on stdin."""

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.trouble import Malformed, MissingInput, Misuse


class Target(NamedTuple):
    """Name a directory to lint, and the files in it that are asked for: all where there is none.

    ``prefix`` leads from the current directory to it, for output.
    """

    root: str
    asked: tuple[str, ...] = ()
    prefix: str = ""


def targets(paths: Sequence[str]) -> list[Target]:
    """Return the directories to lint, each once; files are linted in the project around them.

    Raises MissingInput for a path that is not there.
    """
    made: dict[str, Target] = {}
    files: list[str] = []
    for path in paths or (".",):
        if os.path.isdir(path):
            root = os.path.normpath(path)
            made.setdefault(root, Target(root, (), "" if root == "." else f"{root.replace(os.sep, '/')}/"))
        elif os.path.isfile(path):
            files.append(os.path.normpath(path))
        else:
            raise MissingInput(f"{path}: no such file or directory")
    return [*made.values(), *_of_files(files)]


def _of_files(files: Sequence[str]) -> list[Target]:
    """Return the projects of files: the current directory where they are below it, else their own directories."""
    by_root: dict[str, list[str]] = {}
    for path in dict.fromkeys(files):
        outside = os.path.isabs(path) or path.startswith("..")
        root = (os.path.dirname(path) or ".") if outside else "."
        by_root.setdefault(root, []).append(os.path.relpath(path, root).replace(os.sep, "/"))
    return [
        Target(root, tuple(asked), "" if root == "." else f"{root.replace(os.sep, '/')}/")
        for root, asked in by_root.items()
    ]


def listed(data: bytes) -> list[str]:
    """Return the paths in a list, one a line, or with a NUL after each."""
    text = os.fsdecode(data)
    return [path for path in (text.split("\0") if "\0" in text else text.splitlines()) if path.strip()]


def stdin_name(path: str) -> str:
    """Return the path of a document on stdin relative to the current directory; raises Misuse if it is outside."""
    plain = (os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)).replace(os.sep, "/")
    if plain in (".", "..") or plain.startswith("../"):
        raise Misuse(f"--stdin-name {path} is not in the current directory")
    return plain


def held(data: bytes, name: str) -> dict[str, bytes]:
    """Return what came on stdin: files as JSON lines of ``path`` and ``text``, else one document of that name.

    Raises Malformed, with the line, where some lines are files and one is not, or leads out of the workspace.
    """
    first = next((line for line in data.split(b"\n", MOST_BLANK) if line.strip()), b"")
    if _file(first, 1) is None:
        return {name: data}
    found: dict[str, bytes] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            row = _file(line, number)
            if row is None:
                raise Malformed(f"stdin: line {number} is no object with path and text")
            found[_inside(row[0], number)] = row[1].encode("utf-8", "surrogatepass")
    return found


MOST_BLANK = 1000
"""Blank lines before the first object; a document may have more."""


def _inside(path: str, number: int) -> str:
    """Return a path of stdin's list in its plain form; raises Malformed unless it names a file in the workspace."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    if plain in ("", ".") or plain.startswith(("/", "../")) or plain == ".." or os.path.isabs(path) or "\0" in path:
        said = "the path is not relative to the workspace, or leads out of it"
        raise Malformed(f"stdin: line {number}: {said}", hint='{"path": "AGENTS.md", "text": "..."}')
    return plain


def _file(line: bytes, number: int) -> tuple[str, str] | None:
    """Return the path and the text of a file, None for what is not an object with both."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except RecursionError:
        raise Malformed(f"stdin: line {number} is nested too deep") from None
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or not isinstance(value.get("text"), str):
        return None
    return value["path"], value["text"]
