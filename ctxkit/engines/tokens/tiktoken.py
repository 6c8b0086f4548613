"""Load tokenizers of tiktoken with ctxkit's rank data, because its wheel has none and would download them.

They serve p50k and r50k, which splintr lacks.
"""

from collections.abc import Iterator
from functools import cache

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.ranks import read_ranks
from ctxkit.engines.tokens.text_counter import Encode

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
