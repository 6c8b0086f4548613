"""Names of the objects in an array: the values that tell an object from its neighbours."""

from ctxkit.core.brief.data.literals import format_literal, format_step
from ctxkit.core.text.json_value import JsonValue

NAMING_KEYS = ("id", "name", "title", "key", "path", "SourceFile")
"""Keys that identify an object."""
TITLE_KEYS = ("name", "title", "path", "file", "filename", "sourcefile", "key", "uuid", "url", "code")
"""Keys, in lower case, whose text is the name of an object, the most telling first."""
MAX_NAME = 80
"""Maximum number of characters of a name."""
LONG_PATH = 40
"""Number of characters above which only the last part of a path is the name."""


def format_name(value: dict[str, JsonValue]) -> str:
    """Return the name of an object: its title with a version, or its first short scalar with the key."""
    return find_title(value) or format_scalars(value, 1)


def format_scalars(value: dict[str, JsonValue], most: int = 2) -> str:
    """Return the first short scalars of an object, as ``id 7, name "x"``."""
    short = [
        f"{format_step(key).removeprefix('.')} {format_literal(item)}"
        for key, item in value.items()
        if isinstance(item, int | float | str) and len(key) < 40 and len(str(item)[:41]) <= 40
    ]
    short.sort(key=lambda text: text.partition(" ")[0] not in NAMING_KEYS)
    return ", ".join(short[:most])


def find_title(value: dict[str, JsonValue]) -> str:
    """Return the title of an object: the short text below a key for names, with the version beside it."""
    title = find_metadata_title(value)
    if title:
        return title
    by_key = {key.lower(): item for key, item in reversed(value.items()) if len(key) < MAX_NAME}
    for key in TITLE_KEYS:
        name = _shorten_name(by_key.get(key))
        if name:
            version = by_key.get("version")
            return f"{name} {version}" if isinstance(version, str) and len(version) < LONG_PATH else name
    return ""


def _shorten_name(value: JsonValue) -> str:
    """Return a text as a name, of a long path the last part, or an empty string if it is too long or not printable."""
    if not isinstance(value, str) or len(value) > 4 * MAX_NAME or not value.isprintable():
        return ""
    is_path = len(value) > LONG_PATH and "/" in value and " " not in value
    name = value.rstrip("/").rpartition("/")[2] if is_path else value
    return name if len(name) <= MAX_NAME else ""


def find_metadata_title(value: dict[str, JsonValue]) -> str:
    """Return the title of an object with metadata, or an empty string.

    Of a Kubernetes object, this is ``Deployment shop/web``; of a package, ``jinja2 2.11.3``.
    """
    about, kind = value.get("metadata"), value.get("kind")
    if not isinstance(about, dict) or not isinstance(about.get("name"), str):
        return ""
    if isinstance(kind, str):
        inside = f"{about['namespace']}/" if isinstance(about.get("namespace"), str) else ""
        return f"{kind} {inside}{about['name']}"[:120]
    version = about.get("version")
    return f"{about['name']} {version}"[:120] if isinstance(version, str) else ""
