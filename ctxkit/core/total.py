"""Content as text, and its size in tokens."""

from collections.abc import Iterator
from math import ceil

from ctxkit.core import lines
from ctxkit.core.lines import Lines, Read
from ctxkit.core.store import Held
from ctxkit.core.tally import Tally, encoding_of, tally, text_of
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.vocabulary import Vocabulary

COUNTED = 4 << 20
"""Bytes up to which a total is counted (a tenth of a second); above, it is estimated from samples."""
TRANSCODED = 64 << 20
"""Bytes of UTF-16 that are read as text; more of it is read as bytes."""
SAMPLE = 1 << 16
SAMPLES = 16


def readable(held: Held) -> tuple[Read, Lines]:
    """Return how to read stored content as UTF-8, and its lines; UTF-16 with a mark is transcoded."""
    size = held.lines.size
    if encoding_of(held.read(0, 2)) == "utf-8" or size > TRANSCODED:
        return held.read, held.lines
    data = text_of(held.read(0, size)).encode("utf-8", "replace")
    return lambda offset, length: data[offset : offset + length], lines.of(data)


def total_of(read: Read, size: int, vocabulary: Vocabulary, count: Tokenizer) -> Tally:
    """Return the tokens of content: counted when it is small, else extrapolated from samples."""
    if size <= COUNTED:
        return tally(_chunks(read, size), vocabulary, count)
    step = size // SAMPLES
    texts = [read(index * step, SAMPLE).decode("utf-8", "replace") for index in range(SAMPLES)]
    sampled, times = _sampled(texts, vocabulary, count), size / (SAMPLE * SAMPLES)
    tokens, high, low = (ceil(part * times) for part in (sampled.tokens, sampled.high, sampled.least))
    return Tally(tokens, high, "estimate", whole=False, low=low)


def _sampled(texts: list[str], vocabulary: Vocabulary, count: Tokenizer) -> Tally:
    if not vocabulary.exact:
        return tally((text.encode("utf-8", "replace") for text in texts), vocabulary, count)
    tokens = sum(map(count, texts))
    return Tally(tokens, tokens, "estimate")


def _chunks(read: Read, size: int) -> Iterator[bytes]:
    return (read(offset, 1 << 20) for offset in range(0, size, 1 << 20))
