"""Log what commands and the gate do as events, one JSON object per line, and read a file of events."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ctxkit.core.errors import CtxkitError, InputOutputError
from ctxkit.core.events.event import LoggedEvent, read_event
from ctxkit.core.gate.decision import GatePolicy, GateResult
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import TokenCount, count_tokens
from ctxkit.edge import out, say, source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.count.amount import CountOptions

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


MAX_LINE = 1 << 20
"""Bytes of the longest line that is read; a longer one is not an event."""
INTERVAL = 0.2
"""Seconds between two looks at a file that is followed."""


class EventLine(NamedTuple):
    """A line of the file and its event, None if the line is broken."""

    line: bytes
    event: LoggedEvent | None


def read_events(file: str, *, follow: bool = False) -> Iterator[EventLine]:
    """Yield each line with its event; with ``follow``, wait for more lines at the end.

    Raise MissingInputError if the file cannot be opened, InputOutputError if it cannot be read.
    """
    pieces = _follow_file(file) if follow and file not in ("", "-") else source.chunks(file)
    for line in split_lines(pieces):
        yield EventLine(line, _parse_line(line))


def split_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines without their newlines, blank ones left out; of a line that is too long, its beginning."""
    rest, too_long = b"", False
    for piece in pieces:
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if line.strip() and not too_long:
                yield line
            too_long = False
        if len(rest) > MAX_LINE:
            if not too_long:
                yield rest[:MAX_LINE]
            rest, too_long = b"", True
    if rest.strip() and not too_long:
        yield rest


def _parse_line(line: bytes) -> LoggedEvent | None:
    import orjson

    try:
        return read_event(orjson.loads(line))
    except (ValueError, OverflowError):
        return None


def _follow_file(file: str) -> Iterator[bytes]:
    """Yield what a file contains and what is appended; begin again if it is replaced or truncated."""
    descriptor = source.open_file(file)
    try:
        while True:
            try:
                piece = os.read(descriptor, source.CHUNK)
            except OSError as error:
                raise InputOutputError(f"{file}: {error.strerror}") from None
            if piece:
                yield piece
                continue
            if not _is_current(file, descriptor):
                os.close(descriptor)
                descriptor = source.open_file(file)
            time.sleep(INTERVAL)
    finally:
        os.close(descriptor)


def _is_current(file: str, descriptor: int) -> bool:
    """Return whether the open file is still that of the path, and has not become shorter."""
    opened = os.fstat(descriptor)
    try:
        named = os.stat(file)
    except OSError:  # removed: its successor is not there yet
        return True
    if (named.st_dev, named.st_ino) != (opened.st_dev, opened.st_ino):
        return False
    return not (os.path.isfile(file) and opened.st_size < os.lseek(descriptor, 0, os.SEEK_CUR))


NAME = "events.key"
"""File in the data directory with the key, which is random."""
_KEY_BYTES = 32
_SHOWN = 16
"""Digits of a hash."""


def hash_command(command: str, directory: str) -> str:
    """Return the hash of a command by the key in a data directory, which is made; "" if it cannot be read."""
    from hashlib import sha256
    from hmac import digest

    try:
        key = _read_key(directory)
    except (OSError, CtxkitError):
        return ""
    words = " ".join(command.split()).encode("utf-8", "surrogateescape")
    return digest(key, words, sha256).hex()[:_SHOWN] if len(key) == _KEY_BYTES else ""


def _read_key(directory: str) -> bytes:
    from ctxkit.system import own_files

    with own_files.open_own_folder(directory, 1, make=True) as folder:
        try:
            return own_files.read_file(folder, NAME, _KEY_BYTES)
        except FileNotFoundError:
            own_files.append_to_file(folder, NAME, os.urandom(_KEY_BYTES))
            return own_files.read_file(folder, NAME, _KEY_BYTES)  # the first of two processes that create it


_NO_TOKENS = TokenCount(0, 0, "exact")
"""The token count of a refusal."""
_SHORTENED = ("briefing", "refused")


