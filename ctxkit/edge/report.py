"""Delivering what the gate decided: content on stdout, talk on stderr, the decision to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.admission import Admission
from ctxkit.core.exit import Exit
from ctxkit.core.ref import short
from ctxkit.core.tally import Tally, tally
from ctxkit.core.terms import Terms
from ctxkit.core.vocabulary import stand_in
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.account import Account
    from ctxkit.core.ledger import Item
    from ctxkit.core.tokenizer import Tokenizer
    from ctxkit.core.vocabulary import Vocabulary

NOTHING = Tally(0, 0, "exact")
"""The count of what is refused."""


def deliver(
    admission: Admission,
    terms: Terms,
    *,
    as_json: bool,
    events_file: str,
    more: Callable[[], dict[str, Any]] = dict,
    logged: Callable[[], dict[str, Any]] | None = None,
    account: Account | None = None,
    tokenizer: Callable[[Vocabulary], Tokenizer] | None = None,
) -> Exit:
    """Write what goes in, book it on the ``account`` of a session, and answer 1 only when nothing could.

    ``more`` gives what else to report, once the content has been read to its end, ``logged`` what the event
    says instead of that. The ``tokenizer`` counts what passes although nobody could decide on it, where that is to be
    told.
    """
    if as_json and tokenizer is not None:
        admission = _counted(admission, terms, tokenizer)
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
        return _refuse(admission, terms, as_json, more)
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


def _refuse(admission: Admission, terms: Terms, as_json: bool, more: Callable[[], dict[str, Any]]) -> Exit:
    """Say why nothing goes in; the last line, on stderr, names what was stored."""
    if as_json:
        out.write_json({**facts(admission, terms), **more(), "content": ""})
    why = _explain(admission, terms)
    say.error(f"refused: {why['reason']}", why["hint"])
    say.say(admission.warning)
    return Exit.NO


def _explain(admission: Admission, terms: Terms) -> dict[str, str]:
    """Return why nothing goes in, and what helps."""
    from ctxkit.edge import refusal

    return {"reason": refusal.reason(admission, terms), "hint": refusal.remedy(admission, terms)}


def _counted(admission: Admission, terms: Terms, tokenizer: Callable[[Vocabulary], Tokenizer]) -> Admission:
    """Return an admission whose content was counted after all, by an estimate where its vocabulary cannot be used."""
    if admission.tally.tokens >= 0 or admission.result == "refused":
        return admission
    data = b"".join(admission.content)
    for vocabulary in (terms.vocabulary, stand_in(terms.vocabulary)):
        try:
            found = tally((data,), vocabulary, tokenizer(vocabulary))
        except Exception:  # what lets the content pass uncounted may well be this tokenizer
            continue
        return admission._replace(tally=found, content=(data,), size=max(admission.size, len(data)))
    return admission._replace(content=(data,))


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

    count, label = admission.tally, terms.label
    counted = count.tokens >= 0
    tokens = count.tokens if counted else -(-size // 3)
    return Item(
        terms.listed,
        tokens,
        count.method if counted else "estimate",
        admission.result,
        terms.budget.tight(0 if counted else tokens),
        admission.ref,
        label.tool,
        label.call,
    )


def _spoken(admission: Admission, terms: Terms) -> str:
    """Return the decision in a line."""
    count, ref = admission.tally, f", stored as {short(admission.ref)}" if admission.ref else ""
    size = f"{count.tokens:,} tokens" if count.tokens >= 0 else "not counted"
    how = f"{count.method}, {terms.vocabulary.name}"
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
    entered = NOTHING if admission.result == "refused" else admission.tally
    answer: dict[str, Any] = {
        "result": admission.result,
        "tokens": entered.tokens if entered.tokens >= 0 else None,
        "method": entered.method if entered.tokens >= 0 else None,
        "tokenizer": terms.vocabulary.name,
        **_ends(entered),
        "original": _original(admission, data),
        "budget": _budget(terms),
    }
    if admission.result == "refused":
        answer |= _explain(admission, terms)
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


def _ends(count: Tally) -> dict[str, int]:
    """Return between which numbers an estimate lies; what is exact, or a bound, has none."""
    estimated = count.method == "estimate" and count.tokens >= 0
    return {"low": count.least, "high": count.high} if estimated else {}


def _budget(terms: Terms) -> dict[str, int | bool]:
    budget = terms.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
        **({"assumed": True} if budget.assumed else {}),
    }
