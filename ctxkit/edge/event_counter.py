"""Count the tokens of output on its way to stdout, for the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.edge import events, out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.count.options import CountOptions

BATCH = 1 << 16
"""Bytes that are written at once."""


def write_counted(
    pieces: Iterable[bytes], path: str, event: str, facts: dict[str, Any], make_options: Callable[[], CountOptions]
) -> int:
    """Write pieces to stdout and return their bytes; record an event with their tokens if ``path`` names a file."""
    if not path:
        return out.write(pieces)
    counted = CountedContent(_write_batches(pieces))
    try:
        tokens = measure(counted, make_options)
    finally:
        for _ in counted:  # a tokenizer that failed must not stop the output
            pass
    entered = {"before_tokens": 0, "after_tokens": tokens["tokens"], "method": tokens["method"]}
    events.record(path, event, {**facts, "bytes": counted.size, "lines": counted.lines, **entered})
    return counted.size


def measure(chunks: Iterable[bytes], make_options: Callable[[], CountOptions]) -> dict[str, Any]:
    """Return the tokens of content and the method of the count, None if it cannot be counted."""
    try:
        count_options = make_options()
    except Exception:  # the output matters more than its count
        return {"tokens": None, "method": None}
    count = count_tokens(chunks, count_options.vocabulary, count_options.count)
    return {"tokens": count.tokens, "method": count.method}


def _write_batches(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces after they were written, joined to batches."""
    batch: list[bytes] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece)
        if size >= BATCH:
            yield _write_batch(batch)
            batch, size = [], 0
    yield _write_batch(batch)


def _write_batch(batch: list[bytes]) -> bytes:
    data = b"".join(batch)
    out.write((data,))
    return data
