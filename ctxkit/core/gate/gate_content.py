"""The single door: content passes raw if it fits, else it is shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import InputOutputError, MissingDependencyError
from ctxkit.core.gate.decision import Decision, decide
from ctxkit.core.gate.result import GateResult, ResultKind, pass_unchanged
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tokens.token_count import TokenCount, count_tokens, token_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.gate.policy import GatePolicy, GateServices
    from ctxkit.core.store.blobs import Store
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.tokenizer import Tokenizer

LAST_LINE_BYTES = 4096
"""Bytes of a last line in which a ref is looked for."""


def check_fit(source: Iterable[bytes], policy: GatePolicy, services: GateServices) -> Decision:
    """Answer whether content would pass raw; nothing is stored, and nothing booked."""
    return _decide_by_count(PeekableStream(source), policy, services)[0]


def gate_content(source: Iterable[bytes], policy: GatePolicy, services: GateServices) -> GateResult:
    """Decide how content enters.

    Under a session, room for it is held, and the caller books what went out. Trouble with the
    tokenizer or the store lets the content pass unchanged with a warning, unless the terms are strict.
    Raises IOFailed when the content cannot be read.
    """
    stream = PeekableStream(source)
    try:
        decision, policy = _decide_by_count(stream, policy, services)
        if decision.fits and services.reservation is not None:
            services.reservation.reserve(decision.token_count.high, policy.limit)
            decision = _decide_allowing_briefing(
                decision.token_count, services.reservation.budget, stream, policy, services
            )  # others may have been faster
    except InputOutputError:  # what cannot be read cannot pass
        raise
    except Exception as error:  # law 1: what cannot be judged passes
        return pass_unchanged(stream.drain(), error, policy)
    if decision.fits:
        result: ResultKind = "tight" if decision.tight else "raw"
        return GateResult(result, decision.token_count, stream.drain(), size=stream.size, remark=policy.remark)
    # Only content that does not fit pays for importing what shortens it.
    from ctxkit.core.gate.replacement import make_replacement

    return make_replacement(stream, decision.token_count, policy, services)._replace(remark=policy.remark)


def _decide_by_count(stream: PeekableStream, policy: GatePolicy, services: GateServices) -> tuple[Decision, GatePolicy]:
    """Judge by the byte bound first, which needs no tokenizer; then count, stopping early.

    A session's content is always counted, so that its ledger is exact, and so is what a caller wants to know
    exactly; no count is above the bound, so that this changes no decision. The terms come back with the
    vocabulary that was counted with.
    """
    allowance = policy.budget.allowance(policy.limit)
    start = stream.peek(allowance)
    if stream.ended and services.reservation is None and not policy.exact:
        upper_bound = token_bound(start, policy.vocabulary)
        decision = decide(
            TokenCount(upper_bound, upper_bound, "bound"),
            policy.budget,
            policy.limit,
            ignore_hard_block=policy.ignore_hard_block,
        )
        if decision.fits and not decision.tight:
            return decision, policy
    count, policy = _load_tokenizer(policy, services)
    return _decide_allowing_briefing(
        count_tokens(stream, policy.vocabulary, count, allowance), policy.budget, stream, policy, services
    ), policy


def _decide_allowing_briefing(
    token_count: TokenCount, budget: Budget, stream: PeekableStream, policy: GatePolicy, services: GateServices
) -> Decision:
    """Judge content; a map of stored content passes a blocked window, so that gating it again changes nothing."""
    decision = decide(token_count, budget, policy.limit, ignore_hard_block=policy.ignore_hard_block)
    if (
        decision.blocked
        and services.store is not None
        and _names_stored_content(stream.peek(stream.size), services.store)
    ):
        return decide(token_count, budget, policy.limit, ignore_hard_block=True)
    return decision


def _names_stored_content(content: bytes, store: Callable[[], Store]) -> bool:
    """Tell whether the last line of content names the ref of stored content, as the last line of a map does."""
    from re import findall

    last = content.rstrip(b"\n").rpartition(b"\n")[2][-LAST_LINE_BYTES:]
    for ref in findall(rb"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])", last):
        try:
            store().find(ref.decode())
        except Exception:  # not stored, or the store cannot be asked: then it is content like any other
            continue
        return True
    return False


def _load_tokenizer(policy: GatePolicy, services: GateServices) -> tuple[Tokenizer, GatePolicy]:
    """Return the tokenizer, or an estimate in its place where it is absent, and the terms that then hold."""
    try:
        return services.tokenizer(policy.vocabulary), policy
    except MissingDependencyError as error:
        if policy.strict:
            raise
        from ctxkit.core.tokens.vocabulary import substitute_estimate

        substitute = substitute_estimate(policy.vocabulary)
        return services.tokenizer(substitute), policy._replace(
            vocabulary=substitute, remark=f"tokens are estimated: {error}"
        )

