"""What the result of a tool that edits files says: some hosts report a refused edit without marking it as an error."""

import re

from ctxkit.core.context.extract.outcome import is_declined

_CODE = re.compile(r"`[^`]{0,200}`")
_WORD = re.compile(r"\S+")
_FILE = re.compile(r".\.\w{1,5}(?![^,:;\"'`)])")
"""A name in code, a word, and the end of a file name in it: each of them may contain the word for an error."""
_REFUSED = re.compile(
    r"\b(?:fail(?:ed|s|ure)?|error|could(?: not|n['’]t)|cannot|can['’]t|unable|reject(?:ed|s)?|denied|declined|refused"
    r"|invalid|aborted|cancell?ed|no (?:changes?|match(?:es)?|edits?|replacements?|such)\b|not found|not unique"
    r"|do(?:es)?(?: not|n['’]t) (?:exist|match|want)|did(?: not|n['’]t)|was(?: not|n['’]t)|0 (?:occurrences|matches)"
    r"|must (?:be|read|first))\b",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(
    r"\b(?:success(?:ful(?:ly)?)?|succeeded|ok|done|(?:re)?created|updated|edited|wrote|written|applied|saved|replaced"
    r"|inserted|overwritten|modified|deleted|(?:changes?|edits?|replacements?) (?:was|were|has been|have been) made"
    r"|made [1-9]\d*|exit[_ ]code\W{0,3}0|returncode\W{0,3}0)\b",
    re.IGNORECASE,
)
HEAD_CHARS = 400
"""Characters at the beginning of a result in which the host says what became of the edit."""


def is_refused_edit(text: str) -> bool:
    """Return whether the result of an edit begins with a word of refusal before any word of success.

    >>> is_refused_edit("apply_patch verification failed: Failed to find lines"), is_refused_edit("Updated a.py")
    (True, False)
    """
    if is_declined(text):
        return True
    head = _WORD.sub(_blank_name, _CODE.sub(" ", text[:HEAD_CHARS]))
    refused, accepted = _REFUSED.search(head), _ACCEPTED.search(head)
    return refused is not None and (accepted is None or refused.start() < accepted.start())


def _blank_name(word: re.Match[str]) -> str:
    """Return a word, or a blank in place of a path or a file name."""
    is_name = "/" in word[0] or "\\" in word[0] or _FILE.search(word[0])
    return " " if is_name else word[0]
