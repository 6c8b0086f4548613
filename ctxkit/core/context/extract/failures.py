"""Failed calls, with their error lines and their resolutions."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from ctxkit.core.context.extract.call_kind import CallKind, command_of, path_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.clip import clip_text, close_command, close_message, is_wrapped, strip_operators
from ctxkit.core.context.extract.error_lines import is_telling
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.outcome import CallOutcome, is_declined, is_display_command, is_negative_answer
from ctxkit.core.context.extract.tool_call import ToolCall

_EDIT_NAME = re.compile(r"edit|replace|write", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2}")
_SETUP = re.compile(
    r"(?:#|(?:cd|set|export|source|\.|unset|ulimit|pushd|shopt) (?!.*(?:&&|;|\|\|)))|[A-Z_]+=\S*$", re.ASCII
)
"""A line of a script that prepares the command after it."""
_CONTINUED = re.compile(r"\\[ \t]*\n")
"""The end of a line that the next one continues."""
_BLOCK_WORD = re.compile(r"(?:for|while|until|if|case|do|then|else|done|fi|esac|function)\b|[{}]")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*['\"]?(\w+)")
_DECLARATION = re.compile(
    r"[ \t]*(?:import |from |def |class |#|@|with |for |if |else|try|except|return\b|[\]})\"']|$)"
)
_KILL = re.compile(r"(?:sudo )?(?:kill|pkill|killall)\b|.*&\s*$")
"""A command that ends a process, or starts one in the background: its status is not that of the work."""
_REFUSAL = re.compile(
    r"\bhas not been read yet\b|\bexceeds maximum allowed tokens\b|\bmodified since (?:it was )?(?:last )?read\b"
    r"|\bFailed to find expected lines\b|\bString to replace not found\b|\bold_string\b"
    r"|\bNo replacement was performed\b",
    re.IGNORECASE,
)
"""A message with which a host refuses a call that was made in the wrong order or form."""
MAX_WHOLE = 140
"""Characters up to which an error line is never cut."""
MAX_SCRIPT, MAX_OPENING = 80, 500
"""Maximum characters of the line that names a script, and of the line before a here-document that are searched."""
WHOLE_CHARS, LONG_CHARS, SHORT_CHARS = 260, 160, 80
"""Maximum characters of a command or an error in a bullet, in the longest, the long and the short form."""


class FailedCall(NamedTuple):
    """A failed call: the attempt, its error line, ``more_lines`` and its resolution.

    ``target`` is the argument at the end of ``attempt``, empty for a command. ``script`` is a telling line of the text
    that the command runs. A failure ``is_mild`` if it is only a negative answer, which ``is_stale`` after a later
    change, ``is_declined`` if the user did not allow the call, and ``is_passing`` if it is of a search or of a script
    that later ones replaced.
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
                is_declined(call.text),
                is_mild and later.has_changes,
                kind == "run" and _is_passing(call, outcome, has_successes=later.has_successes),
            )
    return tuple(reversed(failed_calls.values()))


class _LaterSuccesses:
    """The successful calls after a failure, collected in reverse order."""

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], int] = {}
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
            if kind == "run" and (script := find_script_line(command_of(call))):
                self._passed[kind, f"{attempt}\n{script}"] = len(self._edits)

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


def _is_passing(call: ToolCall, outcome: CallOutcome, *, has_successes: bool) -> bool:
    """Return whether a failed command was a search, a script typed in before later work, or says nothing."""
    command = command_of(call)
    if is_display_command(command) or (has_successes and "<<" in command):
        return True
    says_nothing = not any(map(is_telling, (outcome.error_line, *outcome.more_lines)))
    return says_nothing and outcome.status in (None, 1, 2)


def describe_attempt(call: ToolCall, kind: CallKind) -> str:
    """Return the attempt of a call as one line: the first working line of its command, or the tool and its target."""
    command = command_of(call) if kind == "run" else ""
    if command:
        lines = [" ".join(line.split()) for line in _CONTINUED.sub(" ", command).splitlines() if line.strip()]
        return next((line for line in lines if not _SETUP.match(line)), lines[0])
    subcommand = call.first_string("command") if path_of(call) else ""
    return " ".join(filter(None, (call.name, subcommand, describe_target(call))))


