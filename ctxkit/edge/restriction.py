"""Restrict the settings of a project's own file, unless the user trusts its directory."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ctxkit.edge.setting_definitions import KEYS, MODELS
from ctxkit.edge.trusted_dirs import is_trusted

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
