"""Gate content: pass it unchanged if it fits, else replace it by a briefing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import InputOutputError, MissingDependencyError
from ctxkit.core.gate.decision import Decision, GateResult, decide, pass_unchanged
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tokens.token_count import TokenCount, count_tokens, token_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.gate.decision import GatePolicy, GateServices, ResultKind
    from ctxkit.core.store.store_interface import Store
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

LAST_LINE_BYTES = 4096
"""Bytes of the last line that are searched for a ref."""


def check_fit(source: Iterable[bytes], policy: GatePolicy, services: GateServices) -> Decision:
    """Return whether content would pass unchanged; store nothing and charge no session."""
    return _decide_by_count(PeekableStream(source), policy, services)[0]


def gate_content(source: Iterable[bytes], policy: GatePolicy, services: GateServices) -> GateResult:
    """Return the gate's result: the content unchanged if it fits, else a briefing or an excerpt.

    If the policy allows a ``screen``, it replaces content that was drawn over.

    Under a session, reserve the tokens; the caller charges the output. If the tokenizer or the store fails, pass the
    content unchanged with a warning, unless the policy is strict. Raise InputOutputError if the content cannot be read.
    """
    stream = PeekableStream(source)
    try:
        decision, policy = _decide_by_count(stream, policy, services)
        if decision.fits and services.reservation is not None:
            services.reservation.reserve(decision.token_count.high, policy.limit)
            decision = _decide_allowing_briefing(
                decision.token_count, services.reservation.budget, stream, policy, services
            )  # another process may have reserved tokens meanwhile
    except InputOutputError:  # unreadable content cannot pass
        raise
    except Exception as error:  # fails open: content passes if the decision fails
        return pass_unchanged(stream.drain(), error, policy)
    if decision.fits:
        if policy.screen and (screen := _find_screen(stream, policy, services)) is not None:
            return screen._replace(remark=policy.remark)
        result: ResultKind = "tight" if decision.tight else "raw"
        return GateResult(result, decision.token_count, stream.drain(), size=stream.size, remark=policy.remark)
    # Imported late: only content that does not fit needs this code.
    from ctxkit.core.gate.replacement import make_replacement

    return make_replacement(stream, decision.token_count, policy, services)._replace(remark=policy.remark)


def _find_screen(stream: PeekableStream, policy: GatePolicy, services: GateServices) -> GateResult | None:
    """Return the screen of content that fits, if content was drawn over and that is shorter."""
    from ctxkit.core.text.escapes import has_redraws

    data = stream.peek(stream.size)
    if not has_redraws(data):
        return None
    from ctxkit.core.gate.screen import replace_by_screen

    return replace_by_screen(data, policy, services)


def _decide_by_count(stream: PeekableStream, policy: GatePolicy, services: GateServices) -> tuple[Decision, GatePolicy]:
    """Decide by a bound, which needs no tokenizer, if it suffices; else count tokens and stop early.

    Always count a session's content, so that its ledger is exact, and any content if the policy is ``exact``. A bound
    is never below the count, so counting does not change a decision. Return also the policy with the vocabulary that
    was used.
    """
    allowance = policy.budget.allowance(policy.limit)
    start = stream.peek(allowance)
    if stream.ended and services.reservation is None and not policy.exact:
        decision = _decide_by_bound(start, policy)
        if decision is not None:
            return decision, policy
    count, policy = _load_tokenizer(policy, services)
    return _decide_allowing_briefing(
        count_tokens(stream, policy.vocabulary, count, allowance), policy.budget, stream, policy, services
    ), policy


def _decide_by_bound(content: bytes, policy: GatePolicy) -> Decision | None:
    """Return the decision if a bound of the tokens proves that content fits: its bytes, or its common words."""
    for make_bound in (token_bound, _bound_by_words):
        bound = make_bound(content, policy.vocabulary)
        if bound is not None:
            count, admit = TokenCount(bound, bound, "bound"), policy.ignore_hard_block
            decision = decide(count, policy.budget, policy.limit, ignore_hard_block=admit)
            if decision.fits and not decision.tight:
                return decision
    return None


def _bound_by_words(content: bytes, vocabulary: Vocabulary) -> int | None:
    from ctxkit.core.tokens.token_count import bound_by_words

    return bound_by_words(content, vocabulary)


def _decide_allowing_briefing(
    token_count: TokenCount, budget: Budget, stream: PeekableStream, policy: GatePolicy, services: GateServices
) -> Decision:
    """Return the decision; let a briefing of stored content pass a blocked window, so that gating is idempotent.

    It must not be longer than a briefing that would replace it: content can forge the form of one.
    """
    decision = decide(token_count, budget, policy.limit, ignore_hard_block=policy.ignore_hard_block)
    if not decision.blocked or services.store is None or token_count.high > budget.briefing_target(policy.limit):
        return decision
    from ctxkit.core.gate.replacement import is_map_of_stored

    if is_map_of_stored(stream.peek(stream.size), services.store):
        return decide(token_count, budget, policy.limit, ignore_hard_block=True)
    return decision


def names_stored_content(content: bytes, store: Callable[[], Store]) -> bool:
    """Return whether the last line of content names a stored ref, as the last line of a briefing does."""
    from re import findall

    last = content.rstrip(b"\n").rpartition(b"\n")[2][-LAST_LINE_BYTES:]
    for ref in findall(rb"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])", last):
        try:
            store().find(ref.decode())
        except Exception:  # not stored, or the store is unreadable: treat as ordinary content
            continue
        return True
    return False


def _load_tokenizer(policy: GatePolicy, services: GateServices) -> tuple[Tokenizer, GatePolicy]:
    """Return the tokenizer and the policy.

    If the tokenizer is not installed, return an estimate and the policy with its vocabulary and a remark. Raise
    MissingDependencyError instead if the policy is strict.
    """
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
