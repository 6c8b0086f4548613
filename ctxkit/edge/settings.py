"""Settings: defaults < user file < project file < environment < flags, each with where it came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.core.escapes import escape_line
from ctxkit.core.trouble import BadSettings, Trouble
from ctxkit.edge import places
from ctxkit.edge.keys import KEYS, MODELS, OF_MODEL, shown
from ctxkit.edge.layers import Project, Setting, here, read

if TYPE_CHECKING:
    from ctxkit.edge.restriction import Ignored

__all__ = ["KEYS", "MODELS", "OF_MODEL", "Setting", "Settings", "load", "load_for_filter"]
MOST_NAMED = 8
"""Ignored settings that one warning names."""


def _raise(error: Trouble) -> None:
    raise error


class Settings:
    """Give each setting's value, the highest source winning.

    ``blame`` is called with a setting that turns out to be wrong when it is used; where it returns, the default holds.
    """

    def __init__(self, layers: Sequence[Mapping[str, Setting]], project: Project | None = None) -> None:
        self._layers = layers
        self.project = project or Project()
        self.blame: Callable[[Trouble], None] = _raise

    def __getitem__(self, key: str) -> Any:
        return self.of(key).value

    def of(self, key: str) -> Setting:
        """Return a setting with its source."""
        return self._highest(key) or Setting(KEYS[key].default, "default")

    def first(self, *keys: str, beside: tuple[str, ...] = ()) -> tuple[str, Setting]:
        """Return which of the keys that mean one thing holds, and its setting.

        The highest source that gives any of them decides; of several in one source, the first key. A
        key set to nothing is not given, nor is a key ``beside`` those that a project may decide.
        """
        for layer in self._layers:
            for key in keys:
                if key in layer and layer[key].value and not (layer is self.project.layer and key in beside):
                    return key, layer[key]
        key = next(key for key in keys if key in KEYS)
        return key, Setting(KEYS[key].default, "default")

    def window(self, model: str = "", *, typed: bool = False) -> Setting:
        """Return the window in tokens that is set for a model or for all, 0 where none is.

        A model that is ``typed`` on the command line wins over what a project says of all models.
        """
        general = ("window", "context_budget")
        return self.first(*self._of_model(model, "window"), *general, beside=general if typed else ())[1]

    def tokenizer(self, model: str = "") -> Setting:
        """Return the tokenizer that is set for a model or for all, empty where none is."""
        return self.first(*self._of_model(model, "tokenizer"), "tokenizer")[1]

    def of_model(self, model: str, key: str) -> Setting | None:
        """Return what is set for a model alone: its window, max_output or tokenizer, None where nothing is."""
        return next((found for own in self._of_model(model, key) if (found := self._highest(own))), None)

    def is_of_user(self, key: str, value: Any) -> bool:
        """Tell whether a value stands in the environment or in the user's file, whatever a project says."""
        users = (layer for layer in self._layers if layer is not self.project.layer)
        return any(key in layer and layer[key].value == value for layer in users)

    def models(self) -> list[str]:
        """Return the names of the models that the files describe, as they are written there."""
        keys = [key for layer in self._layers for key in layer if key.startswith(MODELS)]
        return list(dict.fromkeys(key.removeprefix(MODELS).rpartition(".")[0] for key in keys))

    def described(self, model: str) -> str:
        """Return the name under which the files describe a model, empty where they do not.

        A name with a provider's prefix is meant for that provider alone.
        """
        names = self.models() if model else []
        if not names or model in names:
            return model if model in names else ""
        from ctxkit.core.spelling import fold

        plain = fold(model.rstrip("/").rpartition("/")[2])
        same = [name for name in names if name.lower() == model.lower()]
        return next((name for name in [*same, *(name for name in names if fold(name) == plain)]), "")

    def _of_model(self, model: str, key: str) -> tuple[str, ...]:
        name = self.described(model)
        return (f"{MODELS}{name}.{key}",) if name else ()

    def _highest(self, key: str) -> Setting | None:
        return next((layer[key] for layer in self._layers if key in layer), None)


def load(
    environ: Mapping[str, str] = os.environ, directory: str = "", blame: Callable[[Trouble], None] | None = None
) -> Settings:
    """Read the settings that hold in ``directory`` (the current one when empty).

    Raises BadSettings, naming file and line, when one cannot be understood; where ``blame`` is given
    it is called instead, and what can be understood holds. What is ignored of a project's file is a warning,
    unless ``blame`` is given.
    """
    loaded = Settings(*read(environ, directory or here(), blame or _raise))
    if blame is None:
        _announce(loaded)
    return loaded


def load_for_filter(*, strict: bool = False, session: str | None = None) -> Settings:
    """Read the settings for a command that passes content on: what is wrong is a warning, and its default holds.

    The warning is given once in a session, else once in an hour. If it is ``strict``, BadSettings is raised.
    """
    faults: list[Trouble] = []
    loaded = Settings(*read(os.environ, here(), faults.append))
    _announce(loaded)
    in_session = session or str(loaded["session"])
    told: set[str] = set()

    def warn(error: Trouble) -> None:
        """Say that a default holds, unless it was said."""
        if strict or loaded["strict"]:
            raise BadSettings(str(error), hint=error.hint)
        if str(error) in told:
            return
        told.add(str(error))
        _warn(loaded, f"{error}; the default holds", in_session)

    if faults:
        more = f" (and {len(faults) - 1} more: see ctxkit doctor)" if len(faults) > 1 else ""
        warn(BadSettings(f"{faults[0]}{more}", hint=faults[0].hint))
    loaded.blame = warn
    return loaded


def _warn(settings: Settings, message: str, session: str) -> None:
    from ctxkit.edge import notices

    about, seconds = session.encode("utf-8", "replace"), notices.EVER if session else notices.HOUR
    notices.warn_once(message, about, settings["data_dir"] or places.data_dir(), seconds)


def _announce(settings: Settings) -> None:
    """Warn of what is ignored of a project's file: once for each file and content."""
    project = settings.project
    if not project.ignored and not project.foreign:
        return
    from ctxkit.edge import notices

    folder = settings["data_dir"] or places.data_dir()
    for path in project.foreign:
        notices.warn_once(f"{escape_line(path)}: is not read: it belongs to another user", b"", folder)
    data = project.file.data if project.file else b""
    own = [each for each in project.ignored if each.is_for_user_file()]
    others = [each for each in project.ignored if each not in own]
    if own:
        notices.warn_once(f"ignored, as only the user's own file may say it: {_named(own)}", data, folder)
    if others:
        hint = "ctxkit trust shows what they would do, and lets them hold"
        notices.warn_once(f"ignored, as this project is not trusted: {_named(others)}", data, folder, hint=hint)


def _named(ignored: Sequence[Ignored]) -> str:
    """Return the keys and places of settings; of many, the first."""
    more = f" and {len(ignored) - MOST_NAMED} more" if len(ignored) > MOST_NAMED else ""
    return ", ".join(f"{shown(each.key)} ({escape_line(each.source)})" for each in ignored[:MOST_NAMED]) + more
