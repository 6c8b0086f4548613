"""JSON as people write it by hand: with comments, and with commas before a closing bracket."""

import re

SUFFIXES = ("jsonc", "json5", "code-workspace", "code-snippets", "sublime-settings", "hujson", "cjson")
"""Extensions of files that may hold comments by their format."""
_COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|(//[^\n]*|/\*(?:.*?\*/|.*))', re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|(,)(?=\s*+[\]}])')
_SEEN = re.compile(r"[^\n]")


def relaxed(text: str) -> str:
    """Return JSON with blanks instead of comments and of last commas: each character stays at its place."""
    if "//" in text or "/*" in text:
        text = _COMMENTS.sub(_blanked, text)
    return _COMMAS.sub(_blanked, text)


def _blanked(found: "re.Match[str]") -> str:
    return _SEEN.sub(" ", found[0]) if found[1] else found[0]
