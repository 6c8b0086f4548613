"""Token count of one content, text or conversation."""

from __future__ import annotations

import codecs
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.stream import PeekableBytes, PeekableStream
from ctxkit.core.text.worker_interface import call_directly
from ctxkit.core.tokens.token_count import count_tokens, decode_chunks, detect_encoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.count.text_counter import TextCounter

_STARTS = (b"{", b"[", b"<|im_start|>")
"""The possible beginnings of a conversation, after blanks; any other content is text."""

SMALL_BYTES = 1 << 16
"""Maximum size in bytes of a conversation that this process reads itself: a small one is cheap."""

NAMED_LINES = 10
"""Maximum numbers of unreadable lines in a message."""
SHORT_LENGTH, MAX_CACHED_LINES = 16, 4096
"""Characters of a line that is short enough to repeat, and the number of such lines whose tokens are cached."""


class MeasuredStream:
    """A pass-through for chunks that counts bytes and lines; a last line without a newline counts."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.size, self._newlines, self._last = 0, 0, b"\n"

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if chunk:
                self.size += len(chunk)
                self._newlines += chunk.count(b"\n")
                self._last = chunk[-1:]
            yield chunk

    @property
    def lines(self) -> int:
        """Return the number of lines so far."""
        return self._newlines + (self._last != b"\n")


def count_content(
    chunks: Iterable[bytes], name: str, count_options: CountOptions, limit: int | None = None
) -> ContentTokens:
    """Return the token count of a content; text may stop early once it certainly exceeds ``limit`` tokens.

    Raise MalformedInputError if a conversation is invalid, or if the input must be a conversation but is not.
    """
    measured = MeasuredStream(chunks)
    stream = PeekableStream(measured)
    if count_options.input == "text" or (count_options.input == "auto" and not _may_be_chat(stream)):
        return _count_text(measured, stream.drain(), name, count_options, limit)
    if len(stream.peek(SMALL_BYTES)) > SMALL_BYTES and count_options.isolate is not call_directly:
        return _count_isolated(measured, stream, name, count_options, limit)
    return _count_conversation(measured, stream, name, count_options, limit)


def _count_isolated(
    measured: MeasuredStream, stream: PeekableStream, name: str, count_options: CountOptions, limit: int | None
) -> ContentTokens:
    """Count a possible conversation in another process, after reading all of it."""
    from ctxkit.core.count.plain_data import from_plain, to_plain

    data = b"".join(stream.drain())
    return from_plain(
        count_options.isolate(
            lambda: to_plain(_count_conversation(measured, PeekableBytes(data), name, count_options, limit)), len(data)
        )
    )


def _count_conversation(
    measured: MeasuredStream, stream: PeekableStream, name: str, count_options: CountOptions, limit: int | None
) -> ContentTokens:
    # Only a possible conversation imports the readers, which saves start-up time.
    from ctxkit.core.count import conversation

    content = conversation.recognize_content(stream, name, count_options)
    if content.format is None and count_options.input == "chat":
        raise MalformedInputError(f"{name}: no conversation is recognized", hint="--format names the format")
    if content.format is None:
        return _count_text(measured, content.chunks, name, count_options, limit)._replace(doubt=content.doubt)
    total = conversation.count_recognized(content, count_options)
    sure = count_options.vocabulary.exact and total.amount.low == total.amount.high
    result = ContentTokens(name, total.amount, "exact" if sure else "estimate", measured.size, measured.lines)
    doubt = f"not JSON, and left out: {_name_lines(content.bad_lines)}" if content.bad_lines else ""
    return result._replace(format=content.format.NAME, messages=total.messages, sum=total, doubt=doubt)


def _name_lines(lines: Sequence[int]) -> str:
    shown = ", ".join(f"{line:,}" for line in lines[:NAMED_LINES])
    more = f" and {len(lines) - NAMED_LINES:,} more" if len(lines) > NAMED_LINES else ""
    return f"line{'' if len(lines) == 1 else 's'} {shown}{more}"


def _may_be_chat(stream: PeekableStream) -> bool:
    start = stream.peek(64)
    return detect_encoding(start) != "utf-8" or start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(_STARTS)


def _count_text(
    measured: MeasuredStream, chunks: Iterable[bytes], name: str, count_options: CountOptions, limit: int | None
) -> ContentTokens:
    token_count = count_tokens(chunks, count_options.vocabulary, count_options.count, limit)
    amount = Amount(token_count.least, token_count.tokens, token_count.high)
    return ContentTokens(name, amount, token_count.method, measured.size, measured.lines, token_count.complete)


def count_lines(chunks: Iterable[bytes], counter: TextCounter) -> Iterator[tuple[int, Amount]]:
    """Yield the 1-based number and the token count of each line, including its newline."""
    left, number = "", 1
    count_short_line = lru_cache(maxsize=MAX_CACHED_LINES)(counter.count)
    for piece in decode_chunks(chunks):
        *whole, left = (left + piece).split("\n")
        for line in whole:
            text = f"{line}\n"
            yield number, count_short_line(text) if len(text) <= SHORT_LENGTH else counter.count(text)
            number += 1
    if left:
        yield number, counter.count(left)


def percent(tokens: int, effective: int) -> float:
    """Return tokens as a percentage of the effective window, rounded up to one digit."""
    return ceil(1000 * tokens / effective) / 10 if effective else 100.0
