"""What a format of conversations offers to those who read them."""

from collections.abc import Iterator
from typing import Any, Protocol

from ctxkit.core.chat.model.message import ChatEntry


class ConversationFormat(Protocol):
    """Tell one's own conversations from others, and read them; each module of ``formats`` is one."""

    @property
    def NAME(self) -> str:  # noqa: N802 - modules have constants
        """Name the format as --format does."""

    @property
    def PROVIDER(self) -> str:  # noqa: N802
        """Name whose models it is sent to, empty when it may be anyone's."""

    @property
    def LINEAR(self) -> bool:  # noqa: N802
        """Say that every message counts: no branches, nothing is taken back."""

    def is_format_of(self, value: Any) -> bool:
        """Tell whether a JSON value, a document or one line of several, is of this format."""

    def read_entries(self, value: Any) -> Iterator[ChatEntry]:
        """Yield what a value holds; raises ValueError when it is not of this format."""
