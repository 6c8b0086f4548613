"""The interface that a conversation format offers to readers."""

from collections.abc import Iterator
from typing import Protocol

from ctxkit.core.chat.model.message import ChatEntry
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
