"""List the items of a conversation for its model, and choose the items that a call edits."""

from collections.abc import Iterable, Iterator, Mapping

from ctxkit.core.edit.numbered_conversation import (
    MessageRange,
    MessageRow,
    NumberedConversation,
    choose_range,
    compute_overhead,
    find_stay_reason,
    list_groups,
    list_ranges,
    list_tasks,
)
from ctxkit.core.errors import CtxkitError
from ctxkit.core.session.history import MarkedMessages, digest_message
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import PositionRange, pluralize
from ctxkit.core.tools.builtin import CallError

_MOST_ROWS = 60
"""Maximum number of rows of single steps; a longer conversation is listed by its requests."""
_REMARKS = {"keep": "kept", "removable": "removable", "stays": "must stay"}


def list_items(conversation: NumberedConversation) -> list[MessageRow]:
    """Return the items of a conversation: each range that can be removed alone, or each request if there are many."""
    rows = list_ranges(conversation, [(start + 1, end) for start, end in list_groups(conversation)])
    return rows if len(rows) <= _MOST_ROWS else list_tasks(conversation)


def format_items(conversation: NumberedConversation, rows: Iterable[MessageRow], marked: MarkedMessages) -> str:
    """Return the list that a model reads, in the words of the specification: "Items 1-9: beginning (8,400 tokens)"."""
    lines = [_format_row(row, _find_remarks(conversation, row, marked)) for row in rows]
    total = f"{pluralize(len(conversation.path), 'item')}, {conversation.total.tokens:,} tokens"
    overhead = compute_overhead(conversation).tokens
    rest = f", {overhead:,} of them around the items" if overhead else ""
    return "\n".join([*lines, f"In all: {total}{rest}."])


def describe_rows(
    conversation: NumberedConversation, rows: Iterable[MessageRow], marked: MarkedMessages
) -> list[dict[str, JsonValue]]:
    """Return the list for programs."""
    return [
        {
            "start": row.first,
            "end": row.last,
            "what": row.what,
            "tokens": row.amount.tokens,
            "title": row.title,
            "remarks": _find_remarks(conversation, row, marked),
        }
        for row in rows
    ]


def _format_row(row: MessageRow, remarks: list[str]) -> str:
    number = f"Item {row.first}" if row.first == row.last else f"Items {row.first}-{row.last}"
    title = row.title or row.what
    what = f"{row.what}: " if row.what in ("system", "summary") else ""
    return f"{number}: {what}{title} ({', '.join([pluralize(row.amount.tokens, 'token'), *remarks])})"


def _find_remarks(conversation: NumberedConversation, row: MessageRow, marked: MarkedMessages) -> list[str]:
    remarks = [_REMARKS["stays"]] if row.stays else []
    if marked != MarkedMessages():
        digests = set(digest_items(conversation, (row.first, row.last)))
        remarks += [_REMARKS["keep"]] if digests & marked.kept else []
        remarks += [_REMARKS["removable"]] if digests & marked.removable else []
    return remarks


def digest_items(conversation: NumberedConversation, items: MessageRange) -> list[str]:
    """Return the digests of items."""
    return [digest_message(conversation.transcript, record) for record in conversation.path[items[0] - 1 : items[1]]]


def read_range(conversation: NumberedConversation, arguments: Mapping[str, JsonValue]) -> MessageRange:
    """Return the range of a call; raise CallError if it is missing, or not in the conversation."""
    action, total = arguments["action"], len(conversation.path)
    if "range" not in arguments:
        raise CallError(f"{action} needs a range", hint='as in {"start": 2, "end": 5}; list_items shows the numbers')
    start, end = arguments["range"]["start"], arguments["range"]["end"]
    if end < start:
        raise CallError(f"the range ends before it starts: {start} to {end}", hint="exchange start and end")
    if end > total:
        raise CallError(f"there is no item {end}", hint=f"the last item is {total}: list_items shows all")
    return start, end


def choose_items(
    conversation: NumberedConversation, items: MessageRange, marked: MarkedMessages, *, replaced: bool
) -> MessageRange:
    """Return the range if an edit can take it; raise CallError with the range to take instead, or with the reason."""
    first, last = items
    for number in range(first, last + 1):
        if digest_message(conversation.transcript, conversation.path[number - 1]) in marked.kept:
            raise CallError(f"item {number} is kept by keep_range", hint="choose a range without it")
        if reason := find_stay_reason(conversation.path[number - 1]):
            raise CallError(f"item {number} {reason}", hint="choose a range without it")
    try:
        wider = choose_range(conversation, PositionRange(first, last), expand=True, replaced=replaced)
    except CtxkitError as error:
        raise CallError(str(error).replace("messages ", "items "), hint="list_items shows the items") from None
    if wider != items:
        raise CallError(
            f"items {first} to {last} cannot go alone, because calls and their results belong together",
            hint=f"call again with start {wider[0]} and end {wider[1]}",
        )
    return items


def find_removable_ranges(conversation: NumberedConversation, marked: MarkedMessages) -> Iterator[MessageRange]:
    """Yield the ranges whose items are all marked as removable and can go alone, from the last to the first."""
    for start, end in reversed(list_groups(conversation)):
        records = conversation.path[start:end]
        if all(digest_message(conversation.transcript, record) in marked.removable for record in records) and not any(
            map(find_stay_reason, records)
        ):
            yield start + 1, end


def check_call(conversation: NumberedConversation, items: MessageRange) -> None:
    """Raise CallError if items include a call without a result: its result will follow them."""
    path = conversation.path
    last_call = max((at for at, record in enumerate(path) if record.calls), default=-1)
    if last_call < 0:
        return
    results = sum(len(record.results) for record in path[last_call + 1 :])
    if results < len(path[last_call].calls) and items[1] > last_call:
        raise CallError(f"item {last_call + 1} is the call that you make now", hint="choose a range before it")
