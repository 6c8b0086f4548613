"""Compact a conversation over its trigger, without the results that must not be stored.

A summary cannot quote it, and what is stored does not contain it. Output in messages that stay returns to the
conversation, the newest first, while there is room between the low-water mark and the trigger.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Place, Record, RecordResult
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import CompactionInput, prepare_input
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.services import CompactionContext, TokenCounter
from ctxkit.core.compact.stub import is_cleared
from ctxkit.core.summary.call_kind import command_of
from ctxkit.core.summary.frame import is_summary
from ctxkit.core.summary.tool_call import ToolCall, find_answers, find_tool_calls
from ctxkit.core.text.json_value import JsonValue

_MAX_SHARE = 0.5
"""Maximum share of the effective window for unseen tokens; a larger value comes from a different window."""


def compact_if_due(
    transcript: Transcript, data: bytes, policy: CompactionPolicy, context: CompactionContext, leaf: str = ""
) -> CompactionOutcome:
    """Compact a conversation, whose content is ``data``, if it is over its trigger.

    The output is never larger than the input and as valid as it was. The outcome lists the content that must be stored
    to restore the changes. Raise KeyError if ``leaf`` does not exist.
    """
    conversation = prepare_input(transcript, context.token_counter, policy, leaf)
    policy = policy if policy.overhead else policy._replace(overhead=estimate_unseen(conversation))
    conversation = conversation._replace(policy=policy)
    before = _measure_size(conversation, data)
    if not policy.force and conversation.total_tokens < policy.trigger_size:
        return CompactionOutcome("unchanged", data, "it is below the trigger", before, before, overhead=policy.overhead)
    # A conversation under its trigger does not import the stages, which saves start-up time.
    if context.is_unstored is not None:
        return _compact_without_unstored(conversation, data, before, context, leaf)
    from ctxkit.core.compact.stage_pipeline import compact

    return compact(conversation, data, before, context, leaf)


def _measure_size(conversation: CompactionInput, data: bytes) -> ConversationSize:
    """Return the size of a conversation, whose content is ``data``."""
    amount = conversation.token_counter.count_transcript(conversation.transcript).amount
    return ConversationSize(amount, len(conversation.path), len(data))


def estimate_unseen(conversation: CompactionInput) -> int:
    """Return the tokens of system prompt and tools that the file does not contain, 0 if unknown.

    A receipt from before a compaction counts messages that are gone, and a receipt larger than the window belongs to
    another model. Neither is used.
    """
    if conversation.prefixes or any(_is_compacted(conversation, at) for at in range(len(conversation.path))):
        return 0
    at = next((at for at in range(len(conversation.path) - 1, -1, -1) if conversation.path[at].receipt), -1)
    if at < 0:
        return 0
    receipt = conversation.path[at].receipt
    assert receipt is not None
    if receipt.context + receipt.output > conversation.policy.window:
        return 0
    unseen_tokens = max(
        receipt.context - conversation.fixed_tokens - conversation.token_counter.count_records(conversation.path[:at]),
        0,
    )
    return unseen_tokens if unseen_tokens <= _MAX_SHARE * conversation.policy.effective else 0


def _is_compacted(conversation: CompactionInput, at: int) -> bool:
    record = conversation.path[at]
    return is_summary(record) or any(is_cleared(result.text) for result in record.results)


def _compact_without_unstored(
    conversation: CompactionInput, data: bytes, before: ConversationSize, context: CompactionContext, leaf: str
) -> CompactionOutcome:
    """Compact a conversation whose file content is ``data`` and whose size is ``before``."""
    from ctxkit.core.compact.stage_pipeline import compact

    assert context.is_unstored is not None
    transcript, policy = conversation.transcript, conversation.policy
    storable = leave_out_results(transcript, context.is_unstored)
    if not storable.places:
        return compact(conversation, data, before, context, leaf)
    storable_data = transcript.encode(storable.transcript.text)
    storable_input = prepare_input(storable.transcript, context.token_counter, policy, leaf)
    outcome = compact(storable_input, storable_data, before, context, leaf)
    if outcome.result == "refused":
        return outcome._replace(content=data)
    changed = outcome.transcript or storable.transcript
    restored, count = _restore_kept(changed, transcript, storable, context.token_counter, policy.drop_threshold)
    if outcome.result == "unchanged" and count == len(storable.places):
        return outcome._replace(content=data)
    content = restored.encode(restored.text)
    amount = context.token_counter.count_transcript(restored).amount
    return outcome._replace(
        result="compacted",
        reason="",
        content=content,
        transcript=restored,
        after=outcome.after._replace(amount=amount, size=len(content)),
        origin=outcome.origin or tuple(range(len(transcript.records))),
        storable=storable.transcript,
    )


class StorableConversation(NamedTuple):
    """A conversation without the results that must not be stored, and the indices of the entries that had them."""

    transcript: Transcript
    places: tuple[int, ...] = ()


def _restore_kept(
    changed: Transcript, original: Transcript, storable: StorableConversation, counter: TokenCounter, limit: int
) -> tuple[Transcript, int]:
    """Return a conversation with the output of kept messages, up to a size, and the number of these messages."""
    left_out: dict[str, list[int]] = {}
    for place in storable.places:
        left_out.setdefault(storable.transcript.get_raw(storable.transcript.records[place]), []).append(place)
    size = counter.count_transcript(changed).amount.high
    parts, end, count = [], len(changed.text), 0
    for record in reversed(changed.records):
        places = left_out.get(changed.get_raw(record))
        if not places:
            continue
        whole = original.records[places.pop()]
        gain = counter.count_record(whole) - counter.count_record(record)
        if size + gain <= limit:
            parts += [changed.text[record.end : end], original.get_raw(whole)]
            end, size, count = record.start, size + gain, count + 1
    if not count:
        return changed, 0
    text = changed.text[:end] + "".join(reversed(parts))
    return parse_changed(changed.encode(text), "the compacted conversation", changed), count


PLACEHOLDER = "[ctxkit: not stored, because never_store names the command; the transcript has the output]"
"""The text that stands for a result, in everything that ctxkit stores or quotes."""
_MIN_CHARACTERS = 8
"""Characters below which a line is not taken for one of an output, unless it is all of it."""
_STRUCTURE = frozenset(("id", "uuid", "parentUuid", "type", "role", "name", "timestamp", "sessionId", "call_id", "cwd"))
"""Members that say what an entry is, and hold no output."""
IsNamed = Callable[[str], bool]
"""Returns whether a setting names a command of a script."""


def has_placeholder(data: bytes) -> bool:
    """Return whether content has a placeholder for output that was not stored."""
    return PLACEHOLDER.encode() in data


class OutputTexts:
    """The outputs that must not be stored, to recognize their copies in linear time."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._lines: set[str] = set()

    def add(self, output: str) -> None:
        """Add an output."""
        self._whole.add(output.strip())
        self._lines.update(line for line in map(str.strip, output.splitlines()) if len(line) >= _MIN_CHARACTERS)

    def has_copy(self, text: str) -> bool:
        """Return whether a text is an output, or contains a line of one."""
        bare = text.strip()
        return bool(bare) and (bare in self._whole or any(line.strip() in self._lines for line in bare.splitlines()))


