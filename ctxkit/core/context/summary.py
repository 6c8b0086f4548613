"""The entry of a conversation that stands for what was summarized: its mark, the way back, and the page."""

import re

SUMMARY_MARK = "[ctxkit summary]"
"""What such an entry begins with, by which the next compaction knows it."""
_SUMMARY_HEAD = re.compile(rf"\s*{re.escape(SUMMARY_MARK)}[^\n]*\n+(?=# Context\s*$)", re.MULTILINE)


def frame_page(text: str, ref: str) -> str:
    """Return the words of the entry that holds a page; ``ref`` names the stored messages, empty where none are.

    >>> framed("# Context\\n", "3f9a2c81d0b4").splitlines()[0]
    '[ctxkit summary] Earlier messages stand here in short; ctxkit cache get 3f9a2c81d0b4 prints them in full.'
    """
    way = f"; ctxkit cache get {ref} prints them in full." if ref else "."
    return f"{SUMMARY_MARK} Earlier messages stand here in short{way}\n\n{text.strip()}\n"


def unframe_page(words: str) -> str | None:
    """Return the page that the words of such an entry hold, None for any other words."""
    if not words.lstrip().startswith(SUMMARY_MARK):
        return None
    match = _SUMMARY_HEAD.match(words)
    return words[match.end() :] if match else None
