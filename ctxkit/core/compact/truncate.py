"""The last stage of compaction: shortens long texts, then drops the oldest messages."""

from bisect import bisect_left
from collections.abc import Callable, Container, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.validity.pairing import find_cut_points
from ctxkit.core.compact.insertion import can_insert_before, find_insertion_point, has_alternating_sides
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ShortenedText, count_leading_instructions
from ctxkit.core.compact.summarize import count_gain
from ctxkit.core.compact.summary_prefix import is_instruction, is_summary
from ctxkit.core.compact.truncatable_texts import INSTRUCTIONS, REQUEST, TruncatableText, find_texts
from ctxkit.core.store.shortened_text import shorten_text
from ctxkit.core.text.json_value import replace_surrogates

TOKEN_CAPS = (8_192, 4_096, 2_048, 1_024, 512, 256, 160, 100)
"""Maximum tokens of a text, in the order in which they are tried."""


class Shortening(NamedTuple):
    """The highest rank of the texts that are shortened, and the tokens that the conversation may have then.

    The user's last request and the instructions are not shortened below ``request_limit`` tokens.
    """

    rank: int
    limit: int
    request_limit: int = 0


def truncate(conversation: CompactionInput, plan: CompactionPlan, *, stores: bool) -> CompactionPlan:
    """Return the plan with long texts shortened and old messages dropped until the conversation is small enough."""
    policy = conversation.policy
    for rank, limit in ((0, policy.goal), (1, policy.drop_threshold)):
        plan = _shorten_texts(conversation, plan, Shortening(rank, limit), stores=stores)
    if plan.summary:  # the middle of a long request gives way to the record
        shortening = Shortening(REQUEST, policy.goal, policy.request_limit)
        plan = _shorten_texts(conversation, plan, shortening, stores=stores)
    if (size := size_of(conversation, plan)) > policy.drop_threshold:
        shorter = _drop_oldest(conversation, plan, policy.drop_threshold)
        is_enough = size > policy.effective or size_of(conversation, shorter) < policy.trigger_size
        plan = shorter if is_enough else plan
    limit = min(policy.trigger_size - 1, policy.effective)
    plan = _shorten_texts(conversation, plan, Shortening(INSTRUCTIONS, limit, policy.request_limit), stores=stores)
    if size_of(conversation, plan) > policy.effective:
        plan = _keep_essential(conversation, plan)
    # A request is shortened further only if nothing else makes the conversation fit.
    return _shorten_texts(conversation, plan, Shortening(INSTRUCTIONS, policy.effective), stores=stores)


def size_of(conversation: CompactionInput, plan: CompactionPlan) -> int:
    """Return an estimate of the tokens that remain after a plan."""
    dropped = plan.dropped.keys()
    sizes = (
        conversation.token_counter.count_record(record) - count_gain(plan, record.at)
        for record in conversation.path
        if record.at not in dropped
    )
    return conversation.fixed_tokens + sum(sizes) + (plan.summary.cost if plan.summary else conversation.prefix_tokens)


def _shorten_texts(
    conversation: CompactionInput, plan: CompactionPlan, shortening: Shortening, *, stores: bool
) -> CompactionPlan:
    """Return the plan with texts shortened just enough."""
    rank, limit, request_limit = shortening
    if size_of(conversation, plan) <= limit:
        return plan
    texts, shortened_plan = list(find_texts(conversation, plan)), plan
    for cap in TOKEN_CAPS:
        caps = {text.rank: max(cap, request_limit) if text.rank in (REQUEST, INSTRUCTIONS) else cap for text in texts}
        long_texts = [text for text in texts if text.rank <= rank and text.size > caps[text.rank]]
        if not long_texts:
            continue
        edits = [(text, _truncate_text(conversation, plan, text, caps[text.rank], stores)) for text in long_texts]
        shortened_plan = plan.with_edits((text.at, text.place, edit) for text, edit in edits if edit is not None)
        if size_of(conversation, shortened_plan) <= limit:
            break
    return shortened_plan


def _truncate_text(
    conversation: CompactionInput, plan: CompactionPlan, text: TruncatableText, cap: int, stores: bool
) -> ShortenedText | None:
    """Return the edit that shortens a text to about ``cap`` tokens, None if it saves nothing."""
    stored = text.text.encode("utf-8", "surrogatepass")
    ref = sha256(stored).hexdigest()
    count, template = conversation.token_counter.count_text, conversation.policy.hint_template
    words = shorten_text(text.text, cap, count, ref if stores else "", template)
    if words is None:
        return None
    words = replace_surrogates(words)
    old = plan.shortened.get(text.at, {}).get(text.place)
    gain = text.size - conversation.token_counter.count_text(words) + (old.gain if old else 0)
    about = ("too long", text.tool, text.call, text.is_result)
    edit = ShortenedText("truncated", text.make_patches(words), words, stored, ref, gain, *about)
    return edit if gain > (old.gain if old else 0) else None


