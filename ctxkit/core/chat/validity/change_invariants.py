"""The invariants that a change of a conversation must preserve.

A change keeps or drops the calls of one response together. It does the same with a loop of calls that begins with
reasoning, unless the kept rest of the loop also begins with reasoning. Encrypted entries stay unchanged and in order.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.chat.editing.editable_format import ApiRules, ValuePatch
from ctxkit.core.chat.editing.json_patches import patch_text
from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.call_matching import sender_of
from ctxkit.core.chat.validity.invariants import Breach, RawBreach, add_lines, join_ids
from ctxkit.core.chat.validity.pairing import Pairing, pair_calls


def find_change_breaches(before: Transcript, after: Transcript, leaf: str = "") -> tuple[Breach, ...]:
    """Return the breaches that a change causes, with indices and lines of the conversation before it.

    ``leaf`` is the id of the newest entry of the changed path.
    """
    was = [before.records[at] for at in find_active_path(before, leaf)]
    now = [after.records[at] for at in find_active_path(after)]
    left = {call.id for record in now for call in record.calls}
    raw_breaches = [
        *_check_split_responses(was, before.format.RULES, left),
        *_check_encrypted(before, was, [*_list_encrypted(after, now)]),
    ]
    if before.format.RULES.loops_are_atomic:
        kept = _find_kept_answers(before, _list_answers(was), after, _list_answers(now))
        raw_breaches += _check_split_loops(
            find_reasoning_loops(was),
            lambda message: _get_first_id(message) in left if _get_first_id(message) else message.at in kept,
        )
    return add_lines(before, raw_breaches)


def _get_first_id(record: Record) -> str:
    """Return the id of the first call of a message, which identifies the message."""
    return next((call.id for call in record.calls if call.id), "")


def _list_answers(records: Sequence[Record]) -> list[Record]:
    """Return the model messages that no call identifies."""
    return [record for record in records if sender_of(record) == "assistant" and not _get_first_id(record)]


def _find_kept_answers(
    before: Transcript, was: Sequence[Record], after: Transcript, now: Sequence[Record]
) -> set[int]:
    """Return the indices of the messages of ``was`` that a change kept, as they were or with shortened texts.

    A change drops old messages and shortens later ones, so that of equal candidates the last were shortened.
    """
    texts = [_get_text(before, record) for record in was]
    new_texts = [_get_text(after, record) for record in now]
    unchanged, known = set(new_texts), set(texts)
    kept = {record.at for record, text in zip(was, texts, strict=True) if text in unchanged}
    shapes = Counter(
        _get_shape(after, record) for record, text in zip(now, new_texts, strict=True) if text not in known
    )
    for record in reversed(was if shapes else ()):
        if record.at not in kept and shapes[shape := _get_shape(before, record)]:
            shapes[shape] -= 1
            kept.add(record.at)
    return kept


def _get_shape(transcript: Transcript, record: Record) -> str:
    """Return the raw text of an entry without its parent and its texts."""
    patches = [ValuePatch(passage.place, "") for passage in record.passages]
    return patch_text(transcript.get_raw(record), 0, [*_patch_parent(transcript, record), *patches])


def _patch_parent(transcript: Transcript, record: Record) -> Sequence[ValuePatch]:
    return transcript.format.patch_parent(record.value, None) if record.link else ()


def _list_encrypted(transcript: Transcript, records: Sequence[Record]) -> Iterator[str]:
    yield from (_get_text(transcript, record) for record in records if record.encrypted)


def find_reasoning_loops(records: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    """Yield the model messages of each loop that begins with reasoning, up to the next user message.

    A response without calls and without successors is not a loop.
    """
    loop: list[Record] = []
    for record in records:
        if record.kind not in ("message", "summary"):
            continue
        if sender_of(record) == "assistant":
            loop += [record] if loop or record.has_reasoning else []
        elif not record.results or record.words.strip():
            yield from _complete_loop(loop)
            loop = []
    yield from _complete_loop(loop)


def _complete_loop(loop: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    if any(record.calls for record in loop):
        yield tuple(loop)


def _get_text(transcript: Transcript, record: Record) -> str:
    """Return the raw text of an entry without its parent in a tree."""
    raw = transcript.get_raw(record)
    return raw if record.link is None else patch_text(raw, 0, _patch_parent(transcript, record))


def _list_calls_by_turn(pairing: Pairing) -> list[list[RecordCall]]:
    """Return the calls of each turn."""
    return [
        [call for record in pairing.messages[turn.first : turn.last + 1] for call in record.calls]
        for turn in pairing.turns
    ]


def _check_split_responses(was: Sequence[Record], rules: ApiRules, left: set[str]) -> Iterator[RawBreach]:
    """Yield responses that lost some of their calls; ids that several responses use are ignored."""
    pairing = pair_calls(was, rules)
    turns = _list_calls_by_turn(pairing)
    uses = Counter(id_ for calls in turns for id_ in {call.id for call in calls})
    for turn, calls in zip(pairing.turns, turns, strict=True):
        ids = [call.id for call in calls if call.id and uses[call.id] == 1]
        gone = tuple(id_ for id_ in ids if id_ not in left)
        if gone and len(gone) < len(ids):
            record = pairing.messages[turn.first]
            yield "together", record.at, gone, f"a response lost some of its calls:{join_ids(gone)}"


def _check_split_loops(
    reasoning_loops: Iterator[tuple[Record, ...]], is_left: Callable[[Record], bool]
) -> Iterator[RawBreach]:
    """Yield loops that are partly kept, unless the kept rest begins with reasoning."""
    for loop in reasoning_loops:
        left = [is_left(record) for record in loop]
        first = left.index(True) if any(left) else len(loop)
        if first < len(loop) and not (all(left[first:]) and loop[first].has_reasoning):
            gone = [record for record, stays in zip(loop, left, strict=True) if not stays]
            ids = tuple(call.id for record in gone for call in record.calls if call.id)
            yield "loop", gone[0].at, ids, "a loop that begins with reasoning is torn"


def _check_encrypted(before: Transcript, was: Sequence[Record], texts: Sequence[str]) -> Iterator[RawBreach]:
    """Yield encrypted entries that were dropped, changed or moved.

    Encrypted reasoning may be dropped with its response.
    """
    at = 0
    counts = Counter(texts)
    for record in was:
        if not record.encrypted:
            continue
        raw = _get_text(before, record)
        if not counts[raw]:
            if not record.has_reasoning:
                yield "sealed", record.at, (), "an entry that only the provider can read is gone, or not as it was"
            continue
        try:
            at = texts.index(raw, at) + 1
        except ValueError:
            yield "sealed", record.at, (), "an entry that only the provider can read has changed its place"
