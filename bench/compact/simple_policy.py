"""The policy to beat: words and lists in a fixed order, without a rule that reads prose."""

import json
from collections.abc import Callable, Iterator, Sequence
from math import inf
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
    rest = turns[len(system) :]
    choice = _Choice(room - size(openai(system)), size)
    for text in _lists(rest):
        choice.add_note(_clip(text, int(LISTS * room * 4)), LISTS * room)
    spent = 0
    for text in _failures(rest):
        spent += choice.add_note(text, FAILURES * room - spent)
    users = [at for at, turn in enumerate(rest) if turn.role == "user"]
    for at in users[-1:]:
        choice.add(at, _clip_turn(rest[at], int(REQUEST * room * 4)), REQUEST * room)
    choice.add_newest(rest, NEWEST * room)
    for limit in (CLIPPED, SHORT):
        for at in reversed(users):
            choice.add(at, _clip_turn(rest[at], limit))
    for at in range(len(rest) - 1, -1, -1):
        if rest[at].role == "assistant":
            choice.add(at, _mask(rest[at]))
    head = [Turn("user", "\n".join(choice.notes))] if choice.notes else []
    return openai([*system, *head, *(choice.turns[at] for at in sorted(choice.turns))])


class _Choice:
    """The notes and the messages that are kept, and the tokens that are left."""

    def __init__(self, left: int, size: Callable[[Any], int]) -> None:
        self.notes: list[str] = []
        self.turns: dict[int, Turn] = {}
        self._left = left
        self._size = size

    def add_note(self, text: str, limit: float) -> int:
        """Keep a line if it fits; return its tokens, 0 if it is left out."""
        cost = len(text) // 4 + 1
        if not text or cost > min(limit, self._left):
            return 0
        self.notes.append(text)
        self._left -= cost
        return cost

    def add(self, at: int, turn: Turn, limit: float = inf) -> int:
        """Keep a message if it fits and none stands in its place; return its tokens, 0 if it is left out."""
        cost = self._size(openai([turn]))
        if at in self.turns or cost > min(limit, self._left):
            return 0
        self.turns[at] = turn
        self._left -= cost
        return cost

    def add_newest(self, turns: Sequence[Turn], limit: float) -> None:
        """Keep the newest messages whole, as many as fit."""
        for at in range(len(turns) - 1, -1, -1):
            if at not in self.turns:
                cost = self.add(at, turns[at], limit)
                limit -= cost
                if not cost:
                    return


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


def _clip_turn(turn: Turn, limit: int) -> Turn:
    return Turn(turn.role, _clip(turn.text, limit), turn.pairs)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]}\n[...]\n{text[len(text) - limit // 2 :]}"
