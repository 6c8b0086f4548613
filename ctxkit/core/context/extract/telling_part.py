"""The part of a compound command that failed, found by the program that the error line names."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.failures import FailedCall
from ctxkit.core.context.extract.programs import find_missing_program
from ctxkit.core.text.shell_script import split_commands

_SHELL_LABEL = re.compile(r"(?:error: )?(?:(?:\S*/)?-?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?)?")
_PROGRAM_LABEL = re.compile(r"([A-Za-z][\w.+-]{0,40}): \S")
"""The program that begins its message with its name."""
_RAISED = re.compile(r"(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b")
_SEPARATOR = re.compile(r"&&|\|\||[;\n]")
MIN_PREFIX, MAX_COMMAND = 3, 4_000
"""Minimum characters of a name that stands for a longer one, such as an alias, and of a command that is searched."""


def find_telling_part(failed_call: FailedCall, max_chars: int) -> str:
    """Return the attempt of a failed call, or the part of the command that failed if the attempt ends before it.

    ``max_chars`` are the characters of the attempt that are shown.
    """
    program = _find_program((failed_call.line, *failed_call.more_lines))
    shown = failed_call.attempt[:max_chars]
    if not program or _runs_program(shown, program):
        return failed_call.attempt
    parts = _SEPARATOR.split(failed_call.command[:MAX_COMMAND])
    part = next((" ".join(part.split()) for part in parts if _runs_program(part, program)), "")
    return part.rstrip("\"' ") if part[-1:] in ("'", '"') and part.count(part[-1]) % 2 else part or failed_call.attempt


def _find_program(lines: Sequence[str]) -> str:
    """Return the program that an error line names, empty if it names none."""
    if program := find_missing_program(lines):
        return program
    message = lines[0][_SHELL_LABEL.match(lines[0]).end() :]  # type: ignore[union-attr]
    if _RAISED.match(message):
        return "python3"
    label = _PROGRAM_LABEL.match(message)
    return label[1] if label else ""


def _runs_program(command: str, program: str) -> bool:
    """Return whether a command runs a program, or what may be its alias: a shorter name of the same beginning.

    >>> _runs_program("cd app && python3 run.py", "python3.12"), _runs_program("cat python3", "python3")
    (True, False)
    """
    names = [words[0].rsplit("/", 1)[-1] for words, _ in split_commands(command) if words]
    return any(name == program or (len(name) >= MIN_PREFIX and program.startswith(name)) for name in names)
