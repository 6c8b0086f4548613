"""Bullets of a page that are broken mechanically: cut quotes and brackets, code, fragments, open ends."""

import re
from collections.abc import Iterator

from bench.compact.page import bodies

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"))
_SPANS = re.compile(r"`[^`]*`|https?://\S+|(?::-?|;-?|8-?)[)(]")
_CODE_END = re.compile(r"[{;]$|[^`]\)\s*=>\s*$|^\w+ \w+ = |^(?:def|class|func|import|return|const|let|var) \w")
_OPEN_END = re.compile(r"(?::|,|\b(?:and|or|the|a|of|to|with|e\.g\.)|[.!?] \d{1,2}\.)$", re.IGNORECASE)
_LIST_MARK = re.compile(r"^\W*(?:[A-Za-z]|\d{1,2})[.)] ")
_EXEMPT = ("Errors",)
"""Sections whose bullets quote lines of tools, which are as they are."""


def broken_bullets(page: str) -> Iterator[tuple[str, str]]:
    """Yield the broken bullets of a page, each with what is wrong."""
    for section, rows in bodies(page).items():
        for row in rows:
            bullet = re.sub(r"^- (\[ \] )?", "", row)
            if section not in _EXEMPT and not bullet.startswith("`") and (fault := fault_of(bullet)):
                yield bullet, fault


def fault_of(bullet: str) -> str:
    """Return what is mechanically wrong with a bullet, empty if nothing is."""
    bare = _SPANS.sub("x", bullet)
    if bare.count("`") % 2:
        return "open code"
    is_open = bare.count('"') % 2 or any(bare.count(opening) != bare.count(closing) for opening, closing in _PAIRS)
    if is_open and not _LIST_MARK.match(bare):
        return "open quote or bracket"
    if _CODE_END.search(bare):
        return "code"
    if _OPEN_END.search(bare):
        return "open end"
    return "fragment" if len(re.findall(r"\w+", bullet)) < 2 and len(bullet) < 8 else ""
