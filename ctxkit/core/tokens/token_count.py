"""Counting tokens: bounds that need no tokenizer, exact counts in safe cuts, labelled estimates."""

import codecs
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ctxkit.core.text.limits import FORCED_CUT, UNSPLIT
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary

Method = Literal["exact", "estimate", "bound"]
CUT_SIZE = 1 << 20
"""Characters that are counted at once where safe cuts are to be had."""
BOUNDLESS = 1 << 62
"""The bound of what cannot be bound, in tokens."""
PieceKind = Literal["cut", "forced", "peek", "end"]
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TokenCount(NamedTuple):
    """Say how many tokens content takes, how that is known, and the most and the least it may be.

    ``complete`` is false when counting stopped early, so that ``tokens`` is only what was reached. ``low``
    is negative where it is no other than ``tokens``; ``least`` is always the number.
    """

    tokens: int
    high: int
    method: Method
    complete: bool = True
    low: int = -1

    @property
    def least(self) -> int:
        """Return the fewest tokens that content may take."""
        return self.tokens if self.low < 0 else self.low


def detect_encoding(start: bytes) -> str:
    """Return the codec for content that begins with ``start``: UTF-16 by its mark, else UTF-8."""
    return "utf-16" if start.startswith(_UTF16) else "utf-8"


def decode_content(data: bytes) -> str:
    """Return content as text; what cannot be decoded becomes U+FFFD."""
    return data.decode(detect_encoding(data), "replace")


def token_bound(data: bytes, vocabulary: Vocabulary) -> int:
    """Return a number that the token count cannot exceed, without any tokenizer.

    Byte-level BPE makes no more tokens than there are bytes of UTF-8. Undecodable bytes count as
    the three bytes of U+FFFD, and a normalizer may lengthen what is not ASCII. Where nothing is known
    of the vocabulary, the number is one that fits nowhere.
    """
    if not vocabulary.growth:
        return BOUNDLESS
    if data.isascii():
        return len(data) + vocabulary.prefix
    return len(decode_content(data).encode("utf-8", "replace")) * vocabulary.growth + vocabulary.prefix


def count_tokens(
    chunks: Iterable[bytes], vocabulary: Vocabulary, count: Tokenizer, limit: int | None = None
) -> TokenCount:
    """Count the tokens of content, stopping early once it is sure to be more than ``limit``.

    Where the vocabulary is estimated, ``count`` is not asked and the high end is what must stay within.
    """
    if not vocabulary.exact:
        from ctxkit.core.tokens.estimate import estimate_chunks

        estimate, complete = estimate_chunks(decode_chunks(chunks), vocabulary, limit)
        return TokenCount(estimate.tokens, estimate.high, "estimate", complete, estimate.low)
    tokens = forced = 0
    for text, place in split_pieces(chunks, vocabulary.cuts):
        if place == "peek":
            # No safe cut came. What follows may still join the last tokens to others, so only a
            # count of twice the limit is an answer.
            if limit is not None and tokens + count(text) > 2 * limit:
                return TokenCount(tokens, tokens, "exact", complete=False)
            continue
        tokens += count(text)
        forced += place == "forced"
        if limit is not None and place in ("cut", "forced") and tokens - forced * FORCED_CUT > limit:
            return _make_count(tokens, forced, complete=False)
    return _make_count(tokens, forced, complete=True)


def _make_count(tokens: int, forced: int, *, complete: bool) -> TokenCount:
    """Return a count, which is an estimate where text was cut at places that a token may span."""
    if not forced:
        return TokenCount(tokens, tokens, "exact", complete=complete)
    tolerance = forced * FORCED_CUT
    return TokenCount(tokens, tokens + tolerance, "estimate", complete=complete, low=max(tokens - tolerance, 0))


def split_pieces(chunks: Iterable[bytes], cuts: bool) -> Iterator[tuple[str, PieceKind]]:
    """Yield text with its place, cut only where no token can span the cut.

    "cut", "forced" and "end" pieces join to the whole text. Where ``cuts`` is false or no safe place comes, a
    piece grows, and each time it has doubled it is shown as a "peek" that comes again later; at UNSPLIT characters
    it is "forced": cut where a token may span the cut.
    """
    parts: list[str] = []
    size, enough = 0, CUT_SIZE
    for text in _split_parts(decode_chunks(chunks)):
        parts.append(text)
        size += len(text)
        if size < enough:
            continue
        joined = "".join(parts)
        cut = find_safe_cut(joined) if cuts else 0
        if not cut and size >= UNSPLIT:
            yield joined, "forced"
            parts, size, enough = [], 0, CUT_SIZE
            continue
        yield (joined[:cut], "cut") if cut else (joined, "peek")
        parts = [joined[cut:]]
        size -= cut
        enough = CUT_SIZE if cut else min(2 * size, max(UNSPLIT, size))
    yield "".join(parts), "end"


def _split_parts(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts in parts of at most CUT characters: a chunk may be all of the content."""
    for text in texts:
        if len(text) <= CUT_SIZE:
            yield text
        else:
            yield from (text[start : start + CUT_SIZE] for start in range(0, len(text), CUT_SIZE))


def find_safe_cut(text: str) -> int:
    """Return the last place where no token of a byte-level BPE spans, 0 when there is none.

    Their patterns split text after a newline and before a printable ASCII character, but for the
    slash, which those of o200k and Mistral join to a newline after punctuation.
    """
    at = len(text) - 1
    while at > 0:
        at = text.rfind("\n", 0, at)
        if at >= 0 and "!" <= text[at + 1] <= "~" and text[at + 1] != "/":
            return at + 1
    return 0


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield content as text, however it is cut into chunks."""
    decoder: codecs.IncrementalDecoder | None = None
    start = b""
    for chunk in chunks:
        if decoder is None:
            start += chunk
            if len(start) < 2:
                continue
            decoder = codecs.getincrementaldecoder(detect_encoding(start))("replace")
            chunk = start
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True) if decoder else start.decode("utf-8", "replace")


def upper_bound_tokenizer(count: Tokenizer, vocabulary: Vocabulary) -> Tokenizer:
    """Return a counter that gives the most a text may take: an estimate's high end."""
    if vocabulary.exact:
        return count
    from ctxkit.core.tokens import estimate

    return estimate.upper_bound_tokenizer(vocabulary)
