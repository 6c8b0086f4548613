"""Redact secrets in a stream, and keep all other bytes unchanged."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from ctxkit.core.redaction.find_secrets import KeyScanner, find_secrets
from ctxkit.core.redaction.masking import LONGEST
from ctxkit.core.text.lines import UTF16_SAMPLE, detect_utf16

BLOCK = 1 << 17
"""Characters that are searched at a time."""
_CONTEXT = 4_096
"""Characters before a block in which the place of a value may begin."""
_WORD = re.compile(r"[A-Za-z0-9_]*")
_NOT_BREAK = re.compile(r"[^\r\n]+")


def mask_of(kind: str) -> str:
    """Return the fixed text that replaces a secret; no pattern matches inside or across it."""
    return f"[redacted: {kind.lower()}]"


class Redactor:
    """Replaces each secret of a stream by a fixed text; ``count`` is the number of secrets so far.

    The result does not depend on the boundaries of chunks, memory is bounded, and lines keep their numbers: the
    replacement of a secret of several lines has as many. ``scan_keys`` finds secrets besides ctxkit's own rules.
    """

    def __init__(self, scan_keys: KeyScanner | None = None) -> None:
        self.kinds: Counter[str] = Counter()
        self._scan_keys = scan_keys
        self._window = ""
        self._at = 0  # end of the processed part of the window
        self._in_word = False

    @property
    def count(self) -> int:
        """Return the number of masked secrets."""
        return self.kinds.total()

    def redact(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the content of ``chunks`` without its secrets; a byte order mark, or NULs, identify UTF-16."""
        source = iter(chunks)
        start = b""
        while len(start) < UTF16_SAMPLE and (chunk := next(source, None)) is not None:
            start += chunk
        everything = chain((start,), source)
        encoding = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}.get(start[:2]) or detect_utf16(start)
        if encoding:
            text = _Transcoder(encoding)
            yield from text.from_utf8(self._mask_chunks(text.to_utf8(everything)))
        else:
            yield from self._mask_chunks(everything)

    def _mask_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        decoder = getincrementaldecoder("utf-8")("surrogateescape")
        waiting: list[str] = []
        size = 0
        for chunk in chunks:
            waiting.append(decoder.decode(chunk))
            size += len(waiting[-1])
            if size >= BLOCK:
                self._window += "".join(waiting)
                waiting, size = [], 0
                while len(self._window) - self._at >= BLOCK + LONGEST:
                    yield self._advance(self._at + BLOCK)
        self._window += "".join([*waiting, decoder.decode(b"", final=True)])
        while len(self._window) - self._at > BLOCK + LONGEST:
            yield self._advance(self._at + BLOCK)
        yield self._advance(len(self._window))

    def _advance(self, limit: int) -> bytes:
        """Return the window up to ``limit``, without its secrets."""
        text = self._window[: limit + LONGEST]
        if self._in_word:
            self._skip_word(text)
        pieces = []
        for start, end, kind in find_secrets(text, self._scan_keys):
            if start >= limit:
                break
            if start >= self._at:
                pieces += [text[self._at : start], mask_of(kind)]
                self.kinds[kind] += 1
            if end > self._at:
                pieces.append(_NOT_BREAK.sub("", text[max(self._at, start) : end]))
                self._at = end
                self._skip_word(text)
        if self._at < limit:
            pieces.append(text[self._at : limit])
            self._at = limit
        gone = max(self._at - _CONTEXT, 0)
        self._window, self._at = self._window[gone:], self._at - gone
        return "".join(pieces).encode("utf-8", "surrogateescape")

    def _skip_word(self, text: str) -> None:
        """Drop the rest of the word that a secret ends in, so that it is not taken for another secret."""
        match = _WORD.match(text, self._at)
        self._at = match.end() if match else self._at
        self._in_word = self._at == len(text)


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
