"""Complete a conversation before it is sent: a provider rejects calls without results and results without calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript

if TYPE_CHECKING:
    from ctxkit.core.chat.branches.rewrite import Change
    from ctxkit.core.text.json_value import JsonValue


def complete_conversation(transcript: Transcript) -> tuple[Transcript, tuple[str, ...]]:
    """Return a conversation that can be sent, and what was repaired; a call that still waits gets a placeholder."""
    if all(record.words.strip() and not record.calls and not record.results for record in transcript.records):
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


def _apply_change(transcript: Transcript, change: Change) -> Transcript:
    from ctxkit.core.chat.branches.rewrite import apply_change

    data = transcript.encode(apply_change(transcript, change))
    return parse_transcript(data, "the completed conversation", transcript.format)
