"""The places that settings come from, each read into a layer: the environment, a project's file, the user's file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.escapes import escape_line
from ctxkit.core.trouble import BadSettings, Trouble
from ctxkit.edge import toml
from ctxkit.edge.keys import AGENT, KEYS, OF_MODEL, PATHS, is_path, shown

if TYPE_CHECKING:
    from ctxkit.edge.restriction import Ignored, Restriction

MOST_FAULTS = 50
"""Faults in one file after which the rest of it is not read: looking for what was meant takes a while."""
Blame = Callable[[Trouble], None]
"""Say that a setting cannot be understood."""


class Setting(NamedTuple):
    """Hold a value and where it came from: ``default``, a file with its line, or a variable."""

    value: Any
    source: str


class Project(NamedTuple):
    """Hold what a project's file says, what of it does not hold, and the files of other users that were not read."""

    file: toml.File | None = None
    layer: Mapping[str, Setting] = {}
    ignored: tuple[Ignored, ...] = ()
    foreign: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        """Return the directory of the file, empty where there is none."""
        return os.path.dirname(self.file.path) if self.file else ""


def read(environ: Mapping[str, str], directory: str, blame: Blame) -> tuple[list[Mapping[str, Setting]], Project]:
    """Return the layers of settings that hold in a directory, the highest first, and the project among them."""
    environment = _environment(environ, _escaping(blame))
    faults: list[Trouble] = []  # of the user's file, which is read first: it says whom to trust
    user = _user_layer(faults.append)
    trusted = user["trusted"].value if "trusted" in user else ()
    project = _project(directory, trusted, _escaping(blame))
    for fault in faults:
        _escaping(blame)(fault)
    return [environment, project.layer, user], project


def _escaping(blame: Blame) -> Blame:
    """Return what blames after it has escaped what a file may have put into the message."""
    return lambda error: blame(type(error)(escape_line(str(error)), hint=escape_line(error.hint)))


def _user_layer(blame: Blame) -> dict[str, Setting]:
    try:
        found = toml.user_file()
        return _file(found, blame) if found else {}
    except BadSettings as error:
        blame(error)
        return {}


def _project(directory: str, trusted: Sequence[str], blame: Blame) -> Project:
    foreign: list[str] = []
    try:
        found = toml.project_file(directory, foreign)
        if found:
            from ctxkit.edge.restriction import Restriction

            restriction = Restriction(os.path.dirname(found.path), trusted)
            layer = _file(found, blame, restriction)
            return Project(found, layer, tuple(restriction.ignored), tuple(foreign))
    except BadSettings as error:
        blame(error)
    return Project(foreign=tuple(foreign))


def here() -> str:
    """Return the working directory."""
    try:
        return os.getcwd()
    except OSError:  # the directory was removed: there is no project here
        return os.sep


def _environment(environ: Mapping[str, str], blame: Blame) -> dict[str, Setting]:
    found = {}
    for key, definition in KEYS.items():
        name = f"CTXKIT_{key.upper()}"
        if environ.get(name) and not definition.user_file_only:
            try:
                found[key] = Setting(_placed(key, _value(key, environ[name], name), here()), name)
            except BadSettings as error:
                blame(error)
    return found


def _value(key: str, value: object, where: str) -> Any:
    try:
        return KEYS[key].read(value)
    except ValueError as error:
        text = f"'{shown(value)}'" if isinstance(value, str) else shown(value)
        said = key if key in ("lint", "trusted") and isinstance(value, dict | list) else f"{key} = {text}"
        raise BadSettings(f"{where}: {said} {error}") from None


def _file(
    found: toml.File, blame: Blame, restriction: Restriction | None = None
) -> dict[str, Setting]:
    """Return what a file says, without what a restriction leaves out of it."""
    settings: dict[str, Setting] = {}
    of_agent: dict[str, Setting] = {}
    faults = 0
    for keys, value, where in toml.entries(found):
        try:
            setting = _setting(found, keys, value, where, restriction)
        except BadSettings as error:
            blame(error)
            faults += 1
            if faults == MOST_FAULTS:
                blame(BadSettings(f"{found.path}: too much is wrong, and what follows is not read"))
                break
            continue
        if setting and keys[0] == "agent":
            of_agent[keys[1]] = setting
        elif setting:
            settings[".".join(keys)] = setting
    return {**of_agent, **settings}


def _setting(
    found: toml.File, keys: tuple[str, ...], value: object, where: str, restriction: Restriction | None
) -> Setting | None:
    """Return a setting, None where nothing of it may hold; raises BadSettings where it cannot be understood."""
    key, name = _known(where, keys), ".".join(keys)
    if restriction and not restriction.allows(key, name, value, where):
        return None
    at = _inside(found, value) or where if key == "lint" else where
    kept = _value(key, value, at)
    directory = os.path.dirname(found.path)
    if restriction:
        kept = restriction.permitted(
            key, name, kept, lambda part: where if part == name else toml.place_of(found, part)
        )
        if key == "lint" and kept.get("baseline"):
            kept = {**kept, "baseline": os.path.join(os.path.abspath(directory), kept["baseline"])}
    return None if kept is None else Setting(_placed(key, kept, directory), at)


def _inside(found: toml.File, value: object) -> str:
    """Return ``path:line`` of the key that cannot be understood in the table of linting, empty where all can."""
    from ctxkit.core.lint.control import faulty

    key = faulty(value) if isinstance(value, dict) else ""
    return toml.place_of(found, f"lint.{key}") if key else ""


def _known(where: str, keys: tuple[str, ...]) -> str:
    """Return the setting that keys of a file mean; raises BadSettings where there is none."""
    if keys in (("models",), ("agent",)) or (keys[0] == "models" and len(keys) < 3):
        hint = 'as in [models."my-model"]' if keys[0] == "models" else "as in [agent]"
        raise BadSettings(f"{where}: {'.'.join(keys)} is not a table", hint=hint)
    key = keys[-1]
    known: Sequence[str] = (tuple(KEYS), AGENT, tuple(OF_MODEL))[len(keys) - 1]
    if key not in known:
        from difflib import get_close_matches

        near = get_close_matches(key, known, 1)
        raise BadSettings(f"{where}: unknown setting {key[:80]!r}", hint=f"did you mean {near[0]}?" if near else "")
    return OF_MODEL[key] if len(keys) == 3 else key


def _placed(key: str, value: Any, directory: str) -> Any:
    """Return a setting that is a path as an absolute one: relative ones begin where they are written."""
    if not value or not (key in PATHS or (key == "tokenizer" and is_path(value))):
        return value
    return os.path.join(os.path.abspath(directory), os.path.expanduser(value))
