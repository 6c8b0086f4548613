"""The agent's last to-do list, with open and finished items."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.call_kind import read_todo_items, split_name
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.context.template import normalize_line
from ctxkit.core.text.json_value import JsonValue

_LINE = re.compile(r"^[ \t]*+(?:[-*+]|\d{1,3}[.)])?[ \t]*+\[([ xX✓✔~>-]?)\][ \t]++(.*[^ \t\n])[ \t]*$", re.MULTILINE)
_FORM = re.compile(
    r"\b(?:please|could you|can you) (?:\w+ )?(?:provide|fill|tell|choose|select|tick|pick|answer|share|confirm)\b"
    r"|\blet me know\b|请\S{0,8}(?:提供|填写|告诉|选择|勾选|回答)|[:：]$|[?？]\s*$",
    re.IGNORECASE,
)
"""What an agent writes below boxes that the user is to tick; and an item with a space to fill in."""
FORM_END = 400
"""Characters at the end of a message in which an agent asks the user to fill in a form."""
MAX_LIST = 60_000
"""Maximum characters of a printed list of tasks."""
_LONG_WORD, STEM_CHARS, MIN_SHARE = re.compile(r"[^\W\d_]{4,}"), 5, 0.5
"""Words of a step, the characters of them that count, and the minimum share that a report of the step contains."""
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

    @property
    def is_empty(self) -> bool:
        """Return whether the list is empty."""
        return not (self.open or self.active or self.done)


def find_todo_list(calls: Sequence[ToolCall], words: Sequence[tuple[int, str]]) -> TodoList:
    """Return the last to-do list: from a tool call, otherwise from check boxes in an agent message.

    ``words`` contains the text of each agent message and its index.
    """
    single = _collect_tasks(calls)
    for call in reversed(calls):
        items = read_todo_items(call)
        if items is not None and not (call.failed and call.answered_at >= 0):
            todo_list = _parse_items(items, call.at)
            return single if single.at > call.at else todo_list
    if not single.is_empty:
        return single
    for at, message in reversed(words):
        if len(boxes := _LINE.findall(message)) >= 2 and not _is_form(boxes, message):
            return _group_by_state(
                [
                    (normalize_line(text), "completed" if mark in ("x", "X", "✓", "✔") else _parse_state(mark))
                    for mark, text in boxes
                ],
                at,
            )
    return TodoList()


def _is_form(boxes: Sequence[tuple[str, str]], message: str) -> bool:
    """Return whether boxes, none of them ticked, are for the user to tick: options, not steps of the work."""
    is_empty = not any(mark.strip() for mark, _ in boxes)
    texts = [*(text for _, text in boxes), message[-FORM_END:]]
    return is_empty and any(_FORM.search(text.rstrip("* ")) for text in texts)


def drop_reported_steps(todo: TodoList, report: str) -> TodoList:
    """Return a list without the open items of which a later report contains most words.

    >>> drop_reported_steps(TodoList(("Write parser tests", "Update docs")), "The parser tests are written.").open
    ('Update docs',)
    """
    reported = _find_stems(report)
    return todo._replace(
        open=tuple(item for item in todo.open if not _is_reported(item, reported)),
        active=tuple(item for item in todo.active if not _is_reported(item, reported)),
    )


def _find_stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM_CHARS].lower() for word in _LONG_WORD.findall(text))


def _is_reported(item: str, reported: frozenset[str]) -> bool:
    stems = _find_stems(item)
    return bool(stems) and len(stems & reported) >= MIN_SHARE * len(stems)


def _parse_state(mark: str) -> str:
    return {"~": "in_progress", ">": "in_progress", "-": "in_progress"}.get(mark, "pending")


def _parse_items(items: list[JsonValue] | str, at: int) -> TodoList:
    if isinstance(items, str):
        return _group_by_state(
            [
                (normalize_line(text), "completed" if mark in ("x", "X", "✓", "✔") else _parse_state(mark))
                for mark, text in _LINE.findall(items)
            ],
            at,
        )
    return _group_by_state([pair for item in items if (pair := _parse_item(item))], at)


def _parse_item(item: JsonValue) -> tuple[str, str] | None:
    if isinstance(item, str):
        match = _LINE.match(item)
        return (
            (normalize_line(match[2]), "completed" if match[1] in ("x", "X") else "pending")
            if match
            else (normalize_line(item), "pending")
        )
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
_LISTED = re.compile(r"^[ \t]{0,4}#(\d{1,6}) \[(\w{1,20})\] (\S[^\n]{0,2000})$", re.MULTILINE)
"""A line of a list of tasks, as TaskList prints it: number, state and subject."""
_DETAIL = re.compile(r" ?(?:\(|: |; | [-\u2013\u2014] ).*", re.DOTALL)
"""A detail behind the words of a task."""
_OWNER = re.compile(r" \([\w.@-]{1,60}\)$")
"""The name of the agent that works on a task, at the end of its line."""


def _collect_tasks(calls: Sequence[ToolCall]) -> TodoList:
    """Return the list built by tools that change one task per call, such as TaskCreate and TaskUpdate.

    Other agents may change a task too: a list of all tasks that a call prints states how they are.
    """
    tasks: dict[str, tuple[str, str]] = {}
    last = -1
    for call in calls:
        words = split_name(call.name)
        if words >= {"task", "list"} and (states := _read_states(call)):
            tasks.update(states)
            last = call.at
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
    return _drop_repeated(_group_by_state(list(tasks.values()), last))


def _read_states(call: ToolCall) -> dict[str, tuple[str, str]]:
    """Return the subject and the state of each task that a call lists."""
    return {
        number: (normalize_line(_OWNER.sub("", subject)), state.lower())
        for number, state, subject in _LISTED.findall(call.text[:MAX_LIST])
    }


def _drop_repeated(todo: TodoList) -> TodoList:
    """Return a list without the open items that a finished one repeats, alone or with a detail behind: made twice."""
    finished = {_DETAIL.sub("", item).casefold() for item in todo.done} | {item.casefold() for item in todo.done}
    return todo._replace(
        open=tuple(item for item in todo.open if item.casefold() not in finished),
        active=tuple(item for item in todo.active if item.casefold() not in finished),
    )


def _find_task_id(call: ToolCall) -> str:
    for name in ("taskId", "task_id", "id", "todo_id", "todoId"):
        value = call.argument_map.get(name)
        if isinstance(value, str | int) and str(value):
            return str(value)
    return ""
