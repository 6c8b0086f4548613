"""Log what commands do as events, one JSON object per line."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.count.options import CountOptions

START = "ctxkit.start"
"""Key of the monotonic time at which the command began, in the metadata of its context."""


def record(path: str, event: str, facts: Mapping[str, Any]) -> None:
    """Append an event to the file ``path``, if there is one; only warn on failure."""
    if not path:
        return
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = _encode_line({"v": 1, "ts": stamp, "event": event, **_describe_process(), **facts})
    try:
        # A single write in append mode keeps lines of concurrent processes separate.
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            written = os.write(file, line)
        finally:
            os.close(file)
        if written < len(line):
            say.warn(f"an event is cut off: {path}: the disk may be full")
    except OSError as error:
        say.warn(f"events cannot be written: {path}: {error.strerror}")


def _encode_line(event: Mapping[str, Any]) -> bytes:
    """Return an event as a line of JSON; bytes of names that are not UTF-8 become question marks."""
    import orjson

    try:
        return orjson.dumps(event) + b"\n"
    except TypeError:  # a lone surrogate, or a number of more than 64 bits
        import json

        return json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _describe_process() -> dict[str, Any]:
    """Return the command that runs, its project, and how long it has run."""
    context = click.get_current_context(silent=True)
    project = {"project": find_project()}
    if context is None:
        return project
    facts: dict[str, Any] = {"verb": context.command_path.partition(" ")[2], **project}
    if START in context.meta:
        facts["duration_ms"] = round((time.monotonic() - context.meta[START]) * 1000)
    return facts


def find_project() -> str:
    """Return the nearest directory with a repository, at or above the current one; else the current directory."""
    try:
        start = folder = os.getcwd()
    except OSError:  # the directory was removed
        return ""
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent
    return folder


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
    record(path, event, {**facts, "bytes": counted.size, "lines": counted.lines, **entered})
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
