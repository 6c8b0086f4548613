"""The first stage of compaction: clears old tool results in one batch, stale reads first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.editing import ValuePatch, find_span
from ctxkit.core.chat.model.message import Place, Record, RecordCall, RecordResult
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ShortenedText
from ctxkit.core.compact.stub import is_cleared, make_stub
from ctxkit.core.session.history import MarkedMessages, digest_message
from ctxkit.core.text.json_value import JsonValue

MIN_GAIN = 40
"""Tokens that clearing a result must save: a stub is less useful than a short result."""
OLD_RESULT = "old tool result"
"""Reason for clearing a result that nothing made stale."""
_MIN_LENGTH = 400
"""Characters below which a result is too short to clear."""


class ClearingCandidate(NamedTuple):
    """A result that may be cleared: the position of its message in the path, its tool and the reason.

    ``from_words`` is set if the agent has no calls and the text of a message contains the output of a command.
    """

    at: int
    result: RecordResult
    tool: str
    reason: str
    stale: bool
    from_words: bool = False


def clear_results(conversation: CompactionInput, plan: CompactionPlan, *, stores: bool) -> CompactionPlan:
    """Return the plan with enough old results cleared to reach the goal, or all of them if the goal is out of reach.

    If the policy keeps a number of observations, all older results are cleared, as "The Complexity Trap" does
    (arXiv 2508.21433).
    """
    clears_all = conversation.policy.force or conversation.policy.observations is not None
    size, goal = conversation.total_tokens, 0 if clears_all else conversation.policy.goal
    edits: list[tuple[int, Place, ShortenedText]] = []
    for candidate in sorted(_find_candidates(conversation), key=lambda item: not item.stale):
        if size <= goal:
            break
        record = conversation.path[candidate.at]
        edit = _make_edit(conversation, record, candidate, stores)
        if edit.gain >= MIN_GAIN:
            edits.append((record.at, candidate.result.place, edit))
            size -= edit.gain
    return plan.with_edits(edits) if edits else plan


def _find_candidates(conversation: CompactionInput) -> Iterator[ClearingCandidate]:
    """Yield old results, oldest first; results in recent messages are not old."""
    match_tools = cache(lambda: _match_tools(conversation))  # most conversations have no long result left
    seen, marked = conversation.observations, conversation.policy.marked
    old_messages, newest = _find_old_messages(conversation)
    for at, record in enumerate(old_messages):
        digest = _digest_marked(conversation, record)
        if digest in marked.kept or record.encrypted:
            continue
        if at in seen and (at, 0) not in newest:
            yield from _find_spoken_results(at, record)
        for number, result in enumerate(record.results):
            if (at, number) in newest or not _is_clearable(result):
                continue
            names, reasons = match_tools()
            reason = "marked as removable" if digest in marked.removable else reasons.get((at, number), "")
            tool = result.name or names.get((at, number), "")
            yield ClearingCandidate(at, result, tool, reason or OLD_RESULT, bool(reason))


def _digest_marked(conversation: CompactionInput, record: Record) -> str:
    """Return the digest by which a message may be marked, "" if none is."""
    is_any_marked = conversation.policy.marked != MarkedMessages()
    return digest_message(conversation.transcript, record) if is_any_marked else ""


def _is_clearable(result: RecordResult) -> bool:
    return not is_cleared(result.text) and (not result.plain or len(result.text) >= _MIN_LENGTH)


def _find_old_messages(conversation: CompactionInput) -> tuple[Sequence[Record], frozenset[tuple[int, int]]]:
    """Return the messages whose results are old, and the results among them that stay: position and number."""
    count = conversation.policy.observations
    if count is None:
        return conversation.path[: min(find_recent_start(conversation), conversation.first_unseen)], frozenset()
    places = [
        (at, number)
        for at, record in enumerate(conversation.path)
        for number in range(len(record.results) or (at in conversation.observations))
    ]
    return conversation.path, frozenset(places[max(len(places) - count, 0) :])


def find_recent_start(conversation: CompactionInput) -> int:
    """Return the position in the path of the first recent message."""
    policy, path = conversation.policy, conversation.path
    if policy.last is not None:
        return max(len(path) - policy.last, 0)
    remaining = policy.recent_tokens
    for at in range(len(path) - 1, -1, -1):
        remaining -= conversation.token_counter.count_record(path[at])
        if remaining < 0:
            return at + 1
    return 0


def _find_spoken_results(at: int, record: Record) -> Iterator[ClearingCandidate]:
    """Yield the long passages of a message that contains the output of a command."""
    for passage in record.passages:
        if len(passage.text) >= _MIN_LENGTH and not is_cleared(passage.text):
            result = RecordResult("", passage.text, passage.place)
            yield ClearingCandidate(at, result, "", OLD_RESULT, stale=False, from_words=True)


def _match_tools(conversation: CompactionInput) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
    """Return the tool of each result, and the reason why a result is stale.

    Both are keyed by the position of the message in the path and the number of the result in it.
    """
    path = conversation.path
    pairs = pair_calls(path, conversation.transcript.format.RULES)
    places = {record.at: at for at, record in enumerate(path)}
    old, names, reasons = find_stale_reads(path), {}, {}
    numbers = {
        (at, id(result)): number
        for at, record in enumerate(pairs.messages)
        for number, result in enumerate(record.results)
    }
    for spoken_call, spoken_result in (*pairs.paired, *pairs.displaced):
        calling, answering = pairs.messages[spoken_call.at], pairs.messages[spoken_result.at]
        call = places[calling.at], spoken_call.number
        result = places[answering.at], numbers[spoken_result.at, id(spoken_result.result)]
        names[result] = spoken_call.call.name
        if call in old:
            reasons[result] = old[call]
    return names, reasons


def _make_edit(
    conversation: CompactionInput, record: Record, candidate: ClearingCandidate, stores: bool
) -> ShortenedText:
    """Return the edit that replaces a result with its stub."""
    result = candidate.result
    text = result.text if result.plain else _raw_text_of(conversation, record, result)
    stored = text.encode("utf-8", "surrogatepass")
    ref = sha256(stored).hexdigest()
    template = conversation.policy.hint_template
    words = make_stub(text, candidate.tool, ref if stores else "", failed=result.failed, template=template)
    value = words if candidate.from_words else conversation.transcript.format.make_result_value(result, words)
    patches = (ValuePatch(result.place, value), *(ValuePatch(copy, words) for copy in result.copies))
    before = conversation.token_counter.count_text(result.text) + (
        0 if result.plain else _count_image_tokens(conversation, record)
    )
    gain = before - conversation.token_counter.count_text(words)
    return ShortenedText("cleared", patches, words, stored, ref, gain, candidate.reason, candidate.tool, result.id)


def _raw_text_of(conversation: CompactionInput, record: Record, result: RecordResult) -> str:
    """Return the raw JSON of a result that contains more than text, or its text if the span is not found."""
    try:
        start, end = find_span(conversation.transcript.text, record.start, result.place)
    except (KeyError, ValueError):
        return result.text
    return conversation.transcript.text[start:end]


def _count_image_tokens(conversation: CompactionInput, record: Record) -> int:
    """Return the tokens of a message's images, 0 unless the message has exactly one result.

    With several results, nothing says which result an image belongs to.
    """
    if len(record.results) != 1:
        return 0
    costs = (
        cost.high
        for message in record.messages
        for name, cost in conversation.token_counter.count_message(message).costs
        if name == "images"
    )
    return sum(costs)


_READS = re.compile(
    r"(?:^|[_\-.:]|(?<=[a-z]))(?:read|view|open|cat|show|get_?file|fetch_?file|load_?file)", re.IGNORECASE
)
_WRITES = re.compile(
    r"(?:^|[_\-.:]|(?<=[a-z]))(?:write|edit|replace|patch|insert|create|update|apply|modify|append|delete|remove"
    r"|rename|move|undo|save|overwrite)",
    re.IGNORECASE,
)
_PATHS = ("file_path", "path", "filepath", "filename", "file", "target_file", "absolute_path", "notebook_path", "uri")
_COMMANDS = ("command", "cmd", "action", "operation")
"""Arguments that select the operation of a multi-purpose tool, such as ``view`` and ``str_replace`` of an editor."""
_RANGES = (
    *("offset", "limit", "view_range", "start_line", "end_line", "line_start", "line_end"),
    *("lines", "ranges", "start", "end"),
)


class FileAccess(NamedTuple):
    """A call's access to a file; ``part`` is the range that it reads, empty for the whole file."""

    path: str
    is_read: bool
    part: str = ""


