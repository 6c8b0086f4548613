"""Content as text, and its size in tokens."""

from collections.abc import Iterator
from math import ceil

from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text.lines import IndexedLines, Read
from ctxkit.core.tokens.token_count import TokenCount, count_tokens, decode_content, detect_encoding
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary

COUNTED_BYTES = 4 << 20
"""Bytes up to which a total is counted (a tenth of a second); above, it is estimated from samples."""
TRANSCODED_BYTES = 64 << 20
"""Bytes of UTF-16 that are read as text; more of it is read as bytes."""
SAMPLE = 1 << 16
SAMPLES = 16


def open_as_utf8(stored: StoredContent) -> tuple[Read, IndexedLines]:
    """Return how to read stored content as UTF-8, and its lines; UTF-16 with a mark is transcoded."""
    size = stored.lines.size
    if detect_encoding(stored.read(0, 2)) == "utf-8" or size > TRANSCODED_BYTES:
        return stored.read, stored.lines
    data = decode_content(stored.read(0, size)).encode("utf-8", "replace")
    return lambda offset, length: data[offset : offset + length], lines.lines_from_bytes(data)


def count_stored_tokens(read: Read, size: int, vocabulary: Vocabulary, count: Tokenizer) -> TokenCount:
    """Return the tokens of content: counted when it is small, else extrapolated from samples."""
    if size <= COUNTED_BYTES:
        return count_tokens(_read_chunks(read, size), vocabulary, count)
    step = size // SAMPLES
    texts = [read(index * step, SAMPLE).decode("utf-8", "replace") for index in range(SAMPLES)]
    sampled, times = _count_samples(texts, vocabulary, count), size / (SAMPLE * SAMPLES)
    tokens, high, low = (ceil(part * times) for part in (sampled.tokens, sampled.high, sampled.least))
    return TokenCount(tokens, high, "estimate", complete=False, low=low)


def _count_samples(texts: list[str], vocabulary: Vocabulary, count: Tokenizer) -> TokenCount:
    if not vocabulary.exact:
        return count_tokens((text.encode("utf-8", "replace") for text in texts), vocabulary, count)
    tokens = sum(map(count, texts))
    return TokenCount(tokens, tokens, "estimate")


def _read_chunks(read: Read, size: int) -> Iterator[bytes]:
    return (read(offset, 1 << 20) for offset in range(0, size, 1 << 20))
