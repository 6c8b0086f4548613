"""Failed calls, with their error lines and their resolutions."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from ctxkit.core.context.extract.call_kind import CallKind, command_of, path_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.clip import clip_text
from ctxkit.core.context.extract.error_lines import is_telling
from ctxkit.core.context.extract.outcome import (
    CallOutcome,
    is_declined,
    is_display_command,
    is_interrupted,
    is_negative_answer,
)
from ctxkit.core.context.extract.script_lines import CONTINUED, drop_written_files, find_script_line
from ctxkit.core.context.extract.tool_call import ToolCall

_SETUP = re.compile(
    r"(?:#|(?:cd|set|export|source|\.|unset|ulimit|pushd|shopt) (?!.*(?:&&|;|\|\|)))|[A-Z_]+=\S*$", re.ASCII
)
"""A line of a script that prepares the command after it."""
_LOOK = re.compile(r"\s*(?:ls|cat|find|which|stat|head|tail)\b[^|;&]*$")
"""The last of several places to look for something."""
_PROGRAM = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:import [\w.]|from [\w.]+ import |def \w+\(|class \w|print\()")
"""The beginning of code that an agent runs without a command."""
_INLINE = re.compile(
    r"\b(?:python[\d.]{0,5}|node|ruby|perl|php|bun|deno)(?:\.exe)?['\"]? (?:-[a-zA-Z]\S{0,20} ){0,3}"
    r"(?:-[cer]|eval|--eval) ['\"]"
)
"""An interpreter with the code that it runs as an argument."""
_PATH = re.compile(r"[/*.=]")
_TEST = re.compile(r"test|spec|jest")
TARGET_CHARS = 80
"""Maximum characters of the pattern, URL or description that a tool got."""


class FailedCall(NamedTuple):
    """A failed call: the attempt, its error line, ``more_lines`` and its resolution.

    ``target`` is the argument at the end of ``attempt``, empty for a command. ``script`` is a telling line of the text
    that the command runs. A failure ``is_mild`` if it is only a negative answer, which ``is_stale`` after a later
    change, ``is_declined`` if the user did not allow the call or ended it, and ``is_passing`` if it is of a search or
    of a script that later ones replaced. ``command`` is the whole command, empty for a tool.
    """

    at: int
    attempt: str
    line: str
    more_lines: tuple[str, ...]
    status: int | None
    resolution: str
    repetitions: int
    is_command: bool
    is_mild: bool
    target: str = ""
    script: str = ""
    is_declined: bool = False
    is_stale: bool = False
    is_passing: bool = False
    command: str = ""


def find_failures(calls: Sequence[ClassifiedCall]) -> tuple[FailedCall, ...]:
    """Return the failed calls in order; repetitions of a failure are merged."""
    failed_calls: dict[str, FailedCall] = {}
    later = _LaterSuccesses()
    for at in range(len(calls) - 1, -1, -1):
        call, kind, outcome = calls[at]
        attempt = describe_attempt(call, kind)
        if not outcome.failed:
            later.add_call(at, call, kind, attempt)
        elif attempt and kind != "todo":
            key = f"{attempt}\n{outcome.error_line}" if kind == "run" else attempt
            if key in failed_calls:
                failed_calls[key] = failed_calls[key]._replace(repetitions=failed_calls[key].repetitions + 1)
                continue
            is_mild = is_negative_answer(call, outcome)
            resolution = later.find_resolution(call, kind, attempt)
            target = "" if kind == "run" else describe_target(call)
            failed_calls[key] = FailedCall(
                at,
                attempt,
                outcome.error_line,
                outcome.more_lines,
                outcome.status,
                resolution,
                1,
                kind == "run",
                is_mild,
                target,
                find_script_line(command_of(call)) if kind == "run" else "",
                is_declined(call.text) or is_interrupted(outcome),
                is_mild and later.has_changes,
                _is_passing(call, kind, outcome, later),
                command_of(call) if kind == "run" else "",
            )
    return tuple(reversed(failed_calls.values()))


class _LaterSuccesses:
    """The successful calls after a failure, collected in reverse order."""

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], int] = {}
        self._programs: set[str] = set()
        self._edits: list[str] = []
        self._edited: dict[str, int] = {}

    def add_call(self, at: int, call: ToolCall, kind: CallKind, attempt: str) -> None:
        """Record a successful call."""
        if call.answered_at < 0:
            return
        if kind == "edit" and (path := path_of(call)):
            self._edits.append(path)
            self._edited[path] = at
        else:
            self._passed[kind, _normalize_attempt(call, kind, attempt)] = len(self._edits)
            if kind == "run":
                self._programs.update(_find_programs(attempt))
            if kind == "run" and (script := find_script_line(command_of(call))):
                self._passed[kind, f"{attempt}\n{script}"] = len(self._edits)

    def has_passed(self, attempt: str) -> bool:
        """Return whether commands with the same programs and subcommands succeeded."""
        return self._programs.issuperset(_find_programs(attempt))

    @property
    def has_successes(self) -> bool:
        """Return whether any call succeeded."""
        return bool(self._passed or self._edits)

    @property
    def has_changes(self) -> bool:
        """Return whether any file was edited."""
        return bool(self._edits)

    def find_resolution(self, call: ToolCall, kind: CallKind, attempt: str) -> str:
        """Return the resolution of a failed call: a later success of the same call, and the edit in between."""
        if kind == "edit":
            return "the next edit of it passed" if path_of(call) in self._edited else ""
        before = self._passed.get((kind, _normalize_attempt(call, kind, attempt)))
        if before is None and kind == "run":  # the same script, in another version
            before = self._passed.get((kind, f"{attempt}\n{find_script_line(command_of(call))}"))
        if before is None:
            return ""
        edited = self._edits[before] if len(self._edits) > before and kind == "run" else ""
        return f"passes since the edit of {edited}" if edited else "passed later"


def _is_passing(call: ToolCall, kind: CallKind, outcome: CallOutcome, later: "_LaterSuccesses") -> bool:
    """Return whether a failure says nothing, is of a look or of code that was typed in, or its like passed later."""
    says_nothing = not any(map(is_telling, (outcome.error_line, *outcome.more_lines)))
    if kind != "run" or (says_nothing and outcome.status in (None, 1, 2)):
        return says_nothing or kind == "read"
    command = command_of(call)
    is_inline = "<<" in command or bool(_INLINE.search(command))
    is_typed_in = bool(_PROGRAM.match(command)) or (later.has_successes and is_inline)
    _, bars, last_choice = command.rpartition("||")
    is_look = is_display_command(command) or bool(bars and _LOOK.match(last_choice))
    return is_typed_in or is_look or later.has_passed(describe_attempt(call, kind))


def describe_attempt(call: ToolCall, kind: CallKind) -> str:
    """Return the attempt of a call as one line: the first working line of its command, or the tool and its target."""
    command = command_of(call) if kind == "run" else ""
    if command:
        command = CONTINUED.sub(" ", command)
        lines = [" ".join(line.split()) for line in drop_written_files(command).splitlines() if line.strip()]
        lines = lines or [" ".join(line.split()) for line in command.splitlines() if line.strip()]
        return next((line for line in lines if not _SETUP.match(line)), lines[0])
    subcommand = call.first_string("command") if path_of(call) else ""
    return " ".join(filter(None, (call.name, subcommand, describe_target(call))))


def describe_target(call: ToolCall) -> str:
    """Return the target of a tool: a file, or a shortened pattern, URL or description."""
    return path_of(call) or clip_text(
        " ".join(call.first_string("pattern", "query", "url", "description").split()), TARGET_CHARS
    )


def _find_programs(attempt: str) -> list[str]:
    """Return the programs of a command with their subcommands; of a test runner, or a program alone, the arguments too.

    >>> _find_programs("cd app && npm run build -w core | tail"), _find_programs("make && pytest -q tests/a.py")
    (['npm run build'], ['make', 'pytest tests/a.py'])
    """
    programs: list[str] = []
    for command in _find_core(attempt).split("&&"):
        words = [word for word in command.split() if not word.startswith("-")]
        names = list(takewhile(lambda word: not _PATH.search(word), words))[:3]
        programs.append(" ".join(words if len(names) < 2 or _TEST.search(command) else names))
    return programs


def _find_core(attempt: str) -> str:
    """Return a command without its directory and its output filters."""
    core = attempt.split(" | ")[0].replace("2>&1", "").strip()
    while core.startswith("cd ") and "&&" in core:
        core = core.split("&&", 1)[1].strip()
    return core


def _normalize_attempt(call: ToolCall, kind: CallKind, attempt: str) -> str:
    """Return a key for equal calls: a command without its options, its directory and its output filters."""
    command = command_of(call) if kind == "run" else ""
    if "\n" in command:
        return " ".join(command.split())
    return " ".join(word for word in _find_core(attempt).split() if not word.startswith("-"))
