"""Read stored content as UTF-8, and count or estimate its tokens."""

from collections.abc import Iterator
from math import ceil

from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.text import encodings, lines
from ctxkit.core.text.lines import IndexedLines, Read
from ctxkit.core.tokens.token_count import TokenCount, count_tokens
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary

COUNTED_BYTES = 4 << 20
"""Maximum bytes that are counted (a tenth of a second); larger content is estimated from samples."""
TRANSCODED_BYTES = 64 << 20
"""Maximum bytes that are transcoded to UTF-8; larger content is read as bytes."""
SAMPLE = 1 << 16
SAMPLES = 16


def open_as_utf8(stored: StoredContent, encoding: str | None = None) -> tuple[Read, IndexedLines]:
    """Return a reader of stored content as UTF-8, and its lines; transcode text of another encoding.

    ``encoding`` is what ``identify_stored_encoding`` returns for the content, if the caller knows it.
    """
    if encoding is None:
        encoding = identify_stored_encoding(stored)
    if not encoding:
        return stored.read, stored.lines
    data = encodings.decode(stored.read(0, stored.lines.size), encoding).encode("utf-8", "replace")
    return lambda offset, length: data[offset : offset + length], lines.lines_from_bytes(data)


def identify_stored_encoding(stored: StoredContent) -> str:
    """Return the encoding from which stored content is transcoded, "" if it is read as it is."""
    size = stored.lines.size
    return encodings.identify_encoding(stored.read, size) if size <= TRANSCODED_BYTES else ""


def count_stored_tokens(read: Read, size: int, vocabulary: Vocabulary, count: Tokenizer) -> TokenCount:
    """Return the token count of content: exact if it is small, else extrapolated from samples."""
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
