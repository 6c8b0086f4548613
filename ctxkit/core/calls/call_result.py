"""The result of a function call, and the error that becomes one."""

from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.json_value import JsonValue


class CallResult(NamedTuple):
    """The result that a model reads: its bytes, whether it is an error, and facts about it for programs.

    ``ref`` is the ref of the content that it comes from, "" if that is not stored. ``is_booked`` tells that its tokens
    are in the ledger of the session already. ``events`` are the names and members of events to log.
    """

    content: bytes
    is_error: bool = False
    facts: Mapping[str, JsonValue] = {}
    ref: str = ""
    is_booked: bool = False
    events: tuple[tuple[str, Mapping[str, JsonValue]], ...] = ()


class CallError(Exception):
    """A call that cannot be answered; the message and the ``hint`` tell a model what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def to_result(self) -> CallResult:
        """Return the error as a result: one line."""
        return make_error_result(str(self), self.hint)


def make_error_result(message: str, hint: str = "") -> CallResult:
    """Return an error as a result of one line without control characters, with its hint as a second sentence."""
    sentence = escape_name(" ".join(message.split()))
    advice = escape_name(" ".join(hint.split()))
    text = f"error: {sentence}. {advice[:1].upper()}{advice[1:]}" if advice else f"error: {sentence}"
    return CallResult(f"{text.rstrip('.')}.\n".encode("utf-8", "replace"), is_error=True)


def make_text_result(text: str, facts: Mapping[str, JsonValue] | None = None) -> CallResult:
    """Return a text as a result, with a newline at its end."""
    return CallResult(f"{text.rstrip()}\n".encode("utf-8", "replace"), facts=facts or {})
