"""Write a map, as text or as an object, and record it in the session and as an event."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ctxkit.core.brief import Briefing
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.errors import Exit
from ctxkit.core.gate.briefing_messages import BriefingResult
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge import out, say
from ctxkit.edge.request import Call


class SizedBriefing(NamedTuple):
    """Hold a map with the target it was made for."""

    result: BriefingResult
    target: int

    def tokens(self) -> int | None:
        """Return the tokens that the map takes at most, None when there is none."""
        return self.result.briefing.tokens if self.result.briefing else None


class BriefingOutput(NamedTuple):
    """A map, its content, the name of the content in the ledger, and further members of the JSON object."""

    sized_briefing: SizedBriefing
    stored: StoredContent
    name: str
    extra_facts: dict[str, int]

    def write(
        self, reservation: SessionReservation | None, count: Callable[[bytes], TokenCount], *, as_json: bool
    ) -> Exit:
        """Write the map, and charge the session."""
        briefing = self.sized_briefing.result.briefing
        if briefing is None:
            say.error(explain_small_target(self.sized_briefing.target, self.sized_briefing.result.envelope))
            return Exit.NO
        if briefing.doubt:
            say.warn(briefing.doubt)
        try:
            self._write_map(briefing, as_json=as_json)
        finally:  # a reader that closed the pipe may have read everything
            if reservation is not None:
                tokens = count(briefing.text.encode("utf-8", "replace"))
                is_tight = reservation.budget.is_tight(tokens.tokens)
                entry = LedgerEntry(self.name, tokens.tokens, tokens.method, "briefing", is_tight, self.stored.ref)
                reservation.record(entry)
        return Exit.DONE

    def _write_map(self, briefing: Briefing, *, as_json: bool) -> None:
        if as_json:
            facts = make_briefing_object(self.sized_briefing.result, briefing, self.stored, self.sized_briefing.target)
            out.write_json({**facts, **self.extra_facts})
            return
        if briefing.explanation:
            for line in _format_explanation(briefing):
                say.say(line)
        out.write_text(briefing.text)


def explain_small_target(target: int, envelope: str) -> str:
    """Return why there is no map; the envelope is the name of the content with its size, and how to read it."""
    return f"a target of {target:,} tokens is too small for a map of {envelope.strip()}"


def record_briefing_event(output: BriefingOutput, call: Call) -> None:
    """Record the event of a map that was written."""
    result = output.sized_briefing.result
    path, briefing = call.events_file, result.briefing
    if not path or briefing is None:
        return
    from ctxkit.edge import events

    original = {"bytes": result.size, "lines": result.lines, "method": result.original.method}
    tokens = {"before_tokens": result.original.tokens, "after_tokens": briefing.tokens, "original": original}
    facts = {"name": output.name, **call.describe(), "kind": briefing.kind, **tokens}
    events.record(path, "brief", {**facts, "ref": shorten_ref(output.stored.ref) or None})


def _format_explanation(briefing: Briefing) -> Iterator[str]:
    """Yield lines that say which kind or rule made a map, and why."""
    explanation = briefing.explanation or Explanation()
    yield f"kind: {' '.join(filter(None, (briefing.kind, briefing.language)))}, confidence {briefing.confidence:.2f}"
    for reason in explanation.reasons:
        yield f"reason: {reason}"
    candidates = ", ".join(f"{name} {confidence:.2f}" for name, confidence in explanation.candidates)
    yield f"candidates: {candidates or 'none'}"


def make_briefing_object(
    result: BriefingResult, briefing: Briefing, stored: StoredContent, target: int
) -> dict[str, object]:
    """Return the documented object of a map."""
    return {
        "kind": briefing.kind,
        "language": briefing.language,
        "confidence": round(briefing.confidence, 2),
        "lines": result.lines,
        "bytes": result.size,
        "tokens": briefing.tokens,
        "original": {"tokens": result.original.tokens, "method": result.original.method},
        "target": target,
        "ref": shorten_ref(stored.ref) or None,
        "content": briefing.text,
        **_make_explanation_member(briefing.explanation),
    }


def _make_explanation_member(explanation: Explanation | None) -> dict[str, object]:
    """Return the explanation as a member of the object, if an option requests it."""
    if explanation is None:
        return {}
    candidates = [{"kind": name, "confidence": round(confidence, 2)} for name, confidence in explanation.candidates]
    return {
        "explanation": {
            "rule": explanation.rule or None,
            "reasons": list(explanation.reasons),
            "candidates": candidates,
        }
    }
