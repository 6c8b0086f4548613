"""Count tokens: bounds without a tokenizer, exact counts between safe cuts, and estimates."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens.vocabulary import Vocabulary, measure_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from ctxkit.core.tokens.vocabulary import Tokenizer

    Method = Literal["exact", "estimate", "bound"]
    PieceKind = Literal["cut", "forced", "peek", "end"]

CUT_SIZE = 1 << 20
"""Characters counted at once, if there are safe cuts."""
RATE_STEP = 1 << 18
"""Characters after which a count by rate is compared with its limit."""
UNSPLIT = 1 << 21
"""Characters without a safe cut for tokenizers: counting needs 60 times their size in memory.

Longer text is cut, and its count is an estimate.
"""
_FORCED_CUT = 64
"""Maximum error in tokens for each such cut: it divides one word, which has fewer tokens."""
BOUNDLESS = 1 << 62
"""Bound in tokens if no bound is known."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TokenCount(NamedTuple):
    """The token count of content, its method, and its maximum and minimum.

    ``complete`` is false if counting stopped early; ``tokens`` is then the count so far. ``low`` is negative if it
    equals ``tokens``; ``least`` is always the number.
    """

    tokens: int
    high: int
    method: Method
    complete: bool = True
    low: int = -1

    @property
    def least(self) -> int:
        """Return the minimum tokens of the content."""
        return self.tokens if self.low < 0 else self.low

    def with_added(self, tokens: int) -> TokenCount:
        """Return the count of this content and of other content of ``tokens`` tokens."""
        low = self.low if self.low < 0 else self.low + tokens
        return self._replace(tokens=self.tokens + tokens, high=self.high + tokens, low=low)


def detect_encoding(start: bytes) -> str:
    """Return the codec for content that begins with ``start``: UTF-16 if it has a byte order mark, else UTF-8."""
    return "utf-16" if start.startswith(_UTF16) else "utf-8"


def decode_content(data: bytes) -> str:
    """Return content as text; replace undecodable bytes by U+FFFD."""
    return data.decode(detect_encoding(data), "replace")


def token_bound(data: bytes, vocabulary: Vocabulary) -> int:
    """Return an upper bound of the token count, without a tokenizer.

    Byte-level BPE makes at most one token per byte of UTF-8. Undecodable bytes count as the three bytes of U+FFFD, and
    a normalizer may lengthen non-ASCII text. Return ``BOUNDLESS`` if the vocabulary is unknown.
    """
    if not vocabulary.growth:
        return BOUNDLESS
    if data.isascii():
        return len(data) + vocabulary.prefix
    return measure_utf8(decode_content(data)) * vocabulary.growth + vocabulary.prefix


def count_tokens(
    chunks: Iterable[bytes], vocabulary: Vocabulary, count: Tokenizer, limit: int | None = None
) -> TokenCount:
    """Count the tokens of content; stop early when the count certainly exceeds ``limit``.

    If the vocabulary is estimated, do not call ``count``, and compare the upper end with ``limit``.
    """
    if vocabulary.rate:
        return _count_by_rate(decode_chunks(chunks), vocabulary, limit)
    if not vocabulary.exact:
        from ctxkit.core.tokens.estimate import estimate_chunks

        estimate, complete = estimate_chunks(decode_chunks(chunks), vocabulary, limit)
        return TokenCount(estimate.tokens, estimate.high, "estimate", complete, estimate.low)
    tokens = forced = 0
    for text, place in split_pieces(chunks, vocabulary.cuts):
        if place == "peek":
            # There was no safe cut. Further text may merge with the last tokens, so only a count of twice the limit is
            # conclusive.
            if limit is not None and tokens + count(text) > 2 * limit:
                return TokenCount(tokens, tokens, "exact", complete=False)
            continue
        tokens += count(text)
        forced += place == "forced"
        if limit is not None and place in ("cut", "forced") and tokens - forced * _FORCED_CUT > limit:
            return _make_count(tokens, forced, complete=False)
    return _make_count(tokens, forced, complete=True)


