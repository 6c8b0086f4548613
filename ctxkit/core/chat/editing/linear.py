"""Default methods for formats whose entries follow one another without ids and parents."""

from collections.abc import Sequence

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.text.json_value import JsonValue


def make_id(key: str) -> str:
    """Return an empty id, because entries have none."""
    del key
    return ""


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return the entry unchanged."""
    del key, parent, neighbor
    return value


def patch_parent(value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
    """Return no patches, because entries have no parents."""
    del value, parent
    return ()
