"""A compiled table of the tokens of a byte-level vocabulary, which is searched in place: it needs no load.

A header is followed by the heads of the hash chains, the next token of each token in its chain, the end of each token
in the text, and the text: all tokens in the order of their ranks. Numbers have four bytes in the order of the machine.
"""

from array import array
from binascii import crc32
from collections.abc import Sequence
from itertools import accumulate
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmap import mmap

_HEADER = Struct("=8s5I")
"""Magic and version, byte order, heads, tokens, bytes of text, checksum of everything after the header."""
_MAGIC = b"ctxkBPE1"
_ORDER = 0x01020304
"""A number that reads differently in another byte order."""
ABSENT = 1 << 32
"""Rank of bytes that are no token; it is greater than any rank."""


def build_table(tokens: Sequence[bytes]) -> bytes:
    """Return the table of tokens in the order of their ranks."""
    heads = array("I", [0]) * (1 << max(2 * len(tokens), 1).bit_length())
    following = array("I", [0]) * (len(tokens) + 1)
    mask = len(heads) - 1
    for rank, checksum in enumerate(map(crc32, tokens), 1):
        slot = checksum & mask
        following[rank] = heads[slot]
        heads[slot] = rank
    ends = array("I", accumulate(map(len, tokens), initial=0))
    body = b"".join((heads.tobytes(), following.tobytes(), ends.tobytes(), *tokens))
    return _HEADER.pack(_MAGIC, _ORDER, len(heads), len(tokens), ends[-1], crc32(body)) + body


class RankTable:
    """The ranks of tokens, read from a table in memory or in a mapped file."""

    def __init__(self, data: "bytes | mmap") -> None:
        """Check a table; raise ValueError if it is damaged or foreign."""
        view = memoryview(data)
        if len(view) < _HEADER.size:
            raise ValueError("the table ends early")
        magic, order, heads, tokens, size, checksum = _HEADER.unpack_from(view)
        following = _HEADER.size + 4 * heads
        ends = following + 4 * (tokens + 1)
        self._text = ends + 4 * (tokens + 1)
        if (magic, order, len(view)) != (_MAGIC, _ORDER, self._text + size) or not heads:
            raise ValueError("not a table of this version and machine")
        if crc32(view[_HEADER.size :]) != checksum:
            raise ValueError("the table is damaged")
        self._data = data
        self._mask = heads - 1
        self._heads = view[_HEADER.size : following].cast("I")
        self._following = view[following:ends].cast("I")
        self._ends = view[ends : self._text].cast("I")

    def find_rank(self, token: bytes) -> int:
        """Return the rank of a token, from 1; ``ABSENT`` if the bytes are no token."""
        rank: int = self._heads[crc32(token) & self._mask]
        while rank:
            start, end = self._ends[rank - 1], self._ends[rank]
            if self._data[self._text + start : self._text + end] == token:
                return rank
            rank = self._following[rank]
        return ABSENT
