"""The active path: the entries that the agent would send next."""

from collections.abc import Sequence

from ctxkit.core.chat.model.message import ChatMessage, EntryLink, Rewind
from ctxkit.core.chat.model.steps import (
    PathStep,
    SegmentMoves,
    find_path,
    find_segment_moves,
    index_updates,
    make_step,
    rewind_steps,
)
from ctxkit.core.chat.reading.transcript import Transcript


def find_active_path(transcript: Transcript, leaf: str = "") -> tuple[int, ...]:
    """Return the indices of the entries that the agent would send next, in order; a summary comes first.

    In a tree, the path ends at the entry with the id ``leaf``, by default at the newest entry. Raise KeyError if no
    entry has that id.
    """
    paths = transcript.active_paths
    if leaf not in paths:  # each stage of a compaction needs it again
        paths[leaf] = _compute_path(transcript, leaf)
    return paths[leaf]


def _compute_path(transcript: Transcript, leaf: str) -> tuple[int, ...]:
    steps = _list_steps(transcript)
    if transcript.format.LINEAR:
        places = [at for at, (_, step) in enumerate(steps) if step.role]
    else:
        places = find_path([step for _, step in steps], leaf)
    return tuple(dict.fromkeys(steps[at][0] for at in places))


def find_moves(transcript: Transcript, path: Sequence[int] = ()) -> SegmentMoves:
    """Return how the last compaction on a path, by default the newest, moved the entries that it kept.

    Indices are those of entries.
    """
    if not any(record.link and record.link.segment for record in transcript.records):
        return SegmentMoves()
    steps = _list_steps(transcript)
    end = transcript.records[path[-1]].link if path else None
    moves = find_segment_moves([step for _, step in steps], end.id if end else "")
    if moves.boundary < 0:
        return moves
    return moves._replace(
        boundary=steps[moves.boundary][0], parents={steps[at][0]: parent for at, parent in moves.parents.items()}
    )


def _list_steps(transcript: Transcript) -> list[tuple[int, PathStep]]:
    """Return the steps of a transcript with the indices of their entries, without rewound steps."""
    steps: list[tuple[int, PathStep]] = []
    places: dict[str, int] = {}
    for record in transcript.records:
        for entry in record.entries:
            if isinstance(entry, Rewind):
                stay = rewind_steps([step for _, step in steps], entry.turns, entry.since)
                steps = [steps[place] for place in stay]
                places = index_updates(step for _, step in steps)
            elif isinstance(entry, (ChatMessage, EntryLink)):
                _add_step(steps, places, record.at, make_step(entry))
    return steps


def _add_step(steps: list[tuple[int, PathStep]], places: dict[str, int], at: int, step: PathStep) -> None:
    """Add a step, or replace the earlier step that it updates."""
    if step.link.is_update and step.link.id in places:
        steps[places[step.link.id]] = at, step
        return
    places[step.link.id] = len(steps)
    steps.append((at, step))
