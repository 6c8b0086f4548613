"""Determine which further files hosts load, from the settings of a project."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ctxkit.core.lint.document.globs import matches
from ctxkit.core.text.json_value import JsonValue, make_strict_json

GEMINI_SETTINGS = ".gemini/settings.json"
CODEX_SETTINGS = ".codex/config.toml"
OPENCODE_SETTINGS = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
MOST_PATTERNS = 100
"""Maximum number of patterns of opencode that are compared with the files of the project."""


class HostSettings(NamedTuple):
    """What the settings of a project change.

    ``gemini_names`` are the file names that Gemini CLI looks for, ``codex_names`` those that Codex looks for after its
    own. ``codex_bytes`` is the limit of Codex, 0 if its settings have none. ``opencode_files`` are paths of files.
    """

    gemini_names: tuple[str, ...] = ("GEMINI.md",)
    codex_names: tuple[str, ...] = ()
    codex_bytes: int = 0
    opencode_files: tuple[str, ...] = ()


def read_host_settings(paths: Iterable[str], read: Callable[[str], bytes | None]) -> HostSettings:
    """Return the settings of a project; ``read`` returns the content of one of its files, None if it cannot."""
    files = frozenset(paths)
    texts = {path: read(path) for path in (GEMINI_SETTINGS, CODEX_SETTINGS, *OPENCODE_SETTINGS) if path in files}
    codex = _parse_toml(texts.get(CODEX_SETTINGS))
    limit = codex.get("project_doc_max_bytes")
    patterns = [
        pattern
        for path in OPENCODE_SETTINGS
        for pattern in _list_words(_parse_json(texts.get(path)).get("instructions"))
        if "://" not in pattern and not pattern.startswith(("/", "~", ".."))
    ]
    return HostSettings(
        _find_gemini_names(_parse_json(texts.get(GEMINI_SETTINGS))) or HostSettings().gemini_names,
        _list_names(codex.get("project_doc_fallback_filenames")),
        limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else 0,
        tuple(_expand_patterns(patterns[:MOST_PATTERNS], files)),
    )


def _find_gemini_names(settings: dict[str, JsonValue]) -> tuple[str, ...]:
    """Return ``context.fileName``, a name or a list of names; older settings call it ``contextFileName``."""
    context = settings.get("context")
    file_name = context.get("fileName") if isinstance(context, dict) else None
    return _list_names(file_name or settings.get("contextFileName"))


def _list_names(value: JsonValue) -> tuple[str, ...]:
    """Return the file names of a value, which is a name or a list of names."""
    return tuple(name for name in _list_words([value] if isinstance(value, str) else value) if name and "/" not in name)


def _list_words(value: JsonValue) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _expand_patterns(patterns: Iterable[str], paths: frozenset[str]) -> dict[str, None]:
    """Return the paths that the patterns name, in the order of the patterns."""
    expanded: dict[str, None] = {}
    for pattern in (pattern.removeprefix("./") for pattern in patterns):
        if pattern in paths:
            expanded[pattern] = None
        elif "*" in pattern:
            expanded.update(dict.fromkeys(path for path in sorted(paths) if matches(f"/{pattern}", path)))
    return expanded


def _parse_json(data: bytes | None) -> dict[str, JsonValue]:
    """Return the object of JSON with comments, empty if it cannot be parsed."""
    from json import loads

    if data is None:
        return {}
    try:
        value = loads(make_strict_json(data.decode("utf-8", "replace").removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _parse_toml(data: bytes | None) -> dict[str, JsonValue]:
    from tomllib import loads

    try:
        return loads((data or b"").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
