"""Resolve settings: defaults < user file < project file < environment < flags, each with its source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import CtxkitError, SettingsError
from ctxkit.edge import say, user_dirs
from ctxkit.edge.setting_definitions import KEYS, MODELS, OF_MODEL, format_value
from ctxkit.edge.setting_layers import (
    LostProtectionError,
    ProjectSettings,
    Setting,
    read_layers,
    working_directory,
)

if TYPE_CHECKING:
    from ctxkit.edge.settings_file import IgnoredSetting
    from ctxkit.edge.user_models import UserModels

__all__ = ["KEYS", "MODELS", "OF_MODEL", "Setting", "Settings", "load", "load_for_filter"]
MOST_MODELS = 8
"""Maximum number of ignored settings in tables of models that a warning names; all others are named."""


_STRICTEST = {"redact": True, "store": False}
"""Values that apply if the user's settings for protection cannot be read."""


def _raise(error: CtxkitError) -> None:
    raise error


class Settings:
    """The settings; the highest layer wins, and the user's table of models is below all layers.

    ``blame`` is called with a setting that turns out invalid on use; if it returns, the default applies.
    """

    def __init__(
        self,
        layers: Sequence[Mapping[str, Setting]],
        project: ProjectSettings | None = None,
        table: UserModels | None = None,
    ) -> None:
        self._files, self._table = layers, table
        self._layers: list[Mapping[str, Setting]] = [*filter(None, layers), *([table] if table is not None else ())]
        self.project = project or ProjectSettings()
        self.blame: Callable[[CtxkitError], None] = _raise
        self.is_protection_lost = False
        """Whether a setting that protects content cannot be read: all content is redacted, and none is stored."""
        self.report_limit: Callable[[str], None] = lambda _message: None
        """Is called with the message that a size of a project's file is limited."""
        self.is_strict = bool(self["strict"])
        """Whether the call fails where it would else go on with a warning; an option can set it."""

    def __getitem__(self, key: str) -> Any:
        if self.is_protection_lost and key in _STRICTEST:
            return _STRICTEST[key]
        setting = self._find_highest(key)
        return KEYS[key].default if setting is None else setting.value

    def lookup(self, key: str) -> Setting:
        """Return a setting with its source."""
        return self._find_highest(key) or Setting(KEYS[key].default, "default")

    def lookup_first(self, *keys: str, user_keys: tuple[str, ...] = ()) -> tuple[str, Setting]:
        """Return the first set key among keys of the same meaning, and its setting.

        The highest layer that sets any of them wins; within a layer, the first key. An empty value does not count, nor
        does a project's value for one of ``user_keys``.
        """
        for layer in self._layers:
            for key in keys:
                if key in layer and layer[key].value and not (layer is self.project.layer and key in user_keys):
                    return key, layer[key]
        key = next(key for key in keys if key in KEYS)
        return key, Setting(KEYS[key].default, "default")

    def window(self, model: str = "", *, typed: bool = False) -> Setting:
        """Return the window in tokens that is set for a model or for all, 0 if none is.

        A model that is ``typed`` on the command line overrides a project's window for all models.
        """
        general = ("window", "context_budget")
        return self.lookup_first(*self._model_keys(model, "window"), *general, user_keys=general if typed else ())[1]

    def tokenizer(self, model: str = "") -> Setting:
        """Return the tokenizer that is set for a model or for all, "" if none is."""
        return self.lookup_first(*self._model_keys(model, "tokenizer"), "tokenizer")[1]

    def lookup_for_model(self, model: str, key: str) -> Setting | None:
        """Return the setting of a single model (window, max_output or tokenizer), None if there is none."""
        return next(
            (setting for model_key in self._model_keys(model, key) if (setting := self._find_highest(model_key))), None
        )

    def is_set_by_user(self, key: str, value: Any) -> bool:
        """Return whether the environment or the user's file sets a value, regardless of a project."""
        users = (layer for layer in self._layers if layer is not self.project.layer)
        return any(key in layer and layer[key].value == value for layer in users)

    def without_project(self) -> Settings:
        """Return the settings as they are without the project's file."""
        layers = [layer for layer in self._files if layer is not self.project.layer]
        own = Settings(layers, table=self._table)
        own.blame, own.is_protection_lost = self.blame, self.is_protection_lost
        return own

    def limit_size(self, setting: Setting, size: float, least: float, most: float) -> float:
        """Return a size within limits if it is of a project that the user does not trust; report a change."""
        limited, key = min(max(size, least), most), self.project.find_limited_key(setting)
        if limited == size or not key:
            return size
        self.report_limit(f"{setting.source}: {key} = {format_value(setting.value)} counts as {limited:,}")
        return limited

    def models(self) -> list[str]:
        """Return the names of the models in the files and in the user's table, as written there."""
        table = (model.name for model in self._table.models()) if self._table is not None else ()
        return list(dict.fromkeys((*self._list_file_models(), *table)))

    def find_model_name(self, model: str) -> str:
        """Return the name under which the files or the user's table describe a model, "" if they do not.

        A name with a provider's prefix applies only to this provider.
        """
        return next(self._find_model_names(model), "")

    def _find_model_names(self, model: str) -> Iterator[str]:
        """Yield the names of a model in the files and in the user's table."""
        name = self._find_file_model(model)
        if name:
            yield name
        listed = self._table.find_name(model) if self._table is not None else ""
        if listed and listed != name:
            yield listed

    def _list_file_models(self) -> list[str]:
        keys = [key for layer in self._files for key in layer if key.startswith(MODELS)]
        return list(dict.fromkeys(key.removeprefix(MODELS).rpartition(".")[0] for key in keys))

    def _find_file_model(self, model: str) -> str:
        names = self._list_file_models() if model else []
        if not names or model in names:
            return model if model in names else ""
        from ctxkit.core.models.model_aliases import fold_spelling

        plain = fold_spelling(model.rstrip("/").rpartition("/")[2])
        same = [name for name in names if name.lower() == model.lower()]
        return next((name for name in [*same, *(name for name in names if fold_spelling(name) == plain)]), "")

    def _model_keys(self, model: str, key: str) -> tuple[str, ...]:
        return tuple(f"{MODELS}{name}.{key}" for name in self._find_model_names(model))

    def _find_highest(self, key: str) -> Setting | None:
        for layer in self._layers:
            if key in layer:
                return layer[key]
        return None


