"""Take the answer of a provider in: the history gets its messages, and the ledger what it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.app.services import engines, session_log, sessions
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import NotStoredError
from ctxkit.core.session.ledger import AnswerEntry
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.turn.answer import AnswerContent, join_stream, read_answer_content
from ctxkit.core.turn.conversation import parse_lines
from ctxkit.core.usage.answer import COUNT_NAMES, Usage, describe_usage
from ctxkit.core.usage.finder import find_answers, read_values
from ctxkit.edge import events, say
from ctxkit.edge.events import find_event_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.turn.results import EnteredResult
    from ctxkit.core.turn.steps import TurnReport
    from ctxkit.core.usage.answer import Answer
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings


class TurnLog:
    """Appends the events of a turn to a file, if there is one, when the turn is in the history."""

    def __init__(self, path: str, common_facts: Mapping[str, str]) -> None:
        self._path, self._common_facts = path, common_facts
        self._results: list[EnteredResult] = []

    def add_result(self, result: EnteredResult) -> None:
        """Keep a result until the turn is recorded."""
        if self._path:
            self._results.append(result)

    def record_turn(
        self, report: TurnReport, before: int, count: Callable[[str], Amount], method: Callable[[Amount], str]
    ) -> None:
        """Record the results, and the request; ``before`` is its tokens before the steps of the turn."""
        if not self._path:
            return
        for entered in self._results:
            facts = _describe_result(entered, report.tokenizer, count, method)
            name = find_event_name(entered.result) if entered.result else "gate"
            events.record(self._path, name, {**self._common_facts, **facts})
        facts = _describe_turn(report, before)
        events.record(self._path, "turn", {"name": f"session {report.session}", **self._common_facts, **facts})

    def record_answer(self, name: str, answer: Answer | None) -> None:
        """Record what an answer used, and why it ended."""
        if not self._path:
            return
        facts: dict[str, Any] = {"name": name, **self._common_facts}
        if answer is not None:
            counts = describe_usage(answer.usage)
            facts |= {"source": answer.source, **{key: counts[key] for key in COUNT_NAMES}}
            facts |= {"stop": answer.final_stop.reason, **({"model": answer.model} if answer.model else {})}
        events.record(self._path, "usage", facts)


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
    from ctxkit.core.chat.editing import dump_json

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


def open_turn_log(call: Call) -> TurnLog:
    """Return the log of a turn, which writes nothing without a file of events."""
    return TurnLog(call.events_file, call.describe())


def _describe_result(
    entered: EnteredResult, tokenizer: str, count: Callable[[str], Amount], method: Callable[[Amount], str]
) -> dict[str, Any]:
    """Return the members of a result; its name has the id of the call, because a tool is called many times."""
    before, after, result = count(entered.original), count(entered.text), entered.result
    data = entered.original.encode("utf-8", "surrogatepass")
    lines = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    original = {"bytes": len(data), "lines": lines, "tokens": before.tokens, "method": method(before)}
    return {
        "name": f"{entered.tool or 'tool result'} {entered.call}".rstrip(),
        "tool": entered.tool or None,
        "call": entered.call or None,
        "result": result.result if result else "raw",
        "tokens": after.tokens,
        "before_tokens": before.tokens,
        "after_tokens": after.tokens,
        "method": method(after),
        "tokenizer": tokenizer,
        "original": original,
        **({"ref": shorten_ref(result.ref)} if result and result.ref else {}),
        **({"kind": result.briefing.kind} if result and result.briefing else {}),
    }


def _describe_turn(report: TurnReport, before: int) -> dict[str, Any]:
    """Return the members of a turn: those of its report, with the number of deferred tools and mapped results."""
    facts = report.make_facts()
    left = {name: facts[name] for name in ("tokens", "high", "session", "results", "deferred")}
    kept = {name: value for name, value in facts.items() if name not in left}
    numbers = {"deferred": len(report.deferred), "results": len(report.gated)}
    return {**kept, **numbers, "before_tokens": before, "after_tokens": report.amount.tokens}
