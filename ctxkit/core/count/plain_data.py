"""Token counts as plain data, for transfer between processes."""


from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.core.count.conversation_tokens import ConversationTokens
from ctxkit.core.count.message_tokens import COMPONENTS, MessageTokens
from ctxkit.core.text.limits import WorkerDiedError, WorkerValue

_TYPES = (str, tuple, str, int, int, bool, str, int, object, str)
"""The types of the fields of ContentTokens, in order."""


def to_plain(result: ContentTokens) -> tuple[object, ...]:
    """Return a content's token counts as tuples, strings and numbers."""
    name, amount, *rest, total, doubt = result
    return (name, tuple(amount), *rest, _sum_to_plain(total) if total else None, doubt)


def _sum_to_plain(total: ConversationTokens) -> tuple[object, ...]:
    components = [(name, tuple(amount)) for name, amount in total.components.items()]
    rows = [
        (row.role, row.name, [(name, tuple(cost)) for name, cost in row.costs], row.has_results) for row in total.rows
    ]
    return tuple(total.amount), components, total.messages, rows


def from_plain(value: WorkerValue) -> ContentTokens:
    """Return the token counts from the result of ``to_plain``; raise WorkerDiedError for any other value."""
    try:
        name, amount, method, size, lines, whole, form, messages, total, doubt = value
        if not all(isinstance(part, kind) for part, kind in zip(value, _TYPES, strict=True)):
            raise TypeError
        result = ContentTokens(name, _read_amount(amount), method, size, lines, whole, form, messages, None, doubt)
        return result._replace(sum=_read_sum(*total) if total else None)
    except (TypeError, ValueError):
        raise WorkerDiedError("the worker process sent no count") from None


def _read_sum(amount: WorkerValue, components: WorkerValue, messages: int, rows: WorkerValue) -> ConversationTokens:
    named = {name: _read_amount(cost) for name, cost in components if name in COMPONENTS}
    return ConversationTokens(_read_amount(amount), named, messages, [_read_row(*row) for row in rows])


def _read_row(role: str, name: str, costs: WorkerValue, answers: bool) -> MessageTokens:
    return MessageTokens(
        f"{role}", f"{name}", tuple((component, _read_amount(cost)) for component, cost in costs), answers
    )


def _read_amount(value: WorkerValue) -> Amount:
    low, tokens, high = value
    if not all(isinstance(number, int) for number in value):
        raise TypeError
    return Amount(low, tokens, high)
