"""JSON with comments and trailing commas."""

import re

SUFFIXES = ("jsonc", "json5", "code-workspace", "code-snippets", "sublime-settings", "hujson", "cjson")
"""Suffixes of formats that allow comments."""
_COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|(//[^\n]*|/\*(?:.*?\*/|.*))', re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|(,)(?=\s*+[\]}])')
_VISIBLE = re.compile(r"[^\n]")


def make_strict_json(text: str) -> str:
    """Return JSON with blanks in place of comments and trailing commas, so that offsets stay the same."""
    if "//" in text or "/*" in text:
        text = _COMMENTS.sub(_blank_match, text)
    return _COMMAS.sub(_blank_match, text)


def _blank_match(match: "re.Match[str]") -> str:
    return _VISIBLE.sub(" ", match[0]) if match[1] else match[0]
