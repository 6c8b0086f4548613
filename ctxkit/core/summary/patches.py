"""The files in a patch: of apply_patch, of diff, and of search-and-replace blocks."""

import re

from ctxkit.core.summary.shell import FileEffects

_BEGIN = "*** Begin Patch"
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_MOVE = re.compile(r"^\*\*\* Update File: (.*[^ \t\n])[ \t]*\n\*\*\* Move to: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_DIFF_HEADER = re.compile(r"^--- (?:a/)?(\S++)[^\n]*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
NULL_PATH = "/dev/null"


def parse_patch(text: str) -> FileEffects:
    """Return the files in a patch, empty for any other text."""
    if _BEGIN in text:
        moved = tuple((match[1], match[2]) for match in _MOVE.finditer(text))
        moved_sources = {source for source, _ in moved}
        files = [(match[1], match[2]) for match in _PATCH_FILE.finditer(text) if match[2] not in moved_sources]
        return FileEffects(
            tuple(path for operation, path in files if operation != "Delete"),
            tuple(path for operation, path in files if operation == "Delete"),
            moved,
        )
    if "\n+++ " not in text:
        return FileEffects()
    pairs = [(match[1], match[2]) for match in _DIFF_HEADER.finditer(text)]
    return FileEffects(
        tuple(new for _, new in pairs if new != NULL_PATH), tuple(old for old, new in pairs if new == NULL_PATH)
    )
