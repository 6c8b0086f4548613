"""Determine which file names Gemini CLI looks for, from its settings."""

import re

GEMINI_FILES = ("GEMINI.md",)
"""Files that Gemini CLI looks for unless its settings name others."""
_COMMENT = re.compile(r"^[ \t]*//[^\n]*$", re.MULTILINE)


def parse_gemini_names(settings: bytes | None) -> tuple[str, ...]:
    """Return the file names that Gemini CLI looks for, given its settings (.gemini/settings.json).

    ``context.fileName`` is a name or a list of names; older settings call it ``contextFileName``.
    """
    from json import loads

    text = _strip_comments((settings or b"").decode("utf-8", "replace").removeprefix("\ufeff"))
    try:
        read = loads(text)
    except (ValueError, RecursionError):
        return GEMINI_FILES
    if not isinstance(read, dict):
        return GEMINI_FILES
    context = read.get("context")
    file_name = context.get("fileName") if isinstance(context, dict) else None
    file_name = file_name or read.get("contextFileName")
    names = [file_name] if isinstance(file_name, str) else file_name if isinstance(file_name, list) else []
    return tuple(name for name in names if isinstance(name, str) and name and "/" not in name) or GEMINI_FILES


def _strip_comments(text: str) -> str:
    """Return JSON without comments: lines that begin with two slashes, and text between /* and */."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("/*", at)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        pieces.append(text[at:start])
        at = end + 2
    return _COMMENT.sub("", "".join([*pieces, text[at:]]))
