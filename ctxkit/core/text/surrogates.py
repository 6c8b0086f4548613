"""Halves of surrogate pairs, which JSON can escape and no API accepts; bytes that are not UTF-8 are read as such."""

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    r"""Return a text with U+FFFD instead of each half of a surrogate pair.

    >>> replace_surrogates("a \ud83d b")
    'a \ufffd b'
    """
    return SURROGATE.sub("\ufffd", text)
