"""What formats offer in which one entry follows another, without ids and parents."""

from collections.abc import Sequence
from typing import Any

from ctxkit.core.chat.editing.editable_format import ValuePatch


def make_id(key: str) -> str:
    """Return no id: entries have none."""
    del key
    return ""


def attach_entry(value: Any, key: str, parent: str | None, neighbor: Any) -> Any:
    """Return an entry as it is."""
    del key, parent, neighbor
    return value


def patch_parent(value: Any, parent: str | None) -> Sequence[ValuePatch]:
    """Return nothing: an entry does not say what it follows."""
    del value, parent
    return ()
