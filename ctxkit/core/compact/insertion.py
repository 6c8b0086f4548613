"""The insertion point of a summary: a separate message, or a prefix of the next message."""

from collections.abc import Container, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctxkit.core.chat.branches import find_moves
from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.model.message import SYSTEM_ROLES, Place, Record, Rewind
from ctxkit.core.chat.validity.pairing import sender_of
from ctxkit.core.compact.plan import CompactionInput, count_leading_instructions
from ctxkit.core.compact.summary_prefix import is_instruction, is_summary


class InsertionPoint(NamedTuple):
    """The position of a summary: before the entry at index ``at``, with a role.

    ``passage`` is the passage of that entry that the summary precedes, None for a separate message. With ``follows``,
    the summary stands behind the words of the passage.
    """

    at: int
    role: str
    passage: Place | None = None
    follows: bool = False


def find_insertion_point(conversation: CompactionInput, dropped: Container[int]) -> InsertionPoint | None:
    """Return the insertion point of a summary, or None if the API accepts it nowhere.

    A kept entry that replaces everything before it, such as a compaction by the agent, would replace the summary too:
    the summary comes after it. So does a boundary of one that kept earlier entries.
    """
    boundary = find_moves(conversation.transcript, [record.at for record in conversation.path]).boundary
    begin = count_leading_instructions(conversation.path)
    kept = [(at, record) for at, record in enumerate(conversation.path) if at >= begin and record.at not in dropped]
    messages = [(at, record) for at, record in kept if not is_instruction(record)]
    if not has_alternating_sides(messages, conversation.transcript.format.RULES):
        return None
    last_reset = max((record.at for _, record in kept if _replaces_all(record)), default=-1)
    last_reset = max(last_reset, boundary if boundary not in dropped else -1)
    if point := _find_point_behind_request(conversation, dropped, last_reset):
        return point
    following = [record for _, record in kept if record.at > last_reset]
    at = min(
        (record.at for record in following), default=max((record.at for record in conversation.path), default=-1) + 1
    )
    first = next((record for record in following if not is_instruction(record)), None)
    return _insertion_point_before(conversation, at, first)


def _find_point_behind_request(
    conversation: CompactionInput, dropped: Container[int], last_reset: int
) -> InsertionPoint | None:
    """Return the point behind the user's last request, None if the summary covers nothing that followed it.

    In a loop of requests it stays while the work on it goes on, so that the provider's prompt cache keeps it.
    """
    path, place = conversation.path, conversation.last_request
    if not conversation.policy.is_in_loop or place < 0 or path[place].at in dropped or path[place].at < last_reset:
        return None
    begin = count_leading_instructions(path)
    if any(record.at not in dropped for record in path[begin:place]):
        return None
    later = next((at for at in range(place + 1, len(path)) if path[at].at not in dropped), len(path))
    if all(is_summary(record) for record in path[place + 1 : later]):
        return None
    at = path[later].at if later < len(path) else path[-1].at + 1
    point = _insertion_point_before(conversation, at, path[place])
    if point is None or point.passage is None:
        return point
    return point._replace(passage=path[place].passages[-1].place, follows=True)


def _replaces_all(record: Record) -> bool:
    """Return whether an entry replaces all entries before it."""
    return any(isinstance(entry, Rewind) and entry.turns is None and not entry.since for entry in record.entries)


def can_insert_before(conversation: CompactionInput, first: Record | None) -> bool:
    """Return whether the API accepts a summary before a message."""
    return _insertion_point_before(conversation, 0, first) is not None


def _choose_role(conversation: CompactionInput, *, from_user: bool) -> str:
    """Return the role of a summary whose next message is from the user, or not."""
    rules = conversation.transcript.format.RULES
    role = conversation.policy.role or conversation.previous_role or rules.summary_role
    must_be_user = rules.summary_role == "user" or (rules.user_opens and not from_user)
    return "user" if role in SYSTEM_ROLES and must_be_user else role


def _insertion_point_before(conversation: CompactionInput, at: int, first: Record | None) -> InsertionPoint | None:
    rules = conversation.transcript.format.RULES
    from_user = first is not None and sender_of(first) == "user"
    role = _choose_role(conversation, from_user=from_user)
    if role in SYSTEM_ROLES or first is None or not (rules.roles_alternate and from_user):
        return InsertionPoint(at, role)
    if first.passages and not first.results:
        return InsertionPoint(first.at, role, first.passages[0].place)
    return None


def has_alternating_sides(messages: Sequence[tuple[int, Record]], rules: ApiRules) -> bool:
    """Return whether new neighbours have different senders, if the API requires alternating roles.

    Each message comes with its position in the path: messages that were neighbours before are not checked.
    """
    if not rules.roles_alternate:
        return True
    pairs = pairwise(messages)
    return all(sender_of(earlier) != sender_of(later) for (at, earlier), (next_, later) in pairs if next_ > at + 1)
