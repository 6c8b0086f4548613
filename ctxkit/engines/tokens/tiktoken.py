"""Load tokenizers of tiktoken with ctxkit's rank data, because its wheel has none and would download them.

They serve p50k and r50k, which splintr lacks, and replace splintr if it cannot be loaded.
"""

from collections.abc import Iterator
from functools import cache

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.ranks import read_ranks
from ctxkit.engines.tokens.text_counter import Encode

_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PATTERNS = {
    "r50k": _GPT2,
    "p50k": _GPT2,
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    + _CONTRACTION
    + r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    + _CONTRACTION
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|[^\S\r\n]++$|\s+(?!\S)|\s+",
}
r"""The patterns of OpenAI's encodings (tiktoken_ext/openai_public.py). ``[^\S\r\n]++$`` of o200k is ctxkit's. It
matches what ``\s+(?!\S)`` would match at the end, but without backtracking over a million spaces, which the engine
cannot.
"""
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
        raise MissingDependencyError(f"tiktoken cannot be loaded: {error}", hint="pip install tiktoken") from error
    encoding = tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=read_ranks(name), special_tokens={})
    lines = PATTERNS[name] is not _GPT2

    def encode(text: str) -> list[int]:
        """Return the tokens of a text, split where it is too long for the engine."""
        if len(text) <= RUN:
            return encoding.encode_ordinary(text)
        return [token for part in split_parts(text, lines=lines) for token in encoding.encode_ordinary(part)]

    return encode


def split_parts(text: str, *, lines: bool) -> Iterator[str]:
    """Yield a text cut inside long runs of white space, only where its pattern splits it too.

    That is before the last character of a run, which may belong to the next word. If ``lines``, it is also after the
    last newline of the run.
    """
    import re

    at = 0
    for run in re.finditer(_SPACE, text):
        if run.end() - run.start() > RUN:
            for cut in _find_cuts(text, *run.span(), lines=lines):
                yield text[at:cut]
                at = cut
    yield text[at:]


def _find_cuts(text: str, start: int, end: int, *, lines: bool) -> Iterator[int]:
    newline = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) if lines else -1
    if newline >= 0:
        yield newline + 1
    if end < len(text) and end - 1 > max(newline + 1, start):
        yield end - 1
