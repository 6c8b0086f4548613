"""What a project's own file may not set, unless the user trusts its directory."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ctxkit.edge.setting_definitions import KEYS
from ctxkit.edge.trusted_dirs import is_trusted


class IgnoredSetting(NamedTuple):
    """Name a setting of a project's file that does not hold: its key, value and place, and what a project may give.

    The words are empty where a project may not give it at all.
    """

    key: str
    value: Any
    source: str
    words: str = ""

    def is_for_user_file(self) -> bool:
        """Tell whether no project may give it, trusted or not."""
        return self.key in KEYS and KEYS[self.key].user_file_only


class Restriction:
    """Take out of a project's file what it may not set, and remember what that was."""

    def __init__(self, directory: str, trusted: Sequence[str]) -> None:
        self._directory = directory
        self._trusted = trusted
        self._answer: bool | None = None
        self.ignored: list[IgnoredSetting] = []

    def allows(self, key: str, name: str, value: Any, where: str) -> bool:
        """Tell whether a setting may stand here, whatever its value may be."""
        definition = KEYS[key]
        if definition.user_file_only or (definition.project is None and not self._is_trusted()):
            self.ignored.append(IgnoredSetting(name, value, where))
            return False
        return True

    def filter_value(self, key: str, name: str, value: Any, where: Callable[[str], str]) -> Any:
        """Return the part of a value that may hold here, None for nothing; ``where`` gives the place of a name."""
        permission = KEYS[key].project
        kept = permission.allowed_part(value, self._directory) if permission else value
        if kept == value or self._is_trusted():
            return value
        words = permission.words if permission else ""
        if isinstance(kept, dict):
            removed = {f"{name}.{inner}": own for inner, own in value.items() if inner not in kept}
        else:
            removed = {name: value}
        self.ignored += (IgnoredSetting(part, own, where(part), words) for part, own in removed.items())
        return kept

    def _is_trusted(self) -> bool:
        if self._answer is None:
            self._answer = is_trusted(self._directory, self._trusted)
        return self._answer
