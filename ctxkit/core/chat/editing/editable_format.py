"""Define what a conversation format does: detect, read, and edit entries, with help for linear ones and copies."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from ctxkit.core.chat.model.message import ChatEntry, Place, RecordCall, RecordContent, RecordResult
from ctxkit.core.text.json_value import JsonValue


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
