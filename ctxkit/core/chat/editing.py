"""Define what a conversation format does: detect, read and edit entries; and patch the JSON text of entries."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from json import JSONEncoder, dumps
from typing import Literal, NamedTuple, Protocol

from ctxkit.core.chat.model.message import ChatEntry, Place, RecordCall, RecordContent, RecordResult
from ctxkit.core.text.json_value import SURROGATE, JsonValue
from ctxkit.core.text.positions import JsonMember, decode_value, read_members, skip_blanks


class ConversationFormat(Protocol):
    """A reader that recognizes and reads one format; each module of ``formats`` implements it."""

    @property
    def NAME(self) -> str:  # noqa: N802 - modules have constants
        """Return the name of the format, as in --format."""

    @property
    def PROVIDER(self) -> str:  # noqa: N802
        """Return the provider that receives the conversation, empty if any provider may."""

    @property
    def LINEAR(self) -> bool:  # noqa: N802
        """Return whether every message is sent: the format has no branches and no rewinds."""

    def is_format_of(self, value: JsonValue) -> bool:
        """Return whether a JSON value, either a document or a single line, is in this format."""

    def read_entries(self, value: JsonValue) -> Iterator[ChatEntry]:
        """Yield the entries in a value; raise ValueError if it is not in this format."""


ResultLayout = Literal["next", "near", "any", "within"]
"""Position of the result of a call.

- "next": in the next message sent to the model (Anthropic, Gemini).
- "near": before the next message without results (OpenAI Chat).
- "any": anywhere after the call (Responses).
- "within": in the entry of the call.
"""


class ApiRules(NamedTuple):
    """The rules of an API for conversations in its format.

    - ``results_first``: results come before everything else in their message.
    - ``roles_alternate``: neighbouring messages have different roles.
    - ``user_opens``: the first message after the system messages is the user's.
    - ``loops_are_atomic``: a loop of calls that begins with reasoning is kept or dropped completely.
    - ``summary_role``: the role of a summary message.
    - ``has_call_ids``: calls have ids; otherwise a result belongs to the call with the same name and order.
    """

    layout: ResultLayout
    results_first: bool = False
    roles_alternate: bool = False
    user_opens: bool = False
    loops_are_atomic: bool = False
    summary_role: Literal["system", "developer", "user"] = "system"
    has_call_ids: bool = True


class ValuePatch(NamedTuple):
    """A change of one value inside an entry: replaces it, inserts a value before it, or removes it."""

    place: Place
    value: JsonValue = None
    action: Literal["replace", "insert", "remove"] = "replace"


class EditableFormat(ConversationFormat, Protocol):
    """An editor of one format; each module of ``formats`` implements it."""

    @property
    def RULES(self) -> ApiRules:  # noqa: N802 - modules have constants
        """Return the rules of the format's API."""

    def find_entry_list(self, document: JsonValue) -> Place | None:
        """Return the place of the list of entries in a document, None if the value is an entry.

        Raise ValueError for a document with several conversations.
        """

    def read_content(self, value: JsonValue) -> RecordContent:
        """Return the role, calls, results and passages of an entry."""

    def make_result_value(self, result: RecordResult, text: str) -> JsonValue:
        """Return the value that gives a result the text ``text``."""

    def make_result(self, call: RecordCall, text: str) -> JsonValue:
        """Return a new result of a call: an entry, or an element for ``wrap_results``."""

    def wrap_results(self, results: Sequence[JsonValue]) -> JsonValue | None:
        """Return an entry with result elements, None if each result is an entry."""

    def make_summary(
        self, text: str, role: str, key: str, parent: str | None, neighbor: JsonValue
    ) -> Sequence[JsonValue]:
        """Return the entries of a summary; the last one has the id that ``make_id`` derives from ``key``.

        ``neighbor`` is the value of the next entry, None at the end: the summary copies only the fields that all
        entries of a session share. ``parent`` is the id of the previous entry in a tree, None if no message remains
        before it. Then the summary begins the conversation, like a compaction by the agent itself.
        """

    def attach_entry(self, value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
        """Return an entry of ``make_result`` or ``wrap_results`` with its id, parent and shared fields.

        ``neighbor`` is the value of the next entry. Formats without ids and parents return the entry unchanged.
        """

    def make_id(self, key: str) -> str:
        """Return the id that a new entry derives from ``key``, 32 hex digits; empty if the format has no ids."""

    def patch_parent(self, value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
        """Return the patches that change an entry's parent, None for the root; empty if the format has no parents."""


def find_entry_list(document: JsonValue) -> Place | None:
    """Return None, because there is one entry per line."""
    del document
    return None


def make_result_value(result: RecordResult, text: str) -> JsonValue:
    """Return the text unchanged."""
    del result
    return text


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return None, because each result is an entry."""
    del results
    return None


def make_id(key: str) -> str:
    """Return an empty id, because entries have none."""
    del key
    return ""


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return the entry unchanged."""
    del key, parent, neighbor
    return value


def patch_parent(value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
    """Return no patches, because entries have no parents."""
    del value, parent
    return ()


MIN_CHARACTERS = 64
"""Characters below which a text is not a copy; short texts, such as a status, repeat by chance."""
_MAX_DEPTH = 4
_NUMBER = re.compile(r"^\s*\d+(?:→|\t|: ?)")
"""A line number at the start of a line, as written by tools that read files."""


def find_copies(value: JsonValue, text: str, place: Place) -> tuple[Place, ...]:
    """Return the places under ``place`` that repeat ``text``: all of it, a part of it, or most of its lines."""
    bare = text.strip()
    if len(bare) < MIN_CHARACTERS:
        return ()
    long = [
        (at, candidate.strip())
        for at, candidate in _find_strings(value, place, _MAX_DEPTH)
        if len(candidate) >= MIN_CHARACTERS
    ]
    places = [at for at, candidate in long if candidate in bare or bare in candidate]
    if len(places) < len(long):
        lines = {_NUMBER.sub("", line).strip() for line in bare.splitlines()}
        places += [at for at, candidate in long if at not in places and _has_most_lines(candidate, lines)]
    return tuple(places)


def _find_strings(value: JsonValue, place: Place, levels: int) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif levels and isinstance(value, dict):
        for key, member in value.items():
            yield from _find_strings(member, (*place, key), levels - 1)
    elif levels and isinstance(value, list):
        for at, member in enumerate(value):
            yield from _find_strings(member, (*place, at), levels - 1)


def _has_most_lines(candidate: str, lines: set[str]) -> bool:
    """Return whether most lines of a text are in ``lines``."""
    own_lines = [bare for line in candidate.splitlines() if (bare := line.strip())]
    return 2 * sum(1 for line in own_lines if line in lines) > len(own_lines)


TextSpan = tuple[int, int]
_MAX_ENCODED = 10_000
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
    encode = _load_encoder('": ' in raw, raw.isascii()) if len(raw) <= _MAX_ENCODED else None
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
