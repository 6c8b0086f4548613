"""The policy to beat: words and lists in a fixed order, without a rule that reads prose."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench.compact.facts import find_changes, find_open_items, first_line_of
from bench.compact.reading import is_failed
from bench.compact.shapes import Turn, openai

LISTS, FAILURES, REQUEST, NEWEST = 0.25, 0.12, 0.25, 0.35
"""Largest shares of the room: changed files and to-dos, failed calls, the last message of the user, whole messages."""
CLIPPED, SHORT, WORDS, CALL = 1500, 400, 600, 160
"""Characters of the user's other messages, of those that do not fit so, of an answer and of a call."""


def keep_simply(turns: Sequence[Turn], room: int, size: Callable[[Any], int]) -> Any:
    """Keep lists, the last request and the newest messages, then the words before them, the user's first."""
    system = [turn for turn in turns[:1] if turn.role == "system"]
    rest = list(turns[len(system) :])
    left = room - size(openai(system))
    chosen: dict[int, Turn] = {}
    notes: list[str] = []

    def add_note(text: str, limit: float) -> bool:
        nonlocal left
        cost = _cost(text)
        if not text or cost > min(limit, left):
            return False
        notes.append(text)
        left -= cost
        return True

    def choose(at: int, turn: Turn, limit: float) -> float:
        nonlocal left
        cost = size(openai([turn]))
        if at in chosen or cost > min(limit, left):
            return 0
        chosen[at] = turn
        left -= cost
        return cost

    for text in _lists(rest):
        add_note(_clip(text, int(LISTS * room * 4)), LISTS * room)
    spent = 0
    for text in _failures(rest):
        spent += _cost(text) if add_note(text, FAILURES * room - spent) else 0
    users = [at for at, turn in enumerate(rest) if turn.role == "user"]
    for at in users[-1:]:
        choose(at, _clipped(rest[at], int(REQUEST * room * 4)), REQUEST * room)
    newest = NEWEST * room
    for at in range(len(rest) - 1, -1, -1):
        if at not in chosen:
            cost = choose(at, rest[at], newest)
            newest -= cost
            if not cost:
                break
    for limit in (CLIPPED, SHORT):
        for at in reversed(users):
            choose(at, _clipped(rest[at], limit), left)
    for at in range(len(rest) - 1, -1, -1):
        if rest[at].role == "assistant":
            choose(at, _mask(rest[at]), left)
    head = [Turn("user", "\n".join(notes))] if notes else []
    return openai([*system, *head, *(chosen[at] for at in sorted(chosen))])


def _lists(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the changed files on a line, and the open to-dos of the last list."""
    paths = dict.fromkeys(
        path for turn in turns for did, text in turn.pairs if not is_failed(text) for path in find_changes(did)
    )
    yield f"Changed: {', '.join(paths)}" if paths else ""
    items = find_open_items(did for turn in turns for did, _ in turn.pairs)
    yield "\n".join(["To do:", *items]) if items else ""


def _failures(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield a line for each failed call, the newest first: the command and its error line."""
    for turn in reversed(turns):
        for did, text in reversed(turn.pairs):
            command, error = first_line_of(did, text)
            if is_failed(text):
                yield f"Failed: {command}: {error}"


def _mask(turn: Turn) -> Turn:
    """Return an answer with its words and its calls clipped, without results."""
    calls = (f"{did.name} {json.dumps(did.arguments, ensure_ascii=False)}"[:CALL] for did, _ in turn.pairs)
    return Turn(turn.role, "\n".join([_clip(turn.text, WORDS), *calls]))


def _clipped(turn: Turn, limit: int) -> Turn:
    return Turn(turn.role, _clip(turn.text, limit), turn.pairs)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]}\n[...]\n{text[len(text) - limit // 2 :]}"


def _cost(text: str) -> int:
    return len(text) // 4 + 1
