"""Take a hidden turn: answer a model's calls of the proxy's functions, and return the request that follows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.proxy.own_calls import answer_own_call
from ctxkit.app.proxy.rewriting import Rewrite
from ctxkit.app.services import engines
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.proxy.boundary import Boundary, remove_marks
from ctxkit.core.proxy.own_functions import (
    add_usage,
    answer_calls,
    choose_messages,
    dump_entries,
    read_usage,
    set_usage,
)
from ctxkit.core.turn.answer import read_answer_content

if TYPE_CHECKING:
    from ctxkit.app.proxy.boundaries import Boundaries
    from ctxkit.app.proxy.rewriting import Incoming, RequestRewriter
    from ctxkit.core.proxy.model_apis import ModelApi
    from ctxkit.core.proxy.upstream_window import UpstreamFacts
    from ctxkit.core.text.json_value import JsonValue


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
        self, api: ModelApi, path: str, body: bytes, answer: bytes, facts: UpstreamFacts, usage: JsonValue, left: int
    ) -> HiddenTurn:
        """Return what follows the ``answer`` to a request; ``left`` is the number of hidden turns that may be taken."""
        try:
            value = engines.parse_json(answer)
        except ValueError:
            return HiddenTurn()
        if not isinstance(value, dict):
            return HiddenTurn()
        total = add_usage(usage, read_usage(value))
        incoming = self._rewriter.read(api, path, body, facts) if left else Rewrite()
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
        fixed = conditions.measure_fixed(incoming.value, incoming.api.messages, incoming.digests)
        reply = partial(
            answer_own_call,
            functions=incoming.functions,
            conditions=conditions,
            settings=self._rewriter.settings,
            cap=conditions.find_cap(fixed),
        )
        messages = choose_messages(content.messages, incoming.value)
        results = answer_calls(messages, incoming.functions.names, reply, conditions.format, is_last=is_last)
        if not results:
            return None
        sent = self._rewriter.finish(incoming, facts).content or incoming.functions.body
        transcript = parse_transcript(sent, "the request", conditions.format)
        entries = tuple(remove_marks(transcript.get_raw(record)) for record in transcript.records)
        boundary = Boundary(len(incoming.prefixes), (*entries, *dump_entries([*messages, *results])))
        self._boundaries.save(incoming.prefixes, boundary)
        return self._rewriter.rewrite(incoming.api, incoming.path, incoming.body, facts)