def _count_by_rate(texts: Iterable[str], vocabulary: Vocabulary, limit: int | None) -> TokenCount:
    """Return the count of a tokenizer that looks at the size alone; check the limit after ``RATE_STEP`` characters."""
    size = characters = checked = 0
    for text in texts:
        size += measure_utf8(text)
        characters += len(text)
        if limit is not None and characters >= checked + RATE_STEP:
            checked = characters
            tokens = vocabulary.count_by_rate(size, characters)
            if tokens > limit:
                return TokenCount(tokens, tokens, "estimate", complete=False, low=tokens)
    tokens = vocabulary.count_by_rate(size, characters)
    return TokenCount(tokens, tokens, "estimate", low=tokens)


def _make_count(tokens: int, forced: int, *, complete: bool) -> TokenCount:
    """Return the count; an estimate if the text was cut where a token may span the cut."""
    if not forced:
        return TokenCount(tokens, tokens, "exact", complete=complete)
    tolerance = forced * _FORCED_CUT
    return TokenCount(tokens, tokens + tolerance, "estimate", complete=complete, low=max(tokens - tolerance, 0))


def split_pieces(chunks: Iterable[bytes], cuts: bool) -> Iterator[tuple[str, PieceKind]]:
    """Yield (text, kind) pieces, cut only where no token can span the cut.

    "cut", "forced" and "end" pieces join to the complete text. Without safe cuts, a piece grows; each time its size has
    doubled, yield it as a "peek", whose text is repeated later. At ``UNSPLIT`` characters, yield it as "forced": a
    token may span this cut.
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
    """Yield texts in parts of at most ``CUT_SIZE`` characters."""
    for text in texts:
        if len(text) <= CUT_SIZE:
            yield text
        else:
            yield from (text[start : start + CUT_SIZE] for start in range(0, len(text), CUT_SIZE))


def find_safe_cut(text: str) -> int:
    """Return the last offset that no token of a byte-level BPE spans, 0 if there is none.

    The patterns split text after a newline and before a printable ASCII character. The slash is an exception: o200k and
    Mistral join it to a newline after punctuation.
    """
    at = len(text) - 1
    while at > 0:
        at = text.rfind("\n", 0, at)
        if at >= 0 and "!" <= text[at + 1] <= "~" and text[at + 1] != "/":
            return at + 1
    return 0


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the content as text, independent of the boundaries of chunks."""
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
    """Return a tokenizer that gives the maximum tokens of a text: the upper end of an estimate."""
    if vocabulary.exact:
        return count
    from ctxkit.core.tokens import estimate

    return estimate.upper_bound_tokenizer(vocabulary)


WORD_VOCABULARIES = frozenset(
    ("cl100k", "deepseek_v3", "glm4", "kimi_k2", "llama3", "mistral_v3", "o200k", "olmo2", "phi4", "qwen3")
)
"""Byte-level vocabularies in which every common word, apart from ``SPLIT_WORDS``, is one token (tested for each)."""
SPLIT_WORDS = frozenset(
    b"""\
ade administr agre atmos charg compr compreh concentr consc constit coun crusher democr distr encour entr escort evalu
evid evt exem frustr genu gratis guarante illustr indiv initi kosten mej migr mys oppos pharm porn porno precis propos
provid pued rais redistribute reprodu requ restr scre sexy thous tod veh
""".split()
)
"""Words of the list of common tokens that one of these vocabularies splits."""
_WORD = rb" ([a-z]{2,})(?=[ \n.,:;)])"
"""A word that a vocabulary's pattern takes as a piece of its own: a space before it, and an end that joins nothing."""


def bound_by_words(data: bytes, vocabulary: Vocabulary) -> int | None:
    """Return an upper bound of the tokens of ASCII text, None if it has other bytes or another vocabulary.

    A byte is at most one token, and a common word with the space before it is one. For prose the bound is two thirds of
    the bytes.
    """
    if vocabulary.ranks not in WORD_VOCABULARIES or vocabulary.file or not data.isascii():
        return None
    import re

    from ctxkit.core.tokens.single_token_words import COMMON_TOKENS

    words = COMMON_TOKENS - SPLIT_WORDS
    return len(data) + vocabulary.prefix - sum(len(word) for word in re.findall(_WORD, data) if word in words)
