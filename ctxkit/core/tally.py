"""Counting tokens: bounds that need no tokenizer, exact counts in safe cuts, labelled estimates."""

import codecs
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ctxkit.core.limits import FORCED_CUT, UNSPLIT
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.vocabulary import Vocabulary

Method = Literal["exact", "estimate", "bound"]
CUT = 1 << 20
"""Characters that are counted at once where safe cuts are to be had."""
BOUNDLESS = 1 << 62
"""The bound of what cannot be bound, in tokens."""
Place = Literal["cut", "forced", "peek", "end"]
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Tally(NamedTuple):
    """Say how many tokens content takes, how that is known, and the most and the least it may be.

    ``whole`` is false when counting stopped early, so that ``tokens`` is only what was reached. ``low``
    is negative where it is no other than ``tokens``; ``least`` is always the number.
    """

    tokens: int
    high: int
    method: Method
    whole: bool = True
    low: int = -1

    @property
    def least(self) -> int:
        """Return the fewest tokens that content may take."""
        return self.tokens if self.low < 0 else self.low


def encoding_of(start: bytes) -> str:
    """Return the codec for content that begins with ``start``: UTF-16 by its mark, else UTF-8."""
    return "utf-16" if start.startswith(_UTF16) else "utf-8"


def text_of(data: bytes) -> str:
    """Return content as text; what cannot be decoded becomes U+FFFD."""
    return data.decode(encoding_of(data), "replace")


def bound(data: bytes, vocabulary: Vocabulary) -> int:
    """Return a number that the token count cannot exceed, without any tokenizer.

    Byte-level BPE makes no more tokens than there are bytes of UTF-8. Undecodable bytes count as
    the three bytes of U+FFFD, and a normalizer may lengthen what is not ASCII. Where nothing is known
    of the vocabulary, the number is one that fits nowhere.
    """
    if not vocabulary.growth:
        return BOUNDLESS
    if data.isascii():
        return len(data) + vocabulary.prefix
    return len(text_of(data).encode("utf-8", "replace")) * vocabulary.growth + vocabulary.prefix


def tally(chunks: Iterable[bytes], vocabulary: Vocabulary, count: Tokenizer, limit: int | None = None) -> Tally:
    """Count the tokens of content, stopping early once it is sure to be more than ``limit``.

    Where the vocabulary is estimated, ``count`` is not asked and the high end is what must stay within.
    """
    if not vocabulary.exact:
        from ctxkit.core.estimate import estimated

        found, whole = estimated(decoded(chunks), vocabulary, limit)
        return Tally(found.tokens, found.high, "estimate", whole, found.low)
    tokens = forced = 0
    for text, place in pieces(chunks, vocabulary.cuts):
        if place == "peek":
            # No safe cut came. What follows may still join the last tokens to others, so only a
            # count of twice the limit is an answer.
            if limit is not None and tokens + count(text) > 2 * limit:
                return Tally(tokens, tokens, "exact", whole=False)
            continue
        tokens += count(text)
        forced += place == "forced"
        if limit is not None and place in ("cut", "forced") and tokens - forced * FORCED_CUT > limit:
            return _tally(tokens, forced, whole=False)
    return _tally(tokens, forced, whole=True)


def _tally(tokens: int, forced: int, *, whole: bool) -> Tally:
    """Return a count, which is an estimate where text was cut at places that a token may span."""
    if not forced:
        return Tally(tokens, tokens, "exact", whole=whole)
    off = forced * FORCED_CUT
    return Tally(tokens, tokens + off, "estimate", whole=whole, low=max(tokens - off, 0))


def pieces(chunks: Iterable[bytes], cuts: bool) -> Iterator[tuple[str, Place]]:
    """Yield text with its place, cut only where no token can span the cut.

    "cut", "forced" and "end" pieces join to the whole text. Where ``cuts`` is false or no safe place comes, a
    piece grows, and each time it has doubled it is shown as a "peek" that comes again later; at UNSPLIT characters
    it is "forced": cut where a token may span the cut.
    """
    held: list[str] = []
    size, enough = 0, CUT
    for text in _parts(decoded(chunks)):
        held.append(text)
        size += len(text)
        if size < enough:
            continue
        whole = "".join(held)
        cut = safe_cut(whole) if cuts else 0
        if not cut and size >= UNSPLIT:
            yield whole, "forced"
            held, size, enough = [], 0, CUT
            continue
        yield (whole[:cut], "cut") if cut else (whole, "peek")
        held = [whole[cut:]]
        size -= cut
        enough = CUT if cut else min(2 * size, max(UNSPLIT, size))
    yield "".join(held), "end"


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts in parts of at most CUT characters: a chunk may be all of the content."""
    for text in texts:
        if len(text) <= CUT:
            yield text
        else:
            yield from (text[start : start + CUT] for start in range(0, len(text), CUT))


def safe_cut(text: str) -> int:
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


def decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield content as text, however it is cut into chunks."""
    decoder: codecs.IncrementalDecoder | None = None
    start = b""
    for chunk in chunks:
        if decoder is None:
            start += chunk
            if len(start) < 2:
                continue
            decoder = codecs.getincrementaldecoder(encoding_of(start))("replace")
            chunk = start
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True) if decoder else start.decode("utf-8", "replace")


def surely(count: Tokenizer, vocabulary: Vocabulary) -> Tokenizer:
    """Return a counter that gives the most a text may take: an estimate's high end."""
    if vocabulary.exact:
        return count
    from ctxkit.core import estimate

    return estimate.surely(vocabulary)
