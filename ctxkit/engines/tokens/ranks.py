"""OpenAI's tables of tokens, which come with this program: 1.4 MB for four, made by bench/ranks.py.

A file holds the length of each token in bytes, one byte each, then the tokens in the order of their
ranks, packed with LZMA. Reading one takes 10 ms (r50k) to 60 ms (o200k).
"""

import os
from collections.abc import Iterator
from itertools import accumulate, pairwise

_DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "data")
SPACES = range(2, 26)
"""The runs of spaces that p50k has after the tokens of r50k."""
FIRST_RUN = 50257
"""The rank of the first: the end of text stands between."""


def read_ranks(name: str) -> dict[bytes, int]:
    """Return a table, each token with its rank (r50k, p50k, cl100k, o200k)."""
    if name == "p50k":
        runs = {b" " * length: rank for rank, length in enumerate(SPACES, FIRST_RUN)}
        return {**read_ranks("r50k"), **runs}
    with open(os.path.join(_DATA, f"{name}.xz"), "rb") as file:
        return {token: rank for rank, token in enumerate(unpack_table(file.read()))}


def pack_table(table: list[bytes]) -> bytes:
    """Return a table as a file holds it; the number of tokens comes first, in four bytes, the least first."""
    import lzma

    raw = len(table).to_bytes(4, "little") + bytes(map(len, table)) + b"".join(table)
    return lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME)


def unpack_table(data: bytes) -> list[bytes]:
    """Return the table that a file holds."""
    import lzma

    raw = lzma.decompress(data)
    number = int.from_bytes(raw[:4], "little")
    return list(_split_tokens(raw, number))


def _split_tokens(raw: bytes, number: int) -> Iterator[bytes]:
    starts = accumulate(raw[4 : 4 + number], initial=4 + number)
    return (raw[start:end] for start, end in pairwise(starts))