def record_decision(
    path: str, gate_result: GateResult, policy: GatePolicy, call_facts: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    """Append a decision to a file of events, after its content was read to its end."""
    name, event_facts = describe_decision(_measure_passed(gate_result), policy)
    record(path, name, {**call_facts, **event_facts, **more})


def describe_decision(gate_result: GateResult, policy: GatePolicy) -> tuple[str, dict[str, Any]]:
    """Return the name and the members of the event of a decision."""
    result_facts = describe_result(gate_result, policy)
    event_facts = {"name": policy.label.name, **result_facts, **_count_change(result_facts)}
    return find_event_name(gate_result), {**event_facts, **_describe_ranges(gate_result)}


def _describe_ranges(gate_result: GateResult) -> dict[str, Any]:
    """Return the lines that a map quotes and names, by which later reads are told apart."""
    if gate_result.briefing is None:
        return {}
    from ctxkit.core.events.event import find_map_ranges

    return find_map_ranges(gate_result.briefing.text, gate_result.lines)._asdict()


def find_event_name(gate_result: GateResult) -> str:
    """Return the name of the event; for shortened content, it is the seed's."""
    return "tool_output_truncated" if gate_result.result in _SHORTENED else "gate"


def _measure_passed(gate_result: GateResult) -> GateResult:
    """Return the result with the bytes and lines of content that passed unchanged and was read to its end."""
    content = gate_result.content
    if gate_result.result in ("raw", "tight") and isinstance(content, CountedContent):
        return gate_result._replace(size=content.size, lines=content.lines)
    return gate_result


def _count_change(result_facts: dict[str, Any]) -> dict[str, int | None]:
    """Return the tokens of the content before the gate and after it, None if they are not known."""
    passed = result_facts["result"] in ("raw", "tight")
    before = result_facts["tokens"] if passed else result_facts["original"].get("tokens")
    return {"before_tokens": before, "after_tokens": result_facts["tokens"]}


def describe_result(gate_result: GateResult, policy: GatePolicy, data: bytes | None = None) -> dict[str, Any]:
    """Return the decision without the content; ``data`` is the content if it is in memory."""
    entered = _NO_TOKENS if gate_result.result == "refused" else gate_result.token_count
    answer: dict[str, Any] = {
        "result": gate_result.result,
        "tokens": entered.tokens if entered.tokens >= 0 else None,
        "method": entered.method if entered.tokens >= 0 else None,
        "tokenizer": policy.vocabulary.name,
        **_estimate_bounds(entered),
        "original": _describe_original(gate_result, data),
        "budget": _describe_budget(policy),
    }
    if gate_result.result == "refused":
        answer |= describe_refusal(gate_result, policy)
    if policy.label.session:
        answer["session"] = policy.label.session
    if gate_result.ref:
        answer["ref"] = shorten_ref(gate_result.ref)
    if gate_result.earlier is not None:
        entry = gate_result.earlier
        known = {"name": entry.name, "call": entry.call, "ref": shorten_ref(entry.ref), "tokens": entry.tokens}
        answer["earlier"] = known
    if gate_result.briefing is not None:
        answer["kind"] = gate_result.briefing.kind
    return answer


def _describe_original(gate_result: GateResult, data: bytes | None) -> dict[str, Any]:
    original = gate_result.original or gate_result.token_count
    size, total = gate_result.size, gate_result.lines
    if total < 0 and data is not None and gate_result.result in ("raw", "tight"):
        size, total = len(data), data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    known = {"bytes": size, "lines": total, "tokens": original.tokens}
    method = original.method if original.tokens >= 0 else None
    return {name: number for name, number in known.items() if number >= 0} | {
        "method": method,
        **_estimate_bounds(original),
    }


def _estimate_bounds(count: TokenCount) -> dict[str, int]:
    """Return the ends of an estimate; empty for exact counts and bounds."""
    estimated = count.method == "estimate" and count.tokens >= 0
    return {"low": count.least, "high": count.high} if estimated else {}


def _describe_budget(policy: GatePolicy) -> dict[str, int | bool]:
    budget = policy.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
        **({"assumed": True} if budget.assumed else {}),
    }


def describe_refusal(gate_result: GateResult, policy: GatePolicy) -> dict[str, str]:
    """Return the reason of a refusal and a remedy."""
    return {"reason": explain_refusal(gate_result, policy), "hint": suggest_remedy(gate_result, policy)}


def explain_refusal(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return why content is refused: the window is full, or no briefing is short enough."""
    budget = policy.budget
    if budget.is_blocked():
        return f"the window is full: {budget.used:,} of {budget.effective:,} tokens are used"
    what = "map" if gate_result.ref else "excerpt"
    share = "half of what is available" if policy.target == budget.available // 2 else "all that --limit allows"
    return f"no {what} of {policy.title} fits {policy.target:,} tokens, {share}"


def suggest_remedy(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return how to free tokens, and how to read the stored content or let it pass."""
    suggestions = ["ctxkit compact frees tokens"]
    if policy.limit is not None and policy.limit < policy.budget.available:
        suggestions.append("a larger --limit admits more")
    if policy.budget.assumed:
        suggestions.append("--model or --window names a larger window")
    if policy.budget.is_blocked() and _fits_window(gate_result, policy):
        suggestions.append("--admit passes it anyway")
    if gate_result.ref:
        suggestions.append(f"ctxkit cache get {shorten_ref(gate_result.ref)} reads the stored content")
    return "; ".join(suggestions)


def _fits_window(gate_result: GateResult, policy: GatePolicy) -> bool:
    """Return whether the complete content would fit the rest of the window."""
    original = gate_result.original
    return original is not None and original.complete and 0 <= original.high <= policy.budget.allowance(policy.limit)
