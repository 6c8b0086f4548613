"""What there is to lint: directories and files that are named, a list of files, or what comes on stdin."""

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.trouble import Malformed, MissingInput


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


def held(data: bytes, name: str) -> dict[str, bytes]:
    """Return what came on stdin: files as JSON lines of ``path`` and ``text``, else one document of that name.

    Raises Malformed, with the line, where some lines are files and one is not.
    """
    rows = [line for line in data.split(b"\n") if line.strip()]
    if not rows or _file(rows[0]) is None:
        return {name: data}
    found: dict[str, bytes] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            row = _file(line)
            if row is None:
                raise Malformed(f"stdin: line {number} is no object with path and text")
            found[row[0]] = row[1].encode("utf-8", "surrogatepass")
    return found


def _file(line: bytes) -> tuple[str, str] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or not isinstance(value.get("text"), str):
        return None
    return os.path.normpath(value["path"]).replace(os.sep, "/"), value["text"]
