"""What formats offer in which one entry follows another, without ids and parents."""

from collections.abc import Sequence
from typing import Any

from ctxkit.core.chat.editor import Patch


def identity(key: str) -> str:
    """Return no id: entries have none."""
    del key
    return ""


def hung(value: Any, key: str, parent: str | None, near: Any) -> Any:
    """Return an entry as it is."""
    del key, parent, near
    return value


def relinked(value: Any, parent: str | None) -> Sequence[Patch]:
    """Return nothing: an entry does not say what it follows."""
    del value, parent
    return ()
