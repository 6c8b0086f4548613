"""The files that a patch names: of apply_patch, of diff, and of search-and-replace blocks."""

import re
from typing import NamedTuple

_BEGIN = "*** Begin Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_MOVED = re.compile(r"^\*\*\* Update File: (.*[^ \t\n])[ \t]*\n\*\*\* Move to: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_NEW = re.compile(r"^--- (?:a/)?(\S++)[^\n]*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
NOWHERE = "/dev/null"


class Patched(NamedTuple):
    """Hold the files that a patch changes, removes, and moves (from, to)."""

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


def patched(text: str) -> Patched:
    """Return what a patch does, nothing for a text that is none."""
    if _BEGIN in text:
        moved = tuple((found[1], found[2]) for found in _MOVED.finditer(text))
        gone = {source for source, _ in moved}
        files = [(found[1], found[2]) for found in _FILE.finditer(text) if found[2] not in gone]
        return Patched(
            tuple(path for how, path in files if how != "Delete"),
            tuple(path for how, path in files if how == "Delete"),
            moved,
        )
    if "\n+++ " not in text:
        return Patched()
    pairs = [(found[1], found[2]) for found in _NEW.finditer(text)]
    return Patched(tuple(new for _, new in pairs if new != NOWHERE), tuple(old for old, new in pairs if new == NOWHERE))
