"""Taking a range of messages out of a conversation, and putting a summary in its place."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.graft import grafted
from ctxkit.core.chat.invariants import Breach, breaches, kept
from ctxkit.core.chat.pairing import side
from ctxkit.core.chat.path import active
from ctxkit.core.chat.record import Record
from ctxkit.core.chat.rewrite import Change, rewritten
from ctxkit.core.chat.transcript import Transcript, transcript_of
from ctxkit.core.edit.choice import Range, spelled
from ctxkit.core.edit.numbered import MARK, Numbered
from ctxkit.core.trouble import Misuse

SEAM = "\n\n[End of what stands for earlier messages.]\n\n"
"""What parts a summary from the words that it shares a message with."""


class Edited(NamedTuple):
    """Hold a conversation after an edit, and by how many messages it has become shorter."""

    transcript: Transcript
    fewer: int


def removed(found: Numbered, taken: Range) -> Edited:
    """Return a conversation without a range of its messages; raises Misuse where the rest would be broken."""
    return _checked(found, taken, grafted(found.transcript, Change(_places(found, taken))), 0)


def summarized(found: Numbered, taken: Range, text: str, ref: str) -> Edited:
    """Return a conversation with a text in place of a range of its messages, which are stored under ``ref``.

    Where the API lets no two messages of the user follow each other, or an entry of its own finds no place, it goes
    before the words of the next one, or behind those of the one before. Raises Misuse where the rest would be broken.
    """
    words = framed(text, taken, ref)
    change = Change(_places(found, taken))
    tries = [(_inserted(found, taken, change, words), 1)]
    if (host := _host(found, taken, words)) is not None:
        joined = grafted(found.transcript, change._replace(patches={host[0].at: [host[1]]}))
        tries.insert(0 if found.transcript.format.RULES.alternates else 1, (joined, 0))
    return _first(found, taken, tries)


def _first(found: Numbered, taken: Range, tries: Sequence[tuple[Change, int]]) -> Edited:
    """Return the first of some changes that leaves a valid conversation; raises what was wrong with the first one."""
    trouble: Misuse | None = None
    for change, new in tries:
        try:
            return _checked(found, taken, change, new)
        except Misuse as error:
            trouble = trouble or error
    assert trouble is not None
    raise trouble


def framed(text: str, taken: Range, ref: str) -> str:
    """Return the words that stand for messages, with the way back to them where they are stored."""
    way = f"; ctxkit cache get {ref} prints them" if ref else ""
    return f"{MARK} Messages {spelled(*taken)} stand here in short{way}.\n\n{text.strip()}"


def _places(found: Numbered, taken: Range) -> frozenset[int]:
    """Return the entries of a range, with earlier ones that they were written again for: those would come back."""
    records = found.path[taken[0] - 1 : taken[1]]
    ids = {record.link.id for record in records if record.link and record.link.again}
    earlier = (one.at for one in found.transcript.records if one.link and one.link.again and one.link.id in ids)
    return frozenset({record.at for record in records}.union(earlier))


def _inserted(found: Numbered, taken: Range, change: Change, words: str) -> Change:
    """Return a change with an entry of its own for a summary."""
    transcript, path = found.transcript, found.path
    first, near = path[taken[0] - 1], next(iter((*path[taken[1] :], *path[: taken[0] - 1][-1:])), None)
    parent = first.link.parent or "" if first.link else ""
    # Entries without ids name no parent either; that others stand before is all that is to be known of one.
    told = parent or (path[0].role if first.link and not first.link.id and taken[0] > 1 else "")
    key = sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    new = transcript.format.summary(words, "user", key, told or None, near.value if near else None)
    change = change._replace(inserted={first.at: list(new)})
    name = transcript.format.identity(key)
    return grafted(transcript, change, [record.at for record in path], {parent: name} if name else None)


def _host(found: Numbered, taken: Range, words: str) -> tuple[Record, Patch] | None:
    """Return the message of the user beside a range that a summary can be part of, and how; None where none is."""
    after = next((record for record in found.path[taken[1] :] if side(record) != "system"), None)
    if after and side(after) == "user" and after.passages:
        place, text = after.passages[0].place, after.passages[0].text
        return after, Patch(place, words + SEAM + text)
    before = next((record for record in reversed(found.path[: taken[0] - 1]) if side(record) != "system"), None)
    if before and side(before) == "user" and before.passages:
        place, text = before.passages[-1].place, before.passages[-1].text
        return before, Patch(place, f"{text}\n\n{words}")
    return None


def _checked(found: Numbered, taken: Range, change: Change, new: int) -> Edited:
    """Return a conversation with a change made; raises Misuse where that breaks what held before."""
    before = found.transcript
    data = before.encoded(rewritten(before, change))
    after = transcript_of(data, "the edited conversation", before.format, skip_bad=bool(before.bad))
    wrong = [*kept(before, after), *_new(breaches(before), breaches(after))]
    if wrong:
        raise Misuse(f"without messages {spelled(*taken)}: {wrong[0].message}", hint="take another range")
    fewer = taken[1] - taken[0] + 1 - new
    if len(active(after)) != len(found.path) - fewer:
        raise Misuse(f"without messages {spelled(*taken)} others would leave or come back", hint="take another range")
    return Edited(after, fewer)


def _new(before: tuple[Breach, ...], after: tuple[Breach, ...]) -> list[Breach]:
    """Return the breaches that were not there before; of the same kind some may have been."""
    known = Counter((one.rule, one.message) for one in before)
    found = []
    for one in after:
        known[one.rule, one.message] -= 1
        if known[one.rule, one.message] < 0:
            found.append(one)
    return found
