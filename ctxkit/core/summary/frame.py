"""The summary entry of a conversation: its mark, the page, and how the messages are read."""

import re

from ctxkit.core.text.json_value import replace_surrogates

SUMMARY_MARK = "[ctxkit summary]"
"""The beginning of a summary entry, by which the next compaction recognizes it."""
_SUMMARY_HEAD = re.compile(rf"\s*{re.escape(SUMMARY_MARK)}[^\n]*\n+(?=# Context\s*$)", re.MULTILINE)
_READ = "To read these messages:"
_READ_LINE = re.compile(rf"\n{{0,2}}^\[{_READ} [^\n]*\]$", re.MULTILINE)


def frame_page(text: str, reader: str) -> str:
    """Return the text of a summary entry; ``reader`` is what reads the stored messages, "" if they are not stored.

    It stands behind the page, which often stays the same in the next compaction: a prompt cache keeps what comes first.

    >>> frame_page("# Context\\n", "ctxkit cache get 3f9a2c81d0b47e65").splitlines()[-1]
    '[To read these messages: ctxkit cache get 3f9a2c81d0b47e65]'
    """
    line = f"\n[{_READ} {reader}]\n" if reader else ""
    return replace_surrogates(f"{SUMMARY_MARK} Earlier messages stand here in short.\n\n{text.strip()}\n{line}")


def unframe_page(words: str) -> str | None:
    """Return the page in the text of a summary entry, None for any other text."""
    if not words.lstrip().startswith(SUMMARY_MARK):
        return None
    match = _SUMMARY_HEAD.match(words)
    return _READ_LINE.sub("", words[match.end() :], count=1) if match else None
