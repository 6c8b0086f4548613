"""What a content takes as plain data, which another process can send."""

from typing import Any

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content import Counted
from ctxkit.core.count.row import COMPONENTS, Row
from ctxkit.core.count.sheet import Sum
from ctxkit.core.isolation import WorkerDied

_TYPES = (str, tuple, str, int, int, bool, str, int, object, str)
"""The types of what Counted holds, in its order."""


def to_plain(counted: Counted) -> tuple[Any, ...]:
    """Return what a content takes as tuples, strings and numbers."""
    name, amount, *rest, total, doubt = counted
    return (name, tuple(amount), *rest, _sum_to_plain(total) if total else None, doubt)


def _sum_to_plain(total: Sum) -> tuple[Any, ...]:
    components = [(name, tuple(amount)) for name, amount in total.components.items()]
    rows = [(row.role, row.name, [(name, tuple(cost)) for name, cost in row.costs], row.answers) for row in total.rows]
    return tuple(total.amount), components, total.messages, rows


def from_plain(value: Any) -> Counted:
    """Return what ``to_plain`` made plain data of; raises WorkerDied if the value is not that."""
    try:
        name, amount, method, size, lines, whole, form, messages, total, doubt = value
        if not all(isinstance(part, kind) for part, kind in zip(value, _TYPES, strict=True)):
            raise TypeError
        made = Counted(name, _amount(amount), method, size, lines, whole, form, messages, None, doubt)
        return made._replace(sum=_sum(*total) if total else None)
    except (TypeError, ValueError):
        raise WorkerDied("the worker process sent no count") from None


def _sum(amount: Any, components: Any, messages: int, rows: Any) -> Sum:
    named = {name: _amount(cost) for name, cost in components if name in COMPONENTS}
    return Sum(_amount(amount), named, messages, [_row(*row) for row in rows])


def _row(role: str, name: str, costs: Any, answers: bool) -> Row:
    return Row(f"{role}", f"{name}", tuple((component, _amount(cost)) for component, cost in costs), answers)


def _amount(value: Any) -> Amount:
    low, tokens, high = value
    if not all(isinstance(number, int) for number in value):
        raise TypeError
    return Amount(low, tokens, high)
