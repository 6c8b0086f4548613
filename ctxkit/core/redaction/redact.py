"""Redact secrets in a stream, and keep all other bytes unchanged."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain

from ctxkit.core.redaction.secret_patterns import (
    KEYS,
    LONGEST,
    NAMED_SECRET,
    NAMES,
    OTHER_NAMES,
    SEPARATOR,
    VALUE,
    generated_length,
)

BLOCK = 1 << 18
"""Bytes collected before a search, so that small chunks cost little."""
_CONTEXT = 64
"""Maximum number of bytes that a pattern looks back."""
_WORD = re.compile(rb"[A-Za-z0-9_]*")
_NOT_BREAK = re.compile(rb"[^\r\n]+")

SecretMatch = tuple[int, int, int]
"""Start of a match, and start and end of its secret."""


def mask_of(kind: str) -> bytes:
    """Return the fixed text that replaces a secret; no pattern matches inside or across it."""
    return f"[redacted: {kind.lower()}]".encode()


class Redactor:
    """Replaces each secret of a stream by a fixed text; ``count`` is the number of secrets so far.

    The result does not depend on the boundaries of chunks, memory is bounded, and lines keep their numbers: the
    replacement of a secret of several lines has as many.
    """

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self._window = b""
        self._waiting: list[bytes] = []
        self._size = 0
        self._at = 0  # end of the processed part of the window
        self._resume = [0] * len(_searches())  # offset in the window at which each search continues
        self._in_word = False

    @property
    def count(self) -> int:
        """Return the number of masked secrets."""
        return self.kinds.total()

    def redact(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the content of ``chunks`` without its secrets; a byte order mark identifies UTF-16."""
        source = iter(chunks)
        start = b""
        while len(start) < 2 and (chunk := next(source, None)) is not None:
            start += chunk
        everything = chain((start,), source)
        encoding = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}.get(start[:2])
        if not encoding:
            return self._mask_chunks(everything)
        text = _Transcoder(encoding)
        return text.from_utf8(self._mask_chunks(text.to_utf8(everything)))

    def _mask_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._waiting.append(chunk)
            self._size += len(chunk)
            if self._size >= BLOCK:
                yield self._advance(ended=False)
        yield self._advance(ended=True)

    def _advance(self, *, ended: bool) -> bytes:
        """Search and return the part of the window that no later match can change."""
        data = self._window = b"".join([self._window, *self._waiting])
        self._waiting.clear()
        self._size = 0
        limit = len(data) if ended else max(len(data) - LONGEST, self._at)
        if self._in_word:
            self._skip_word(data)
        spans = self._find_spans(data, limit)
        pieces = []
        for start, end, kind in sorted(spans):
            if start >= self._at:
                pieces += [data[self._at : start], mask_of(kind)]
                self.kinds[kind] += 1
            if end > self._at:
                pieces.append(_NOT_BREAK.sub(b"", data[max(self._at, start) : end]))
                self._at = end
                self._skip_word(data)
        if self._at < limit:
            pieces.append(data[self._at : limit])
            self._at = limit
        self._drop_searched(min(limit, self._at))
        return b"".join(pieces)

    def _skip_word(self, data: bytes) -> None:
        """Drop the rest of the word that a secret ends in, so that it is not taken for another secret."""
        match = _WORD.match(data, self._at)
        self._at = match.end() if match else self._at
        self._in_word = self._at == len(data)

    def _find_spans(self, data: bytes, limit: int) -> Iterator[tuple[int, int, str]]:
        """Yield the secrets whose match starts before ``limit``."""
        small = data.lower()
        for number, (kind, marks, search) in enumerate(_searches()):
            at = self._resume[number]
            if any(mark in data for mark in marks):
                while (match := search(data, small, at)) and match[0] < limit:
                    _, start, at = match
                    if start < at:
                        yield start, at, kind
            self._resume[number] = max(at, limit)

    def _drop_searched(self, limit: int) -> None:
        """Drop the part of the window that no search needs any more."""
        gone = max(limit - _CONTEXT, 0)
        self._window = self._window[gone:]
        self._at -= gone
        self._resume = [at - gone for at in self._resume]


class _Transcoder:
    """Converts UTF-16 to UTF-8 and back, so that unchanged parts keep their bytes, valid or not."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._rest = b""

    def to_utf8(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield UTF-8; keep an incomplete character at the end for ``from_utf8``."""
        decoder = getincrementaldecoder(self._encoding)("surrogatepass")
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        self._rest = decoder.getstate()[0]

    def from_utf8(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield UTF-16 again, then the incomplete character at the end."""
        left = b""
        for piece in pieces:
            data = left + piece
            whole = len(data)
            while whole and 0x80 <= data[whole - 1] < 0xC0:
                whole -= 1
            if whole and data[whole - 1] >= 0xC0:  # the first byte of a character that may be incomplete
                whole -= 1
            left = data[whole:]
            yield self._encode(data[:whole])
        yield self._encode(left) + self._rest

    def _encode(self, data: bytes) -> bytes:
        return data.decode("utf-8", "surrogatepass").encode(self._encoding, "surrogatepass")


Search = Callable[[bytes, bytes, int], SecretMatch | None]
"""Returns the next match from an offset, given bytes and their lower-case form.

A match that is not a secret has an empty span, from which the search continues.
"""


@cache
def _searches() -> list[tuple[str, tuple[bytes, ...], Search]]:
    """Return (kind, markers, search) triples; at least one marker occurs in each secret of the kind."""
    # A search for a pattern with a literal prefix is faster than any test before it.
    marks = {kind: shape.marks if shape.pattern[0] in "([" else ("",) for kind, shape in KEYS.items()}
    known = [(kind, marks[kind], _make_pattern_search(shape.pattern)) for kind, shape in KEYS.items()]
    words = [*((name, True) for name in NAMES), *((name, False) for name in OTHER_NAMES)]
    given = [(NAMED_SECRET, ("",), _make_value_search(name, breaks)) for name, breaks in words]
    return [(kind, tuple(mark.encode() for mark in marks), search) for kind, marks, search in [*known, *given]]


def _make_pattern_search(pattern: str) -> Search:
    compiled = re.compile(pattern.encode())
    group = "value" if "value" in compiled.groupindex else 0

    def search(data: bytes, _: bytes, at: int) -> SecretMatch | None:
        """Return the next secret from offset ``at`` on."""
        match = compiled.search(data, at)
        return (match.start(), *match.span(group)) if match else None

    return search


def _make_value_search(name: str, breaks: bool) -> Search:
    """Return the search for generated values after a name; ``breaks`` requires a word boundary before the name."""
    named, value = re.compile(f"{name}{SEPARATOR}".encode()), re.compile(VALUE.encode())

    def search(data: bytes, small: bytes, at: int) -> SecretMatch | None:
        """Return the next secret from offset ``at`` on."""
        match = named.search(small, at)
        if not match:
            return None
        start, begin, end = match.start(), match.end(), match.end()
        value_match = value.match(data, begin)
        if value_match and not (breaks and small[max(start - 1, 0) : start].isalpha()):
            begin = value_match.start("value")
            end = begin + _secret_length(value_match["value"])
        return start, begin, end

    return search


def _secret_length(value: bytes) -> int:
    """Return the number of bytes of a value that are a secret."""
    text = value.decode("utf-8", "surrogateescape")
    while text and "\udc80" <= text[-1] <= "\udcff":  # a character cut off by the maximum length
        text = text[:-1]
    return len(text[: generated_length(text)].encode("utf-8", "surrogateescape"))
