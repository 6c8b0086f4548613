"""Name a tool result after the command of its call, and read how the command ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.summary.call_kind import classify_call, command_of
from ctxkit.core.summary.outcome import read_wrapped_status
from ctxkit.core.summary.tool_call import find_answers, make_tool_call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctxkit.core.chat.model.message import Record, RecordResult

_STATUS = re.compile(
    r"\W*(?:<(?:returncode|exit_code)>\s*|\[exit: |(?:[a-z]+:? ){0,5}?"
    r"(?:(?:exit|return)[ _-](?:code|status)|(?:exited|finished|failed|completed|terminated) with (?:code|status))"
    r"(?: is)?[:= ]+\(?)(-?\d+)\b",
    re.IGNORECASE,
)
"""A line with which a host states the exit status of a command."""
FIRST_LINES, LAST_LINES, LONGEST = 3, 4, 120
"""Lines at the ends of a result in which hosts state a status, and characters of the longest of them."""


class ResultCall(NamedTuple):
    """The call of a result: the name of its tool, and the command if the tool runs one; empty if unknown."""

    tool: str = ""
    command: str = ""


def find_result_calls(earlier: Sequence[Record], records: Sequence[Record]) -> list[ResultCall]:
    """Return the call of each result in ``records``, which follow the ``earlier`` ones, in order."""
    first = sum(len(record.results) for record in earlier)
    calls = [ResultCall(result.name) for record in records for result in record.results]
    for at, call, answer in find_answers((*earlier, *records)):
        if answer is not None and answer[1] >= first:
            tool_call = make_tool_call(at, "", call, answer)
            is_run = classify_call(tool_call) == "run"
            calls[answer[1] - first] = ResultCall(call.name, command_of(tool_call) if is_run else "")
    return calls


def describe_failure(call: ResultCall, result: RecordResult, statuses: Mapping[str, int]) -> str:
    """Return how a failed command ended, in words; "" if it did not fail, or if the call runs no command.

    ``statuses`` are the known ones by the ids of the calls. Otherwise the text of the result tells, else its mark as an
    error, which gives no number.
    """
    status = statuses.get(result.id)
    if status is None and not call.command:
        return ""
    if status is None:
        status = read_status(result.text)
    if status is None:
        return "Exit status not 0: the result is marked as an error" if result.failed else ""
    return f"Exit status {status}" if status else ""


def read_status(text: str) -> int | None:
    """Return the exit status that a host states in a result: around the output, or in its first or last lines.

    >>> read_status("Exit code 2\\nmake: *** [all] Error 2")
    2
    """
    status = read_wrapped_status(text)
    if status is not None:
        return status
    start, end = text[: FIRST_LINES * LONGEST].split("\n"), text[-LAST_LINES * LONGEST :].rstrip().split("\n")
    for line in (*start[:FIRST_LINES], *reversed(end[-LAST_LINES:])):
        if len(line) <= LONGEST and (match := _STATUS.match(line)):
            return int(match[1])
    return None
