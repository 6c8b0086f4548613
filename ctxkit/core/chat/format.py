"""What a format of conversations offers, and which formats there are."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ctxkit.core.chat.formats import (
    anthropic,
    chatml,
    claude_code,
    codex,
    gemini,
    openai,
    openhands,
    pi,
    responses,
    sharegpt,
    trajectory,
)
from ctxkit.core.chat.message import Entry


class Format(Protocol):
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

    def claims(self, value: Any) -> bool:
        """Tell whether a JSON value, a document or one line of several, is of this format."""

    def entries(self, value: Any) -> Iterator[Entry]:
        """Yield what a value holds; raises ValueError when it is not of this format."""


FORMATS: tuple[Format, ...] = (
    *(claude_code, codex, pi, openhands, gemini, responses, anthropic),
    *(sharegpt, trajectory, openai, chatml),
)
"""Every format, those with the clearest marks first: the first that claims a value has it."""


def format_of(values: Sequence[Any]) -> Format | None:
    """Return the first format that claims one of some values, None when they are no conversation."""
    return next((one for one in FORMATS if any(one.claims(value) for value in values)), None)


def named(name: str) -> Format:
    """Return the format of that name; raises KeyError when there is none."""
    return {one.NAME: one for one in FORMATS}[name]
