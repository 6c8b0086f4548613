"""Patching of JSON text: unchanged parts keep their characters."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from json import JSONEncoder, dumps
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.message import Place
from ctxkit.core.text.json_value import SURROGATE, JsonValue
from ctxkit.core.text.positions import JsonMember, decode_value, read_members, skip_blanks

TextSpan = tuple[int, int]
MAX_ENCODED = 10_000
"""Characters of the longest value that may be encoded again instead of being patched in its text."""
_ESCAPED = re.compile("[^\x00-\x7e]")
"""Characters that the encoder escapes, or not, depending on the text around them."""


class JsonPiece(NamedTuple):
    """An element or a member, and the separator before it; empty for a new one."""

    separator: str
    body: str


def find_span(text: str, start: int, place: Place) -> TextSpan:
    """Return the start and the end of the value at ``place`` in the JSON value at ``start``.

    The last member wins if several have the same key. Raise KeyError if the place does not exist.
    """
    if not place:
        return start, decode_value(text, start)[1]
    span = (start, start)
    for step in place:
        span = _find_member(text, span[0], step)
    return span


def _find_member(text: str, start: int, step: str | int) -> TextSpan:
    if text[start : start + 1] != ("[" if isinstance(step, int) else "{"):
        raise KeyError(step)
    span = None
    for number, (member, _) in enumerate(read_members(text, start)):
        if step == (number if member.key is None else member.key):
            span = (member.start, member.end)
    if span is None:
        raise KeyError(step)
    return span


def dump_json(value: JsonValue) -> str:
    """Return a value as compact JSON on one line, with escapes if it contains lone surrogates."""
    text = dumps(value, ensure_ascii=False, separators=(",", ":"))
    return dumps(value, separators=(",", ":")) if SURROGATE.search(text) else text


def patch_text(text: str, start: int, patches: Sequence[ValuePatch]) -> str:
    """Return the text of the JSON value at ``start`` after the patches.

    Places refer to the value before all patches. A replaced or removed value accepts no patches inside; a new member is
    added at the end. Raise KeyError if a place is not in an object or list.
    """
    if patches and all(patch.place for patch in patches):
        encoded = _patch_by_encoder(text, start, patches)
        if encoded is not None:
            return encoded
    return splice_text(text, start, patches)


def splice_text(text: str, start: int, patches: Sequence[ValuePatch]) -> str:
    """Return the text of the JSON value at ``start`` after the patches, whatever they and the text are."""
    if not patches:
        return text[start : decode_value(text, start)[1]]
    replacement = next((patch for patch in patches if not patch.place), None)
    if replacement is not None:
        return dump_json(replacement.value)
    steps: dict[str | int, list[ValuePatch]] = {}
    for patch in patches:
        steps.setdefault(patch.place[0], []).append(patch._replace(place=patch.place[1:]))
    if any(isinstance(step, int) != text.startswith("[", start) for step in steps) or text[start] not in "[{":
        raise KeyError(*steps)
    children = [member for member, _ in read_members(text, start)]
    pieces = _patch_elements(text, children, steps) if text[start] == "[" else _patch_members(text, children, steps)
    return join_pieces(
        text, start, decode_value(text, start)[1], [(member.at, member.end) for member in children], pieces
    )


def _patch_by_encoder(text: str, start: int, patches: Sequence[ValuePatch]) -> str | None:
    """Return the text after patches that replace texts with ASCII texts, in a fraction of the time of ``splice_text``.

    Return None for other patches, and for a text that the encoder would write in another way.
    """
    for patch in patches:
        if patch.action != "replace" or not isinstance(patch.value, str) or _ESCAPED.search(patch.value):
            return None
    value, end = decode_value(text, start)
    raw = text[start:end]
    encode = _load_encoder('": ' in raw, raw.isascii()) if len(raw) <= MAX_ENCODED else None
    try:
        if encode is None or encode(value) != raw:
            return None
        for patch in patches:
            container: JsonValue = value
            for step in patch.place[:-1]:
                container = container[step]
            if not isinstance(container[patch.place[-1]], str):
                return None
            container[patch.place[-1]] = patch.value  # a text or a number accepts no assignment: TypeError
        return encode(value)
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        return None


@cache
def _load_encoder(is_spaced: bool, is_ascii: bool) -> Callable[[JsonValue], str]:
    """Return the encoder of Python with its own separators, or with none."""
    return JSONEncoder(ensure_ascii=is_ascii, separators=(", ", ": ") if is_spaced else (",", ":")).encode


def join_pieces(text: str, start: int, end: int, spans: Sequence[TextSpan], pieces: Iterable[JsonPiece]) -> str:
    """Return an array or object with new pieces, separated like the elements in ``spans``."""
    first = text[start + 1 : spans[0][0]] if spans else ""
    between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else "," + first
    parts = [text[start]]
    for number, piece in enumerate(pieces):
        parts += [piece.separator or between if number else first, piece.body]
    return "".join([*parts, text[spans[-1][1] if spans else skip_blanks(text, start + 1) : end]])


def _get_separator(text: str, children: Sequence[JsonMember], number: int) -> str:
    return text[children[number - 1].end : children[number].at] if number else ""


def _patch_elements(
    text: str, children: Sequence[JsonMember], steps: Mapping[str | int, Sequence[ValuePatch]]
) -> Iterable[JsonPiece]:
    """Yield the elements of a list; insertions come before the element at their index, or at the end."""
    for number, member in enumerate(children):
        element_patches = steps.get(number, ())
        yield from (JsonPiece("", dump_json(patch.value)) for patch in element_patches if _is_insertion(patch))
        rest = [patch for patch in element_patches if not _is_insertion(patch)]
        if not any(_is_removal(patch) for patch in rest):
            yield JsonPiece(_get_separator(text, children, number), splice_text(text, member.start, rest))
    beyond = sorted(
        (step, patches) for step, patches in steps.items() if isinstance(step, int) and step >= len(children)
    )
    for step, patches in beyond:
        if not all(map(_is_insertion, patches)):
            raise KeyError(step)
        yield from (JsonPiece("", dump_json(patch.value)) for patch in patches)


def _have_removal(patches: Sequence[ValuePatch]) -> bool:
    """Return whether one of the patches removes a value."""
    return any(map(_is_removal, patches))


def _patch_members(
    text: str, children: Sequence[JsonMember], steps: Mapping[str | int, Sequence[ValuePatch]]
) -> Iterable[JsonPiece]:
    """Yield the members of an object; a duplicate key changes its last member, a removal removes all."""
    last = {member.key: number for number, member in enumerate(children)}
    for number, member in enumerate(children):
        member_patches = steps.get(member.key or "", ())
        if _have_removal(member_patches):
            continue
        value = (
            splice_text(text, member.start, member_patches)
            if last[member.key] == number
            else text[member.start : member.end]
        )
        yield JsonPiece(_get_separator(text, children, number), text[member.at : member.start] + value)
    for step, patches in steps.items():
        if step not in last and not _have_removal(patches):
            if any(patch.place for patch in patches):
                raise KeyError(step)
            yield JsonPiece("", f"{dump_json(step)}:{dump_json(patches[-1].value)}")


def _is_insertion(patch: ValuePatch) -> bool:
    return not patch.place and patch.action == "insert"


def _is_removal(patch: ValuePatch) -> bool:
    return not patch.place and patch.action == "remove"
