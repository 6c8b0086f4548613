"""What a compaction did, as one object for programs and a few lines for people."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ctxkit.core.budget import threshold_of
from ctxkit.core.compact.outcome import Outcome
from ctxkit.core.compact.policy import Policy
from ctxkit.core.measure import plural
from ctxkit.core.ref import short


def facts(outcome: Outcome, policy: Policy, method: str) -> dict[str, Any]:
    """Return the report as a JSON object; the seed's names stand for what the seed names."""
    amount = outcome.after.amount
    gone = Counter(outcome.left.values())
    edits = Counter(edit.how for _, edit in outcome.draft.edits())
    made: dict[str, Any] = {
        "result": outcome.result,
        "reason": outcome.reason,
        "before_tokens": outcome.before.amount.tokens,
        "after_tokens": amount.tokens,
        "before_messages": outcome.before.messages,
        "after_messages": outcome.after.messages,
        "strategies_run": [one.stage for one in outcome.ran if not one.undone],
        "stages": [one._asdict() for one in outcome.ran],
        "method": method,
        "low": amount.low,
        "high": amount.high,
        "beside": outcome.beside,
        "bytes": outcome.after.size,
        "first_changed": outcome.rewrite.first,
        "cache": {"kept": outcome.rewrite.kept, "rewritten": outcome.rewrite.written},
        "left": dict(gone),
        "cleared": edits["cleared"],
        "truncated": edits["truncated"],
        "repairs": list(outcome.repairs),
        "pins": len(policy.pins),
        "budget": _budget(policy),
    }
    if outcome.stored:
        made["ref"] = short(outcome.stored[0].ref)
    if outcome.written is not None:
        written = outcome.written
        made["summarizer"] = written.writer
        made["fell_back"] = written.fell_back
        made["bullets_dropped"] = dict(written.dropped)
    return made


def _budget(policy: Policy) -> dict[str, int]:
    effective = policy.window - policy.reserve
    return {
        "window": policy.window,
        "reserve": policy.reserve,
        "effective": effective,
        "trigger": threshold_of(policy.trigger, effective),
        "low_water": int(policy.low_water * effective),
    }


def lines(outcome: Outcome, facts: dict[str, Any]) -> Iterator[str]:
    """Yield the report as lines."""
    before, after = facts["before_tokens"], facts["after_tokens"]
    if outcome.result != "compacted":
        yield f"not compacted: {outcome.reason} ({before:,} tokens in {plural(outcome.before.messages, 'message')})"
    else:
        share = f"{1 - after / before:.0%} less" if before else ""
        yield (
            f"compacted from {before:,} to {after:,} tokens ({share}), "
            f"from {outcome.before.messages:,} to {plural(outcome.after.messages, 'message')}"
        )
    for one in outcome.ran:
        what = f"undone, as {one.undone}" if one.undone else f"{one.before - one.after:,} tokens saved"
        yield f"  {one.stage}: {what}"
    if outcome.repairs:
        yield from (f"  repaired: {what}" for what in outcome.repairs)
    if outcome.result != "compacted":
        return
    if "summarizer" in facts:
        dropped = sum(facts["bullets_dropped"].values())
        yield f"  summarizer: {facts['summarizer']}" + (f", {plural(dropped, 'bullet')} dropped" if dropped else "")
    rewrite = outcome.rewrite
    yield f"  prompt cache: message {rewrite.first} is the first that changed, {rewrite.written:,} tokens follow"
    if outcome.stored:
        yield f"  the conversation as it was: ctxkit cache get {short(outcome.stored[0].ref)}"
