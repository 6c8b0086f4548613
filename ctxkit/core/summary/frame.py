"""The summary entry of a conversation: its mark, the restore command, and the page."""

import re

from ctxkit.core.text.surrogates import replace_surrogates

SUMMARY_MARK = "[ctxkit summary]"
"""The beginning of a summary entry, by which the next compaction recognizes it."""
_SUMMARY_HEAD = re.compile(rf"\s*{re.escape(SUMMARY_MARK)}[^\n]*\n+(?=# Context\s*$)", re.MULTILINE)


def frame_page(text: str, ref: str) -> str:
    """Return the text of a summary entry; ``ref`` identifies the stored messages, empty if they are not stored.

    >>> frame_page("# Context\\n", "3f9a2c81d0b47e65").splitlines()[0]
    '[ctxkit summary] Earlier messages stand here in short; ctxkit cache get 3f9a2c81d0b47e65 prints them in full.'
    """
    way = f"; ctxkit cache get {ref} prints them in full." if ref else "."
    return replace_surrogates(f"{SUMMARY_MARK} Earlier messages stand here in short{way}\n\n{text.strip()}\n")


def unframe_page(words: str) -> str | None:
    """Return the page in the text of a summary entry, None for any other text."""
    if not words.lstrip().startswith(SUMMARY_MARK):
        return None
    match = _SUMMARY_HEAD.match(words)
    return words[match.end() :] if match else None
