"""A conversation with numbered messages, the ranges that name some of them, and those that are worth the least."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from json import dumps
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.model.message import SYSTEM_ROLES, Record, Rewind
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.pairing import find_cut_points, sender_of
from ctxkit.core.count.amount import Amount, CountOptions, sum_amounts
from ctxkit.core.count.conversation import count_transcript, make_cached_counter, method_of
from ctxkit.core.count.message_tokens import MessageCounter
from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.summary.call_kind import classify_call
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.outcome import describe_attempt
from ctxkit.core.summary.tool_call import find_observations, find_tool_calls
from ctxkit.core.summary.user_words import find_user_words
from ctxkit.core.text.quantity import PositionRange

if TYPE_CHECKING:
    from ctxkit.core.tokens.token_count import Method

SUMMARY_MARK = "[ctxkit edit]"
"""The beginning of a summary from ``ctxkit edit summarize``."""
TITLE_LENGTH = 72
"""Maximum characters of a message in a row."""


class NumberedConversation(NamedTuple):
    """A conversation with numbered messages, their token counts, and the total.

    ``order`` is its count options, ``counter`` has counted its messages and spares them after an edit.
    """

    transcript: Transcript
    path: tuple[Record, ...]
    costs: tuple[Amount, ...]
    total: Amount
    order: CountOptions
    counter: MessageCounter

    def sum_cost(self, first: int, last: int) -> Amount:
        """Return the token count of a range of messages; both ends are 1-based and inclusive."""
        return sum_amounts(self.costs[first - 1 : last])

    def get_method(self, amount: Amount) -> "Method":
        """Return whether an amount is exact or an estimate."""
        return method_of(amount, self.order)


class MessageRow(NamedTuple):
    """A range of messages: its numbers, kind, token count, number of tool calls, and title.

    ``what`` is "system", "summary", "request" (a user request with everything up to the next one), or "start" (messages
    before the first request). For a single message it is the role. ``stays`` marks a range that cannot be removed.
    """

    first: int
    last: int
    what: str
    amount: Amount
    calls: int
    title: str
    stays: bool


def number_messages(transcript: Transcript, order: CountOptions) -> NumberedConversation:
    """Return a conversation with numbered messages."""
    path = tuple(transcript.records[at] for at in find_active_path(transcript))
    counter = make_cached_counter(transcript.format, order)
    costs = tuple(sum_amounts(counter.count_message(message).amount for message in record.messages) for record in path)
    return NumberedConversation(
        transcript, path, costs, count_transcript(transcript, order, counter)[0], order, counter
    )


def compute_overhead(conversation: NumberedConversation) -> Amount:
    """Return the tokens outside the messages: tools, a separate system prompt, and template overhead."""
    return Amount(
        *(max(all_ - some, 0) for all_, some in zip(conversation.total, sum_amounts(conversation.costs), strict=True))
    )


def find_stay_reason(record: Record) -> str:
    """Return the reason why a message cannot be removed, empty if it can."""
    if record.role in SYSTEM_ROLES and unframe_page(record.words) is None:
        return "is a system prompt"
    if record.encrypted:
        return "holds data that only its provider can read"
    if any(message.kept for message in record.messages) or any(isinstance(entry, Rewind) for entry in record.entries):
        return "is the summary of a compaction: without it, the messages that it replaces come back"
    return ""


def list_tasks(conversation: NumberedConversation) -> list[MessageRow]:
    """Return the ranges of a conversation: one for each user request, and one for each message that must stay."""
    requests, total = _map_requests(conversation), len(conversation.path)
    kinds = [_classify_record(record, at in requests) for at, record in enumerate(conversation.path)]
    starts = [at for at in range(total) if not at or _is_new_range(kinds[at - 1], kinds[at])]
    return [_make_row(conversation, requests, first + 1, last) for first, last in pairwise([*starts, total])]


def list_messages(conversation: NumberedConversation) -> list[MessageRow]:
    """Return a row for each message."""
    rows = list_ranges(conversation, ((number, number) for number in range(1, len(conversation.path) + 1)))
    return [row._replace(what=record.role) for row, record in zip(rows, conversation.path, strict=True)]


def list_ranges(conversation: NumberedConversation, ranges: Iterable[tuple[int, int]]) -> list[MessageRow]:
    """Return a row for each range of messages, given by the numbers of its first and its last message."""
    requests = _map_requests(conversation)
    return [_make_row(conversation, requests, first, last) for first, last in ranges]


def _map_requests(conversation: NumberedConversation) -> dict[int, str]:
    """Return what the user said in messages, by their positions; what only a result says belongs to its call."""
    messages = find_user_words(conversation.path)
    return {message.at: message.text for message in reversed(messages) if conversation.path[message.at].words.strip()}


def _is_new_range(before: str, kind: str) -> bool:
    """Return whether a message of kind ``kind`` begins a new range after one of kind ``before``."""
    return kind == "request" or (kind != before and not {"system", "summary"}.isdisjoint((before, kind)))


def _classify_record(record: Record, is_request: bool) -> str:
    if record.kind == "summary" or record.words.startswith(SUMMARY_MARK) or unframe_page(record.words) is not None:
        return "summary"
    if record.role in SYSTEM_ROLES:
        return "system"
    return "request" if is_request else "start"


def _make_row(conversation: NumberedConversation, requests: Mapping[int, str], first: int, last: int) -> MessageRow:
    records = conversation.path[first - 1 : last]
    calls = sum(len(record.calls) for record in records)
    request = requests.get(first - 1, "")
    title = _shorten(" ".join(request[: 4 * TITLE_LENGTH].split())) if request else next(_list_titles(records), "")
    what, immovable = _classify_record(records[0], bool(request)), any(map(find_stay_reason, records))
    return MessageRow(first, last, what, conversation.sum_cost(first, last), calls, title, immovable)


def _list_titles(records: tuple[Record, ...]) -> Iterator[str]:
    """Yield the beginnings of messages with text, then those of calls and results."""
    for record in records:
        if words := " ".join(record.words[: 4 * TITLE_LENGTH].split()):
            yield _shorten(words)
    calls = find_tool_calls(records)
    for at, record in enumerate(records):
        yield from (_shorten(describe_attempt(call, classify_call(call))) for call in calls if call.at == at)
        yield from (_shorten(" ".join(result.text[: 4 * TITLE_LENGTH].split())) for result in record.results)


def _shorten(words: str) -> str:
    words = "".join(letter if letter.isprintable() else "?" for letter in words)
    return words if len(words) <= TITLE_LENGTH else f"{words[: TITLE_LENGTH - 3]}..."


_MAX_WIDENING = 4
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
    steps = product(range(min(before, _MAX_WIDENING) + 1), range(min(after, _MAX_WIDENING) + 1))
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


MIN_TOKENS, _MIN_AGE = 100, 4
"""Tokens and later messages from which a range is worth a suggestion."""
MAX_SUGGESTIONS = 20
"""Maximum number of suggested ranges."""
_MAX_MENTIONS = 2
"""Maximum number of later messages that may refer to a suggested range."""
_MAX_NAMES = 5_000
"""Maximum number of names in a message that are compared with later messages."""
_NAME = re.compile(
    r"(?<![\w./-])(?:[\w.-]{1,80}/){1,12}[\w.-]{1,80}|\b\w{1,80}\.[a-z]{1,4}\b|\b[A-Za-z]\w{0,60}_\w{1,60}\b"
    r"|\b[A-Za-z][a-z0-9]{1,60}[A-Z]\w{0,60}\b|\b\d{3,20}\b|\b[0-9a-f]{7,40}\b"
)
"""Paths, file names, identifiers, numbers and hashes: words by which a message refers to an earlier one."""


class Suggestion(NamedTuple):
    """A range that may be removed: its row, the number of later messages, and how many of them refer to it.

    ``is_edit`` marks a range that changed a file: nothing else says what was done.
    """

    row: MessageRow
    age: int
    mentions: int
    is_edit: bool = False


class _Block(NamedTuple):
    """The positions of a message with calls and of the messages with their results."""

    first: int
    last: int


def suggest_ranges(conversation: NumberedConversation) -> list[Suggestion]:
    """Return the ranges of calls and results that are worth the least, in the order in which they should go.

    A message refers to a range if it names something that the range named first, in its own words or in a call.
    """
    path = conversation.path
    blocks = [
        block for block in _find_blocks(path) if not any(map(find_stay_reason, path[block.first : block.last + 1]))
    ]
    mentions = _count_mentions(path, blocks)
    edits = {call.at for call in find_tool_calls(path) if classify_call(call) == "edit"}
    rows = list_ranges(conversation, [(block.first + 1, block.last + 1) for block in blocks])
    suggestions = [
        Suggestion(row, len(path) - row.last, mentions[at], not edits.isdisjoint(range(row.first - 1, row.last)))
        for at, row in enumerate(rows)
        if row.amount.tokens >= MIN_TOKENS and len(path) - row.last >= _MIN_AGE and mentions[at] <= _MAX_MENTIONS
    ]
    return sorted(suggestions, key=_rate)[:MAX_SUGGESTIONS]


def _rate(suggestion: Suggestion) -> tuple[bool, int, int]:
    """Return the sort key of a suggestion: edits last, ranges without mentions first, then by tokens and age."""
    return suggestion.is_edit, suggestion.mentions, -suggestion.row.amount.tokens * suggestion.age


def _find_blocks(path: Sequence[Record]) -> Iterator[_Block]:
    """Yield each message with calls together with the messages that answer them."""
    observed = find_observations(path)
    at = 0
    while at < len(path):
        last = at
        while last + 1 < len(path) and (path[last + 1].results or last + 1 in observed):
            last += 1
        if path[at].role == "assistant" and (path[at].calls or last > at):
            yield _Block(at, last)
        at = last + 1


def _count_mentions(path: Sequence[Record], blocks: Sequence[_Block]) -> list[int]:
    """Return for each block the number of later messages that name what the block named first."""
    owners: dict[str, int] = {}
    block_of = {at: number for number, block in enumerate(blocks) for at in range(block.first, block.last + 1)}
    mentions = [0] * len(blocks)
    for at, record in enumerate(path):
        own = block_of.get(at)
        spoken = set(_find_names(_words_of(record)))
        for owner in {owners[name] for name in spoken if name in owners} - {own, -1}:
            mentions[owner] += 1
        for name in (*spoken, *(name for result in record.results for name in _find_names(result.text))):
            owners.setdefault(name, -1 if own is None else own)
    return mentions


def _words_of(record: Record) -> str:
    """Return the words of a message: its text and the arguments of its calls."""
    return "\n".join([record.words, *(dumps(call.arguments, ensure_ascii=False) for call in record.calls)])


def _find_names(text: str) -> Iterator[str]:
    for number, match in enumerate(_NAME.finditer(text)):
        if number >= _MAX_NAMES:
            return
        yield match[0].rsplit("/", 1)[-1]
