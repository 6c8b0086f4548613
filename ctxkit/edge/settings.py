"""Settings: defaults < user file < project file < environment < flags, each with where it came from."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ctxkit.core import budget
from ctxkit.core.quantity import age_of, bytes_of
from ctxkit.core.trouble import BadSettings
from ctxkit.edge import toml


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


def _texts(value: object) -> list[str]:
    """Return a list of texts; a variable of the environment gives one a line."""
    texts = [text for text in value.split("\n") if text.strip()] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("is not a list of texts")
    return texts


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


def _factors(value: object) -> dict[str, Any]:
    """Return what receipts taught, family by family, once each is known to be good."""
    from ctxkit.core.calibration import factor_of

    if not isinstance(value, dict):
        raise ValueError("is not a table of factors")
    return {name: factor_of(factor)._asdict() for name, factor in value.items()}


def _lint(value: object) -> dict[str, Any]:
    """Return what is said of linting, once it is known to be good."""
    from ctxkit.core.lint.control import control_of

    if not isinstance(value, dict):
        raise ValueError("is no table")
    control_of(value)
    return value


KEYS: dict[str, tuple[Callable[[object], Any], Any]] = {
    "model": (_text, ""),
    "session": (_text, ""),
    "window": (_whole, 0),
    "context_budget": (_whole, 0),
    "reserve": (_text, ""),
    "max_output_tokens": (_whole, 0),
    "tokenizer": (_text, ""),
    "calibration": (_factors, {}),
    "compact_trigger": (_share, budget.COMPACT_TRIGGER),
    "hard_block": (_share, budget.HARD_BLOCK),
    "briefing_cap": (_whole, budget.BRIEFING_CAP),
    "low_water": (_share, 0.5),
    "keep_recent": (_whole, 0),
    "keep_last": (_whole, 0),
    "summarizer": (_text, "extract"),
    "result_offload_threshold": (_whole, 4096),
    "tool_deferral_threshold": (_share, 0.10),
    "hint": (_text, "ctxkit"),
    "lint": (_lint, {}),
    "store": (_truth, True),
    "redact": (_truth, False),
    "never_store": (_texts, []),
    "strict": (_truth, False),
    "events": (_text, ""),
    "cache_dir": (_text, ""),
    "data_dir": (_text, ""),
    "cache_max_age": (_quantity(age_of), "7d"),
    "cache_max_size": (_quantity(bytes_of), "2GB"),
}
"""Every setting: how its value is read, and its default. Environment names are CTXKIT_ and the key."""


OF_MODEL = {"window": "window", "max_output": "max_output_tokens", "tokenizer": "tokenizer"}
"""What a file may say of one model in a table [models."NAME"], each with the setting that is read alike."""
MODELS = "models."
"""The beginning of a key that is said of a model."""
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
        return self._highest(key) or Setting(KEYS[key][1], "default")

    def first(self, *keys: str) -> tuple[str, Setting]:
        """Return which of the keys that mean one thing holds, and its setting.

        The highest source that gives any of them decides; of several in one source, the first key. A
        key set to nothing is not given.
        """
        for layer in self._layers:
            for key in keys:
                if key in layer and layer[key].value:
                    return key, layer[key]
        return keys[0], self.of(keys[0])

    def window(self, model: str = "") -> Setting:
        """Return the window in tokens that is set for a model or for all, 0 where none is."""
        return self.first(*self._of_model(model, "window"), "window", "context_budget")[1]

    def tokenizer(self, model: str = "") -> Setting:
        """Return the tokenizer that is set for a model or for all, empty where none is."""
        return self.first(*self._of_model(model, "tokenizer"), "tokenizer")[1]

    def of_model(self, model: str, key: str) -> Setting | None:
        """Return what is set for a model alone: its window, max_output or tokenizer, None where nothing is."""
        return next((found for own in self._of_model(model, key) if (found := self._highest(own))), None)

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
    environ: Mapping[str, str] = os.environ, directory: str = "", blame: Callable[[BadSettings], None] | None = None
) -> Settings:
    """Read the settings that hold in ``directory`` (the current one when empty).

    Raises BadSettings, naming file and line, when one cannot be understood; where ``blame`` is given
    it is called instead, and what can be understood holds.
    """
    blamed = blame or _raise
    layers: list[Mapping[str, Setting]] = [_environment(environ, blamed)]
    for find in (toml.project_file, toml.user_file):
        try:
            found = find(directory or _here())
            if found:
                layers.append(_file(found, blamed))
        except BadSettings as error:
            blamed(error)
    return Settings(layers)


def _raise(error: BadSettings) -> None:
    raise error


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the directory was removed: there is no project here
        return os.sep


def _environment(environ: Mapping[str, str], blame: Callable[[BadSettings], None]) -> dict[str, Setting]:
    found = {}
    for key in KEYS:
        name = f"CTXKIT_{key.upper()}"
        if environ.get(name):
            try:
                found[key] = Setting(_placed(key, _value(key, environ[name], name), _here()), name)
            except BadSettings as error:
                blame(error)
    return found


def _value(key: str, value: object, where: str) -> Any:
    try:
        return KEYS[key][0](value)
    except ValueError as error:
        said = key if key == "lint" and isinstance(value, dict) else f"{key} = {value!r}"
        raise BadSettings(f"{where}: {said} {error}") from None


def _file(found: toml.File, blame: Callable[[BadSettings], None]) -> dict[str, Setting]:
    settings = {}
    for keys, value, where in toml.entries(found):
        try:
            at = _inside(found, value) or where if keys == ("lint",) else where
            settings[".".join(keys)] = _setting(at, keys, value, os.path.dirname(found.path))
        except BadSettings as error:
            blame(error)
    return settings


def _inside(found: toml.File, value: object) -> str:
    """Return ``path:line`` of the key that cannot be understood in the table of linting, empty where all can."""
    from ctxkit.core.lint.control import faulty

    key = faulty(value) if isinstance(value, dict) else ""
    return f"{found.path}:{toml.lines_of(found.data).of((*found.table, 'lint', key))}" if key else ""


def _setting(where: str, keys: tuple[str, ...], value: object, directory: str) -> Setting:
    if keys[0] == "models" and len(keys) < 3:
        raise BadSettings(f"{where}: {'.'.join(keys)} is not a table", hint='as in [models."my-model"]')
    key, known = keys[-1], KEYS if len(keys) == 1 else OF_MODEL
    if key not in known:
        from difflib import get_close_matches

        near = get_close_matches(key, known, 1)
        raise BadSettings(f"{where}: unknown setting {key!r}", hint=f"did you mean {near[0]}?" if near else "")
    if len(keys) == 1:
        return Setting(_placed(key, _value(key, value, where), directory), where)
    return Setting(_placed(key, _value(OF_MODEL[key], value, where), directory), where)


def _is_path(tokenizer: str) -> bool:
    from ctxkit.edge.own import is_path

    return is_path(tokenizer)


def _placed(key: str, value: Any, directory: str) -> Any:
    """Return a setting that is a path as an absolute one: relative ones begin where they are written."""
    if not value or not (key in PATHS or (key == "tokenizer" and _is_path(value))):
        return value
    return os.path.join(os.path.abspath(directory), os.path.expanduser(value))
