"""The second stage of compaction: replaces the older messages with a summary."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from typing import NamedTuple

from ctxkit.core.chat.model.message import ChatMessage, MessagePart, Record
from ctxkit.core.chat.validity.pairing import find_cut_points
from ctxkit.core.compact.change import can_insert_before, has_alternating_sides
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, SummaryMessage, count_leading_instructions
from ctxkit.core.compact.policy import SUMMARY_CAP
from ctxkit.core.compact.services import SummaryWriter, insert_pins, merge_prior_page
from ctxkit.core.summary.frame import find_summary_page, frame_page, is_instruction, is_summary
from ctxkit.core.summary.notes import find_lists, read_conversation
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import render_page
from ctxkit.core.text.retrieval_hint import name_reader

LISTS_SHARE, SAID_SHARE, MAX_SAID = 0.25, 0.5, 500
"""Shares of the low-water mark for lists and for what the users said, and tokens that a message of theirs needs."""
MIN_OUTSIDE_SHARE = 0.5
"""Minimum share of the recent tokens that a cut outside a loop must keep to win over a cut inside one."""
MAX_MESSAGE_SHARE = 0.5
"""Maximum share of the recent tokens counted for one message: a longer message can still be shortened."""
MAX_OVERSIZE = 4
"""Multiple of the effective window above which the recent messages are too large to shorten."""
MIN_SUMMARY = 180
"""Minimum tokens of a summary with its frame, even if little space is left."""
FRAME_TOKENS = 60
"""Tokens around a page: the summary mark, the restore command and the message."""


class CompactionCut(NamedTuple):
    """A possible end of the older part, with the older messages to keep.

    ``tail`` counts the tokens after the cut, ``size`` all remaining tokens.
    """

    at: int
    in_loop: bool
    kept_places: frozenset[int]
    tail: int
    size: int


class SummaryOrder(NamedTuple):
    """What writes a summary, the ref of the stored original, and an external page that the new one continues.

    With ``always``, there is a summary even if no message is dropped. Without a ref, nothing is stored. The original
    has ``lines``.
    """

    write: SummaryWriter
    ref: str
    prior_page: str = ""
    always: bool = False
    lines: int = 1


def summarize(conversation: CompactionInput, plan: CompactionPlan, order: SummaryOrder) -> CompactionPlan:
    """Return the plan with a summary instead of the older part, unchanged if there is no older part."""
    cut = _choose_cut(conversation, plan)
    if cut is None:
        return plan
    dropped = {
        record.at: "earlier summary" if is_summary(record) else "summarized"
        for at, record in enumerate(conversation.path)
        if at < cut.at and at not in cut.kept_places
    }
    if all(reason == "earlier summary" for reason in dropped.values()):
        return plan
    summary = write_summary(conversation, cut.at, cut.size, order)
    return plan._replace(dropped={**plan.dropped, **dropped}, summary=summary)


def write_summary(conversation: CompactionInput, cut: int, size: int, order: SummaryOrder) -> SummaryMessage:
    """Return the summary of the first ``cut`` messages; ``size`` is the tokens of the remaining conversation."""
    policy = conversation.policy
    max_tokens = max(policy.effective - size, MIN_SUMMARY)
    room = max(min(SUMMARY_CAP, policy.goal - size), min(policy.summary_limit, max_tokens)) - FRAME_TOKENS
    target = min(room, policy.page_limit) if policy.page_tokens is None else min(max_tokens, policy.page_limit)
    earlier_page = merge_prior_page(order.prior_page, find_summary_page(conversation.path, conversation.prefixes))
    summary_input = make_summary_input(conversation, cut, earlier_page, target)
    summary_result = order.write(summary_input)
    page = insert_pins(summary_result.page, conversation.policy.pins)
    reader = name_reader(policy.hint_template, order.ref, (1, order.lines)) if order.ref else ""
    text = frame_page(render_page(page), reader)
    role = conversation.policy.role or conversation.transcript.format.RULES.summary_role
    cost = conversation.token_counter.count_message(ChatMessage(role, (MessagePart("text", text),))).amount.high
    key = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return SummaryMessage(text, key, summary_result._replace(page=page), cost, earlier_page)


def make_summary_input(conversation: CompactionInput, cut: int, earlier_page: str, target: int) -> SummaryInput:
    """Return the input of a summarizer."""
    count = conversation.token_counter.count_text
    return SummaryInput(conversation.path, cut, earlier_page, conversation.policy.pins, target, count)


def _list_fitting(conversation: CompactionInput, cuts: Sequence[CompactionCut]) -> list[CompactionCut]:
    """Return the cuts that keep no more than the policy asks for, or than fits beside the summary."""
    if conversation.policy.recent is not None:
        return [cut for cut in cuts if cut.tail <= conversation.policy.recent_tokens]
    needs = _estimate_summaries(conversation)
    fitting = (cut for cut in cuts if cut.at < len(conversation.path))
    return [cut for cut in fitting if cut.size + needs[cut.at] <= conversation.policy.goal]


def _choose_cut(conversation: CompactionInput, plan: CompactionPlan) -> CompactionCut | None:
    """Return the cut that keeps the most within the limits, otherwise the cut that keeps the least."""
    cuts = list(_find_cuts(conversation, plan))
    if not cuts:
        return None
    if conversation.policy.last is not None:
        last_place = len(conversation.path) - conversation.policy.last
        return max(
            (cut for cut in cuts if cut.at <= last_place), key=lambda cut: (cut.at, not cut.in_loop), default=None
        )
    last = _find_last_said(conversation.path)
    candidates = [cut for cut in _list_fitting(conversation, cuts) if cut.at <= last]
    if not candidates:
        return _find_smallest_cut(conversation, cuts, last)
    widest = max(candidates, key=lambda cut: cut.tail)
    outside = max((cut for cut in candidates if not cut.in_loop), key=lambda cut: cut.tail, default=None)
    return outside if outside is not None and outside.tail >= MIN_OUTSIDE_SHARE * widest.tail else widest


def _estimate_summaries(conversation: CompactionInput) -> list[int]:
    """Return the tokens that a summary of the messages before each position needs, for all positions of the path.

    It holds a page, lists, what the users said in the messages that leave, and a summary of the host among them.
    """
    policy, count = conversation.policy, conversation.token_counter.count_text
    if policy.summary_need is not None:
        return [policy.summary_need] * (len(conversation.path) + 1)
    parts = read_conversation(conversation.path)
    lists = sum(
        count(note.forms[0]) + 2 for note in find_lists(parts) if not note.section or note.group != "Changed files"
    )
    base = policy.page_limit + min(lists, int(LISTS_SHARE * policy.goal))
    needs = [0] * (len(conversation.path) + 1)
    places = {record.at: at for at, record in enumerate(conversation.path)}
    for message in parts.words:
        needs[places[parts.records[message.at].at] + 1] += min(count(message.text), MAX_SAID) + 2
    for at, record in enumerate(conversation.path):
        if record.kind == "summary":
            needs[at + 1] += min(count(record.words), int(LISTS_SHARE * policy.goal))
    return [base + min(words, int(SAID_SHARE * policy.goal)) for words in accumulate(needs)]


def _find_last_said(path: Sequence[Record]) -> int:
    """Return the position of the last message that is no instruction: hosts append reminders to the newest result."""
    return max((at for at, record in enumerate(path) if not is_instruction(record)), default=len(path) - 1)


def _find_smallest_cut(
    conversation: CompactionInput, cuts: Sequence[CompactionCut], last: int
) -> CompactionCut:
    """Return the cut that keeps the least, but keeps recent messages if they can still be shortened to fit.

    ``last`` is the position of the last message that is no instruction.
    """
    some = [cut for cut in cuts if cut.at <= last]
    least = min(some or cuts, key=lambda cut: (cut.size, cut.in_loop))
    return least if least.size <= MAX_OVERSIZE * conversation.policy.effective else min(cuts, key=lambda cut: cut.size)


def _find_cuts(conversation: CompactionInput, plan: CompactionPlan) -> Iterator[CompactionCut]:
    """Yield every cut after which the API accepts the summary and the remaining messages."""
    path, begin, request_place = (
        conversation.path,
        count_leading_instructions(conversation.path),
        conversation.last_request,
    )
    costs = _estimate_costs(conversation, plan)
    always = frozenset(at for at, record in enumerate(path) if is_instruction(record) or record.encrypted)
    with_request = always | {request_place}
    places = find_cut_points(path, conversation.transcript.format.RULES)
    fits = _make_fit_check(conversation, with_request)
    tails, sizes = _sum_tails(costs), _sum_kept(costs, always - {request_place})
    for at in range(len(path), begin, -1):
        old = begin <= request_place < at
        if places[at] == "closed" or (at == len(path) and not old):
            continue
        if fits(at):
            kept_places = with_request if old else always
            size = conversation.fixed_tokens + sizes[at] + (costs[request_place] if old else 0)
            yield CompactionCut(at, places[at] == "loop", kept_places, tails[at], size)


def _sum_tails(costs: Sequence[int]) -> list[int]:
    """Return the sum of the costs from each position on, and 0 for the end."""
    return list(accumulate(reversed(costs), initial=0))[::-1]


def _sum_kept(costs: Sequence[int], always: frozenset[int]) -> list[int]:
    """Return the sum of the costs from each position on, and of those that are always kept."""
    least = sum(costs[at] for at in always)
    return [least + tail for tail in _sum_tails([0 if at in always else cost for at, cost in enumerate(costs)])]


def _estimate_costs(conversation: CompactionInput, plan: CompactionPlan) -> list[int]:
    """Return the tokens of each message, capped for a message that the truncate stage can shorten."""
    policy, request, count = conversation.policy, conversation.request_record, conversation.token_counter.count_record
    cap = max(int(MAX_MESSAGE_SHARE * policy.recent_tokens), 1)
    truncates = "truncate" in policy.stages
    costs = []
    for record in conversation.path:
        cost = count(record) - count_gain(plan, record.at)
        if cost > cap and record is request:
            cost = min(cost, max(policy.request_limit, cap))
        elif cost > cap and truncates and (record.passages or record.results) and not record.encrypted:
            cost = cost if is_instruction(record) else cap
        costs.append(cost)
    return costs


def _make_fit_check(conversation: CompactionInput, kept_places: Iterable[int]) -> Callable[[int], bool]:
    """Return a function that returns whether the API accepts the kept messages next to those after a cut.

    A summary precedes them. Values common to all cuts are computed once, since each message may be a cut.
    """
    path, rules = conversation.path, conversation.transcript.format.RULES
    begin = count_leading_instructions(path)
    messages = [(at, path[at]) for at in sorted(kept_places) if at >= begin and not is_instruction(path[at])]
    places = [at for at, _ in messages]
    right = next(
        (end for end in range(1, len(messages)) if not has_alternating_sides(messages[end - 1 : end + 1], rules)),
        len(messages),
    )

    def fits(cut: int) -> bool:
        """Return whether the API accepts the conversation after a cut."""
        before = bisect_left(places, cut)
        following = [(cut, path[cut])] if cut < len(path) and not is_instruction(path[cut]) else []
        neighbours = [*messages[max(before - 1, 0) : before], *following]
        first = messages[0] if before else next(iter(following), None)
        return (
            before <= right
            and has_alternating_sides(neighbours, rules)
            and can_insert_before(conversation, first[1] if first else None)
        )

    return fits


def count_gain(plan: CompactionPlan, at: int) -> int:
    """Return the tokens that the plan's edits save in an entry."""
    edits = plan.shortened.get(at)
    return sum(edit.gain for edit in edits.values()) if edits else 0
