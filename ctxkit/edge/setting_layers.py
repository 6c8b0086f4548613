"""Read the layers of settings: the environment, a project's file, the user's file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import CtxkitError, SettingsError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import user_dirs
from ctxkit.edge.setting_definitions import AGENT_KEYS, KEYS, OF_MODEL, PATH_KEYS, format_value
from ctxkit.edge.user_dirs import SettingsFile

if TYPE_CHECKING:
    from ctxkit.edge.settings_file import IgnoredSetting, Restriction

PREFIX = "CTXKIT_"
"""Beginning of the names of variables that set a key."""
MOST_FAULTS = 50
"""Errors in a file after which the rest is not read: finding suggestions takes time."""
Blame = Callable[[CtxkitError], None]
"""Reports an invalid setting."""


PROTECTIVE = ("redact", "never_store", "store")
"""Settings by which the user asks for protection of content."""


class LostProtectionError(SettingsError):
    """The user's settings cannot be read, or one that protects content: the strictest apply."""


class Setting(NamedTuple):
    """A value and its source: ``default``, a file with its line, or a variable."""

    value: Any
    source: str


class ProjectSettings:
    """The settings of a project's file, those that are ignored, and files of other users that were not read."""

    def __init__(
        self,
        file: SettingsFile | None = None,
        layer: Mapping[str, Setting] | None = None,
        ignored: tuple[IgnoredSetting, ...] = (),
        foreign: tuple[str, ...] = (),
        *,
        is_trusted: bool = False,
    ) -> None:
        self.file, self.layer, self.ignored, self.foreign = file, layer or {}, ignored, foreign
        self.is_trusted = is_trusted

    def find_limited_key(self, setting: Setting) -> str:
        """Return the key of a setting of this project, "" for any other setting, or if the user trusts the project."""
        if self.is_trusted:
            return ""
        return next((key for key, own in self.layer.items() if own is setting), "")

    @property
    def directory(self) -> str:
        """Return the directory of the file, "" if there is none."""
        return os.path.dirname(self.file.path) if self.file else ""


def read_layers(
    environ: Mapping[str, str], directory: str, blame: Blame
) -> tuple[list[Mapping[str, Setting]], ProjectSettings]:
    """Return the layers of settings for a directory, the highest first, and the project's settings."""
    environment = _read_environment(environ, _escape_blame(blame))
    faults: list[CtxkitError] = []  # of the user's file, read first for its trusted directories
    user = _read_user_layer(faults.append)
    trusted = user["trusted"].value if "trusted" in user else ()
    project = _read_project(directory, trusted, _escape_blame(blame))
    for fault in faults:
        _escape_blame(blame)(fault)
    return [environment, project.layer, user], project


def _escape_blame(blame: Blame) -> Blame:
    """Return a function that escapes text from a file in an error before it calls ``blame``."""

    def blame_escaped(error: CtxkitError) -> None:
        """Report an error whose text is escaped."""
        from ctxkit.core.text.escapes import escape_line

        blame(type(error)(escape_line(str(error)), hint=escape_line(error.hint)))

    return blame_escaped


def _read_user_layer(blame: Blame) -> dict[str, Setting]:
    try:
        file = user_dirs.read_user_file()
        return _read_file(file, blame) if file else {}
    except SettingsError as error:
        blame(LostProtectionError(str(error), hint=error.hint))
        return {}


def _read_project(directory: str, trusted: Sequence[str], blame: Blame) -> ProjectSettings:
    foreign: list[str] = []
    try:
        file = user_dirs.read_project_file(directory, foreign)
        if file:
            from ctxkit.edge.settings_file import IgnoredSetting, Restriction

            restriction = Restriction(os.path.dirname(file.path), trusted)
            layer = _read_file(file, blame, restriction)
            ignored = sorted(restriction.ignored, key=IgnoredSetting.rank)
            return ProjectSettings(
                file, layer, tuple(ignored), tuple(foreign), is_trusted=bool(layer) and restriction.is_trusted()
            )
    except SettingsError as error:
        blame(error)
    return ProjectSettings(foreign=tuple(foreign))


def working_directory() -> str:
    """Return the working directory, the root if it was removed."""
    try:
        return os.getcwd()
    except OSError:  # the directory was removed: there is no project
        return os.sep


def _read_environment(environ: Mapping[str, str], blame: Blame) -> dict[str, Setting]:
    """Return the settings of the variables that are set; most calls have none, and look no setting up."""
    if not any(name.startswith(PREFIX) for name in environ):
        return {}
    settings = {}
    for key, definition in KEYS.items():
        name = f"{PREFIX}{key.upper()}"
        if environ.get(name) and not definition.user_file_only:
            try:
                settings[key] = Setting(
                    _resolve_path(key, _read_value(key, environ[name], name), working_directory()), name
                )
            except SettingsError as error:
                blame(LostProtectionError(str(error), hint=error.hint) if key in PROTECTIVE else error)
    return settings


