"""Finding answers in whatever holds them: a response, its stream, a log, the session of an agent."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxkit.core.chat.model.json_fields import get_object
from ctxkit.core.usage.answer import Answer, Usage
from ctxkit.core.usage.providers import (
    anthropic,
    codex,
    failure,
    gemini,
    langchain,
    llama,
    ollama,
    openai,
    opencode,
    pi,
    responses,
)

READERS: tuple[Callable[[dict[str, Any]], Answer | None], ...] = (
    *(one.read for one in (openai, responses, codex, pi, opencode, langchain, anthropic, gemini, ollama, llama)),
    failure.read,
)
"""Every provider, and errors last: an answer may have a member that says there was none."""
_HOLDERS = (
    *("response", "message", "payload", "body", "data", "result", "chunk", "extra"),
    *("model_response", "tool_call_metadata", "usage", "info", "kwargs"),
)
"""Members in which logs and sessions keep an answer."""
_LISTS = ("messages", "history", "loglines", "events", "responses", "entries", "trajectory")
_SUM_TYPES = ("result", "turn.completed")
"""Types of lines that add up several requests, as ``claude -p`` and ``codex exec`` print them: no answer."""
_MAX_DEPTH = 4
"""How many of them may stand inside one another."""


def find_answers(values: Iterable[Any]) -> list[Answer]:
    """Return the answers in some JSON values, in their order, each with all of its pieces.

    Those of other agents, which a session keeps beside its own, are left out unless there are no others.
    """
    pieces = [piece for value in values for piece in _find_pieces(value, _MAX_DEPTH, side=False)]
    main = [piece for piece, side in pieces if not side]
    return _merge_pieces(main or [piece for piece, _ in pieces])


def _find_pieces(value: Any, depth: int, *, side: bool) -> Iterator[tuple[Answer, bool]]:
    """Yield the pieces in a value, and whether each is another agent's."""
    if isinstance(value, list):
        for item in value:
            yield from _find_pieces(item, depth, side=side)
    elif isinstance(value, dict):
        answer = next((piece for read in READERS if (piece := read(value))), None) or _read_bare_usage(value)
        side = side or value.get("isSidechain") is True
        if answer:
            yield answer, side
        elif depth and value.get("type") not in _SUM_TYPES:
            members = [value[key] for key in (*_HOLDERS, *_LISTS) if isinstance(value.get(key), (dict, list))]
            for item in members:
                yield from _find_pieces(item, depth - 1, side=side)


def _read_bare_usage(value: dict[str, Any]) -> Answer | None:
    """Return a usage object that stands alone, as a log or jq leaves it."""
    usage: Usage | None = None
    source = ""
    if "prompt_tokens" in value:
        source, usage = openai.NAME, openai.read_usage(value)
    elif "promptTokenCount" in value or "prompt_token_count" in value:
        source, usage = gemini.NAME, gemini.read_usage(value)
    elif "input_tokens" in value and get_object(value, "input_tokens_details"):
        source, usage = responses.NAME, responses.read_usage(value)
    elif "input_tokens" in value:
        source, usage = anthropic.NAME, anthropic.read_usage(value)
    return Answer(source, usage, closed=True) if usage else None


def _merge_pieces(pieces: Iterable[Answer]) -> list[Answer]:
    """Return answers with all of their pieces: those with one key, and those without up to one that is closed."""
    merged: list[Answer] = []
    places: dict[str, int] = {}
    for piece in pieces:
        at = places.get(piece.key, -1) if piece.key else _find_open_answer(merged, piece)
        if at < 0:
            at = len(merged)
            merged.append(piece)
        else:
            merged[at] = merged[at].merge(piece)
        if merged[at].key:
            places[merged[at].key] = at
    return merged


def _find_open_answer(merged: list[Answer], piece: Answer) -> int:
    """Return which answer a piece without a key goes on with, -1 for none."""
    on = bool(merged) and not merged[-1].closed and merged[-1].source == piece.source
    return len(merged) - 1 if on else -1
