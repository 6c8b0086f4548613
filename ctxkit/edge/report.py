"""Delivering what the gate decided: content on stdout, talk on stderr, the decision to the events."""

from collections.abc import Callable
from typing import Any

from ctxkit.core.admission import Admission
from ctxkit.core.exit import Exit
from ctxkit.core.ref import short
from ctxkit.core.terms import Terms
from ctxkit.edge import out, say


def deliver(
    admission: Admission, terms: Terms, *, as_json: bool, events_file: str, more: Callable[[], dict[str, Any]] = dict
) -> Exit:
    """Write what goes in, and answer 1 only when nothing could.

    ``more`` gives what else to report, once the content has been read to its end.
    """
    answer = _write(admission, terms, as_json, more)
    say.note(_spoken(admission, terms))
    if events_file:
        from ctxkit.edge import events

        found = {"name": terms.label.name, **facts(admission, terms), **more()}
        events.record(events_file, _event(admission), found)
    return answer


def _write(admission: Admission, terms: Terms, as_json: bool, more: Callable[[], dict[str, Any]]) -> Exit:
    if admission.result == "refused":
        say.say(admission.warning)
        return Exit.NO
    if admission.warning:
        say.warn(admission.warning)
    if as_json:
        data = b"".join(admission.content)
        out.write_json({**facts(admission, terms, data), **more(), **out.content_of(data)})
    else:
        out.write(admission.content)
    return Exit.DONE


def _spoken(admission: Admission, terms: Terms) -> str:
    """Return the decision in a line."""
    tally, ref = admission.tally, f", stored as {short(admission.ref)}" if admission.ref else ""
    size = f"{tally.tokens:,} tokens" if tally.tokens >= 0 else "not counted"
    how = f"{tally.method}, {terms.vocabulary.name}"
    return f"{terms.title}: {admission.result}, {size} ({how}) of {terms.budget.room(terms.limit):,} available{ref}"


def _event(admission: Admission) -> str:
    """Return the name of the event; for what was shortened it is the seed's."""
    return "tool_output_truncated" if admission.result in ("briefing", "refused") else "gate"


def facts(admission: Admission, terms: Terms, data: bytes | None = None) -> dict[str, Any]:
    """Return the decision without the content; ``data`` is the content where it is at hand."""
    answer: dict[str, Any] = {
        "result": admission.result,
        "tokens": admission.tally.tokens if admission.tally.tokens >= 0 else None,
        "method": admission.tally.method if admission.tally.tokens >= 0 else None,
        "tokenizer": terms.vocabulary.name,
        "original": _original(admission, data),
        "budget": _budget(terms),
    }
    if admission.ref:
        answer["ref"] = short(admission.ref)
    if admission.map is not None:
        answer["kind"] = admission.map.kind
    return answer


def _original(admission: Admission, data: bytes | None) -> dict[str, Any]:
    original = admission.original or admission.tally
    size, total = admission.size, admission.lines
    if total < 0 and data is not None and admission.result in ("raw", "tight"):
        size, total = len(data), data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    known = {"bytes": size, "lines": total, "tokens": original.tokens}
    method = original.method if original.tokens >= 0 else None
    return {name: number for name, number in known.items() if number >= 0} | {"method": method}


def _budget(terms: Terms) -> dict[str, int]:
    budget = terms.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
    }
