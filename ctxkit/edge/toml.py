"""Read TOML settings files, and find the line of each key, which tomllib does not report."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ctxkit.core.errors import SettingsError
from ctxkit.edge import user_dirs

LARGEST = 1 << 20
"""Maximum bytes of a settings file; a larger one was not written by a person."""
MOST_STEPS = 2_000_000
"""Maximum steps of tomllib for dotted keys, for which it takes quadratic time: some tenths of a second."""
DEEPEST = 16
"""Maximum parts of a key whose lines are recorded; no setting has more than five."""


class SettingsFile(NamedTuple):
    """A file's path, its bytes, and the keys of the settings table in it."""

    path: str
    data: bytes
    table: tuple[str, ...]


class ForeignFile(Exception):  # noqa: N818 (not an error to report)
    """A project's file belongs to neither the user nor root."""


def read_user_file(_directory: str = "") -> SettingsFile | None:
    """Return the user's file, or None if there is none; it is the same in every directory."""
    path = user_dirs.settings_file()
    return SettingsFile(path, _check_size(path, _read_file(path)), ()) if os.path.isfile(path) else None


def read_project_file(directory: str, foreign: list[str] | None = None) -> SettingsFile | None:
    """Return the nearest project file, upwards from ``directory``, or None.

    Skip files of other users, and add them to ``foreign``.
    """
    for folder in _list_parents(directory):
        path = os.path.join(folder, ".ctxkit.toml")
        if os.path.isfile(path):
            try:
                return SettingsFile(path, _check_size(path, _read_file(path, must_own=True)), ())
            except ForeignFile:
                _add_foreign(foreign, path)
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            data = _read_file(path)
            if b"ctxkit" not in data:
                continue
            if _is_foreign(path):
                _add_foreign(foreign, path)
            elif _has_our_table(_check_size(path, data)):
                return SettingsFile(path, data, ("tool", "ctxkit"))
    return None


def _add_foreign(foreign: list[str] | None, path: str) -> None:
    if foreign is not None:
        foreign.append(path)


def _has_our_table(data: bytes) -> bool:
    """Return whether a pyproject.toml has a table of ctxkit; True for a broken file, which is reported later."""
    try:
        tool = _parse_toml(data).get("tool", {})
    except (ValueError, RecursionError):
        return True
    return not isinstance(tool, dict) or "ctxkit" in tool


@lru_cache(maxsize=2)
def _parse_toml(data: bytes) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(data.decode("utf-8-sig"))


def parse_document(path: str, data: bytes) -> dict[str, Any]:
    """Return the values of a TOML document; raise SettingsError if it is too large, ValueError if it is invalid."""
    return _parse_toml(_check_size(path, data))


def _list_parents(directory: str) -> Iterator[str]:
    """Yield a directory and its parents, up to the top of its repository or file system."""
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory or os.path.exists(os.path.join(directory, ".git")):
            return
        directory = above


_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # opening a pipe or a device must not block
    _FLAGS |= getattr(os, _name, 0)


def _read_file(path: str, *, must_own: bool = False) -> bytes:
    """Return the bytes of a regular file, at most one more than ``LARGEST``.

    Raise ForeignFile if the user ``must_own`` it and does not.
    """
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SettingsError(f"{path}: is not a regular file")
            if must_own and (_is_others(status) or _is_foreign(path)):
                raise ForeignFile(path)
            return file.read(LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error


def _is_foreign(path: str) -> bool:
    """Return whether a file, or a link to it, belongs to neither the user nor root, or was removed."""
    try:
        return _is_others(os.lstat(path)) or _is_others(os.stat(path))
    except OSError:
        return True


def _is_others(status: os.stat_result) -> bool:
    user = getattr(os, "geteuid", None)
    return user is not None and status.st_uid not in (0, user())


def _check_size(path: str, data: bytes) -> bytes:
    """Return the bytes of a settings file; raise SettingsError for too many bytes or parts of a key."""
    if len(data) > LARGEST:
        raise SettingsError(f"{path}: is larger than {LARGEST >> 10:,} KB")
    lines = data.split(b"\n")
    parts = max(line.count(b".") for line in lines)
    if parts * (parts + len(lines)) > MOST_STEPS:
        raise SettingsError(f"{path}: has keys of too many parts")
    return data


def read_entries(file: SettingsFile) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each setting with its keys, its value, and ``path:line``.

    There is one key, two in the table agent, or three for a model. Raise SettingsError if the file is not TOML.
    """
    import tomllib

    try:
        values: Any = _parse_toml(file.data)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(_locate_error(file, str(error))) from None
    except RecursionError:
        raise SettingsError(f"{file.path}: is nested too deeply") from None
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{file.path}:{line}: is not UTF-8") from None
    except ValueError:  # raised by int() inside tomllib
        raise SettingsError(f"{file.path}: has a number of too many digits") from None
    lines = find_key_lines(file.data)
    for depth, name in enumerate(file.table, 1):
        values = values.get(name, {})
        if not isinstance(values, dict):
            raise SettingsError(f"{file.path}:{lines.find(file.table[:depth])}: {name} is not a table")
    for keys, value in _flatten(values):
        yield keys, value, f"{file.path}:{lines.find((*file.table, *keys))}"


def _flatten(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of a file with its keys: one, two in the table agent, three for a model."""
    for key, value in values.items():
        if key == "models" and isinstance(value, dict):
            yield from _flatten_models(value)
        elif key == "agent" and isinstance(value, dict):
            yield from (((key, inner), own) for inner, own in value.items())
        else:
            yield (key,), value


def _flatten_models(models: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, model in models.items():
        if isinstance(model, dict):
            yield from ((("models", name, inner), own) for inner, own in model.items())
        else:
            yield ("models", name), model


def _locate_error(file: SettingsFile, message: str) -> str:
    """Return a TOML error as ``path:line: message``; tomllib appends ``(at line 3, column 5)`` or ``(at end of
    document)``.
    """
    what, _, place = message.rpartition(" (at ")
    line = place.removeprefix("line ").partition(",")[0]
    if not line.isdigit():
        line = str(file.data.rstrip().count(b"\n") + 1)
    return f"{file.path}:{line}: {what or message}"


class KeyLines(NamedTuple):
    """Map dotted paths of keys and tables to their 1-based lines."""

    numbers: dict[str, int]

    def find(self, keys: tuple[str, ...]) -> int:
        """Return the line of a key, or of the nearest table around a key in an inline table."""
        for depth in range(len(keys), 0, -1):
            if (line := self.numbers.get(".".join(keys[:depth]))) is not None:
                return line
        return 1


def locate_key(file: SettingsFile, name: str) -> str:
    """Return ``path:line`` of a dotted key of the settings in a file."""
    return f"{file.path}:{find_key_lines(file.data).find((*file.table, *name.split('.')))}"


def find_key_lines(data: bytes) -> KeyLines:
    """Return the lines of the keys and tables in a valid TOML file, the first of each name."""
    known: dict[str, int] = {}
    table = ""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if text.startswith("["):
            table = _strip_quotes(text.partition("]")[0].strip("["))
            known.setdefault(table, number)
        elif "=" in text and not text.startswith("#"):
            key = _strip_quotes(text.partition("=")[0])
            path = f"{table}.{key}" if table else key
            known.setdefault(path, number)
            for _ in range(min(path.count("."), DEEPEST)):  # a dotted key creates its parent tables
                path = path.rpartition(".")[0]
                known.setdefault(path, number)
    return KeyLines(known)


def _strip_quotes(path: str) -> str:
    """Return a dotted path without quotes and blanks."""
    return "".join(sign for sign in path if sign not in " \t\"'")
