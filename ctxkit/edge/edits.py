"""Edits of conversations as tables, as objects, and as what is said of them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.core.measure import plural

if TYPE_CHECKING:
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.edit.edit import Outcome
    from ctxkit.core.edit.numbered import Numbered, Row


def table(rows: "Sequence[Row]", messages: int, beside: "Amount", found: "Numbered") -> str:
    """Return rows as a table, a total below: messages, tokens, what they are, how they begin."""
    return "".join(f"{line.rstrip()}\n" for line in _lines(rows, messages, beside, found))


def _lines(rows: "Sequence[Row]", messages: int, beside: "Amount", found: "Numbered") -> Iterator[str]:
    wide = max((len(_range(row)) for row in rows), default=1)
    kinds = max((len(row.what) for row in rows), default=1)
    figures = len(f"{found.total.tokens:,}")
    for row in rows:
        mark = "*" if row.stays else " "
        calls = f"  ({plural(row.calls, 'call')})" if row.calls else ""
        yield f"{_range(row):>{wide}}{mark} {row.amount.tokens:>{figures},}  {row.what:<{kinds}}  {row.title}{calls}"
    if beside.tokens:
        yield f"{'':>{wide}}  {beside.tokens:>{figures},}  {'':<{kinds}}  beside and around the messages"
    how = "" if found.method(found.total) == "exact" else " (an estimate)"
    yield f"{'':>{wide}}  {found.total.tokens:>{figures},}  {'':<{kinds}}  in all, {plural(messages, 'message')}{how}"
    if any(row.stays for row in rows):
        yield "* has to stay, or holds a message that has to"


def _range(row: "Row") -> str:
    return f"{row.first}" if row.first == row.last else f"{row.first}:{row.last}"


def row_object(row: "Row", method: str) -> dict[str, Any]:
    """Return a row as an object."""
    return {
        "from": row.first,
        "to": row.last,
        "what": row.what,
        "tokens": row.amount.tokens,
        "method": method,
        "calls": row.calls,
        "stays": row.stays,
        "title": row.title,
    }


def total_object(messages: int, beside: "Amount", found: "Numbered") -> dict[str, Any]:
    """Return the last object of a list: the whole conversation."""
    whole = {"tokens": found.total.tokens, "method": found.method(found.total), "beside": beside.tokens}
    return {"total": True, "messages": messages, **whole, "format": found.transcript.format.NAME}


def outcome_object(outcome: "Outcome", method: str) -> dict[str, Any]:
    """Return what an edit did, without the conversation."""
    first, last = outcome.taken
    return {
        "from": first,
        "to": last,
        "removed": last - first + 1,
        "before": outcome.before.tokens,
        "after": outcome.after.tokens,
        "method": method,
        "ref": outcome.ref[:12] or None,
    }


def said(outcome: "Outcome", again: str) -> str:
    """Return what an edit did in a line; ``again`` is the command that undoes it."""
    first, last = outcome.taken
    what = f"message {first}" if first == last else f"messages {first}:{last}"
    moved = f"; what stood behind has numbers lower by {outcome.fewer}" if outcome.fewer else ""
    undo = f"; {again} undoes it" if again else "; nothing is stored, so it cannot be undone"
    return f"took out {what}, {outcome.before.tokens:,} tokens are now {outcome.after.tokens:,}{moved}{undo}"
