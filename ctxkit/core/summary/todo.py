"""The agent's last to-do list, with open and finished items."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.summary.call_kind import read_todo_items, split_name
from ctxkit.core.summary.template import normalize_line
from ctxkit.core.summary.tool_call import ToolCall
from ctxkit.core.text.json_value import JsonValue

_LINE = re.compile(r"^[ \t]*+(?:[-*+]|\d{1,3}[.)])?[ \t]*+\[([ xX✓✔~>-]?)\][ \t]++(.*[^ \t\n])[ \t]*$", re.MULTILINE)
_BOXES = {**dict.fromkeys("xX✓✔", "completed"), **dict.fromkeys("~>-", "in_progress")}
"""The states of marks in a box; any other is open."""
_WORDS = ("content", "step", "subject", "title", "task", "text", "name", "description", "activeForm")
_DONE = ("completed", "complete", "done", "finished", "closed", "resolved", "x")
_GONE = ("cancelled", "canceled", "deleted", "skipped", "dropped", "removed")
_ACTIVE = ("in_progress", "in-progress", "inprogress", "doing", "active", "started")


class TodoList(NamedTuple):
    """A to-do list with open, active and finished items, verbatim."""

    open: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    at: int = -1


def find_todo_list(calls: Sequence[ToolCall]) -> TodoList:
    """Return the last to-do list that calls wrote."""
    single = _collect_tasks(calls)
    for call in reversed(calls):
        items = read_todo_items(call)
        if items is not None and not (call.failed and call.answered_at >= 0):
            todo_list = _parse_items(items, call.at)
            return single if single.at > call.at else todo_list
    return single


def _parse_items(items: list[JsonValue] | str, at: int) -> TodoList:
    if isinstance(items, str):
        return _group_by_state(_parse_boxes(items), at)
    return _group_by_state([pair for item in items if (pair := _parse_item(item))], at)


def _parse_boxes(text: str) -> list[tuple[str, str]]:
    """Return the words and the state of each line with a box."""
    return [(normalize_line(words), _BOXES.get(mark, "pending")) for mark, words in _LINE.findall(text)]


def _parse_item(item: JsonValue) -> tuple[str, str] | None:
    if isinstance(item, str):
        return next(iter(_parse_boxes(item)), (normalize_line(item), "pending"))
    if not isinstance(item, Mapping):
        return None
    words = next((value for key in _WORDS if isinstance(value := item.get(key), str) and value.strip()), "")
    status = item.get("status", item.get("state"))
    if not isinstance(status, str):
        finished = item.get("done", item.get("completed", item.get("checked")))
        status = "completed" if finished is True else "pending"
    return (normalize_line(words), status.lower().replace(" ", "_")) if words else None


def _group_by_state(pairs: Sequence[tuple[str, str]], at: int) -> TodoList:
    kept = [(words, state) for words, state in pairs if words and state not in _GONE]
    finished = tuple(words for words, state in kept if state in _DONE)
    active = tuple(words for words, state in kept if state in _ACTIVE)
    return TodoList(
        tuple(words for words, state in kept if state not in _DONE and state not in _ACTIVE), active, finished, at
    )


_NUMBER = re.compile(r"(?:#|id\W{0,4}|[Tt]ask )(\d+)")


def _collect_tasks(calls: Sequence[ToolCall]) -> TodoList:
    """Return the list built by tools that change one task per call, such as TaskCreate and TaskUpdate."""
    tasks: dict[str, tuple[str, str]] = {}
    last = -1
    for call in calls:
        words = split_name(call.name)
        if not words & {"task", "todo"} or not words & {"create", "add", "update", "complete", "delete"}:
            continue
        if words & {"create", "add"} and (pair := _parse_item(call.argument_map)):
            match = _NUMBER.search(call.text)
            tasks[match[1] if match else str(len(tasks) + 1)] = pair
            last = call.at
        elif key := _find_task_id(call):
            task = tasks.get(key)
            status = call.first_string("status", "state").strip("\"' ").lower()
            status = status or ("completed" if "complete" in words else "")
            if task:
                tasks[key] = (
                    normalize_line(call.first_string("subject", "content", "title")) or task[0],
                    status or task[1],
                )
                last = call.at
    return _group_by_state(list(tasks.values()), last)


def _find_task_id(call: ToolCall) -> str:
    values = (call.argument_map.get(name) for name in ("taskId", "task_id", "id", "todo_id", "todoId"))
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), "")
