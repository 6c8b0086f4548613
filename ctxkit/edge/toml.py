"""The TOML files that settings stand in, and on which line each stands, which tomllib does not say."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ctxkit.core.trouble import BadSettings
from ctxkit.edge import places


class File(NamedTuple):
    """Hold a file's path, its bytes, and the keys that lead to the table of settings in it."""

    path: str
    data: bytes
    table: tuple[str, ...]


def user_file(_directory: str) -> File | None:
    """Return the user's file, if there is one; it is the same in every directory."""
    path = places.settings_file()
    return File(path, _read(path), ()) if os.path.isfile(path) else None


def project_file(directory: str) -> File | None:
    """Return the project's file: the nearest one, upwards from ``directory``."""
    for folder in _upwards(directory):
        path = os.path.join(folder, ".ctxkit.toml")
        if os.path.isfile(path):
            return File(path, _read(path), ())
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            data = _read(path)
            if _ours(data):
                return File(path, data, ("tool", "ctxkit"))
    return None


def _ours(data: bytes) -> bool:
    """Tell whether a pyproject.toml has a table of ours; one that is broken may have, and is told of later."""
    if b"ctxkit" not in data:
        return False
    import tomllib

    try:
        tool = tomllib.loads(data.decode("utf-8-sig")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return True
    return not isinstance(tool, dict) or "ctxkit" in tool


def _upwards(directory: str) -> Iterator[str]:
    """Yield a directory and those above it, up to the top of its repository or file system."""
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory or os.path.exists(os.path.join(directory, ".git")):
            return
        directory = above


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from error


def entries(file: File) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each setting: its keys (one, or three for what is said of a model), its value, and ``path:line``.

    Raises BadSettings when the file is no TOML.
    """
    import tomllib

    try:
        values: Any = tomllib.loads(file.data.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(_located(file, str(error))) from None
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        raise BadSettings(f"{file.path}:{line}: is not UTF-8") from None
    lines = lines_of(file.data)
    for depth, name in enumerate(file.table, 1):
        values = values.get(name, {})
        if not isinstance(values, dict):
            raise BadSettings(f"{file.path}:{lines.of(file.table[:depth])}: {name} is not a table")
    for keys, value in _leaves(values):
        yield keys, value, f"{file.path}:{lines.of((*file.table, *keys))}"


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of a file with its keys: one, or three for what is said of a model."""
    for key, value in values.items():
        for name, model in value.items() if key == "models" and isinstance(value, dict) else ():
            for inner, own in model.items() if isinstance(model, dict) else ():
                yield (key, name, inner), own
            if not isinstance(model, dict):
                yield (key, name), model
        if key != "models" or not isinstance(value, dict):
            yield (key,), value


def _located(file: File, message: str) -> str:
    """Return a TOML error as ``path:line: what``; tomllib says at its end ``(at line 3, column 5)``, or of document."""
    what, _, place = message.rpartition(" (at ")
    line = place.removeprefix("line ").partition(",")[0]
    if not line.isdigit():
        line = str(file.data.rstrip().count(b"\n") + 1)
    return f"{file.path}:{line}: {what or message}"


class Lines(NamedTuple):
    """Map dotted paths of keys and tables to their 1-based lines."""

    known: dict[str, int]

    def of(self, keys: tuple[str, ...]) -> int:
        """Return the line of a key; of the nearest table around it where it stands in one written inline."""
        for depth in range(len(keys), 0, -1):
            if (line := self.known.get(".".join(keys[:depth]))) is not None:
                return line
        return 1


def lines_of(data: bytes) -> Lines:
    """Return where the keys and tables of a file that tomllib has read stand, the first of each name."""
    known: dict[str, int] = {}
    table = ""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if text.startswith("["):
            table = _plain(text.partition("]")[0].strip("["))
            known.setdefault(table, number)
        elif "=" in text and not text.startswith("#"):
            key = _plain(text.partition("=")[0])
            path = f"{table}.{key}" if table else key
            known.setdefault(path, number)
            while "." in path:  # a dotted key makes the tables it runs through
                path = path.rpartition(".")[0]
                known.setdefault(path, number)
    return Lines(known)


def _plain(path: str) -> str:
    """Return a dotted path without quotes and blanks."""
    return "".join(sign for sign in path if sign not in " \t\"'")
