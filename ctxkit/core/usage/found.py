"""Finding answers in whatever holds them: a response, its stream, a log, the session of an agent."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxkit.core.chat.shape import mapping
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
_SUMS = ("result", "turn.completed")
"""Types of lines that add up several requests, as ``claude -p`` and ``codex exec`` print them: no answer."""
_DEEP = 4
"""How many of them may stand inside one another."""


def answers(values: Iterable[Any]) -> list[Answer]:
    """Return the answers in some JSON values, in their order, each with all of its pieces.

    Those of other agents, which a session keeps beside its own, are left out unless there are no others.
    """
    pieces = [piece for value in values for piece in _pieces(value, _DEEP, side=False)]
    main = [piece for piece, side in pieces if not side]
    return _joined(main or [piece for piece, _ in pieces])


def _pieces(value: Any, depth: int, *, side: bool) -> Iterator[tuple[Answer, bool]]:
    """Yield the pieces in a value, and whether each is another agent's."""
    if isinstance(value, list):
        for one in value:
            yield from _pieces(one, depth, side=side)
    elif isinstance(value, dict):
        found = next((piece for read in READERS if (piece := read(value))), None) or _bare(value)
        side = side or value.get("isSidechain") is True
        if found:
            yield found, side
        elif depth and value.get("type") not in _SUMS:
            held = [value[key] for key in (*_HOLDERS, *_LISTS) if isinstance(value.get(key), (dict, list))]
            for one in held:
                yield from _pieces(one, depth - 1, side=side)


def _bare(value: dict[str, Any]) -> Answer | None:
    """Return a usage object that stands alone, as a log or jq leaves it."""
    usage: Usage | None = None
    source = ""
    if "prompt_tokens" in value:
        source, usage = openai.NAME, openai.of(value)
    elif "promptTokenCount" in value or "prompt_token_count" in value:
        source, usage = gemini.NAME, gemini.of(value)
    elif "input_tokens" in value and mapping(value, "input_tokens_details"):
        source, usage = responses.NAME, responses.of(value)
    elif "input_tokens" in value:
        source, usage = anthropic.NAME, anthropic.of(value)
    return Answer(source, usage, closed=True) if usage else None


def _joined(pieces: Iterable[Answer]) -> list[Answer]:
    """Return answers with all of their pieces: those with one key, and those without up to one that is closed."""
    found: list[Answer] = []
    places: dict[str, int] = {}
    for piece in pieces:
        at = places.get(piece.key, -1) if piece.key else _open(found, piece)
        if at < 0:
            at = len(found)
            found.append(piece)
        else:
            found[at] = found[at].then(piece)
        if found[at].key:
            places[found[at].key] = at
    return found


def _open(found: list[Answer], piece: Answer) -> int:
    """Return which answer a piece without a key goes on with, -1 for none."""
    on = bool(found) and not found[-1].closed and found[-1].source == piece.source
    return len(found) - 1 if on else -1