def find_file_accesses(call: RecordCall) -> Iterator[FileAccess]:
    """Yield the files that a call reads or changes, according to its name and arguments.

    A call that both reads and changes a file counts as a change.
    """
    arguments: Mapping[str, JsonValue] = call.arguments if isinstance(call.arguments, dict) else {}
    action = " ".join(value for key in _COMMANDS if isinstance(value := arguments.get(key), str) and len(value) < 40)
    description = f"{call.name} {action}"
    writes, reads = bool(_WRITES.search(description)), bool(_READS.search(description))
    if action and _READS.search(action) and not _WRITES.search(action):
        writes, reads = False, True
    if writes or reads:
        part = " ".join(f"{key}={arguments[key]}" for key in _RANGES if key in arguments)
        yield from (FileAccess(path, not writes, part) for path in _find_path(arguments))


def _find_path(arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    for key in _PATHS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            yield value.removeprefix("file://").removeprefix("./")
            return


def find_stale_reads(path: Sequence[Record]) -> dict[tuple[int, int], str]:
    """Return why reads are stale, keyed by the position of the message and the number of the call.

    A read is stale if a later call changes the file, or reads the same part or the whole file.
    """
    reasons: dict[tuple[int, int], str] = {}
    open_reads: dict[str, dict[str, tuple[int, int]]] = {}
    for at, record in enumerate(path):
        for number, call in enumerate(record.calls):
            for access in find_file_accesses(call):
                by_part = open_reads.setdefault(access.path, {})
                parts = [access.part] if access.is_read and access.part else list(by_part)
                reason = f"{access.path} was {'read again' if access.is_read else 'changed'} later"
                reasons |= {by_part.pop(part): reason for part in parts if part in by_part}
                if access.is_read:
                    by_part[access.part] = at, number
    return reasons
