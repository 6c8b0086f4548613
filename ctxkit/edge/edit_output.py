"""Format edits of conversations as tables, objects and messages."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.quantity import pluralize

if TYPE_CHECKING:
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import MessageRow, NumberedConversation
    from ctxkit.core.edit.suggestions import Suggestion


def format_table(
    rows: "Sequence[MessageRow]", messages: int, overhead: "Amount", conversation: "NumberedConversation"
) -> str:
    """Return rows as a table with a total: message range, tokens, kind and beginning."""
    return "".join(f"{line.rstrip()}\n" for line in _format_lines(rows, messages, overhead, conversation))


def _format_lines(
    rows: "Sequence[MessageRow]", messages: int, overhead: "Amount", conversation: "NumberedConversation"
) -> Iterator[str]:
    range_width = max((len(_format_range(row)) for row in rows), default=1)
    kind_width = max((len(row.what) for row in rows), default=1)
    token_width = len(f"{conversation.total.tokens:,}")
    for row in rows:
        mark = "*" if row.stays else " "
        calls = f"  ({pluralize(row.calls, 'call')})" if row.calls else ""
        place = f"{_format_range(row):>{range_width}}{mark}"
        yield f"{place} {row.amount.tokens:>{token_width},}  {row.what:<{kind_width}}  {row.title}{calls}"
    if overhead.tokens:
        indent = f"{'':>{range_width}}  {overhead.tokens:>{token_width},}  {'':<{kind_width}}"
        yield f"{indent}  beside and around the messages"
    how = "" if conversation.get_method(conversation.total) == "exact" else " (an estimate)"
    indent = f"{'':>{range_width}}  {conversation.total.tokens:>{token_width},}  {'':<{kind_width}}"
    yield f"{indent}  in all, {pluralize(messages, 'message')}{how}"
    if any(row.stays for row in rows):
        yield "* has to stay, or holds a message that has to"


def _format_range(row: "MessageRow") -> str:
    return f"{row.first}" if row.first == row.last else f"{row.first}:{row.last}"


def row_object(row: "MessageRow", method: str) -> dict[str, Any]:
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


def format_suggestions(suggestions: "Sequence[Suggestion]") -> str:
    """Return suggested ranges as a table: message range, tokens, age, mentions and beginning, and the sum of tokens."""
    range_width = max((len(_format_range(suggestion.row)) for suggestion in suggestions), default=1)
    total = f"{sum(suggestion.row.amount.tokens for suggestion in suggestions):,}"
    lines = [
        f"{_format_range(row):>{range_width}} {row.amount.tokens:>{len(total)},}  {age:,} messages ago, "
        f"{_describe_mentions(mentions)}  {row.title}"
        for row, age, mentions, _ in suggestions
    ]
    if suggestions:
        lines.append(f"{'':>{range_width}} {total}  in all")
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _describe_mentions(mentions: int) -> str:
    return f"referred to by {pluralize(mentions, 'message')}" if mentions else "never referred to again"


def suggestion_object(suggestion: "Suggestion", method: str) -> dict[str, Any]:
    """Return a suggested range as an object."""
    return {**row_object(suggestion.row, method), "age": suggestion.age, "mentions": suggestion.mentions}


def total_object(messages: int, overhead: "Amount", conversation: "NumberedConversation") -> dict[str, Any]:
    """Return the last object of a list, about the complete conversation."""
    totals = {
        "tokens": conversation.total.tokens,
        "method": conversation.get_method(conversation.total),
        "beside": overhead.tokens,
    }
    return {"total": True, "messages": messages, **totals, "format": conversation.transcript.format.NAME}


def outcome_object(outcome: "EditOutcome", method: str) -> dict[str, Any]:
    """Return the result of an edit without the conversation."""
    first, last = outcome.taken
    return {
        "from": first,
        "to": last,
        "removed": last - first + 1,
        "before": outcome.before.tokens,
        "after": outcome.after.tokens,
        "method": method,
        "ref": shorten_ref(outcome.ref) or None,
    }


def describe_outcome(outcome: "EditOutcome", undo_command: str) -> str:
    """Return the result of an edit in one line; ``undo_command`` is the command that undoes it."""
    first, last = outcome.taken
    messages = f"message {first}" if first == last else f"messages {first}:{last}"
    moved = f"; what stood behind has numbers lower by {outcome.fewer}" if outcome.fewer else ""
    undo = f"; {undo_command} undoes it" if undo_command else "; nothing is stored, so it cannot be undone"
    return f"took out {messages}, {outcome.before.tokens:,} tokens are now {outcome.after.tokens:,}{moved}{undo}"


def describe_preview(outcome: "EditOutcome") -> str:
    """Return what an edit would free in one line."""
    first, last = outcome.taken
    messages = f"message {first}" if first == last else f"messages {first}:{last}"
    freed = outcome.before.tokens - outcome.after.tokens
    return f"would take out {messages} and free {freed:,} of {outcome.before.tokens:,} tokens"
