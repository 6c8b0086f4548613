"""Parse TOML settings files with the lines of their keys, and restrict what a project's own file may set."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.errors import SettingsError
from ctxkit.edge.setting_definitions import KEYS, MODELS
from ctxkit.edge.trusted_dirs import is_trusted
from ctxkit.edge.user_dirs import SettingsFile, check_size, parse_toml

_DEEPEST = 16
"""Maximum parts of a key whose lines are recorded; no setting has more than five."""


def parse_document(path: str, data: bytes) -> dict[str, Any]:
    """Return the values of a TOML document; raise SettingsError if it is too large, ValueError if it is invalid."""
    return parse_toml(check_size(path, data))


def read_entries(file: SettingsFile) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each setting with its keys, its value, and ``path:line``.

    There is one key, two in the table agent, or three for a model. Raise SettingsError if the file is not TOML.
    """
    import tomllib

    try:
        values: Any = parse_toml(file.data)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(_locate_error(file, str(error))) from None
    except RecursionError:
        raise SettingsError(f"{file.path}: is nested too deeply") from None
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{file.path}:{line} is not UTF-8") from None
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


class KeyLines:
    """Map dotted paths of keys and tables to their 1-based lines."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers

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
            for _ in range(min(path.count("."), _DEEPEST)):  # a dotted key creates its parent tables
                path = path.rpartition(".")[0]
                known.setdefault(path, number)
    return KeyLines(known)


def _strip_quotes(path: str) -> str:
    """Return a dotted path without quotes and blanks."""
    return "".join(sign for sign in path if sign not in " \t\"'")


_DANGEROUS = (
    *("summarizer", "hint", "store", "server", "events", "cache_dir", "data_dir", "lint.baseline"),
    *("trusted", "redact", "never_store", "exclude", "include", "kinds", "strict", "model", "tokenizer"),
)
"""Settings that name a program, an address or a file, then those that protect content, the most dangerous first."""


class IgnoredSetting(NamedTuple):
    """An ignored setting of a project's file: key, value, source, and what a project may set instead.

    ``words`` is empty if a project may not set it at all.
    """

    key: str
    value: Any
    source: str
    words: str = ""

    def is_for_user_file(self) -> bool:
        """Return whether no project may set it, trusted or not."""
        return self.key in KEYS and (KEYS[self.key].user_file_only or KEYS[self.key].is_personal(self.value))

    def rank(self) -> tuple[int, bool]:
        """Return the place in a list with the most dangerous settings first; tables of models follow."""
        key = self.key.removeprefix("agent.")
        name = key.rpartition(".")[2] if key.startswith(MODELS) else key
        return (_DANGEROUS.index(name) if name in _DANGEROUS else len(_DANGEROUS)), key.startswith(MODELS)


class Restriction:
    """Removes the settings that a project's file may not set, and lists them."""

    def __init__(self, directory: str, trusted: Sequence[str]) -> None:
        self._directory = directory
        self._trusted = trusted
        self._answer: bool | None = None
        self.ignored: list[IgnoredSetting] = []

    def allows(self, key: str, name: str, value: Any, where: str) -> bool:
        """Return whether the file may contain a setting, whatever its value."""
        definition = KEYS[key]
        if definition.user_file_only or (definition.project is None and not self.is_trusted()):
            self.ignored.append(IgnoredSetting(name, value, where))
            return False
        return True

    def filter_value(self, key: str, name: str, value: Any, where: Callable[[str], str]) -> Any:
        """Return the allowed part of a value, None for nothing; ``where`` returns the source of a name."""
        permission = KEYS[key].project
        if KEYS[key].is_personal(value):
            self.ignored.append(IgnoredSetting(name, value, where(name)))
            return None
        kept = permission.allowed_part(value, self._directory) if permission else value
        if kept == value or self.is_trusted():
            return value
        words = permission.words if permission else ""
        if isinstance(kept, dict):
            removed = {f"{name}.{inner}": own for inner, own in value.items() if inner not in kept}
        else:
            removed = {name: value}
        self.ignored += (IgnoredSetting(part, own, where(part), words) for part, own in removed.items())
        return kept

    def is_trusted(self) -> bool:
        """Return whether the user trusts the directory of the file."""
        if self._answer is None:
            self._answer = is_trusted(self._directory, self._trusted)
        return self._answer