def load(
    environ: Mapping[str, str] = os.environ, directory: str = "", blame: Callable[[CtxkitError], None] | None = None
) -> Settings:
    """Read the settings for ``directory`` (the current one if empty).

    Raise SettingsError with file and line if one is invalid. If ``blame`` is given, call it instead and keep the valid
    settings. Warn of ignored settings of a project's file, unless ``blame`` is given.
    """
    loaded = Settings(*read_layers(environ, directory or working_directory(), blame or _raise), _open_table())
    if blame is None:
        _warn_of_ignored(loaded)
        loaded.report_limit = lambda message: _warn_of_limit(loaded, message)
    return loaded


def load_for_filter(*, strict: bool = False, session: str | None = None) -> Settings:
    """Read the settings for a filter command: warn of an invalid setting, and use its default.

    Warn once per session, else once per hour. If ``strict``, raise SettingsError.
    """
    faults: list[CtxkitError] = []
    loaded = Settings(*read_layers(os.environ, working_directory(), faults.append), _open_table())
    _warn_of_ignored(loaded)
    loaded.report_limit = lambda message: _warn_of_limit(loaded, message)
    session_name = session or str(loaded["session"])
    warned: set[str] = set()

    def warn(error: CtxkitError) -> None:
        """Warn once that a default applies; raise SettingsError if strict."""
        if strict or loaded["strict"]:
            raise SettingsError(str(error), hint=error.hint)
        if str(error) in warned:
            return
        warned.add(str(error))
        _warn_once(loaded, f"{error}; the default is used", session_name)

    lost = next((fault for fault in faults if isinstance(fault, LostProtectionError)), None)
    if lost is not None and not (strict or loaded["strict"]):
        loaded.is_protection_lost = True
        say.warn(f"{lost}; until this is corrected, content is redacted and not stored")
    elif faults:
        more = f" (and {len(faults) - 1} more: see ctxkit doctor)" if len(faults) > 1 else ""
        warn(SettingsError(f"{faults[0]}{more}", hint=faults[0].hint))
    loaded.blame = warn
    loaded.is_strict |= strict
    return loaded


def _open_table() -> UserModels | None:
    """Return the user's table of models, None if there is none; it is read when a model is looked up."""
    path = user_dirs.models_file()
    if not os.path.isfile(path):
        return None
    from ctxkit.edge.user_models import UserModels

    return UserModels(path)


def _warn_once(settings: Settings, message: str, session: str) -> None:
    from ctxkit.edge import notices

    about, seconds = session.encode("utf-8", "replace"), notices.EVER if session else notices.HOUR
    notices.warn_once(notices.Notice(message, about), settings["data_dir"] or user_dirs.data_dir(), seconds)


def _warn_of_ignored(settings: Settings) -> None:
    """Warn of ignored settings of a project's file, once per file and content."""
    project = settings.project
    if not project.ignored and not project.foreign:
        return
    from ctxkit.core.text.escapes import escape_line
    from ctxkit.edge import notices

    folder = settings["data_dir"] or user_dirs.data_dir()
    for path in project.foreign:
        message = f"{escape_line(path)}: is ignored, because it belongs to another user"
        notices.warn_once(notices.Notice(message), folder)
    data = project.file.data if project.file else b""
    user_only = [setting for setting in project.ignored if setting.is_for_user_file()]
    others = [setting for setting in project.ignored if setting not in user_only]
    if user_only:
        cause = "ignored, because only your own settings file may set it"
        notices.warn_once(notices.Notice(f"{cause}: {_list_keys(user_only)}", data), folder)
    if others:
        from ctxkit.edge.trusted_dirs import trusts_nothing

        hint = "ctxkit trust shows what they would do, and can allow them"
        cause = "ignored, because this project is not trusted"
        if trusts_nothing():
            hint, cause = "", "ignored, because a request reads only harmless settings of a project"
        notices.warn_once(notices.Notice(f"{cause}: {_list_keys(others)}", data, hint), folder)


def _warn_of_limit(settings: Settings, message: str) -> None:
    """Warn that a size of a project's file is limited, once per file and content."""
    from ctxkit.core.text.escapes import escape_line
    from ctxkit.edge import notices

    data = settings.project.file.data if settings.project.file else b""
    cause = "because this project is not trusted"
    notice = notices.Notice(f"{escape_line(message)}, {cause}", data)
    notices.warn_once(notice, settings["data_dir"] or user_dirs.data_dir())


def _list_keys(ignored: Sequence[IgnoredSetting]) -> str:
    """Return the keys and sources of settings; of many in tables of models, only the first."""
    from ctxkit.core.text.escapes import escape_line

    of_models = [setting for setting in ignored if setting.key.startswith(MODELS)]
    hidden = of_models[MOST_MODELS:]
    names = [
        f"{format_value(setting.key)} ({escape_line(setting.source)})" for setting in ignored if setting not in hidden
    ]
    return ", ".join(names) + (f" and {len(hidden)} more in tables of models" if hidden else "")
