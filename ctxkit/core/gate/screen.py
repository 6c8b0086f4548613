"""Replace content that was drawn over by the screen of a terminal, if that is shorter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.gate.decision import GateResult, decide
from ctxkit.core.gate.repetition_text import describe_size, make_head, make_read_hint
from ctxkit.core.store.store_interface import count_stored_tokens, store_content
from ctxkit.core.text.escapes import MAX_SIZE, has_redraws
from ctxkit.core.text.lines import skip_lines
from ctxkit.core.text.retrieval_hint import indent_hints
from ctxkit.core.text.screen import draw_screen
from ctxkit.core.tokens.token_count import count_tokens

if TYPE_CHECKING:
    from ctxkit.core.gate.decision import GatePolicy, GateServices
    from ctxkit.core.store.store_interface import Store
    from ctxkit.core.tokens.token_count import TokenCount

LEAST_SAVED = 0.1
"""Share of the content's tokens that a screen must save to replace it."""
ISOLATED_BYTES = 1 << 17
"""Size above which an isolated process draws content, whose time and memory are limited."""


def replace_by_screen(data: bytes, policy: GatePolicy, services: GateServices) -> GateResult | None:
    """Store content that fits, and return its screen; None if that is no shorter.

    No error here keeps content out: None lets it pass.
    """
    if services.store is None:
        return None
    try:
        count = count_tokens((data,), policy.vocabulary, services.tokenizer(policy.vocabulary))
        screen = _draw_if_shorter(data, count, policy, services)
        if screen is None:
            return None
        store = services.store()
        ref = store_content(store, (data,), policy.label)
        return _make_result(screen, _describe_whole(data, count, ref), store, policy, services)
    except Exception:
        return None


def replace_stored_by_screen(
    store: Store, ref: str, token_count: TokenCount, policy: GatePolicy, services: GateServices
) -> GateResult | None:
    """Return the screen of stored content that does not fit; None if that does not fit or is no shorter.

    ``token_count`` is the count of the content; it may be incomplete. After an error, a map replaces the content.
    """
    try:
        stored = store.open(ref)
        size = stored.lines.size
        data = stored.read(0, size) if size <= MAX_SIZE else b""
        if not has_redraws(data):
            return None
        count = token_count
        if not count.complete:
            tokenizer = services.tokenizer(policy.vocabulary)
            count = count_stored_tokens(stored.read, size, policy.vocabulary, tokenizer)
        screen = _draw_if_shorter(data, count, policy, services)
        if screen is None:
            return None
        result = _make_result(screen, _describe_whole(data, count, ref), store, policy, services)
        return result if _fits(result, policy, services) else None
    except Exception:
        return None


def _draw_if_shorter(data: bytes, count: TokenCount, policy: GatePolicy, services: GateServices) -> bytes | None:
    """Return the screen if it saves enough of the content's tokens."""
    size = len(data)
    shown = policy.shown()
    data = b"".join(skip_lines((data,), shown.lines))
    screen = services.isolate(lambda: _draw(data), size) if size > ISOLATED_BYTES else _draw(data)
    drawn = count_tokens((screen,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    return screen if drawn.tokens <= (count.tokens - shown.tokens) * (1 - LEAST_SAVED) else None


def _draw(data: bytes) -> bytes:
    return indent_hints(draw_screen(data).text()).encode("utf-8", "surrogateescape")


def _describe_whole(data: bytes, count: TokenCount, ref: str) -> GateResult:
    """Return the result with the measures of stored content, and without content."""
    lines = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    return GateResult("raw", count, (), ref, lines=lines, size=len(data), original=count)


def _make_result(
    screen: bytes, whole: GateResult, store: Store, policy: GatePolicy, services: GateServices
) -> GateResult | None:
    """Return the result with the screen between its header and the hint; None if it is no shorter with them."""
    count = whole.token_count
    head = make_head(policy, describe_size(whole.lines, count)) + "the final screen, without what it overwrote\n\n"
    hint = f"\n{make_read_hint(store, policy, whole)}\n"
    content = b"".join((head.encode("utf-8", "replace"), screen, hint.encode("utf-8", "replace")))
    entering = count_tokens((content,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    if entering.tokens >= count.tokens - policy.shown().tokens:
        return None
    return whole._replace(result="screen", token_count=entering, content=(content,))


def _fits(result: GateResult | None, policy: GatePolicy, services: GateServices) -> bool:
    """Return whether a result fits what is left; reserve its tokens under a session."""
    if result is None:
        return False
    budget, reservation = policy.budget, services.reservation
    if reservation is not None:
        if not reservation.reserve(result.token_count.high, policy.limit):
            return False
        budget = reservation.budget
    return decide(result.token_count, budget, policy.limit, ignore_hard_block=policy.ignore_hard_block).fits
