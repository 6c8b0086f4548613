"""The last stage of compaction: shortens long texts, then drops the oldest messages."""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from json import dumps
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing.editable_format import ApiRules, ValuePatch
from ctxkit.core.chat.model.record import Place, Record, RecordCall
from ctxkit.core.compact.cut_points import find_cut_points
from ctxkit.core.compact.insertion import can_insert_before, find_insertion_point, has_alternating_sides
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ShortenedText, count_leading_instructions
from ctxkit.core.compact.summarize import count_gain
from ctxkit.core.compact.summary_prefix import is_instruction, is_summary
from ctxkit.core.store.shortened_text import shorten_text
from ctxkit.core.text.json_value import JsonValue

TOKEN_CAPS = (8_192, 4_096, 2_048, 1_024, 512, 256, 160, 100)
"""Maximum tokens of a text, in the order in which they are tried."""
Rank = Literal[0, 1, 2]


class TruncatableText(NamedTuple):
    """A text that may be shortened: its place, its size in tokens, and the function that makes its patches.

    Lower ranks are shortened first: 0 is results and model output, 1 is user text, 2 is the user's last request.
    """

    at: int
    place: Place
    text: str
    rank: Rank
    size: int
    tool: str = ""
    call: str = ""
    make_patches: JsonValue = None
    is_result: bool = False


def truncate(conversation: CompactionInput, plan: CompactionPlan, *, stores: bool) -> CompactionPlan:
    """Return the plan with long texts shortened and old messages dropped until the conversation is small enough."""
    policy = conversation.policy
    for rank, limit in ((0, policy.goal), (1, policy.drop_threshold)):
        plan = _shorten_texts(conversation, plan, rank, limit, stores)
    if size_of(conversation, plan) > policy.drop_threshold:
        plan = _drop_oldest(conversation, plan, policy.drop_threshold)
    limit = min(policy.trigger_size - 1, policy.effective)
    plan = _shorten_texts(conversation, plan, 2, limit, stores, policy.request_limit)
    if size_of(conversation, plan) > policy.effective:
        plan = _keep_essential(conversation, plan)
    # A request is shortened further only if nothing else makes the conversation fit.
    return _shorten_texts(conversation, plan, 2, policy.effective, stores)


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
    conversation: CompactionInput, plan: CompactionPlan, rank: int, limit: int, stores: bool, request_limit: int = 0
) -> CompactionPlan:
    """Return the plan with texts up to ``rank`` shortened just enough to reach ``limit`` tokens.

    The user's last request is not shortened below ``request_limit`` tokens.
    """
    if size_of(conversation, plan) <= limit:
        return plan
    texts, shortened_plan = list(_find_texts(conversation, plan)), plan
    for cap in TOKEN_CAPS:
        caps = {text.rank: max(cap, request_limit) if text.rank == 2 else cap for text in texts}
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
    words = shorten_text(text.text, cap, conversation.token_counter.count_text, ref if stores else "")
    if words is None:
        return None
    old = plan.shortened.get(text.at, {}).get(text.place)
    gain = text.size - conversation.token_counter.count_text(words) + (old.gain if old else 0)
    about = ("too long", text.tool, text.call, text.is_result)
    edit = ShortenedText("truncated", text.make_patches(words), words, stored, ref, gain, *about)
    return edit if gain > (old.gain if old else 0) else None


def _find_texts(conversation: CompactionInput, plan: CompactionPlan) -> Iterator[TruncatableText]:
    """Yield the texts that may be shortened in kept messages."""
    request_place, seen = conversation.last_request, conversation.observations
    for number, record in enumerate(conversation.path):
        if record.at in plan.dropped or record.encrypted or is_instruction(record) or record.kind != "message":
            continue
        done = plan.shortened.get(record.at, {})
        for at, place, words, make_patches, tool, call in _find_parts(conversation, record):
            if place in done or is_summary(record) or any(pin in words for pin in conversation.policy.pins):
                continue
            from_user = record.role == "user" and not record.results and number not in seen
            rank: Rank = 2 if number == request_place else 1 if from_user else 0
            is_result = any(result.place == place for result in record.results)
            yield TruncatableText(
                at,
                place,
                words,
                rank,
                conversation.token_counter.count_text(words),
                tool,
                call,
                make_patches,
                is_result,
            )


def _find_parts(conversation: CompactionInput, record: Record) -> Iterator[tuple[int, Place, str, JsonValue, str, str]]:
    """Yield the texts of a message: results, passages, and the longest argument of each call."""
    editor = conversation.transcript.format
    for result in record.results:
        if result.plain:

            def patch_result(words: str, result: JsonValue = result) -> tuple[ValuePatch, ...]:
                """Return the patches that replace the text of a result."""
                copies = (ValuePatch(copy, words) for copy in result.copies)
                return (ValuePatch(result.place, editor.make_result_value(result, words)), *copies)

            yield record.at, result.place, result.text, patch_result, result.name, result.id
    for passage in record.passages:

        def patch_passage(words: str, place: Place = passage.place) -> tuple[ValuePatch, ...]:
            """Return the patches that replace the text of a passage."""
            return (ValuePatch(place, words),)

        yield record.at, passage.place, passage.text, patch_passage, "", ""
    for call in record.calls:
        yield from _find_long_argument(record, call)


def _find_long_argument(record: Record, call: RecordCall) -> Iterator[tuple[int, Place, str, JsonValue, str, str]]:
    """Yield the longest text among the arguments of a call, given as an object or as JSON text."""
    arguments = call.arguments
    if not isinstance(arguments, dict):
        return
    texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    if not texts:
        return
    key = max(texts, key=lambda name: len(texts[name]))
    places = [(place, _value_at(record.value, place)) for place in (call.place, *call.copies)]

    def patch_argument(words: str) -> tuple[ValuePatch, ...]:
        """Return the patches that replace the text of an argument, as JSON text where it is that."""
        return tuple(
            ValuePatch(place, dumps({**arguments, key: words}, ensure_ascii=False))
            if isinstance(value, str)
            else ValuePatch((*place, key), words)
            for place, value in places
        )

    yield record.at, (*call.place, key), texts[key], patch_argument, call.name, call.id


def _value_at(value: JsonValue, place: Place) -> JsonValue:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _drop_oldest(conversation: CompactionInput, plan: CompactionPlan, limit: int) -> CompactionPlan:
    """Return the plan with as few of the oldest messages dropped as needed; the last request is kept."""
    path = conversation.path
    places = find_cut_points(path, conversation.transcript.format.RULES)
    begin = count_leading_instructions(path)
    always_kept = {at for at, record in enumerate(path) if is_instruction(record) or record.encrypted}
    always_kept.add(conversation.last_request)
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


def _make_sendable_check(
    conversation: CompactionInput, plan: CompactionPlan, always_kept: Container[int]
) -> Callable[[int], bool]:
    """Return a function that returns whether the API accepts the messages from a cut on, and those always kept.

    Values common to all cuts are computed once, since each message may be a cut.
    """
    path, rules = conversation.path, conversation.transcript.format.RULES
    messages = [
        (at, record) for at, record in enumerate(path) if record.at not in plan.dropped and not is_instruction(record)
    ]
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
    path, request_place = conversation.path, conversation.last_request
    if request_place < 0 or find_cut_points(path, conversation.transcript.format.RULES)[-1] == "closed":
        return plan
    dropped = {
        record.at: "oldest"
        for at, record in enumerate(path)
        if at != request_place and not is_instruction(record) and not record.encrypted
    }
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
