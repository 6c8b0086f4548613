"""The page items of failed calls that later work may meet."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.clip import (
    clip_text,
    close_command,
    close_message,
    close_quotation,
    is_wrapped,
    strip_operators,
)
from ctxkit.core.context.extract.error_lines import is_telling
from ctxkit.core.context.extract.failures import FailedCall
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.open_failures import find_open_failures
from ctxkit.core.context.extract.programs import find_missing_program
from ctxkit.core.context.extract.telling_part import find_telling_part

_EDIT_NAME = re.compile(r"edit|replace|write", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2}")
_KILL = re.compile(r"(?:sudo )?(?:kill|pkill|killall)\b|.*&\s*$")
"""A command that ends a process, or starts one in the background: its status is not that of the work."""
_REFUSAL = re.compile(
    r"\bhas not been read yet\b|\bexceeds maximum allowed tokens\b|\bmodified since (?:it was )?(?:last )?read\b"
    r"|\bFailed to find expected lines\b|\bString to replace not found\b|\bold_string\b"
    r"|\bNo replacement was performed\b",
    re.IGNORECASE,
)
"""A message with which a host refuses a call that was made in the wrong order or form."""
_NO_ERROR = re.compile(r"(?:error: )?(?:\d{1,6}[:-]|(?:[\w./-]+: )?(?:\w+)?warning\b)", re.IGNORECASE)
"""A numbered line of a file, or a warning, which a host calls an error because the status of the command was not 0."""
_PATH_OUTPUT = re.compile(r"error: /\S+")
"""A path that a command printed, which a host calls an error because a later command failed."""
_NO_REASON = re.compile(
    r".*[\[({:]$|\+ (?:CategoryInfo|FullyQualifiedErrorId)\b.*|=== (?:RUN|PAUSE|CONT)\b.*"
    r"|\W*(?:FAIL(?:ED)?|Terminated|Killed|Aborted|Interrupted|Error: \(none\)|\"status\": \"error\",?)\W*"
)
"""A line that breaks off, states no cause, or names what ran."""
_POLL = re.compile(r"output|poll|wait|stdin|process|terminal", re.IGNORECASE)
"""Words in the name of a tool that reads what another call has started."""
_CATEGORIES = ("+ CategoryInfo", "+ FullyQualifiedErrorId")
"""Beginnings of the lines that PowerShell writes below a message."""
MAX_WHOLE = 140
"""Characters up to which an error line is never cut."""
WHOLE_CHARS, LONG_CHARS, SHORT_CHARS = 260, 160, 80
"""Maximum characters of a command or an error in a bullet, in the longest, the long and the short form."""


def find_failure_items(calls: Sequence[ClassifiedCall]) -> Iterator[PageItem]:
    """Yield a page item for each failure that later work may meet, newest first.

    Of a command that failed differently later, only the last failure is told.
    """
    failed_calls = _merge_missing(failed for failed in find_open_failures(calls) if _is_worth_telling(failed))
    newest = {failed_call.attempt: failed_call for failed_call in failed_calls}
    for place, failed_call in enumerate(sorted(newest.values(), key=lambda failed: -failed.at)):
        score = 785 + 10 * failed_call.is_command - 6 * place
        yield PageItem("Errors", tuple(_make_forms(failed_call)), max(score, 702), failed_call.at)


def _merge_missing(failed_calls: Iterable[FailedCall]) -> tuple[FailedCall, ...]:
    """Return failures in order; of several that miss the same program, only the last."""
    merged: dict[str, FailedCall] = {}
    for failed_call in failed_calls:
        program = find_missing_program((failed_call.line, *failed_call.more_lines))
        key = program or str(failed_call.at)
        merged.pop(key, None)
        merged[key] = failed_call
    return tuple(merged.values())


def _is_worth_telling(failed_call: FailedCall) -> bool:
    """Return whether a failure belongs on a page: one that says what went wrong and that later work may meet.

    A failure without a line that states the cause, a call that the user declined, a refusal by the host, a search, its
    negative answer, a warning, a script that was typed in and a call that passed later do not belong there.
    """
    is_unnamed = not (failed_call.is_command or failed_call.target) and bool(_EDIT_NAME.search(failed_call.attempt))
    is_over = failed_call.is_declined or failed_call.is_mild or failed_call.is_passing or failed_call.resolution
    lines = list(filter(_tells_reason, (failed_call.line, *failed_call.more_lines)))
    is_success = all(map(_NO_ERROR.match, lines))
    is_refused = _REFUSAL.search(failed_call.line) or _KILL.match(failed_call.attempt)
    is_poll = not (failed_call.is_command or failed_call.target) and _is_poll(failed_call.attempt)
    return not (is_over or is_success or is_unnamed or is_refused or is_poll)


def _is_poll(attempt: str) -> bool:
    return attempt.removeprefix("`").isidentifier() and bool(_POLL.search(attempt))


def _tells_reason(line: str) -> bool:
    """Return whether a line says what went wrong, as a whole, and is not the output of another command."""
    return is_telling(line) and not (_PATH_OUTPUT.fullmatch(line) or _NO_REASON.fullmatch(line))


def _make_forms(failed_call: FailedCall) -> Iterator[str]:
    """Yield ever shorter bullets of a failure; each contains the command and the error line."""
    times = " (repeatedly)" if failed_call.repetitions > 1 else ""
    lines = list(filter(_tells_reason, _drop_repetitions((failed_call.line, *failed_call.more_lines))))
    lines = [line for line in lines if not line.startswith(_CATEGORIES)] or lines
    status = f" (exit {failed_call.status})" if failed_call.status else ""
    for max_chars, max_lines in (
        (WHOLE_CHARS, 4),
        (LONG_CHARS, 4),
        (LONG_CHARS, 2),
        (SHORT_CHARS, 2),
        (SHORT_CHARS, 1),
    ):
        errors = " / ".join(_clip_error(line, max_chars) for line in lines[:max_lines])
        message = f": {errors}" if errors else f" failed{status}"
        yield f"{_quote_attempt(failed_call, max_chars)}{times}{message}"


def _drop_repetitions(lines: Sequence[str]) -> list[str]:
    """Return error lines without those that say nothing, or that another one contains."""
    telling = [line for line in dict.fromkeys(lines) if _WORD.search(line)]
    return [line for line in telling if not any(line != other and line.strip(":. ") in other for other in telling)]


def _clip_error(line: str, max_chars: int) -> str:
    """Return an error line, or its beginning, without what more text would have to close."""
    if len(line) <= MAX_WHOLE:
        return close_message(line) if is_wrapped(line) else line
    clipped = clip_text(line, max_chars)
    return close_message(clipped) if clipped != line or is_wrapped(line) else line


def _quote_attempt(failed_call: FailedCall, max_chars: int) -> str:
    """Return the attempt with the quoted part verbatim: a command or the target of a tool."""
    if failed_call.target:
        return f"{failed_call.attempt.removesuffix(failed_call.target)}`{failed_call.target}`"
    attempt = find_telling_part(failed_call, max_chars)
    program = find_missing_program((failed_call.line, *failed_call.more_lines))
    if program and program not in attempt and not failed_call.script:
        return f"`{program}`"
    command = clip_text(attempt, max_chars)
    script = f" running `{failed_call.script}`" if failed_call.script else ""
    whole = close_command(command) if command != attempt else close_quotation(strip_operators(command))
    return f"`{whole}`{script}"