def find_script_lines(call: ToolCall) -> list[str]:
    """Return the working lines of a command, each on one line; none if it contains a document or a loop."""
    command = _CONTINUED.sub(" ", command_of(call))
    lines = [" ".join(line.split()) for line in command.splitlines() if line.strip()]
    is_plain = "<<" not in command and not any(_BLOCK_WORD.match(line) for line in lines)
    return [line for line in lines if not line.startswith("#")] if is_plain else []


def find_script_line(command: str) -> str:
    """Return the last statement of the here-document that a command runs, empty if there is none.

    >>> find_script_line("python - <<'EOF'\\nimport app\\nprint(app.run(3))\\nEOF")
    'print(app.run(3))'
    """
    lines = command.splitlines()
    start = next((at for at, line in enumerate(lines) if "<<" in line), -1)
    match = _HERE_DOCUMENT.search(lines[start][:MAX_OPENING]) if start >= 0 else None
    if match is None or lines[start].lstrip().startswith(("cat", "tee")):
        return ""
    end = match[1]
    body = takewhile(lambda line: line.split()[:1] != [end], lines[start + 1 :])
    statements = [line.strip() for line in body if not _DECLARATION.match(line)]
    return next((line for line in reversed(statements) if len(line) <= MAX_SCRIPT and "`" not in line), "")


def describe_target(call: ToolCall) -> str:
    """Return the target of a tool: a file, or a shortened pattern, URL or description."""
    return path_of(call) or clip_text(
        " ".join(call.first_string("pattern", "query", "url", "description").split()), SHORT_CHARS
    )


def _normalize_attempt(call: ToolCall, kind: CallKind, attempt: str) -> str:
    """Return a key for equal calls: a command without its options, its directory and its output filters."""
    command = command_of(call) if kind == "run" else ""
    if "\n" in command:
        return " ".join(command.split())
    core = attempt.split(" | ")[0].replace("2>&1", "").strip()
    while core.startswith("cd ") and "&&" in core:
        core = core.split("&&", 1)[1].strip()
    return " ".join(word for word in core.split() if not word.startswith("-"))


def find_failure_items(calls: Sequence[ClassifiedCall]) -> Iterator[PageItem]:
    """Yield a page item for each failure that later work may meet, newest first.

    Failures of a command that failed differently later come last.
    """
    failed_calls = tuple(failed for failed in find_failures(calls) if _is_worth_telling(failed))
    newest = {failed_call.attempt: failed_call.at for failed_call in failed_calls}
    ordered = sorted(failed_calls, key=lambda failed: (failed.at < newest[failed.attempt], -failed.at))
    for place, failed_call in enumerate(ordered):
        score = 785 + 10 * failed_call.is_command - 6 * place
        yield PageItem("Errors", tuple(_make_forms(failed_call)), max(score, 702), failed_call.at)


def _is_worth_telling(failed_call: FailedCall) -> bool:
    """Return whether a failure belongs on a page: one that says what went wrong and that later work may meet.

    A call that the user declined, a refusal by the host, a search, its negative answer, a script that was typed in and
    a call that passed later do not belong there.
    """
    is_unnamed = not (failed_call.is_command or failed_call.target) and bool(_EDIT_NAME.search(failed_call.attempt))
    is_over = failed_call.is_declined or failed_call.is_mild or failed_call.is_passing or failed_call.resolution
    return not (is_over or is_unnamed or _REFUSAL.search(failed_call.line) or _KILL.match(failed_call.attempt))


def _make_forms(failed_call: FailedCall) -> Iterator[str]:
    """Yield ever shorter bullets of a failure; each contains the command and the error line."""
    times = " (repeatedly)" if failed_call.repetitions > 1 else ""
    lines = list(filter(is_telling, _drop_repetitions((failed_call.line, *failed_call.more_lines))))
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
    command = clip_text(failed_call.attempt, max_chars)
    script = f" running `{failed_call.script}`" if failed_call.script else ""
    return f"`{close_command(command) if command != failed_call.attempt else strip_operators(command)}`{script}"