def leave_out_results(transcript: Transcript, is_named: IsNamed) -> StorableConversation:
    """Return a conversation with a placeholder in place of each result of a command that ``is_named``."""
    patches: dict[int, dict[Place, ValuePatch]] = {}
    outputs = OutputTexts()
    for at, result in find_unstored(transcript.records, is_named):
        record = transcript.records[at]
        replaced = patches.setdefault(at, {})
        replaced.update((patch.place, patch) for patch in _replace_result(transcript, record, result))
        outputs.add(record.words if result is None else result.text)
    if not patches:
        return StorableConversation(transcript)
    for at, record in enumerate(transcript.records):
        if at in patches or record.kind in ("note", "head"):
            done = patches.get(at, {})
            places = list(_find_copies(record.value, (), outputs, done))
            if places:
                patches[at] = {**done, **{place: ValuePatch(place, PLACEHOLDER) for place in places}}
    change = Change(patches={at: tuple(replaced.values()) for at, replaced in patches.items()})
    data = transcript.encode(apply_change(transcript, change))
    return StorableConversation(parse_changed(data, "the conversation to store", transcript), tuple(sorted(patches)))


def find_unstored(records: Sequence[Record], is_named: IsNamed) -> Iterator[tuple[int, RecordResult | None]]:
    """Yield the results of commands that ``is_named``, with their positions; None stands for the text of a message."""
    if any(record.calls for record in records):
        for at, call, answer in find_answers(records):
            if answer and is_named(command_of(ToolCall(at, call.name, call.arguments))):
                yield answer[0], answer[2]
        return
    for spoken in find_tool_calls(records):
        if spoken.answered_at >= 0 and is_named(command_of(spoken)):
            yield spoken.answered_at, None


def _replace_result(transcript: Transcript, record: Record, result: RecordResult | None) -> Iterator[ValuePatch]:
    if result is None:
        yield from (ValuePatch(passage.place, PLACEHOLDER) for passage in record.passages)
        return
    yield ValuePatch(result.place, transcript.format.make_result_value(result, PLACEHOLDER))
    yield from (ValuePatch(copy, PLACEHOLDER) for copy in result.copies)


def _find_copies(value: JsonValue, place: Place, outputs: OutputTexts, done: Container[Place]) -> Iterator[Place]:
    """Yield the places of texts in an entry that repeat an output; hosts keep such copies with a result."""
    if place in done:
        return
    if isinstance(value, str):
        if outputs.has_copy(value):
            yield place
    elif isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            if key not in _STRUCTURE:
                yield from _find_copies(member, (*place, key), outputs, done)
