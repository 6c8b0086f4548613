"""Answer the calls of the proxy in one of its processes: rewrite a request, record an answer, read stored content."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from ctxkit.app.proxy.conditions import ClientRequest, open_boundaries
from ctxkit.app.proxy.own_calls import answer_own_call
from ctxkit.app.proxy.rewriting import RequestRewriter, Rewrite
from ctxkit.app.services import engines, sessions
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import Exit, MalformedInputError
from ctxkit.core.proxy.functions import (
    add_usage,
    answer_calls,
    choose_messages,
    dump_entries,
    read_usage,
    set_usage,
)
from ctxkit.core.proxy.model_apis import APIS, Boundary, UpstreamFacts, find_api, remove_marks
from ctxkit.core.session.ledger import AnswerEntry
from ctxkit.core.turn.answer import read_answer_content
from ctxkit.core.usage.finder import find_answers, read_values
from ctxkit.edge import out, source
from ctxkit.edge.call_process import open_streams
from ctxkit.edge.command_group import run_command, run_for_status

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from ctxkit.app.proxy.conditions import Boundaries
    from ctxkit.app.proxy.rewriting import Incoming
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.usage.answer import Answer
    from ctxkit.edge.prompts import TurnOptions
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings


class HiddenTurn(NamedTuple):
    """What follows an answer: a request to send, or, if there is none, the ``answer`` for the client.

    ``answer`` is empty if it stays as it came. ``usage`` is that of all answers so far.
    """

    rewrite: Rewrite | None = None
    answer: bytes = b""
    usage: JsonValue = None


class HiddenTurns:
    """Takes hidden turns, and keeps them: the next request of the conversation has them too."""

    def __init__(self, rewriter: RequestRewriter, boundaries: Boundaries) -> None:
        self._rewriter, self._boundaries = rewriter, boundaries

    def take(
        self, request: ClientRequest, answer: bytes, facts: UpstreamFacts, usage: JsonValue, left: int
    ) -> HiddenTurn:
        """Return what follows the ``answer`` to a request; ``left`` is the number of hidden turns that may be taken."""
        try:
            value = engines.parse_json(answer)
        except ValueError:
            return HiddenTurn()
        if not isinstance(value, dict):
            return HiddenTurn()
        total = add_usage(usage, read_usage(value))
        incoming = self._rewriter.read(request, facts) if left else Rewrite()
        rewrite = None if isinstance(incoming, Rewrite) else self._continue(incoming, value, facts, is_last=left == 1)
        if rewrite is not None:
            return HiddenTurn(rewrite, usage=total)
        return HiddenTurn(answer=set_usage(answer.decode("utf-8"), value, total).encode() if usage else b"")

    def _continue(
        self, incoming: Incoming, answer: dict[str, JsonValue], facts: UpstreamFacts, *, is_last: bool
    ) -> Rewrite | None:
        """Return the request after the calls of an answer, None if it calls no function of the proxy."""
        try:
            content = read_answer_content([answer], "the answer")
        except MalformedInputError:
            return None
        if content is None or content.format != incoming.conditions.format.NAME:
            return None
        conditions = incoming.conditions
        fixed = conditions.measure_fixed(incoming.request.members, incoming.request.api.messages, incoming.digests)
        reply = partial(
            answer_own_call,
            functions=incoming.functions,
            conditions=conditions,
            settings=self._rewriter.settings,
            cap=conditions.find_cap(fixed),
        )
        messages = choose_messages(content.messages, incoming.request.members)
        results = answer_calls(messages, incoming.functions.names, reply, conditions.format, is_last=is_last)
        if not results:
            return None
        sent = self._rewriter.finish(incoming, facts).content or incoming.functions.body
        transcript = parse_transcript(sent, "the request", conditions.format)
        entries = tuple(remove_marks(transcript.get_raw(record)) for record in transcript.records)
        boundary = Boundary(len(incoming.prefixes), (*entries, *dump_entries([*messages, *results])))
        self._boundaries.save(incoming.prefixes, boundary)
        return self._rewriter.rewrite(incoming.request, facts)


_WARM_WINDOW, _WARM_TEXT = 1_000_000, "The tests pass: 12 of 12.\n" * 16
"""A window in tokens, and a text that fits even a small one."""


class ProxyCalls:
    """Answers calls, and remembers what earlier ones have counted."""

    def __init__(
        self,
        root: click.Command,
        request: CliRequest,
        settings: Settings,
        options: TurnOptions,
        *,
        injects: bool = False,
    ) -> None:
        self._root, self._request, self._settings = root, request, settings
        boundaries = open_boundaries(settings, stores=bool(settings["store"]) and not request.no_store)
        self._rewriter = RequestRewriter(request, settings, options, boundaries, injects=injects)
        self._hidden_turns = HiddenTurns(self._rewriter, boundaries)

    def warm_up(self) -> None:
        """Read a request that is not sent: what it loads, all processes share that are forked later."""
        request = {"model": "", "messages": [{"role": "user", "content": _WARM_TEXT}]}
        self._rewriter.rewrite(ClientRequest(APIS[0], "", orjson.dumps(request)), UpstreamFacts(_WARM_WINDOW))

    def answer(self, call: dict[str, Any], _report_session: Callable[[], None]) -> int:
        """Return the exit status of a call, whose files are the descriptors 0, 1 and 2."""
        works = {
            "rewrite": self._rewrite,
            "continue": self._continue,
            "mask": self._mask,
            "record": self._record,
            "read": self._read,
        }
        with open_streams():
            return run_for_status(lambda: int(works[call["work"]](call)))

    def _rewrite(self, call: dict[str, Any]) -> Exit:
        """Write the report of a rewritten request on a line, then its content."""
        api = find_api("POST", call["path"])
        assert api is not None
        body = self._read_masked()
        facts = _read_facts(call)
        rewrite = self._rewriter.rewrite(ClientRequest(api, call["path"], body), facts, harder=call["harder"])
        content = rewrite.content or (body if self._masks else b"")
        out.write((orjson.dumps(rewrite.make_facts()), b"\n", content))
        return Exit.DONE

    def _continue(self, call: dict[str, Any]) -> Exit:
        """Write what follows an answer: the report on a line, then the next request or the answer for the client."""
        api = find_api("POST", call["path"])
        assert api is not None
        data = b"".join(source.chunks("-"))
        body, answer = data[: call["size"]], data[call["size"] :]
        if self._masks:
            body = b"".join(self._request.redaction(self._settings).apply((body,)))
        request = ClientRequest(api, call["path"], body)
        turn = self._hidden_turns.take(request, answer, _read_facts(call), call["usage"], call["left"])
        report = {"usage": turn.usage, "rewrite": turn.rewrite.make_facts() if turn.rewrite else None}
        out.write((orjson.dumps(report), b"\n", turn.rewrite.content if turn.rewrite else turn.answer))
        return Exit.DONE

    def _mask(self, _call: dict[str, Any]) -> Exit:
        """Write a request that the proxy does not read, without keys and passwords."""
        out.write((b"{}\n", self._read_masked()))
        return Exit.DONE

    @property
    def _masks(self) -> bool:
        return self._request.redaction(self._settings).on

    def _read_masked(self) -> bytes:
        redaction = self._request.redaction(self._settings)
        return b"".join(redaction.apply(source.chunks("-")))

    def _record(self, call: dict[str, Any]) -> Exit:
        """Write the usage of an answer, and add it to the ledger of its conversation."""
        answer = _find_answer(b"".join(source.chunks("-")))
        usage = answer.usage if answer else None
        used = usage.context_total - (usage.reasoning or 0) if usage and usage.input else None
        if used is not None:
            window = call["window"] or None
            request = self._request._replace(
                session=call["session"], model=self._request.model or call["model"] or None, window=window
            )
            sessions.open_session(request, self._settings)
            sessions.ledger(self._settings).record_answer(call["session"], AnswerEntry(used, 1))
        out.write((orjson.dumps({"used": used, "output": usage.output if usage else None}), b"\n"))
        return Exit.DONE

    def _read(self, call: dict[str, Any]) -> Exit:
        """Write stored content, or some of its lines."""
        lines = ["--lines", call["lines"]] if call["lines"] else []
        sys.argv = ["ctxkit", "cache", "get"]
        return Exit(run_command(self._root, ["cache", "get", *lines, "--", call["ref"]]))


def _read_facts(call: dict[str, Any]) -> UpstreamFacts:
    return UpstreamFacts(call["window"], call["weights"], call["limits"])


def _find_answer(data: bytes) -> Answer | None:
    try:
        answers = find_answers(list(read_values(data, engines.parse_json, "the answer")))
    except MalformedInputError:
        return None
    return answers[-1] if answers else None
