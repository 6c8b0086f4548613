"""Deliver the gate's result: content to stdout, messages to stderr, the decision to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import Exit
from ctxkit.core.gate.decision import GatePolicy, GateResult
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import substitute_estimate
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary


class ReportTerms(NamedTuple):
    """How a result is reported: as content or as JSON, and in an event if there is a file for events.

    ``extra_facts`` returns further members of the report, after the content was read to its end; ``event_facts``
    replaces them in the event, which has the ``call_facts`` too.
    """

    as_json: bool = False
    events_file: str = ""
    extra_facts: Callable[[], dict[str, Any]] = dict
    event_facts: Callable[[], dict[str, Any]] | None = None
    call_facts: Mapping[str, str] | None = None


def deliver_result(
    gate_result: GateResult,
    policy: GatePolicy,
    terms: ReportTerms,
    reservation: SessionReservation | None = None,
    tokenizer: Callable[[Vocabulary], Tokenizer] | None = None,
) -> Exit:
    """Write the content, charge the session's ``reservation``, and return 1 only for a refusal.

    ``tokenizer`` counts content that passed uncounted, if the report needs it.
    """
    if terms.as_json and tokenizer is not None:
        gate_result = _count_result(gate_result, policy, tokenizer)
    if reservation is not None:
        policy = policy._replace(budget=reservation.budget.with_added(max(gate_result.token_count.tokens, 0)))
    if terms.events_file:
        gate_result = gate_result._replace(content=CountedContent(gate_result.content))
    answer = _write_result(gate_result, policy, terms, reservation)
    if say.is_verbose():
        say.note(_format_decision(gate_result, policy))
    if terms.events_file:
        from ctxkit.edge import events

        more = (terms.event_facts or terms.extra_facts)()
        events.record_decision(terms.events_file, gate_result, policy, terms.call_facts or {}, more)
    return answer


def report_result(
    gate_result: GateResult,
    policy: GatePolicy,
    tokenizer: Callable[[Vocabulary], Tokenizer],
    events_file: str,
    call_facts: Mapping[str, str],
) -> dict[str, Any]:
    """Return the report of a result with its content, and record its event."""
    gate_result = _count_result(gate_result, policy, tokenizer)
    content = CountedContent(gate_result.content)
    data = b"" if gate_result.result == "refused" else b"".join(content)
    if events_file:
        from ctxkit.edge import events

        events.record_decision(events_file, gate_result._replace(content=content), policy, call_facts, {})
    return {**_describe(gate_result, policy, data), **out.make_content_member(data)}


def _write_result(
    gate_result: GateResult, policy: GatePolicy, terms: ReportTerms, reservation: SessionReservation | None
) -> Exit:
    if gate_result.remark:
        say.warn(gate_result.remark)
    if gate_result.result == "refused":
        return _write_refusal(gate_result, policy, terms)
    if gate_result.warning:
        say.warn(gate_result.warning)
    counted_content = CountedContent(gate_result.content)
    try:
        if terms.as_json:
            data = b"".join(counted_content)
            facts = {**_describe(gate_result, policy, data), **terms.extra_facts()}
            out.write_json({**facts, **out.make_content_member(data)})
        else:
            out.write(counted_content)
    finally:  # a reader that closed the pipe may have read everything
        if reservation is not None:
            reservation.record(make_entry(gate_result, policy, counted_content.size))
    return Exit.DONE


def _write_refusal(gate_result: GateResult, policy: GatePolicy, terms: ReportTerms) -> Exit:
    """Report a refusal; the last line, on stderr, names the stored content."""
    if terms.as_json:
        out.write_json({**_describe(gate_result, policy), **terms.extra_facts(), "content": ""})
    from ctxkit.edge.events import describe_refusal

    why = describe_refusal(gate_result, policy)
    say.error(f"refused: {why['reason']}", why["hint"])
    say.say(gate_result.warning)
    return Exit.NO


def _describe(gate_result: GateResult, policy: GatePolicy, data: bytes | None = None) -> dict[str, Any]:
    """Return the members of a report; content that passes as it is needs none of this code."""
    from ctxkit.edge.events import describe_result

    return describe_result(gate_result, policy, data)


def _count_result(
    gate_result: GateResult, policy: GatePolicy, tokenizer: Callable[[Vocabulary], Tokenizer]
) -> GateResult:
    """Return the result with its content counted, by an estimate if the vocabulary fails."""
    if gate_result.token_count.tokens >= 0 or gate_result.result == "refused":
        return gate_result
    data = b"".join(gate_result.content)
    for vocabulary in (policy.vocabulary, substitute_estimate(policy.vocabulary)):
        try:
            token_count = count_tokens((data,), vocabulary, tokenizer(vocabulary))
        except Exception:  # the tokenizer may be what failed before
            continue
        return gate_result._replace(token_count=token_count, content=(data,), size=max(gate_result.size, len(data)))
    return gate_result._replace(content=(data,))


def make_entry(gate_result: GateResult, policy: GatePolicy, size: int) -> LedgerEntry:
    """Return the ledger entry for content of ``size`` bytes; estimate uncounted content as a third of its bytes."""
    from ctxkit.core.session.ledger import LedgerEntry

    count, label = gate_result.token_count, policy.label
    is_counted = count.tokens >= 0
    tokens = count.tokens if is_counted else -(-size // 3)
    return LedgerEntry(
        policy.display_name,
        tokens,
        count.method if is_counted else "estimate",
        gate_result.result,
        policy.budget.is_tight(0 if is_counted else tokens),
        gate_result.ref or gate_result.stored_ref,
        label.tool,
        label.call,
        policy.agent,
    )


def _format_decision(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return the decision in one line."""
    from ctxkit.core.store.label import shorten_ref

    count, ref = gate_result.token_count, f", stored as {shorten_ref(gate_result.ref)}" if gate_result.ref else ""
    size = f"{count.tokens:,} tokens" if count.tokens >= 0 else "not counted"
    how = f"{count.method}, {policy.vocabulary.name}"
    if policy.label.session:
        left = f", {policy.budget.available:,} left in session {policy.label.session}"
    else:
        left = f" of {policy.budget.allowance(policy.limit):,} available"
    return f"{policy.display_name}: {gate_result.result}, {size} ({how}){left}{ref}"
