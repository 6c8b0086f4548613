"""The list of things to do as the agent last wrote it, with what is done and what is not."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.context.extract.acts import listed, words_of
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.template import normal

_LINE = re.compile(r"^[ \t]*+(?:[-*+]|\d{1,3}[.)])?[ \t]*+\[([ xX✓✔~>-]?)\][ \t]++(.*[^ \t\n])[ \t]*$", re.MULTILINE)
_WORDS = ("content", "step", "subject", "title", "task", "text", "name", "description", "activeForm")
_DONE = ("completed", "complete", "done", "finished", "closed", "resolved", "x")
_GONE = ("cancelled", "canceled", "deleted", "skipped", "dropped", "removed")
_ACTIVE = ("in_progress", "in-progress", "inprogress", "doing", "active", "started")


class Todo(NamedTuple):
    """Hold what is to be done, what of it is under way, and what is done, each as it was written."""

    open: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    at: int = -1

    @property
    def empty(self) -> bool:
        """Tell whether nothing is on the list."""
        return not (self.open or self.active or self.done)


def todo_of(done: Sequence[Deed], words: Sequence[tuple[int, str]]) -> Todo:
    """Return the last list of things to do: of a tool, else the last with boxes in the words of the agent.

    ``words`` are what the agent said, each with its place.
    """
    single = _kept_one_by_one(done)
    for deed in reversed(done):
        items = listed(deed)
        if items is not None and not (deed.failed and deed.answered >= 0):
            found = _read(items, deed.at)
            return single if single.at > deed.at else found
    if not single.empty:
        return single
    for at, said in reversed(words):
        if len(boxes := _LINE.findall(said)) >= 2:
            return _sorted(
                [(normal(text), "completed" if mark in ("x", "X", "✓", "✔") else _state(mark)) for mark, text in boxes],
                at,
            )
    return Todo()


def _state(mark: str) -> str:
    return {"~": "in_progress", ">": "in_progress", "-": "in_progress"}.get(mark, "pending")


def _read(items: list[Any] | str, at: int) -> Todo:
    if isinstance(items, str):
        return _sorted(
            [
                (normal(text), "completed" if mark in ("x", "X", "✓", "✔") else _state(mark))
                for mark, text in _LINE.findall(items)
            ],
            at,
        )
    return _sorted([pair for item in items if (pair := _pair(item))], at)


def _pair(item: Any) -> tuple[str, str] | None:
    if isinstance(item, str):
        found = _LINE.match(item)
        return (
            (normal(found[2]), "completed" if found[1] in ("x", "X") else "pending")
            if found
            else (normal(item), "pending")
        )
    if not isinstance(item, Mapping):
        return None
    words = next((held for key in _WORDS if isinstance(held := item.get(key), str) and held.strip()), "")
    status = item.get("status", item.get("state"))
    if not isinstance(status, str):
        finished = item.get("done", item.get("completed", item.get("checked")))
        status = "completed" if finished is True else "pending"
    return (normal(words), status.lower().replace(" ", "_")) if words else None


def _sorted(pairs: Sequence[tuple[str, str]], at: int) -> Todo:
    kept = [(words, state) for words, state in pairs if words and state not in _GONE]
    finished = tuple(words for words, state in kept if state in _DONE)
    active = tuple(words for words, state in kept if state in _ACTIVE)
    return Todo(
        tuple(words for words, state in kept if state not in _DONE and state not in _ACTIVE), active, finished, at
    )


_NUMBER = re.compile(r"(?:#|id\W{0,4}|[Tt]ask )(\d+)")


def _kept_one_by_one(done: Sequence[Deed]) -> Todo:
    """Return the list of tools that make and change one task a call, such as TaskCreate and TaskUpdate."""
    tasks: dict[str, tuple[str, str]] = {}
    last = -1
    for deed in done:
        words = words_of(deed.name)
        if not words & {"task", "todo"} or not words & {"create", "add", "update", "complete", "delete"}:
            continue
        if words & {"create", "add"} and (pair := _pair(deed.given)):
            found = _NUMBER.search(deed.text)
            tasks[found[1] if found else str(len(tasks) + 1)] = pair
            last = deed.at
        elif key := _key(deed):
            held = tasks.get(key)
            status = deed.string("status", "state").lower() or ("completed" if "complete" in words else "")
            if held:
                tasks[key] = (normal(deed.string("subject", "content", "title")) or held[0], status or held[1])
                last = deed.at
    return _sorted(list(tasks.values()), last)


def _key(deed: Deed) -> str:
    for name in ("taskId", "task_id", "id", "todo_id", "todoId"):
        held = deed.given.get(name)
        if isinstance(held, str | int) and str(held):
            return str(held)
    return ""
