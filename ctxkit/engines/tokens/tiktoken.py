"""Load tokenizers of tiktoken with ctxkit's rank data, because its wheel has none and would download them.

They serve p50k and r50k, which splintr lacks.
"""

import os
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.text_counter import Encode

_DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "data")
_SPACES = range(2, 26)
"""Lengths of the runs of spaces that p50k has in addition to r50k."""
_FIRST_RUN = 50257
"""Rank of the first run; the end-of-text token is between."""
_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
"""The pattern of both encodings (tiktoken_ext/openai_public.py)."""
NAMES = ("r50k", "p50k")
"""Tables that this engine loads."""
_SPACE = "[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
"""Unicode white space, which differs slightly from Python's."""
RUN = 100_000
"""Maximum characters of a run of white space that the engine gets with the next text: it panics at 999,999."""


@cache
def load_encoder(name: str) -> Encode:
    """Return the encoder of a table; raise MissingDependencyError if tiktoken is not installed."""
    try:
        import tiktoken
    except ImportError as error:
        from ctxkit.system.installation import install_command

        raise MissingDependencyError(f"tiktoken cannot be loaded: {error}", hint=install_command("tiktoken")) from error
    encoding = tiktoken.Encoding(name, pat_str=_PATTERN, mergeable_ranks=read_ranks(name), special_tokens={})

    def encode(text: str) -> list[int]:
        """Return the tokens of a text, split where it is too long for the engine."""
        if len(text) <= RUN:
            return encoding.encode_ordinary(text)
        return [token for part in split_parts(text) for token in encoding.encode_ordinary(part)]

    return encode


def split_parts(text: str) -> Iterator[str]:
    """Yield a text cut inside long runs of white space, only where its pattern splits it too.

    That is before the last character of a run, which may belong to the next word.
    """
    import re

    at = 0
    for run in re.finditer(_SPACE, text):
        if run.end() - run.start() > RUN:
            cut = run.end() - 1 if run.end() < len(text) else run.end()
            if cut > run.start():
                yield text[at:cut]
                at = cut
    yield text[at:]


def read_ranks(name: str) -> dict[bytes, int]:
    """Return a table as ranks by token (r50k, p50k)."""
    if name == "p50k":
        runs = {b" " * length: rank for rank, length in enumerate(_SPACES, _FIRST_RUN)}
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
