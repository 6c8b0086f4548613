"""Truncate a stream of content: store it first, and name how to read the rest."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ctxkit.core.errors import InputOutputError, NotStoredError
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import BlobWriter, Store, store_content
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tokens.token_count import decode_chunks, detect_encoding
from ctxkit.core.truncation.truncate import (
    ContentEnds,
    EarlierGap,
    Ends,
    Gap,
    LimitName,
    Mode,
    Truncated,
    TruncationLimits,
    WholeContent,
    find_earlier_gap,
    truncate_ends,
)

IN_MEMORY = 1 << 20
"""Bytes of content that is read whole before anything is stored, unless the limits are larger."""


class TruncationPolicy(NamedTuple):
    """How content is truncated, and the label under which the whole is stored."""

    limits: TruncationLimits
    mode: Mode
    hint: Hint
    label: Label = Label()
    strict: bool = False


class TruncationResult(NamedTuple):
    """The content that passes, and what is known of the whole: its size in bytes and its lines.

    - ``total_bytes`` and ``total_lines`` are -1 if the content passes unread because it cannot be stored.
    - ``truncated`` is None if the content is within the limits.
    - ``earlier`` is the gap of an earlier truncation that the content names.
    """

    content: Iterable[bytes]
    total_bytes: int = -1
    total_lines: int = -1
    truncated: Truncated | None = None
    earlier: EarlierGap | None = None
    ref: str = ""
    warning: str = ""

    @property
    def truncated_by(self) -> LimitName | None:
        """Return the limit that the whole content exceeds first."""
        return self.truncated.truncated_by if self.truncated else None

    @property
    def gap(self) -> Gap | None:
        """Return what is not shown, here or by an earlier truncation."""
        if self.truncated:
            return self.truncated.gap
        return self.earlier.gap if self.earlier else None


def truncate_content(
    chunks: Iterable[bytes], policy: TruncationPolicy, open_store: Callable[[], Store] | None = None
) -> TruncationResult:
    """Truncate content to limits; without a store, the rest is lost, and the content says so.

    Content that cannot be stored passes unchanged with a warning, unless the policy is strict.
    """
    stream = PeekableStream(chunks)
    data = stream.peek(max(policy.limits.max_bytes, IN_MEMORY))
    if stream.ended:
        return _truncate_data(data, policy, open_store)
    if open_store is None:
        ends = _collect_ends(stream, stream.drain(), policy.limits)
        return _finish(ends, stream.size, truncate_ends(ends, policy.limits, policy.mode))
    return _truncate_stream(stream, policy, open_store)


def _truncate_data(data: bytes, policy: TruncationPolicy, open_store: Callable[[], Store] | None) -> TruncationResult:
    """Truncate content in memory."""
    text = _decode(data)
    whole = WholeContent(text, 0 if text is data else len(data))
    earlier = find_earlier_gap(text, whole.total_lines)
    if policy.limits.find_excess(text) is None:
        return TruncationResult((data,), len(data), whole.total_lines, earlier=earlier)
    if open_store is None:
        known = earlier if earlier and not earlier.ref and earlier.gap.unit == "lines" else None
        truncated = truncate_ends(whole, policy.limits, policy.mode, earlier=known)
        return _finish(whole, len(data), truncated, earlier=known)
    try:
        store = open_store()
        ref = _find_earlier_ref(store, earlier)
        known, ref = (earlier, ref) if ref else (None, store_content(store, (data,), policy.label))
        hint = _make_hint(policy, store, ref, is_transcoded=text is not data)
    except Exception as error:
        return _pass_unchanged((data,), error, policy)
    truncated = truncate_ends(whole, policy.limits, policy.mode, hint, known)
    return _finish(whole, len(data), truncated, ref, known)


def _truncate_stream(
    stream: PeekableStream, policy: TruncationPolicy, open_store: Callable[[], Store]
) -> TruncationResult:
    """Truncate content that is too large for memory: store it and keep its ends on the way."""
    try:
        store = open_store()
        writer = store.open_writer()
    except Exception as error:
        return _pass_unchanged(stream.drain(), error, policy)
    try:
        ends = _collect_ends(stream, _write_all(stream, writer), policy.limits)
        ref = writer.commit(policy.label)
        hint = _make_hint(policy, store, ref, is_transcoded=ends.source_size > 0)
    except (InputOutputError, KeyboardInterrupt):  # unreadable content cannot pass
        writer.abandon()
        raise
    except Exception as error:
        if policy.strict:
            writer.abandon()
        return _pass_unchanged(_replay_all(writer, stream), error, policy)
    return _finish(ends, stream.size, truncate_ends(ends, policy.limits, policy.mode, hint), ref)


def _write_all(stream: PeekableStream, writer: BlobWriter) -> Iterator[bytes]:
    """Write each chunk, and yield it; keep the chunk that is being written in ``stream.current``."""
    for chunk in stream.drain():
        stream.current = chunk
        writer.write(chunk)
        stream.current = b""
        yield chunk


def _replay_all(writer: BlobWriter, stream: PeekableStream) -> Iterator[bytes]:
    """Yield the content from the beginning after storing failed: the stored bytes, then the rest."""
    yield from writer.replay()
    writer.abandon()
    yield stream.current
    yield from stream.drain()


def _collect_ends(stream: PeekableStream, chunks: Iterable[bytes], limits: TruncationLimits) -> ContentEnds:
    """Return the ends of the content of a stream, whose ``chunks`` are read; as UTF-8 if it is UTF-16."""
    ends = ContentEnds(limits.most_bytes + 1)
    is_utf8 = detect_encoding(stream.peek(2)[:2]) == "utf-8"
    for chunk in chunks if is_utf8 else _transcode(chunks):
        ends.add(chunk)
    ends.source_size = 0 if is_utf8 else stream.size
    return ends


def _transcode(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield content that begins with the byte order mark of UTF-16 as UTF-8."""
    for text in decode_chunks(chunks):
        yield text.encode("utf-8", "replace")


def _decode(data: bytes) -> bytes:
    """Return content itself, or as UTF-8 if it is UTF-16."""
    return data if detect_encoding(data[:2]) == "utf-8" else b"".join(_transcode((data,)))


def _find_earlier_ref(store: Store, earlier: EarlierGap | None) -> str:
    """Return the ref of the content of an earlier truncation if it is stored, else ""."""
    if earlier is None or earlier.gap.unit == "bytes" or not earlier.ref:
        return ""
    try:
        return store.find(earlier.ref)
    except NotStoredError:
        return ""


def _make_hint(policy: TruncationPolicy, store: Store, ref: str, *, is_transcoded: bool) -> Hint:
    stored = store.open(ref)
    hint = policy.hint.with_location(shorten_ref(stored.ref), stored.path)
    return hint.for_transcoded() if is_transcoded else hint


def _finish(
    ends: Ends, size: int, truncated: Truncated, ref: str = "", earlier: EarlierGap | None = None
) -> TruncationResult:
    return TruncationResult((truncated.content,), size, ends.total_lines, truncated, earlier, ref)


def _pass_unchanged(content: Iterable[bytes], error: Exception, policy: TruncationPolicy) -> TruncationResult:
    """Return content that passes unchanged with a warning; raise the error instead if the policy is strict."""
    if policy.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    return TruncationResult(content, warning=f"content passes unchanged: {reason}" + (f": {place}" if place else ""))