def _drop_oldest(conversation: CompactionInput, plan: CompactionPlan, limit: int) -> CompactionPlan:
    """Return the plan with as few of the oldest messages dropped as needed; the last request and a summary are kept."""
    path = conversation.path
    places = find_cut_points(path, conversation.transcript.format.RULES)
    begin = count_leading_instructions(path)
    always_kept = _find_always_kept(conversation, plan)
    is_sendable = _make_sendable_check(conversation, plan, always_kept)
    best, size = begin, size_of(conversation, plan)
    for at in range(begin, len(path)):
        if places[at] != "closed" and is_sendable(at):
            best = at
            if size <= limit:
                break
        if at not in always_kept and path[at].at not in plan.dropped:
            size -= conversation.token_counter.count_record(path[at]) - count_gain(plan, path[at].at)
    oldest = {path[at].at: "oldest" for at in range(begin, best) if at not in always_kept}
    return plan._replace(dropped={**oldest, **plan.dropped})


def _find_always_kept(conversation: CompactionInput, plan: CompactionPlan) -> set[int]:
    """Return the places of the instructions, the last request, and the earlier summary unless a new one replaces it."""
    kept = {
        at
        for at, record in enumerate(conversation.path)
        if is_instruction(record) or record.encrypted or (is_summary(record) and not plan.summary)
    }
    return kept | {conversation.last_request}


def _list_messages(path: Sequence[Record], plan: CompactionPlan) -> list[tuple[int, Record]]:
    """Return the messages that a plan keeps, without instructions, with their positions."""
    return [
        (at, record) for at, record in enumerate(path) if record.at not in plan.dropped and not is_instruction(record)
    ]


def _make_sendable_check(
    conversation: CompactionInput, plan: CompactionPlan, always_kept: Container[int]
) -> Callable[[int], bool]:
    """Return a function that returns whether the API accepts the messages from a cut on, and those always kept.

    Values common to all cuts are computed once, since each message may be a cut.
    """
    rules, messages = conversation.transcript.format.RULES, _list_messages(conversation.path, plan)
    heads = [message for message in messages if message[0] in always_kept]
    head_places, places = [at for at, _ in heads], [at for at, _ in messages]
    good_heads = _count_alternating(heads, rules)
    good_tail = len(messages) - _count_alternating(messages[::-1], rules, is_reversed=True)

    def is_sendable(cut: int) -> bool:
        """Return whether the API accepts what a cut leaves."""
        head_count, start = bisect_left(head_places, cut), bisect_left(places, cut)
        neighbors = [*heads[max(head_count - 1, 0) : head_count], *messages[start : start + 1]]
        first = heads[0][1] if head_count else neighbors[0][1] if neighbors else None
        alternates = head_count <= good_heads and start >= good_tail and has_alternating_sides(neighbors, rules)
        if not alternates or not can_insert_before(conversation, first):
            return False
        return plan.summary is not None or (first is not None and _can_open(first, rules))

    return is_sendable


def _count_alternating(messages: Sequence[tuple[int, Record]], rules: ApiRules, *, is_reversed: bool = False) -> int:
    """Return the number of messages before the first that the API does not accept after its new neighbour."""
    for number, (earlier, later) in enumerate(pairwise(messages), 1):
        if not has_alternating_sides((later, earlier) if is_reversed else (earlier, later), rules):
            return number
    return len(messages)


def _can_open(record: Record, rules: ApiRules) -> bool:
    """Return whether a message can be the first of a conversation."""
    return (not rules.user_opens or record.role == "user") and not record.results


def _keep_essential(conversation: CompactionInput, plan: CompactionPlan) -> CompactionPlan:
    """Return the plan with only the essential messages, if they include the last request and no call waits."""
    path = conversation.path
    if conversation.last_request < 0 or find_cut_points(path, conversation.transcript.format.RULES)[-1] == "closed":
        return plan
    kept = _find_always_kept(conversation, plan)
    dropped = {record.at: "oldest" for at, record in enumerate(path) if at not in kept}
    essential_plan = plan._replace(dropped={**dropped, **plan.dropped})
    return essential_plan if _is_sendable(conversation, essential_plan) else plan


def _is_sendable(conversation: CompactionInput, plan: CompactionPlan) -> bool:
    dropped: Mapping[int, str] = {**conversation.inactive, **plan.dropped}
    point = find_insertion_point(conversation, dropped)
    if point is None or plan.summary:
        return point is not None
    rules = conversation.transcript.format.RULES
    first = next(
        (record for record in conversation.path if record.at not in dropped and not is_instruction(record)), None
    )
    return first is not None and _can_open(first, rules)
