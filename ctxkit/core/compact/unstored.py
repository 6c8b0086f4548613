"""Leave out the results of commands that must not be stored, from what is stored or quoted of a conversation."""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Place, Record, RecordResult
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.summary.call_kind import command_of
from ctxkit.core.summary.tool_call import ToolCall, find_answers, find_tool_calls
from ctxkit.core.text.json_value import JsonValue

PLACEHOLDER = "[ctxkit: not stored, because never_store names the command; the transcript has the output]"
"""The text that stands for a result, in everything that ctxkit stores or quotes."""
MIN_CHARACTERS = 8
"""Characters below which a line is not taken for one of an output, unless it is all of it."""
_STRUCTURE = frozenset(("id", "uuid", "parentUuid", "type", "role", "name", "timestamp", "sessionId", "call_id", "cwd"))
"""Members that say what an entry is, and hold no output."""
IsNamed = Callable[[str], bool]
"""Returns whether a setting names a command of a script."""


def has_placeholder(data: bytes) -> bool:
    """Return whether content has a placeholder for output that was not stored."""
    return PLACEHOLDER.encode() in data


class StorableConversation(NamedTuple):
    """A conversation without the results that must not be stored, and the indices of the entries that had them."""

    transcript: Transcript
    places: tuple[int, ...] = ()


class OutputTexts:
    """The outputs that must not be stored, to recognize their copies in linear time."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._lines: set[str] = set()

    def add(self, output: str) -> None:
        """Add an output."""
        self._whole.add(output.strip())
        self._lines.update(line for line in map(str.strip, output.splitlines()) if len(line) >= MIN_CHARACTERS)

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
