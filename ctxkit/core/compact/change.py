"""Making a draft real: the change that it means, and the conversation that comes of it."""

from collections.abc import Iterator

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.graft import grafted
from ctxkit.core.chat.record import Place
from ctxkit.core.chat.rewrite import Change, rewritten
from ctxkit.core.chat.transcript import Transcript, transcript_of
from ctxkit.core.compact import links
from ctxkit.core.compact.draft import Case, Draft, Page, front
from ctxkit.core.compact.lead import joined
from ctxkit.core.compact.seating import Seat, seat_of


class Unseated(Exception):  # noqa: N818 - what happened, not what went wrong
    """Say that no place was found for a summary that the API would take."""


def leaving(case: Case, draft: Draft) -> dict[int, str]:
    """Return all entries that leave by a draft, with the reason."""
    gone = {**(case.aside if draft.lean else {}), **draft.dropped}
    return gone | dict.fromkeys(links.notes(case.transcript, gone), links.NOTE)


def change_of(case: Case, draft: Draft) -> Change:
    """Return the change that a draft means; raises Unseated."""
    gone = leaving(case, draft)
    patches: dict[int, list[Patch]] = {}
    for at, edit in draft.edits():
        patches.setdefault(at, []).extend(edit.patches)
    seat = seat_of(case, gone) if draft.page else None
    if draft.page is None:
        return grafted(case.transcript, Change(frozenset(gone), patches), _places(case))
    if seat is None:
        raise Unseated
    for at, place, words in _leads(case, draft, draft.page, seat):
        patches[at] = [*(one for one in patches.get(at, ()) if one.place != place), Patch(place, words)]
    if seat.into is not None:
        return grafted(case.transcript, Change(frozenset(gone), patches), _places(case))
    editor = case.transcript.format
    parent = links.seat(case.transcript, case.path[front(case.path) :], gone)
    near = links.neighbour(case.transcript, seat.at, gone)
    follows = parent if case.path[0].at not in gone else ""
    first, *rest = editor.summary(draft.page.text, seat.role, draft.page.key, follows or None, near)
    new = [links.under(editor, first, parent) if parent and not follows else first, *rest]
    change = Change(frozenset(gone), patches, {seat.at: new})
    own = editor.identity(draft.page.key)
    if own and not any(record.link and record.link.parent for record in case.transcript.records):
        return change._replace(patches=_strung(case, change, own))
    return grafted(case.transcript, change, _places(case), {parent: own} if own else {})


def _strung(case: Case, change: Change, own: str) -> dict[int, list[Patch]]:
    """Return patches that also hang each message under the one before: in a file where none had a parent before.

    A summary has one, and where any entry has, those without it are taken for beginnings.
    """
    patches, parent = {at: list(made) for at, made in change.patches.items()}, own
    for record in case.path:
        if record.at not in change.dropped and record.at >= min(change.inserted) and record.link and record.link.id:
            patches.setdefault(record.at, []).extend(case.transcript.format.relinked(record.value, parent))
            parent = record.link.id
    return patches


def _places(case: Case) -> tuple[int, ...]:
    return tuple(record.at for record in case.path)


def _leads(case: Case, draft: Draft, page: Page, seat: Seat) -> Iterator[tuple[int, Place, str]]:
    """Yield the passages that a summary goes before, or no longer does, and what they hold then."""
    places = {(at, lead.place) for at, lead in case.leads.items()}
    places |= {(seat.at, seat.into)} if seat.into is not None else set()
    for at, place in sorted(places, key=str):
        if at not in draft.dropped:
            edit = draft.shortened.get(at, {}).get(place)
            words = edit.text if edit else next(one.text for one in case.record(at).passages if one.place == place)
            yield at, place, joined(page.text, words) if (at, place) == (seat.at, seat.into) else words


def written(case: Case, change: Change) -> Transcript:
    """Return the conversation with a change made, read anew."""
    transcript = case.transcript
    data = transcript.encoded(rewritten(transcript, change))
    return transcript_of(data, "the compacted conversation", transcript.format, skip_bad=bool(transcript.bad))
