"""Delivering what the gate decided: content on stdout, talk on stderr, the decision to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.admission import Admission
from ctxkit.core.exit import Exit
from ctxkit.core.ref import short
from ctxkit.core.terms import Terms
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.account import Account
    from ctxkit.core.ledger import Item
    from ctxkit.core.tally import Tally


def deliver(
    admission: Admission,
    terms: Terms,
    *,
    as_json: bool,
    events_file: str,
    more: Callable[[], dict[str, Any]] = dict,
    logged: Callable[[], dict[str, Any]] | None = None,
    account: Account | None = None,
) -> Exit:
    """Write what goes in, book it on the ``account`` of a session, and answer 1 only when nothing could.

    ``more`` gives what else to report, once the content has been read to its end, ``logged`` what the event
    says instead of that.
    """
    if account is not None:
        terms = terms._replace(budget=account.budget.consume(max(admission.tally.tokens, 0)))
    answer = _write(admission, terms, as_json, more, account)
    say.note(_spoken(admission, terms))
    if events_file:
        from ctxkit.edge import events

        found = {"name": terms.label.name, **facts(admission, terms), **(logged or more)()}
        events.record(events_file, _event(admission), found)
    return answer


def _write(
    admission: Admission, terms: Terms, as_json: bool, more: Callable[[], dict[str, Any]], account: Account | None
) -> Exit:
    if admission.remark:
        say.warn(admission.remark)
    if admission.result == "refused":
        say.say(admission.warning)
        return Exit.NO
    if admission.warning:
        say.warn(admission.warning)
    passing = Passing(admission.content)
    try:
        if as_json:
            data = b"".join(passing)
            out.write_json({**facts(admission, terms, data), **more(), **out.content_of(data)})
        else:
            out.write(passing)
    finally:  # what a reader that left has not read may have gone in all the same
        if account is not None:
            account.book(item(admission, terms, passing.size))
    return Exit.DONE


class Passing:
    """Count the bytes of content that passes by."""

    def __init__(self, content: Iterable[bytes]) -> None:
        self._content = content
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._content:
            self.size += len(piece)
            yield piece


def item(admission: Admission, terms: Terms, size: int) -> Item:
    """Return what the ledger keeps of content of ``size`` bytes; what nobody could count is a third of its bytes."""
    from ctxkit.core.ledger import Item

    tally, label = admission.tally, terms.label
    counted = tally.tokens >= 0
    tokens = tally.tokens if counted else -(-size // 3)
    return Item(
        terms.listed,
        tokens,
        tally.method if counted else "estimate",
        admission.result,
        terms.budget.tight(0 if counted else tokens),
        admission.ref,
        label.tool,
        label.call,
    )


def _spoken(admission: Admission, terms: Terms) -> str:
    """Return the decision in a line."""
    tally, ref = admission.tally, f", stored as {short(admission.ref)}" if admission.ref else ""
    size = f"{tally.tokens:,} tokens" if tally.tokens >= 0 else "not counted"
    how = f"{tally.method}, {terms.vocabulary.name}"
    if terms.label.session:
        left = f", {terms.budget.available:,} left in session {terms.label.session}"
    else:
        left = f" of {terms.budget.room(terms.limit):,} available"
    return f"{terms.listed}: {admission.result}, {size} ({how}){left}{ref}"


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
        **_ends(admission.tally),
        "original": _original(admission, data),
        "budget": _budget(terms),
    }
    if terms.label.session:
        answer["session"] = terms.label.session
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
    return {name: number for name, number in known.items() if number >= 0} | {"method": method, **_ends(original)}


def _ends(tally: Tally) -> dict[str, int]:
    """Return between which numbers an estimate lies; what is exact, or a bound, has none."""
    estimated = tally.method == "estimate" and tally.tokens >= 0
    return {"low": tally.least, "high": tally.high} if estimated else {}


def _budget(terms: Terms) -> dict[str, int]:
    budget = terms.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
    }
