"""Replace content that does not fit: store and brief it, or excerpt it if nothing may be stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from ctxkit.core.errors import InputOutputError
from ctxkit.core.gate.briefing import BriefingServices, ExcerptFrame, collect_ends, make_excerpt, make_isolated_briefing
from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult
from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult, GateServices, pass_unchanged
from ctxkit.core.gate.screen import replace_stored_by_screen
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.store.store_interface import COUNTED_BYTES, BlobWriter, Store, store_content
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import skip_lines
from ctxkit.core.text.quantity import format_size
from ctxkit.core.text.retrieval_hint import PREFIX, Hint
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tokens.token_count import (
    TokenCount,
    count_tokens,
    decode_content,
    upper_bound_tokenizer,
)
from ctxkit.core.tokens.vocabulary import Tokenizer

Candidate = TypeVar("Candidate")


def make_replacement(
    stream: PeekableStream, token_count: TokenCount, policy: GatePolicy, services: GateServices
) -> GateResult:
    """Return the result for content that does not fit: store it and brief it.

    ``token_count`` is the decision's count; it may be incomplete.
    """
    if services.store is None:
        return _excerpt_stream(stream, token_count, policy, services)
    try:
        store = services.store()
        writer = services.open_writer(store)
    except Exception as error:
        return pass_unchanged(stream.drain(), error, policy)
    try:
        ref = _store_stream(stream, writer, policy)
    except InputOutputError:  # unreadable content cannot pass
        writer.abandon()
        raise
    except Exception as error:  # fails open: content that cannot be stored passes
        if policy.strict:
            writer.abandon()
        return pass_unchanged(_replay_all(writer, stream), error, policy)
    shown = policy.shown()
    if shown.lines:
        policy = policy._replace(limit=max(policy.target - shown.tokens, 0))
    try:
        result = _brief_stored(store, ref, token_count, policy, services)
    except Exception as error:  # the content is stored: name its ref instead of filling the window
        result = _name_stored(ref, stream.size, policy, error)
    return _ensure_stored(result, store, writer, policy)


def _ensure_stored(result: GateResult, store: Store, writer: BlobWriter, policy: GatePolicy) -> GateResult:
    """Store content again if it was removed during the briefing; pass it unchanged if that fails."""
    try:
        if not store.has_ref(result.ref):
            store_content(store, writer.replay(), policy.label)
    except Exception as error:
        return pass_unchanged(writer.replay(), error, policy)
    return result


def _store_stream(stream: PeekableStream, writer: BlobWriter, policy: GatePolicy) -> str:
    """Store the content and return its ref; keep the chunk that is being written in ``stream.current``."""
    try:
        for chunk in stream.drain():
            stream.current = chunk
            writer.write(chunk)
            stream.current = b""
        return writer.commit(policy.label)
    except KeyboardInterrupt:
        writer.abandon()
        raise


def _replay_all(writer: BlobWriter, stream: PeekableStream) -> Iterator[bytes]:
    """Yield the content from the beginning after storing failed: the stored bytes, then the rest."""
    yield from writer.replay()
    writer.abandon()
    yield stream.current
    yield from stream.drain()


def _brief_stored(
    store: Store, ref: str, token_count: TokenCount, policy: GatePolicy, services: GateServices
) -> GateResult:
    """Return the result with the briefing of stored content within the target, or with its screen if that fits."""
    if policy.screen and (screen := replace_stored_by_screen(store, ref, token_count, policy, services)) is not None:
        return screen
    stored = store.open(ref)
    hint = policy.hint.with_location(shorten_ref(stored.ref), stored.path)
    count = services.tokenizer(policy.vocabulary)

    def make(target: int) -> BriefingResult:
        """Return the briefing within ``target`` tokens."""
        request = _make_request(policy, hint, target)
        known_count = token_count if token_count.complete else None
        ask = services.ask_for_map
        if ask is not None and (result := ask(ref, request, policy.vocabulary, known_count)) is not None:
            return result
        made_by = BriefingServices(policy.vocabulary, count, services.parse, services.isolate)
        return make_isolated_briefing(stored, request, made_by, known_count, strict=policy.strict)

    result = _fit_target(policy, services, make, lambda map_: map_.briefing.tokens if map_.briefing else None)
    measures: dict[str, JsonValue] = {
        "ref": ref,
        "original": result.original,
        "size": result.size,
        "lines": result.lines,
    }
    if result.briefing is None:
        return GateResult("refused", UNCOUNTED, (), warning=result.envelope, **measures)
    content = result.briefing.text.encode("utf-8", "replace")
    tokens = count_tokens((content,), policy.vocabulary, count)
    return GateResult(
        "briefing", tokens, (content,), warning=result.briefing.doubt, briefing=result.briefing, **measures
    )


def _make_request(policy: GatePolicy, hint: Hint, target: int) -> BriefingRequest:
    """Return the request for a briefing within ``target`` tokens, whose last line is the ``hint``."""
    return BriefingRequest(
        target,
        policy.title,
        hint,
        policy.hint.name,
        policy.content_type,
        policy.preface(),
        policy.focus,
        policy.shown().lines,
        policy.rule,
    )


def _fit_target(
    policy: GatePolicy,
    services: GateServices,
    make: Callable[[int], Candidate],
    size: Callable[[Candidate], int | None],
) -> Candidate:
    """Make a candidate that fits the target; under a session, reserve its tokens."""
    if services.reservation is None:
        return make(policy.target)
    services.reservation.cap_briefing(policy.briefing_cap)
    return services.reservation.make_within_target(policy.limit, make, size)


def _name_stored(ref: str, size: int, policy: GatePolicy, error: Exception) -> GateResult:
    """Return a line that names the ref of stored content whose briefing failed."""
    if policy.strict:
        raise error
    preface = f"{policy.preface()}; " if policy.preface() else ""
    line = f"{preface}{policy.title} ({format_size(size)}): ctxkit cache get {shorten_ref(ref)}\n"
    warning = f"no map could be made: {type(error).__name__}: {error}"
    return GateResult("briefing", UNCOUNTED, (line.encode("utf-8", "replace"),), ref, size=size, warning=warning)


def _excerpt_stream(
    stream: PeekableStream, token_count: TokenCount, policy: GatePolicy, services: GateServices
) -> GateResult:
    """Return an excerpt of both ends of content that may not be stored."""
    tokenizer = services.tokenizer(policy.vocabulary)
    count = upper_bound_tokenizer(tokenizer, policy.vocabulary)
    shown = policy.shown()
    most = max(policy.target - shown.tokens, 0)
    if policy.exact and not token_count.complete:
        token_count = _finish_count(stream, token_count, policy, tokenizer)
    rest = skip_lines(stream.drain(), shown.lines)
    complete_content = b"".join(rest) if token_count.complete else None
    ends = collect_ends(rest if complete_content is None else (complete_content,), most)
    shown = policy.shown()  # what was printed while the content was read
    title = f"{policy.title}, after line {shown.lines}" if shown.lines else policy.title
    frame = ExcerptFrame(title, stream.size, policy.preface())
    original = token_count if token_count.complete else UNCOUNTED
    measures: dict[str, JsonValue] = {"original": original, "size": stream.size, "lines": ends.total_lines}

    def cut_to(target: int) -> bytes | None:
        """Return the excerpt within ``target`` tokens, or all content that fits it."""
        target = min(target, most)
        if (
            complete_content is not None and token_count.high <= target
        ):  # it fits the target of an excerpt too, so nothing is cut
            return complete_content
        text = make_excerpt(ends, frame, count, target)
        return None if text is None else text.encode("utf-8", "replace")

    content = _fit_target(policy, services, cut_to, lambda data: None if data is None else count(decode_content(data)))
    if content is None:
        envelope = f"{policy.title} ({format_size(stream.size)}) does not fit, and nothing may be stored"
        return GateResult("refused", UNCOUNTED, (), warning=envelope, **measures)
    return GateResult("briefing", count_tokens((content,), policy.vocabulary, tokenizer), (content,), **measures)


def _finish_count(stream: PeekableStream, token_count: TokenCount, policy: GatePolicy, count: Tokenizer) -> TokenCount:
    """Return the complete count if the content ends within ``COUNTED_BYTES``, else the count so far."""
    stream.peek(COUNTED_BYTES)
    return count_tokens(stream, policy.vocabulary, count) if stream.ended else token_count


_HEADER = re.compile(r"\(([\d,]{1,20}) lines?\b")
_REF = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])")
_HINTS = (PREFIX, 'Use the "read_result" tool')
_MARKS = (": a map, not the content", ": head and tail, not the content")
_MAX_LINE = 8192
"""Maximum characters of a header or a hint."""


def is_map_of_stored(content: bytes, store: Callable[[], Store]) -> bool:
    """Return whether content has the form of a map of stored content, and the number of lines of that content."""
    lines = content.decode("utf-8", "replace").rstrip("\n").split("\n")
    last = lines[-1]
    header = next((line for line in lines[:2] if line.startswith("# ")), lines[0] if len(lines) == 1 else "")
    if len(header) > _MAX_LINE or len(last) > _MAX_LINE:
        return False
    if len(lines) > 1 and not (any(mark in header for mark in _MARKS) and last.startswith(_HINTS)):
        return False
    totals = {int(number.replace(",", "") or 0) for number in _HEADER.findall(header)}
    return any(total in totals for total in _count_lines(last, store))


def _count_lines(line: str, store: Callable[[], Store]) -> Iterator[int]:
    """Yield the numbers of lines of the stored contents that a line names."""
    for ref in _REF.findall(line):
        try:
            yield store().open(store().find(ref), quietly=True).lines.total
        except Exception:  # not stored, or the store is unreadable: treat as ordinary content
            continue
