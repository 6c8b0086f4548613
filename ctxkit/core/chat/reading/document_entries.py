"""The entries of a JSON document: their list, its elements, and what is outside it."""

from collections.abc import Iterator

from ctxkit.core.chat.editing.conversation_format import ConversationFormat
from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.model.json_stream import ValueRow
from ctxkit.core.chat.model.message import ChatEntry, EntryLink
from ctxkit.core.chat.model.record import Place
from ctxkit.core.chat.reading.format_registry import LINE_FORMATS
from ctxkit.core.errors import UsageError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import read_members

_HINT = "pass them one at a time"


def get_value(value: JsonValue, place: Place) -> JsonValue:
    """Return the value at a place of a document."""
    for key in place:
        value = value[key]
    return value


def read_elements(text: str, begin: int) -> Iterator[ValueRow]:
    """Yield the elements of the list that begins at an offset, with their lines."""
    line, counted = 1, 0
    for member, value in read_members(text, begin):
        line += text.count("\n", counted, member.start)
        counted = member.start
        yield ValueRow(member.start, member.end, line, value)


def find_entry_list(format_: EditableFormat, value: JsonValue, name: str) -> Place | None:
    """Return the place of the list of entries in a document, None if the document is an entry.

    A list of entries that their format writes one per line is such a document. Raise UsageError if there are several
    lists.
    """
    try:
        place = format_.find_entry_list(value)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint=_HINT) from None
    if place is not None or not (isinstance(value, list) and any(map(format_.is_format_of, value))):
        return place
    if any(format_.find_entry_list(element) is not None for element in value):
        raise make_several_error(name)
    return ()


def make_several_error(name: str) -> UsageError:
    """Return the error for a list of conversations."""
    return UsageError(f"{name}: it contains several conversations, in one list", hint=_HINT)


def read_document(format_: ConversationFormat, value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the entries of a document, of a list of entries, or of one entry; raise ValueError if it is none of these.

    Formats that write one entry per line read entries alone, and no list.
    """
    values = value if isinstance(value, list) and format_ in LINE_FORMATS else [value]
    for element in values:
        yield from format_.read_entries(element)


def read_head(format_: EditableFormat, document: JsonValue, place: Place) -> tuple[ChatEntry, ...]:
    """Return the entries of a document outside its list of entries."""
    if not place:
        return ()
    try:
        return tuple(
            entry
            for entry in format_.read_entries(_remove_entries(document, place))
            if not isinstance(entry, EntryLink)
        )
    except ValueError:  # the reader requires messages
        return ()


def _remove_entries(value: JsonValue, place: Place) -> JsonValue:
    if not place:
        return []
    inner = _remove_entries(value[place[0]], place[1:])
    return [inner] if isinstance(value, list) else {**value, place[0]: inner}
