"""The last stage of compaction: shortens long texts, then drops the oldest messages."""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from json import dumps
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing import ApiRules, ValuePatch
from ctxkit.core.chat.model.message import SYSTEM_ROLES, Place, Record, RecordCall
from ctxkit.core.chat.validity.pairing import find_cut_points
from ctxkit.core.compact.change import can_insert_before, find_insertion_point, has_alternating_sides
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ShortenedText, count_leading_instructions
from ctxkit.core.compact.summarize import count_gain
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.summary.frame import is_instruction, is_summary
from ctxkit.core.text.json_value import JsonValue, replace_surrogates
from ctxkit.core.text.retrieval_hint import name_reader
from ctxkit.core.tokens.vocabulary import Tokenizer

_TOKEN_CAPS = (8_192, 4_096, 2_048, 1_024, 512, 256, 160, 100)
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
    for cap in _TOKEN_CAPS:
        caps = {text.rank: max(cap, request_limit) if text.rank in (REQUEST, INSTRUCTIONS) else cap for text in texts}
        long_texts = [text for text in texts if text.rank <= rank and text.size > caps[text.rank]]
        if not long_texts:
            continue
        edits = [(text, _truncate_text(conversation, plan, text, caps[text.rank], stores)) for text in long_texts]
        shortened_plan = plan.with_edits((text.at, text.place, edit) for text, edit in edits if edit is not None)
        if size_of(conversation, shortened_plan) <= limit:
            break
    return shortened_plan


Rank = Literal[0, 1, 2, 3, 4]


class TruncatableText(NamedTuple):
    """A text that may be shortened: its place, its size in tokens, and the function that makes its patches.

    Lower ranks are shortened first: 0 is results and model output, 1 is user text, 2 is the last request, 3 is results
    that the model has not seen, and 4 is the instructions of a project.
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


REQUEST: Rank = 2
_UNSEEN: Rank = 3
INSTRUCTIONS: Rank = 4


def _rank_text(conversation: CompactionInput, number: int, record: Record) -> Rank:
    """Return the rank of the texts of a message."""
    # What a host sends as a message of the user may be longer than a small window.
    if is_instruction(record):
        return INSTRUCTIONS
    if number == conversation.last_request:
        return REQUEST
    if number >= conversation.first_unseen:
        return _UNSEEN
    from_user = record.role == "user" and not record.results and number not in conversation.observations
    return 1 if from_user else 0


def find_texts(conversation: CompactionInput, plan: CompactionPlan) -> Iterator[TruncatableText]:
    """Yield the texts that may be shortened in kept messages."""
    for number, record in enumerate(conversation.path):
        is_fixed = record.encrypted or record.role in SYSTEM_ROLES or record.kind != "message"
        if record.at in plan.dropped or is_fixed:
            continue
        done = plan.shortened.get(record.at, {})
        for at, place, words, make_patches, tool, call in _find_parts(conversation, record):
            if place in done or is_summary(record) or any(pin in words for pin in conversation.policy.pins):
                continue
            is_result = any(result.place == place for result in record.results)
            yield TruncatableText(
                at,
                place,
                words,
                _rank_text(conversation, number, record),
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


_HEAD_SHARE = 0.4
"""Share of the beginning in a shortened text; results and errors come at the end."""
_MAX_TRIES = 6


def shorten_text(text: str, max_tokens: int, count: Tokenizer, ref: str, template: str = "") -> str | None:
    """Return a text shortened to ``max_tokens`` tokens, or None if that is impossible; prefer whole lines.

    The gap names what reads it back, by the ``template`` of a hint, or says that it is not stored if ``ref`` is empty.
    """
    total = count(text)
    char_budget = int(len(text) * max_tokens / max(total, 1)) - 100
    for _ in range(_MAX_TRIES):
        if char_budget < 0:
            excerpt = _keep_ends(text, 0, ref, template)
            return excerpt if count(excerpt) <= max_tokens else None
        excerpt = _keep_ends(text, char_budget, ref, template)
        size = count(excerpt)
        if size <= max_tokens:
            return excerpt
        char_budget = int(char_budget * max_tokens / size * 0.95) - 8
    return None


def _keep_ends(text: str, char_budget: int, ref: str, template: str) -> str:
    """Return about ``char_budget`` characters from both ends of a text."""
    first, last = int(char_budget * _HEAD_SHARE), len(text) - (char_budget - int(char_budget * _HEAD_SHARE))
    begin, end = _snap_to_lines(text, first, last)
    return "".join([text[:begin], _format_gap(text, begin, end, ref, template), text[end:]])


def _snap_to_lines(text: str, first: int, last: int) -> tuple[int, int]:
    """Return both ends moved to line breaks, if those are within a fifth of the kept text."""
    at = text.rfind("\n", 0, first) + 1
    begin = at if at > 0.8 * first else first
    at = text.find("\n", last) + 1
    end = at if 0 < at < last + 0.2 * (len(text) - last) else last
    return begin, max(begin, end)


def _format_gap(text: str, begin: int, end: int, ref: str, template: str) -> str:
    size = len(text[begin:end].encode("utf-8", "surrogatepass"))
    first = text.count("\n", 0, begin) + 1
    last = text.count("\n", 0, end) + (not text[:end].endswith("\n"))
    at_line_start = begin == 0 or text[begin - 1] == "\n"
    start = len(text[:begin].encode("utf-8", "surrogatepass")) + 1
    span = f"--lines {first}:{last}" if last > first else f"--bytes {start}:{start + size - 1}"
    reader = name_reader(template, shorten_ref(ref), (first, max(first, last)), span) if ref else ""
    way = f"to read them: {reader}" if reader else "stored nowhere"
    label = f"[{size:,} bytes are left out here{f' (lines {first}-{last})' if last > first else ''}; {way}]"
    return f"{'' if at_line_start else chr(10)}{label}\n"
