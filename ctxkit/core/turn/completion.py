"""Complete a conversation before it is sent: a provider rejects calls without results and results without calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript

if TYPE_CHECKING:
    from ctxkit.core.chat.branches.rewrite import Change
    from ctxkit.core.chat.model.record import Record
    from ctxkit.core.text.json_value import JsonValue


def _has_words_alone(record: Record) -> bool:
    """Return whether a message has words, and neither calls nor results."""
    return bool(record.words.strip()) and not record.calls and not record.results


def complete_conversation(transcript: Transcript) -> tuple[Transcript, tuple[str, ...]]:
    """Return a conversation that can be sent, and the repairs; a call without a result gets a placeholder."""
    transcript = _join_neighbors(transcript)
    if all(map(_has_words_alone, transcript.records)):
        return transcript, ()
    # A conversation without calls does not import the repair, which saves start-up time.
    from ctxkit.core.chat.branches.active_path import find_active_path
    from ctxkit.core.chat.branches.rewrite import Change
    from ctxkit.core.chat.validity.pairing import pair_calls
    from ctxkit.core.chat.validity.repair import NO_RESULT, repair_conversation

    repair = repair_conversation(transcript)
    if repair.actions:
        transcript = _apply_change(transcript, repair.change)
    records = [transcript.records[at] for at in find_active_path(transcript)]
    waiting = [placed.call for placed in pair_calls(records, transcript.format.RULES).waiting]
    if not waiting:
        return transcript, repair.actions
    results = [transcript.format.make_result(call, NO_RESULT) for call in waiting]
    wrapped = transcript.format.wrap_results(results)
    entries: list[JsonValue] = results if wrapped is None else [wrapped]
    actions = [f"the call of {call.name or call.id} had no result: inserted `{NO_RESULT}`" for call in waiting]
    change = Change(inserted={len(transcript.records): entries})
    return _apply_change(transcript, change), (*repair.actions, *actions)


def _join_neighbors(transcript: Transcript) -> Transcript:
    """Return the conversation with messages of the same role joined, if the API requires alternating roles."""
    records = transcript.records
    if not transcript.format.RULES.roles_alternate:
        return transcript
    starts = [at for at, record in enumerate(records) if not at or record.role != records[at - 1].role]
    groups = [records[start:stop] for start, stop in zip(starts, [*starts[1:], len(records)], strict=True)]
    long_groups = [group for group in groups if len(group) > 1]
    if not long_groups:
        return transcript
    from ctxkit.core.chat.branches.rewrite import Change
    from ctxkit.core.chat.editing.editable_format import ValuePatch

    patches = {
        group[0].at: [ValuePatch(("content",), [block for record in group for block in _list_blocks(record.value)])]
        for group in long_groups
    }
    dropped = frozenset(record.at for group in long_groups for record in group[1:])
    return _apply_change(transcript, Change(dropped, patches))


def _list_blocks(message: JsonValue) -> list[JsonValue]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content.strip() else []


def _apply_change(transcript: Transcript, change: Change) -> Transcript:
    from ctxkit.core.chat.branches.rewrite import apply_change

    data = transcript.encode(apply_change(transcript, change))
    return parse_transcript(data, "the completed conversation", transcript.format)
