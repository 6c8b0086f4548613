"""The path through a conversation that its agent would send next."""

from ctxkit.core.chat.message import Link, Message, Rewind
from ctxkit.core.chat.steps import Step, path, places_of, remaining, step
from ctxkit.core.chat.transcript import Transcript


def active(transcript: Transcript, leaf: str = "") -> tuple[int, ...]:
    """Return the places of the entries that the agent would send next, in their order; a summary comes first.

    In a tree it is the path to the entry whose id is ``leaf``, else to the newest one. Raises KeyError when there
    is no such entry.
    """
    found = _steps(transcript)
    if transcript.format.LINEAR:
        places = [at for at, (_, one) in enumerate(found) if one.role]
    else:
        places = path([one for _, one in found], leaf)
    return tuple(dict.fromkeys(found[at][0] for at in places))


def _steps(transcript: Transcript) -> list[tuple[int, Step]]:
    """Return the steps of a transcript with the places of their entries, without those that were taken back."""
    found: list[tuple[int, Step]] = []
    places: dict[str, int] = {}
    for record in transcript.records:
        for entry in record.entries:
            if isinstance(entry, Rewind):
                stay = remaining([one for _, one in found], entry.turns, entry.since)
                found = [found[place] for place in stay]
                places = places_of(one for _, one in found)
            elif isinstance(entry, (Message, Link)):
                _add(found, places, record.at, step(entry))
    return found


def _add(found: list[tuple[int, Step]], places: dict[str, int], at: int, one: Step) -> None:
    """Add a step, or put it in the place of the earlier one that it is written again for."""
    if one.link.again and one.link.id in places:
        found[places[one.link.id]] = at, one
        return
    places[one.link.id] = len(found)
    found.append((at, one))
