"""Access to JSON members of any shape: a member of the wrong type counts as absent."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from ctxkit.core.text.json_value import JsonValue

if TYPE_CHECKING:
    from json import JSONEncoder


def get_text(value: JsonValue, key: str) -> str:
    """Return a text member, empty if it is absent or not a text."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, str) else ""


def get_first_text(value: JsonValue, keys: Iterable[str]) -> str:
    """Return the first text member that is not empty, empty if there is none."""
    return next((text for key in keys if (text := get_text(value, key))), "")


def get_member(value: JsonValue, place: Iterable[str]) -> JsonValue:
    """Return the member at a path of names, None if it does not exist."""
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def get_objects(value: JsonValue, key: str = "") -> list[dict[str, JsonValue]]:
    """Return the objects in a list, or in the list member named ``key``."""
    if key:
        value = value.get(key) if isinstance(value, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def get_object(value: JsonValue, key: str) -> dict[str, JsonValue]:
    """Return an object member, empty if it is absent or not an object."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def get_number(value: JsonValue, key: str) -> int:
    """Return a positive integer member, 0 if it is absent or anything else."""
    member = value.get(key) if isinstance(value, dict) else None
    return max(member, 0) if isinstance(member, int) and not isinstance(member, bool) else 0


def dump_value(value: JsonValue) -> str:
    """Return a value as compact JSON; text is returned as it is, None as an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return _load_encoder().encode(value)


@cache
def _load_encoder() -> "JSONEncoder":
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, separators=(",", ":"))
