"""Take the answer of a provider in: the history gets its messages, and the ledger what it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, session_log, sessions
from ctxkit.app.turn.log import open_turn_log
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import NotStoredError
from ctxkit.core.session.ledger import AnswerEntry
from ctxkit.core.turn.answer import AnswerContent, read_answer_content
from ctxkit.core.turn.answer_stream import join_stream
from ctxkit.core.turn.conversation import parse_lines
from ctxkit.core.usage.answer import Usage, describe_usage
from ctxkit.core.usage.finder import find_answers, read_values
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings


class TakenAnswer(NamedTuple):
    """An answer in the terms of all providers; ``message`` is that of an error."""

    reply: str
    tool_calls: tuple[dict[str, JsonValue], ...]
    usage: Usage | None
    stop_reason: str
    stop_raw: str
    message: str

    def make_facts(self) -> dict[str, JsonValue]:
        """Return the documented members of an answer."""
        return {
            "reply": self.reply,
            "tool_calls": list(self.tool_calls),
            "usage": describe_usage(self.usage) if self.usage else None,
            "stop_reason": self.stop_reason,
            "stop_raw": self.stop_raw or None,
            "message": self.message or None,
        }


def take_answer(data: bytes, call: Call) -> TakenAnswer:
    """Return an answer as the provider sent it, after the session has taken it in.

    Raise MalformedInputError if there is no answer, NotStoredError if the session does not exist.
    """
    request, settings = call
    name = request.session_name(settings)
    values = list(read_values(data, engines.parse_json, "stdin"))
    content = read_answer_content(join_stream(values, engines.parse_json, "stdin"), "stdin")
    if sessions.ledger(settings).find(name) is None:
        raise NotStoredError(f"no session {name}", hint=f"ctxkit session new {name} --model NAME starts it")
    answers = find_answers(values)
    last = answers[-1] if answers else None
    stop, usage, message = (last.final_stop, last.usage, last.message) if last else (None, None, "")
    reason = stop.stop_reason if stop else "unknown"
    open_turn_log(call).record_answer(f"session {name}", last)
    if content is None:
        return TakenAnswer("", (), usage, "error", stop.raw if stop else "", message or "no message")
    if reason == "unknown" and content.tool_calls:
        reason = "tool_use"
    _append(content, name, settings)
    _record(content, usage, name, settings, is_due=reason == "max_tokens")
    return TakenAnswer(content.reply, content.tool_calls, usage, reason, stop.raw if stop else "", message)


def _append(content: AnswerContent, name: str, settings: Settings) -> None:
    if not content.messages:
        return
    from ctxkit.core.chat.editing.json_patches import dump_json

    lines = [dump_json(message).encode("utf-8", "replace") for message in content.messages]
    sessions.history(settings).append(name, lines)
    session_log.record_tool_uses(settings, name, _parse(lines, content))


def _parse(lines: list[bytes], content: AnswerContent) -> Transcript:
    return parse_lines(b"\n".join(lines), "the answer", get_format(content.format))


def _record(content: AnswerContent, usage: Usage | None, name: str, settings: Settings, *, is_due: bool) -> None:
    """Anchor the ledger in what the provider counted, without reasoning, which does not come back."""
    if is_due:
        say.warn("the answer ends at its limit of tokens; the next turn compacts the conversation")
    used = usage.context_total - (usage.reasoning or 0) if usage and usage.input else None
    cached = usage.cache_seconds if usage else 0
    sessions.ledger(settings).record_answer(name, AnswerEntry(used, len(content.messages), is_due, cached))
