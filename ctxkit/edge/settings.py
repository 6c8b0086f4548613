"""Settings: defaults < user file < project file < environment < flags, each with where it came from."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ctxkit.core import budget
from ctxkit.core.quantity import age_of, bytes_of
from ctxkit.core.trouble import BadSettings
from ctxkit.edge import places


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
        return value.lower() in ("1", "true", "yes", "on")
    raise ValueError("is not true or false")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not a whole number")
    try:
        number = int(value)
    except ValueError:
        raise ValueError("is not a whole number") from None
    if number < 0:
        raise ValueError("is negative")
    if number > 10**12:
        raise ValueError("is more than any window holds")
    return number


def _share(value: object) -> float:
    try:
        share = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise ValueError("is not a number between 0 and 1")
    return share


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not text")
    return str(value)


def _quantity(read: Callable[[str], float]) -> Callable[[object], str]:
    """Return a reader of ages or sizes that keeps their text, once it is known to be good."""

    def checked(value: object) -> str:
        """Return the text of a value that ``read`` understands; raise ValueError for any other."""
        text = _text(value)
        try:
            read(text)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{text!r} ")) from None
        return text

    return checked


KEYS: dict[str, tuple[Callable[[object], Any], Any]] = {
    "model": (_text, ""),
    "window": (_whole, 0),
    "context_budget": (_whole, 0),
    "reserve": (_text, ""),
    "max_output_tokens": (_whole, 0),
    "tokenizer": (_text, ""),
    "compact_trigger": (_share, budget.COMPACT_TRIGGER),
    "hard_block": (_share, budget.HARD_BLOCK),
    "briefing_cap": (_whole, budget.BRIEFING_CAP),
    "result_offload_threshold": (_whole, 4096),
    "tool_deferral_threshold": (_share, 0.10),
    "hint": (_text, "ctxkit"),
    "store": (_truth, True),
    "strict": (_truth, False),
    "events": (_text, ""),
    "cache_dir": (_text, ""),
    "data_dir": (_text, ""),
    "cache_max_age": (_quantity(age_of), "7d"),
    "cache_max_size": (_quantity(bytes_of), "2GB"),
}
"""Every setting: how its value is read, and its default. Environment names are CTXKIT_ and the key."""


PATHS = ("cache_dir", "data_dir", "events")
"""The settings that are paths."""


class Setting(NamedTuple):
    """Hold a value and where it came from: ``default``, a file with its line, or a variable."""

    value: Any
    source: str


class Settings:
    """Give each setting's value, the highest source winning."""

    def __init__(self, layers: list[Mapping[str, Setting]]) -> None:
        self._layers = layers

    def __getitem__(self, key: str) -> Any:
        return self.of(key).value

    def of(self, key: str) -> Setting:
        """Return a setting with its source."""
        for layer in self._layers:
            if key in layer:
                return layer[key]
        return Setting(KEYS[key][1], "default")


def load(environ: Mapping[str, str] = os.environ, directory: str = "") -> Settings:
    """Read the settings that hold in ``directory`` (the current one when empty).

    Raises BadSettings, naming file and line, when one cannot be understood.
    """
    project = _project(directory or _here())
    layers: list[Mapping[str, Setting]] = [_environment(environ)]
    if project:
        layers.append(_file(*project))
    user = places.settings_file()
    if os.path.isfile(user):
        layers.append(_file(user, _read(user), ()))
    return Settings(layers)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the directory was removed: there is no project here
        return os.sep


def _environment(environ: Mapping[str, str]) -> dict[str, Setting]:
    found = {}
    for key in KEYS:
        name = f"CTXKIT_{key.upper()}"
        if environ.get(name):
            found[key] = Setting(_placed(key, _value(key, environ[name], name), _here()), name)
    return found


def _value(key: str, value: object, where: str) -> Any:
    try:
        return KEYS[key][0](value)
    except ValueError as error:
        raise BadSettings(f"{where}: {key} = {value!r} {error}") from None


def _project(directory: str) -> tuple[str, bytes, tuple[str, ...]] | None:
    """Return the project's file, its bytes and the table in it: the nearest one upwards."""
    for folder in _upwards(directory):
        path = os.path.join(folder, ".ctxkit.toml")
        if os.path.isfile(path):
            return path, _read(path), ()
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            data = _read(path)
            if _ours(data):
                return path, data, ("tool", "ctxkit")
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


def _file(path: str, data: bytes, table: tuple[str, ...]) -> dict[str, Setting]:
    import tomllib

    try:
        values: Any = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(_located(path, str(error))) from None
    for name in table:
        values = values.get(name, {})
        if not isinstance(values, dict):
            raise BadSettings(f"{path}:{_line_of(data, name)}: {name} is not a table")
    return {key: _setting(path, data, key, value) for key, value in values.items()}


def _located(path: str, message: str) -> str:
    """Return a TOML error as ``path:line: what``; tomllib puts ``(at line 3, column 5)`` at the end."""
    what, _, place = message.partition(" (at ")
    line = place.removeprefix("line ").partition(",")[0]
    return f"{path}:{line}: {what}" if line.isdigit() else f"{path}: {message.rstrip('.')}"


def _setting(path: str, data: bytes, key: str, value: object) -> Setting:
    where = f"{path}:{_line_of(data, key)}"
    if key not in KEYS:
        from difflib import get_close_matches

        near = get_close_matches(key, KEYS, 1)
        raise BadSettings(f"{where}: unknown setting {key!r}", hint=f"did you mean {near[0]}?" if near else "")
    return Setting(_placed(key, _value(key, value, where), os.path.dirname(path)), where)


def _placed(key: str, value: Any, directory: str) -> Any:
    """Return a setting that is a path as an absolute one: relative ones begin where they are written."""
    if key not in PATHS or not value:
        return value
    return os.path.join(os.path.abspath(directory), os.path.expanduser(value))


def _line_of(data: bytes, key: str) -> int:
    """Return the line on which a key of ours is set, for messages: in a pyproject.toml, below our table's header."""
    name, lines = key.encode(), data.split(b"\n")
    ours = [number for number, line in enumerate(lines) if line.replace(b" ", b"").startswith(b"[tool.ctxkit]")]
    for number, line in list(enumerate(lines, 1))[ours[0] if ours else 0 :]:
        if line.strip().strip(b"\"'").startswith(name) and b"=" in line:
            return number
    return 1
