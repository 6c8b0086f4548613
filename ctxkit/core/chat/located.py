"""Writing the text of a JSON value again with patches: what no patch names keeps its characters."""

import re
from collections.abc import Iterable, Mapping, Sequence
from json import dumps
from typing import Any, NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.record import Place
from ctxkit.core.positions import Member, blank, decode, members

Span = tuple[int, int]
_SURROGATE = re.compile("[\ud800-\udfff]")


class Piece(NamedTuple):
    """Hold an element or member to be written, with what stands between it and the one before; empty for a new one."""

    lead: str
    body: str


def located(text: str, start: int, place: Place) -> Span:
    """Return where the value at ``place`` begins and ends inside the JSON value at ``start``.

    Of members with one name the last holds. Raises KeyError when there is no such place.
    """
    if not place:
        return start, decode(text, start)[1]
    found = (start, start)
    for step in place:
        found = _member(text, found[0], step)
    return found


def _member(text: str, start: int, step: str | int) -> Span:
    if text[start : start + 1] != ("[" if isinstance(step, int) else "{"):
        raise KeyError(step)
    found = None
    for number, (member, _) in enumerate(members(text, start)):
        if step == (number if member.key is None else member.key):
            found = (member.start, member.end)
    if found is None:
        raise KeyError(step)
    return found


def written(value: Any) -> str:
    """Return a value as compact JSON on one line; text that is no valid Unicode is escaped."""
    text = dumps(value, ensure_ascii=False, separators=(",", ":"))
    return dumps(value, separators=(",", ":")) if _SURROGATE.search(text) else text


def patched(text: str, start: int, patches: Sequence[Patch]) -> str:
    """Return the text of the JSON value at ``start`` with patches made.

    Places are those before any patch. What is replaced or removed as a whole takes no patch inside; a member that
    is not there yet is added at the end. Raises KeyError where a place has no object or list to be in.
    """
    if not patches:
        return text[start : decode(text, start)[1]]
    whole = next((patch for patch in patches if not patch.place), None)
    if whole is not None:
        return written(whole.value)
    steps: dict[str | int, list[Patch]] = {}
    for patch in patches:
        steps.setdefault(patch.place[0], []).append(patch._replace(place=patch.place[1:]))
    if any(isinstance(step, int) != text.startswith("[", start) for step in steps) or text[start] not in "[{":
        raise KeyError(*steps)
    found = [member for member, _ in members(text, start)]
    pieces = _listed(text, found, steps) if text[start] == "[" else _named(text, found, steps)
    return joined(text, start, decode(text, start)[1], [(member.at, member.end) for member in found], pieces)


def joined(text: str, start: int, end: int, spans: Sequence[Span], pieces: Iterable[Piece]) -> str:
    """Return an array or object between ``start`` and ``end`` with others in it, apart as those in ``spans`` are."""
    first = text[start + 1 : spans[0][0]] if spans else ""
    between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else "," + first
    made = [text[start]]
    for number, piece in enumerate(pieces):
        made += [piece.lead or between if number else first, piece.body]
    return "".join([*made, text[spans[-1][1] if spans else blank(text, start + 1) : end]])


def _lead(text: str, found: Sequence[Member], number: int) -> str:
    return text[found[number - 1].end : found[number].at] if number else ""


def _listed(text: str, found: Sequence[Member], steps: Mapping[str | int, Sequence[Patch]]) -> Iterable[Piece]:
    """Yield the elements of a list; what is inserted at one stands before it, past the last at the end."""
    for number, member in enumerate(found):
        mine = steps.get(number, ())
        yield from (Piece("", written(patch.value)) for patch in mine if _inserts(patch))
        rest = [patch for patch in mine if not _inserts(patch)]
        if not any(_removes(patch) for patch in rest):
            yield Piece(_lead(text, found, number), patched(text, member.start, rest))
    beyond = sorted((step, patches) for step, patches in steps.items() if isinstance(step, int) and step >= len(found))
    for step, patches in beyond:
        if not all(map(_inserts, patches)):
            raise KeyError(step)
        yield from (Piece("", written(patch.value)) for patch in patches)


def _named(text: str, found: Sequence[Member], steps: Mapping[str | int, Sequence[Patch]]) -> Iterable[Piece]:
    """Yield the members of an object; of several with one name the last is changed, and all are removed."""
    last = {member.key: number for number, member in enumerate(found)}
    for number, member in enumerate(found):
        mine = steps.get(member.key or "", ())
        if any(_removes(patch) for patch in mine):
            continue
        value = patched(text, member.start, mine) if last[member.key] == number else text[member.start : member.end]
        yield Piece(_lead(text, found, number), text[member.at : member.start] + value)
    for step, patches in steps.items():
        if step not in last and not any(_removes(patch) for patch in patches):
            if any(patch.place for patch in patches):
                raise KeyError(step)
            yield Piece("", f"{written(step)}:{written(patches[-1].value)}")


def _inserts(patch: Patch) -> bool:
    return not patch.place and patch.how == "insert"


def _removes(patch: Patch) -> bool:
    return not patch.place and patch.how == "remove"
