"""Read OpenAI's token tables that splintr-rs lacks: r50k, a file in this package made by bench/ranks.py, and p50k.

The file contains the length of each token in bytes, one byte each, then the tokens in the order of their ranks, packed
with LZMA. Reading it takes 10 ms.
"""

import os
from collections.abc import Iterator
from itertools import accumulate, pairwise

_DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "data")
SPACES = range(2, 26)
"""Lengths of the runs of spaces that p50k has in addition to r50k."""
FIRST_RUN = 50257
"""Rank of the first run; the end-of-text token is between."""


def read_ranks(name: str) -> dict[bytes, int]:
    """Return a table as ranks by token (r50k, p50k)."""
    if name == "p50k":
        runs = {b" " * length: rank for rank, length in enumerate(SPACES, FIRST_RUN)}
        return {**read_ranks("r50k"), **runs}
    with open(os.path.join(_DATA, f"{name}.xz"), "rb") as file:
        return {token: rank for rank, token in enumerate(unpack_table(file.read()))}


def unpack_table(data: bytes) -> list[bytes]:
    """Return the table in the bytes of a file."""
    import lzma

    raw = lzma.decompress(data)
    number = int.from_bytes(raw[:4], "little")
    return list(_split_tokens(raw, number))


def _split_tokens(raw: bytes, number: int) -> Iterator[bytes]:
    starts = accumulate(raw[4 : 4 + number], initial=4 + number)
    return (raw[start:end] for start, end in pairwise(starts))
