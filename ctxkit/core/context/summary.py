"""The entry of a conversation that stands for what was summarized: its mark, the way back, and the page."""

import re

MARK = "[ctxkit summary]"
"""What such an entry begins with, by which the next compaction knows it."""
_MARKED = re.compile(rf"\s*{re.escape(MARK)}[^\n]*\n+(?=# Context\s*$)", re.MULTILINE)


def framed(text: str, ref: str) -> str:
    """Return the words of the entry that holds a page; ``ref`` names the stored messages, empty where none are.

    >>> framed("# Context\\n", "3f9a2c81d0b4").splitlines()[0]
    '[ctxkit summary] Earlier messages stand here in short; ctxkit cache get 3f9a2c81d0b4 prints them in full.'
    """
    way = f"; ctxkit cache get {ref} prints them in full." if ref else "."
    return f"{MARK} Earlier messages stand here in short{way}\n\n{text.strip()}\n"


def contents(words: str) -> str | None:
    """Return the page that the words of such an entry hold, None for any other words."""
    if not words.lstrip().startswith(MARK):
        return None
    found = _MARKED.match(words)
    return words[found.end() :] if found else None
