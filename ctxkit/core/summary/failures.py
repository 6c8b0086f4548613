"""Failed calls, and whether the same call succeeded later."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.summary.call_kind import CallKind, command_of, path_of
from ctxkit.core.summary.outcome import ClassifiedCall, is_cancelled, is_shell_message, shows_content
from ctxkit.core.summary.tool_call import ToolCall

_SETUP = re.compile(r"(?:#|(?:cd|set|export|source|\.|unset|pushd) (?!.*(?:&&|;|\|\|)))|[A-Z_]+=\S*$", re.ASCII)
"""A line of a script that prepares the command after it."""
_TARGETS = ("pattern", "query", "url", "description", "prompt", "name")
_DOCUMENT = re.compile(r"<<-?[ \t]*['\"\\]?\w+['\"]?$")
_RANGE = re.compile(r"^((?:edit|insert) )\d+(?::\d+)?\b")
"""The lines that an editor of a shell is to change: they shift with each change."""
_LAST_NAME = re.compile(r"(?:/|::)[^/: ]+$")
_SHOWN_BY = (["tail"], ["head"], ["tee"], ["cat"])
CUT = " ..."
"""The mark of a command that goes on."""
EDITED = "passes since the edit of "
"""The beginning of a resolution that names what was edited."""
MAX_ATTEMPT, MAX_TARGET = 200, 80
"""Characters of a command and of what a tool got."""


class FailedCall(NamedTuple):
    """A failed call: its number, what was tried, the lines that say why, and how it was resolved, empty if not.

    It ``is_told`` on a page if it is a command in one line that is still open, or passes since an edit; if it found
    what it needs; and if no later one failed alike, or differs from it only in options and filters of its output.
    """

    at: int
    attempt: str
    lines: tuple[str, ...]
    resolution: str
    is_look: bool
    is_told: bool


def find_failures(calls: Sequence[ClassifiedCall]) -> tuple[FailedCall, ...]:
    """Return the failed calls in order, of equal ones only the last."""
    passed: dict[tuple[str, str], int] = {}
    edited: list[str] = []
    failures: dict[tuple[str, str], FailedCall] = {}
    seen: set[tuple[str, ...]] = set()
    for at in range(len(calls) - 1, -1, -1):
        call, kind, outcome = calls[at]
        if kind == "todo":
            continue
        attempt = describe_attempt(call, kind)
        key = find_key(call, kind, attempt)
        if not outcome.failed:
            if call.answered_at >= 0 and kind == "edit":
                edited.append(path_of(call))
            if call.answered_at >= 0 and not selects_output(attempt):
                parts = attempt.split(" && ") if kind == "run" and "\n" not in command_of(call) else ()
                passed |= {part: len(edited) for part in (key, *(find_key(call, kind, part) for part in parts))}
        elif attempt and (kind, attempt) not in failures:
            resolution = _find_resolution(key, passed, edited)
            is_look = kind == "read" or is_cancelled(call.text) or (kind == "run" and shows_content(command_of(call)))
            lines = outcome.error_lines
            is_new = kind == "run" and not is_look and seen.isdisjoint((key, lines[:1]))
            is_told = is_new and _is_telling(call, attempt, resolution) and not any(map(is_shell_message, lines))
            failures[kind, attempt] = FailedCall(at, attempt, lines, resolution, is_look, is_told)
            seen |= {key, lines[:1]}
    return tuple(reversed(failures.values()))


def _is_telling(call: ToolCall, attempt: str, resolution: str) -> bool:
    """Return whether a command is whole in its attempt, no edit of lines, and either open or resolved by an edit."""
    is_whole = sum(not _SETUP.match(line) for line in _list_lines(command_of(call))) == 1 and not attempt.endswith(CUT)
    return is_whole and not _RANGE.match(attempt) and (not resolution or resolution.startswith(EDITED))


def _list_lines(command: str) -> list[str]:
    return [" ".join(line.split()) for line in command.replace("\\\n", " ").splitlines() if line.strip()]


def _find_resolution(key: tuple[str, str], passed: Mapping[tuple[str, str], int], edited: Sequence[str]) -> str:
    """Return how a failed call was resolved later: by the same call, or by one of all that is in a folder of its path.

    ``edited`` are the edits from the end, ``passed`` how many of them stand behind the pass of a call.
    """
    kind, words = key
    if key in passed and kind == "run" and (before := edited[passed[key] : passed[key] + 1]):
        return f"{EDITED}{before[0]}"
    while (kind, words) not in passed and "://" not in words and (match := _LAST_NAME.search(words)):
        words = words[: match.start()]
    if (kind, words) not in passed:
        return ""
    return "edited later" if kind == "edit" else "passed later"


def describe_attempt(call: ToolCall, kind: CallKind) -> str:
    """Return what a call tried on one line: its command from the first line that works, or the tool and its target.

    A line that is longer, or goes on in a document, ends in a mark.
    """
    if kind == "run" and (command := command_of(call)):
        lines = _list_lines(command)
        first = next((line for line in lines if not _SETUP.match(line)), lines[0])
        if len(first) > MAX_ATTEMPT:
            first = first[: first.rfind(" ", MAX_ATTEMPT // 2, MAX_ATTEMPT)]
        elif not _DOCUMENT.search(first):
            return first
        return f"{first}{CUT}"
    target = path_of(call) or " ".join(call.first_string(*_TARGETS).split())[:MAX_TARGET]
    return " ".join(filter(None, (call.name, target)))


def selects_output(attempt: str) -> bool:
    """Return whether a command passes its output to a program that may leave out that it failed."""
    return any(part.split()[:1] not in _SHOWN_BY for part in attempt.split(" | ")[1:])


def find_key(call: ToolCall, kind: CallKind, attempt: str) -> tuple[str, str]:
    """Return a key for equal calls: a command without its directory, options and output filters, or an edited file.

    A file that one tool could not edit is edited if another one writes it.
    """
    if kind == "edit" and (path := path_of(call)):
        return kind, path
    command = command_of(call) if kind == "run" else ""
    if "\n" in command and not _RANGE.match(attempt):
        return kind, " ".join(command.split())
    core = attempt.split(" | ")[0].split(" || ")[0].replace("2>&1", "").strip()
    while core.startswith("cd ") and "&&" in core:
        core = core.split("&&", 1)[1].strip()
    core = _RANGE.sub(r"\1", core)
    return kind, " ".join(word.rstrip("/") for word in core.split() if not word.startswith("-"))
