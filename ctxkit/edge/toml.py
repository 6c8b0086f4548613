"""The TOML files that settings stand in, and on which line each stands, which tomllib does not say."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ctxkit.core.trouble import BadSettings
from ctxkit.edge import places

LARGEST = 1 << 20
"""Bytes of a settings file; a larger one is not one that somebody wrote."""
MOST_STEPS = 2_000_000
"""Steps that keys of many parts may cost tomllib, which is quadratic in them: some tenths of a second."""
DEEPEST = 16
"""Parts of a key whose lines are told apart; no setting has more than five."""


class File(NamedTuple):
    """Hold a file's path, its bytes, and the keys that lead to the table of settings in it."""

    path: str
    data: bytes
    table: tuple[str, ...]


class Foreign(Exception):  # noqa: N818 (it is no error to be told of)
    """A project's file belongs to neither the user nor root."""


def user_file(_directory: str = "") -> File | None:
    """Return the user's file, if there is one; it is the same in every directory."""
    path = places.settings_file()
    return File(path, _bounded(path, _read(path)), ()) if os.path.isfile(path) else None


def project_file(directory: str, foreign: list[str] | None = None) -> File | None:
    """Return the project's file: the nearest one, upwards from ``directory``.

    Files of other users are passed over, and added to ``foreign``.
    """
    for folder in _upwards(directory):
        path = os.path.join(folder, ".ctxkit.toml")
        if os.path.isfile(path):
            try:
                return File(path, _bounded(path, _read(path, own=True)), ())
            except Foreign:
                _add(foreign, path)
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            data = _read(path)
            if b"ctxkit" not in data:
                continue
            if _is_foreign(path):
                _add(foreign, path)
            elif _ours(_bounded(path, data)):
                return File(path, data, ("tool", "ctxkit"))
    return None


def _add(foreign: list[str] | None, path: str) -> None:
    if foreign is not None:
        foreign.append(path)


def _ours(data: bytes) -> bool:
    """Tell whether a pyproject.toml has a table of ours; one that is broken may have, and is told of later."""
    try:
        tool = _values(data).get("tool", {})
    except (ValueError, RecursionError):
        return True
    return not isinstance(tool, dict) or "ctxkit" in tool


@lru_cache(maxsize=2)
def _values(data: bytes) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(data.decode("utf-8-sig"))


def _upwards(directory: str) -> Iterator[str]:
    """Yield a directory and those above it, up to the top of its repository or file system."""
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory or os.path.exists(os.path.join(directory, ".git")):
            return
        directory = above


_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # a pipe or a device must not hold the call up
    _FLAGS |= getattr(os, _name, 0)


def _read(path: str, *, own: bool = False) -> bytes:
    """Return the bytes of a regular file, at most one more than LARGEST.

    Raises Foreign where it must be the user's ``own`` and is not.
    """
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise BadSettings(f"{path}: is not a regular file")
            if own and (_is_others(status) or _is_foreign(path)):
                raise Foreign(path)
            return file.read(LARGEST + 1)
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from error


def _is_foreign(path: str) -> bool:
    """Tell whether a file, or a link to it, belongs to neither the user nor root; or is gone meanwhile."""
    try:
        return _is_others(os.lstat(path)) or _is_others(os.stat(path))
    except OSError:
        return True


def _is_others(status: os.stat_result) -> bool:
    user = getattr(os, "geteuid", None)
    return user is not None and status.st_uid not in (0, user())


def _bounded(path: str, data: bytes) -> bytes:
    """Return the bytes of a settings file; raises BadSettings if there are too many, or keys of too many parts."""
    if len(data) > LARGEST:
        raise BadSettings(f"{path}: is larger than {LARGEST >> 10:,} KB")
    lines = data.split(b"\n")
    parts = max(line.count(b".") for line in lines)
    if parts * (parts + len(lines)) > MOST_STEPS:
        raise BadSettings(f"{path}: has keys of too many parts")
    return data


def entries(file: File) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each setting with its keys, its value, and ``path:line``.

    The keys are one; or three for what is said of a model, or two for what stands in the table agent. Raises
    BadSettings when the file is no TOML.
    """
    import tomllib

    try:
        values: Any = _values(file.data)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(_located(file, str(error))) from None
    except RecursionError:
        raise BadSettings(f"{file.path}: is nested too deeply") from None
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        raise BadSettings(f"{file.path}:{line}: is not UTF-8") from None
    except ValueError:  # what tomllib lets through of int()
        raise BadSettings(f"{file.path}: has a number of too many digits") from None
    lines = lines_of(file.data)
    for depth, name in enumerate(file.table, 1):
        values = values.get(name, {})
        if not isinstance(values, dict):
            raise BadSettings(f"{file.path}:{lines.of(file.table[:depth])}: {name} is not a table")
    for keys, value in _leaves(values):
        yield keys, value, f"{file.path}:{lines.of((*file.table, *keys))}"


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of a file with its keys: one, two in the table agent, three for what is said of a model."""
    for key, value in values.items():
        if key == "models" and isinstance(value, dict):
            yield from _of_models(value)
        elif key == "agent" and isinstance(value, dict):
            yield from (((key, inner), own) for inner, own in value.items())
        else:
            yield (key,), value


def _of_models(models: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, model in models.items():
        if isinstance(model, dict):
            yield from ((("models", name, inner), own) for inner, own in model.items())
        else:
            yield ("models", name), model


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


def place_of(file: File, name: str) -> str:
    """Return ``path:line`` of a dotted key of the settings in a file."""
    return f"{file.path}:{lines_of(file.data).of((*file.table, *name.split('.')))}"


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
            for _ in range(min(path.count("."), DEEPEST)):  # a dotted key makes the tables it runs through
                path = path.rpartition(".")[0]
                known.setdefault(path, number)
    return Lines(known)


def _plain(path: str) -> str:
    """Return a dotted path without quotes and blanks."""
    return "".join(sign for sign in path if sign not in " \t\"'")
