"""The user's table of models: the lowest layer of settings, which ctxkit models update writes.

A line of ``models.jsonl`` beside the user's settings is a model. ``key`` is its name in the spelling in which names are
compared, so that a model is looked up by a search of the text: a registry has thousands of models, and a command needs
the figures of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ctxkit.edge.setting_definitions import MODELS
from ctxkit.edge.setting_layers import Setting

LARGEST = 16_000_000
"""Maximum bytes of the file; of a larger one nothing is used."""

MOST_SEARCHES = 30
"""Number of searches after which an index of all models costs less."""


class UserModel(NamedTuple):
    """A line of the table: figures that are 0 are unknown; ``source`` and ``as_of`` say where and when it was read."""

    name: str
    window: int
    max_output: int = 0
    input_price: float = 0.0
    as_of: str = ""
    source: str = ""

    def encode(self) -> bytes:
        """Return the model as a line."""
        import json

        return json.dumps({"key": _fold(self.name), **self._asdict()}, separators=(",", ":")).encode() + b"\n"


class UserModels(Mapping[str, Setting]):
    """The settings ``models.NAME.KEY`` of the table in a file, which is read on first use."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lookups = 0

    @cached_property
    def _data(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError:
            return b""
        return data if len(data) <= LARGEST else b""

    def find_name(self, model: str) -> str:
        """Return the name of a model in the table, "" if it has none; a prefix of a host may be missing there."""
        if not model or not self._data:
            return ""
        keys = (_fold(model), _fold(model.rstrip("/").rpartition("/")[2]))
        return next((line.name for key in keys if (line := self._find("key", key))), "")

    def models(self) -> Iterator[UserModel]:
        """Yield the models; a line that is damaged is none."""
        return filter(None, map(_parse, self._data.splitlines()))

    def _find(self, member: str, text: str) -> UserModel | None:
        """Return the model with a member: of few by a search of the text, of many by an index."""
        self._lookups += 1
        if self._lookups > MOST_SEARCHES:
            return self._index.get((member, text))
        return self._search(member, text)

    @cached_property
    def _index(self) -> dict[tuple[str, str], UserModel]:
        """The models by their names and by their keys; the first line with a key wins."""
        index: dict[tuple[str, str], UserModel] = {}
        for model in self.models():
            index.setdefault(("name", model.name), model)
            index.setdefault(("key", _fold(model.name)), model)
        return index

    def _search(self, member: str, text: str) -> UserModel | None:
        """Return the first model with a member; JSON escapes quotes, so that no value contains the search text."""
        import json

        at = self._data.find(f'"{member}":{json.dumps(text)},'.encode())
        if at < 0:
            return None
        end = self._data.find(b"\n", at)
        return _parse(self._data[self._data.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(self._data)])

    def __getitem__(self, key: str) -> Setting:
        if not key.startswith(MODELS):
            raise KeyError(key)
        name, _, member = key.removeprefix(MODELS).rpartition(".")
        model = self._find("name", name) if self._data else None
        value = _get_settings(model).get(member) if model else None
        if not model or not value:
            raise KeyError(key)
        return Setting(value, f"{self.path}, from {model.source} ({model.as_of})")

    def __iter__(self) -> Iterator[str]:
        return (f"{MODELS}{model.name}.{key}" for model in self.models() for key in _get_settings(model))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def write_models(path: str, models: dict[str, UserModel]) -> None:
    """Write the table with models by their names, in place of a link too; its directory is for this user alone.

    Raise InputOutputError.
    """
    from ctxkit.core.errors import InputOutputError
    from ctxkit.system.own_files import open_folder, replace_file

    directory, name = os.path.split(path)
    try:
        with open_folder(directory, make=True) as folder:
            replace_file(folder, name, b"".join(models[model].encode() for model in sorted(models)))
    except OSError as error:
        raise InputOutputError(f"{error.filename or path}: {error.strerror}") from error


def _get_settings(model: UserModel) -> dict[str, Any]:
    """Return the known facts about a model, by the names of the settings."""
    figures = {"window": model.window, "max_output": model.max_output}
    prices = {"input_price": model.input_price, "price_date": model.as_of} if model.input_price else {}
    return {key: value for key, value in {**figures, **prices, "as_of": model.as_of}.items() if value}


def _parse(line: bytes) -> UserModel | None:
    import json

    try:
        fields = json.loads(line)
        model = UserModel(**{key: fields[key] for key in UserModel._fields})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    kinds = (str, int, int, int | float, str, str)
    is_valid = all(isinstance(value, kind) for value, kind in zip(model, kinds, strict=True))
    return _hide_keys(model) if is_valid and model.window > 0 else None


def _hide_keys(model: UserModel) -> UserModel:
    """Return a model without keys in the address of its source, which version 0.1.0 wrote."""
    if "://" not in model.source:
        return model
    from ctxkit.core.redaction.masking import hide_keys

    return model._replace(source=hide_keys(model.source))


def _fold(name: str) -> str:
    from ctxkit.core.models.model_aliases import fold_spelling

    return fold_spelling(name)
