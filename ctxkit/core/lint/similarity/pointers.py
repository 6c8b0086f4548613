"""Recognize statements that refer to another file for more."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument

_POINTER = compile_lazily(
    r"\b(?:see|refer to|described in|documented in|defined in|details? (?:are )?in|listed in|covered in|more in"
    r"|as per|according to|cf\.|full (?:list|rules|details) in|vea|véase|ver|siehe|voir)\b|详见|参见|参考|見て|انظر",
    re.IGNORECASE,
)
_FILE = compile_lazily(r"(?<![\w.-])[\w.-]{1,100}\.(?:md|mdc|txt)\b", re.IGNORECASE)
_WORD = compile_lazily(r"[^\W\d_]{2,}")
_ENTRY = compile_lazily(
    r"(?:[-*+]\s{1,4}|\d{1,3}[.)]\s{1,4})?(?:[*_]{0,2}[^`\[\n:—–]{1,60}[*_]{0,2}:[*_]{0,2}\s{1,4})?"
    r"(?:`|[*_]{0,2}\[[^\]\n]{1,120}\]\(|[*_]{1,2}(?=`))`?@?[\w./-]{1,200}\.mdc?\b[`)]",
    re.IGNORECASE,
)
"""Matches the beginning of an entry of an index of Markdown files: an optional label with a colon, and the file."""
MIN_OWN_WORDS = 9
"""Minimum words besides the names of files that a statement with a pointer needs to say something of its own."""


def is_index_entry(text: str) -> bool:
    """Return whether a statement begins with the name of a Markdown file, as the entries of an index do.

    What follows says what is in the file; another index says that in other words.
    """
    return ".md" in text and _ENTRY.match(text.lstrip()) is not None


def is_bare_pointer(text: str) -> bool:
    """Return whether a statement says only which file to read: another one that says so is no copy of it."""
    if "." not in text or not _FILE.search(text) or not (_POINTER.search(text) or is_index_entry(text)):
        return False
    return len(_WORD.findall(_FILE.sub(" ", text))) < MIN_OWN_WORDS


def points_to(text: str, path: str) -> bool:
    """Return whether a statement refers to the file of a path for more."""
    name = path.rsplit("/", 1)[-1].casefold()
    if name not in text.casefold() or not _POINTER.search(text):
        return False
    return any(file.casefold() == name for file in _FILE.findall(text))


MAX_STUB = 8
"""Maximum statements of a file that is there to send its reader to another one."""
_INSTRUCTIONS = compile_lazily(r"(?<![\w-])(?:AGENTS|CLAUDE|GEMINI|copilot-instructions)\.md\b")


def is_stub(document: MarkdownDocument) -> bool:
    """Return whether a short file sends its reader to the instructions: there is one for each tool that needs it."""
    if sum(unit.kind != "heading" for unit in document.units) > MAX_STUB:
        return False
    named = {match[0] for match in _INSTRUCTIONS.finditer(document.text)}
    return bool(named - {document.path.rsplit("/", 1)[-1]})
