"""Patterns of paths, as .gitignore has them."""

import re
from functools import cache


def matches(pattern: str, path: str) -> bool:
    """Tell whether a path, or a directory above it, fits a pattern; one without a slash fits at any depth."""
    compiled = _compiled(pattern)
    return bool(compiled.match(path))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    anchored = "/" in pattern.strip("/") or pattern.startswith("/")
    bare = pattern.strip("/")
    body = "".join(_piece(piece) for piece in re.findall(r"\*\*/?|\*|\?|\[[^\]]+\]|[^*?\[]+|\[", bare))
    return re.compile(("" if anchored else r"(?:.*/)?") + body + r"(?:/.*)?$", re.DOTALL)


def _piece(piece: str) -> str:
    if piece.startswith("**"):
        return "(?:.*/)?" if piece.endswith("/") else ".*"
    if piece == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        return piece.replace("[!", "[^", 1)
    return re.escape(piece)