def _read_value(key: str, value: object, where: str) -> Any:
    try:
        return KEYS[key].read(value)
    except ValueError as error:
        text = f"'{format_value(value)}'" if isinstance(value, str) else format_value(value)
        is_structured = key in ("kinds", "lint", "trusted") and isinstance(value, dict | list)
        description = key if is_structured else f"{key} = {text}"
        raise SettingsError(f"{where}: {description} {error}") from None


def _read_file(file: SettingsFile, blame: Blame, restriction: Restriction | None = None) -> dict[str, Setting]:
    """Return the settings in a file, without those that a restriction removes."""
    from ctxkit.edge import settings_file

    settings: dict[str, Setting] = {}
    of_agent: dict[str, Setting] = {}
    faults = 0
    for keys, value, where in settings_file.read_entries(file):
        try:
            setting = _read_setting(file, keys, value, where, restriction)
        except SettingsError as error:
            is_lost = restriction is None and _is_protective(keys[-1])
            blame(LostProtectionError(str(error), hint=error.hint) if is_lost else error)
            faults += 1
            if faults == MOST_FAULTS:
                too_many = f"{file.path}: too many errors, the rest is not read"
                blame(SettingsError(too_many) if restriction else LostProtectionError(too_many))
                break
            continue
        if setting and keys[0] == "agent":
            of_agent[keys[1]] = setting
        elif setting:
            settings[".".join(keys)] = setting
    return {**of_agent, **settings}


def _read_setting(
    file: SettingsFile, keys: tuple[str, ...], value: object, where: str, restriction: Restriction | None
) -> Setting | None:
    """Return a setting, None if it is not allowed; raise SettingsError if it is invalid."""
    from ctxkit.edge import settings_file

    key, name = _resolve_key(where, keys), ".".join(keys)
    if restriction and not restriction.allows(key, name, value, where):
        return None
    place = _find_lint_fault(file, value) or where if key == "lint" else where
    effective = _read_value(key, value, place)
    directory = os.path.dirname(file.path)
    if restriction:
        effective = restriction.filter_value(
            key, name, effective, lambda part: where if part == name else settings_file.locate_key(file, part)
        )
        if key == "lint" and effective.get("baseline"):
            effective = {**effective, "baseline": os.path.join(os.path.abspath(directory), effective["baseline"])}
    return None if effective is None else Setting(_resolve_path(key, effective, directory), place)


def _is_protective(key: str) -> bool:
    """Return whether a key, perhaps misspelt, protects content."""
    from difflib import get_close_matches

    return bool(get_close_matches(key, PROTECTIVE, 1, 0.8))


def _find_lint_fault(file: SettingsFile, value: object) -> str:
    """Return ``path:line`` of the invalid key in a table of lint settings, "" if all are valid."""
    from ctxkit.core.lint.lint_settings import find_bad_key
    from ctxkit.edge import settings_file

    key = find_bad_key(value) if isinstance(value, dict) else ""
    return settings_file.locate_key(file, f"lint.{key}") if key else ""


def _resolve_key(where: str, keys: tuple[str, ...]) -> str:
    """Return the setting of a key in a file; raise SettingsError if there is none."""
    if keys in (("models",), ("agent",)) or (keys[0] == "models" and len(keys) < 3):
        hint = 'as in [models."my-model"]' if keys[0] == "models" else "as in [agent]"
        raise SettingsError(f"{where}: {'.'.join(keys)} is not a table", hint=hint)
    key = keys[-1]
    known: Sequence[str] = (tuple(KEYS), AGENT_KEYS, tuple(OF_MODEL))[len(keys) - 1]
    if key not in known:
        from difflib import get_close_matches

        near = get_close_matches(key, known, 1)
        raise SettingsError(f"{where}: unknown setting {key[:80]!r}", hint=f"did you mean {near[0]}?" if near else "")
    return OF_MODEL[key] if len(keys) == 3 else key


def _is_path(key: str, value: Any) -> bool:
    """Return whether the value of a setting is a path."""
    if key != "tokenizer":
        return key in PATH_KEYS
    from ctxkit.edge.custom_vocabulary import is_path

    return is_path(value)


def _resolve_path(key: str, value: Any, directory: str) -> Any:
    """Return the value of a setting; make a path absolute, relative to the file's directory."""
    if not value or not _is_path(key, value):
        return value
    return os.path.join(os.path.abspath(directory), os.path.expanduser(value))
