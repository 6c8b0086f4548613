"""Choice of a range of messages whose removal leaves a conversation that the API accepts."""

from collections.abc import Iterator
from itertools import pairwise, product

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.validity.turns import sender_of
from ctxkit.core.compact.cut_points import find_cut_points
from ctxkit.core.edit.numbered_conversation import NumberedConversation, find_stay_reason
from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.text.spans import PositionRange

MAX_WIDENING = 4
"""Maximum number of groups by which a range is widened on each side."""
MessageRange = tuple[int, int]
"""The numbers of the first and the last message of a range, 1-based and inclusive."""


def choose_range(
    conversation: NumberedConversation, span: PositionRange, *, expand: bool, replaced: bool = False
) -> MessageRange:
    """Return the range of messages that a span selects; ``expand`` allows a wider one if necessary.

    ``replaced`` means that a summary takes its place. Raise NotStoredError if the range begins after the end. Raise
    UsageError if it includes messages that must stay or splits a group; the hint names a valid range.
    """
    first, last = _clip_range(span, len(conversation.path))
    _check_removable(conversation, first, last)
    wider = _widen_range(conversation, first, last, replaced=replaced)
    if wider == (first, last):
        return wider
    if wider is None:
        what = (
            "nothing would be left"
            if _has_nothing_left(conversation, first, last)
            else "the rest is not a valid conversation"
        )
        raise UsageError(
            f"without messages {format_range(first, last)} {what}",
            hint="ctxkit edit list shows which ranges can be removed",
        )
    if expand:
        return wider
    splits = _has_split_group(conversation, first, last)
    reason = "splits a call from its result, or a response" if splits else "breaks the order of roles"
    hint = f"messages {format_range(*wider)} belong together: --expand takes them"
    raise UsageError(f"the range {format_range(first, last)} {reason}", hint=hint)


def format_range(first: int, last: int) -> str:
    """Return a range in command-line syntax."""
    return f"{first}:{last}"


def _clip_range(span: PositionRange, total: int) -> MessageRange:
    first, last = span.resolve(total)
    if first > total:
        raise NotStoredError(f"no messages from {first:,} on: the conversation has {total:,}")
    return first, last


def _check_removable(conversation: NumberedConversation, first: int, last: int) -> None:
    for number in range(first, last + 1):
        if reason := find_stay_reason(conversation.path[number - 1]):
            raise UsageError(f"message {number} {reason}", hint="ctxkit edit list shows which ranges can be removed")


def _has_nothing_left(conversation: NumberedConversation, first: int, last: int) -> bool:
    return all(sender_of(record) == "system" for record in (*conversation.path[: first - 1], *conversation.path[last:]))


def _has_split_group(conversation: NumberedConversation, first: int, last: int) -> bool:
    ends = {end for group in list_groups(conversation) for end in group}
    return not {first - 1, last} <= ends


def list_groups(conversation: NumberedConversation) -> list[MessageRange]:
    """Return the groups of messages that must stay together, as 0-based ranges with exclusive ends."""
    places = find_cut_points(conversation.path, conversation.transcript.format.RULES)[:-1]
    cuts = [*(at for at, joint in enumerate(places) if joint == "free"), len(conversation.path)]
    return list(pairwise(cuts))


def _widen_range(conversation: NumberedConversation, first: int, last: int, *, replaced: bool) -> MessageRange | None:
    """Return the smallest removable range around a range, None if there is none nearby."""
    groups = list_groups(conversation)
    inside = [number for number, (start, end) in enumerate(groups) if start < last and end > first - 1]
    if not inside:
        return None
    for left, right in _list_steps(inside[0], len(groups) - 1 - inside[-1]):
        start, end = groups[inside[0] - left][0], groups[inside[-1] + right][1]
        if any(map(find_stay_reason, conversation.path[start:end])):
            continue
        if replaced or _can_join(conversation.path, start, end, conversation.transcript.format.RULES):
            return start + 1, end
    return None


def _list_steps(before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the groups to add before and after a range, smallest total first, forwards before backwards."""
    steps = product(range(min(before, MAX_WIDENING) + 1), range(min(after, MAX_WIDENING) + 1))
    yield from sorted(steps, key=lambda step: (sum(step), step[0]))


def _can_join(path: tuple[Record, ...], start: int, end: int, rules: ApiRules) -> bool:
    """Return whether the messages before and after a range may be neighbours."""
    before = next((sender_of(record) for record in reversed(path[:start]) if _is_counted(record, rules)), "")
    after = next((sender_of(record) for record in path[end:] if _is_counted(record, rules)), "")
    if not before and not after:
        return False  # nothing would be left
    if rules.user_opens and not before and after == "assistant":
        return False
    return not (rules.roles_alternate and before == after)


def _is_counted(record: Record, rules: ApiRules) -> bool:
    """Return whether the sender of a message matters."""
    if sender_of(record) == "system":
        return False
    return rules.layout == "next" or not rules.roles_alternate or not (record.calls or record.results)
