"""The outcome of a call, read from its result: the exit status and the error line."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.call_kind import CallKind, command_of
from ctxkit.core.context.extract.error_lines import (
    TRACE,
    drop_profile_lines,
    find_error_lines,
    has_error_word,
    is_failed_output,
)
from ctxkit.core.context.extract.output_fields import read_output_fields
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.context.extract.tool_error import read_tool_error
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value
from ctxkit.core.text.shell_script import split_commands

_STATUS = re.compile(
    r"<returncode>\s*(-?\d+)|<exit_code>\s*(-?\d+)|^\W*(?:Process |Command |The command )?(?:finished |exited "
    r"|completed |failed )?"
    r"(?:executed )?(?:with )?(?:exit|return|status)[ _-]?(?:code|status)?(?: is)?[:= ]+\(?(-?\d+)\b"
    r"|exited with (?:exit |status |return |error )?(?:code|status)? ?:?(-?\d+)"
    r"|(?:finished|failed|completed|terminated) with (?:exit |return |error )?(?:code|status) ?:?(-?\d+)"
    r"|^exitcode: (-?\d+)|\[exit(?: code)?:? (-?\d+)\]",
    re.MULTILINE | re.IGNORECASE,
)
_ERROR_START = re.compile(
    r"^\W*(?:<tool_use_error>|(?:fatal |tool |command |execution )?(?:error|failed|failure)\b\s*:"
    r"|(?:execution|command|process) timed out\b|Ran into (?:\[Errno|an? (?:error|exception)\b)"
    r"|MCP tool '[^'\n]{1,80}' reported tool error\b)",
    re.IGNORECASE,
)
_STATUS_LINE = re.compile(
    r"<(returncode|exit_code)>\s*-?\d+\s*</\1>$|(?:Process |Command |The command )?.{0,40}\b(?:exit|return|status)"
    r"[ _-]?(?:code|status)?\W{1,3}-?\d+\W{0,2}$|exitcode: -?\d+.{0,40}$|.{0,40}\bexited with (?:code|status) -?\d+\W?$"
    r"|Command (?:aborted|timed out|was interrupted)\b.{0,60}$",
    re.IGNORECASE,
)
_SHELL = re.compile(
    r"^(?:/?[\w./-]+: (?:line \d+: )?)?(?:[\w./-]+: )*.{0,160}?(?:command not found|No such file or directory"
    r"|Permission denied"
    r"|not recognized as an internal or external command|cannot access .*|Is a directory)\s*$",
    re.MULTILINE,
)
_NOTHING_FOUND = ("grep", "rg", "egrep", "fgrep", "findstr", "diff", "test", "[", "which", "pgrep", "cmp", "ls")
"""Commands whose status 1 is an answer; it is not a failure if they print nothing."""
_INTERRUPTED = (130, 3221225786, -1073741510)
"""The statuses of commands that Ctrl-C ended: that of shells, and both notations of Windows' STATUS_CONTROL_C_EXIT."""
_DISPLAY_WORDS = """
cat head tail less more bat nl tac grep egrep fgrep rg ag ack sed awk gawk jq yq cut sort uniq wc tr column xxd strings
find fd ls tree stat file du df ps env printenv date pwd whoami uname which type echo printf cd pushd popd export set
source . true read journalctl dmesg history man diff cmp comm tee sleep mkdir xargs test [
"""
_DISPLAY_COMMANDS = frozenset(_DISPLAY_WORDS.split())
_DISPLAY_SUBCOMMANDS = {
    "git": frozenset(("log", "show", "diff", "grep", "blame", "status", "branch", "remote", "config", "ls-files")),
    "docker": frozenset(("logs", "ps", "images", "inspect")),
    "kubectl": frozenset(("logs", "get", "describe")),
    "gh": frozenset(("run", "issue", "pr", "api")),
}
"""Commands and subcommands that display existing content: an error in their output is not their own."""
_DECLINED = re.compile(
    r"\W*(?:Error: |error: )?(?:The user (?:doesn'?t|does not|did not|didn'?t) want to (?:proceed"
    r"|take this action|run|allow)"
    r"|(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call\b)"
    r"|\[Request interrupted by user|Request interrupted by user|User (?:rejected|denied|declined|cancelled|canceled)\b"
    r"|(?:exec )?command rejected by (?:the )?user|(?:Command |Tool (?:call|use) |Operation )?(?:was )?"
    r"(?:rejected|denied|declined|cancelled|canceled|aborted) by (?:the )?user|The tool use was rejected"
    r"|aborted by user)",
    re.IGNORECASE,
)
"""The beginning of a result with which a host says that the user did not allow a call, or that it did not run since
another call beside it failed."""
HEAD_CHARS, TAIL_CHARS = 20_000, 20_000
"""Characters at each end of a result to search for statuses and errors."""


class CallOutcome(NamedTuple):
    """Whether a call failed, its exit status if known, and its best error line.

    ``more_lines`` are further error lines: the last, the first certain one, and the status line if it adds an error.
    """

    failed: bool
    status: int | None
    error_line: str
    more_lines: tuple[str, ...] = ()


def read_outcome(call: ToolCall, kind: CallKind) -> CallOutcome:
    """Return the outcome of a call of a given kind."""
    text, json_status = _unwrap(call.text)
    excerpt = text if len(text) <= HEAD_CHARS + TAIL_CHARS else f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:]}"
    excerpt = drop_profile_lines(excerpt)
    status = json_status if json_status is not None else find_status(excerpt)
    failed = call.failed or bool(status) or (status is None and _is_failure(call, kind, excerpt))
    if not failed:
        return CallOutcome(False, status, "")
    line, *more = find_error_lines(read_tool_error(text) if text.startswith(("MCP ", "{")) else excerpt) or [""]
    status_line = _find_status_line(excerpt)
    if status_line not in ("", line, *more) and (
        has_error_word(status_line) or not any(map(has_error_word, (line, *more)))
    ):
        more.append(status_line)
    return CallOutcome(True, status, line, tuple(more))


def read_output(text: str) -> str:
    """Return the output of a command without the JSON, or the header, in which an agent wraps it.

    >>> read_output('{"output": "ok", "metadata": {"exit_code": 0}}')
    'ok'
    """
    return _unwrap(text)[0]


def read_wrapped_status(text: str) -> int | None:
    """Return the exit status that an agent writes around the output of a command, None if it writes none."""
    return _unwrap(text)[1]


def _unwrap(text: str) -> tuple[str, int | None]:
    return read_output_fields(text) or _unwrap_echo(text) or _unwrap_json(text)


def _unwrap_echo(text: str) -> tuple[str, int | None] | None:
    """Return the output and the status of a result in which Codex repeats the command, None for any other result."""
    header = text.find("\nChunk ID: ") if text.startswith("Command: ") else -1
    output = text.find("\nOutput:\n", header) if header >= 0 else -1
    return (text[output + len("\nOutput:\n") :], find_status(text[header:output])) if output >= 0 else None


def _unwrap_json(text: str) -> tuple[str, int | None]:
    """Return the output and the status of a command from a JSON result, as Codex and other agents write it."""
    if text[:1] != "{" or len(text) > 1_000_000 or '"output"' not in text[:40] + text[-400:]:
        return text, None
    try:
        value, _ = decode_value(text, 0)
    except (InvalidJsonError, JsonTooDeepError):
        return text, None
    output: JsonValue = value.get("output")
    metadata = value.get("metadata")
    code = (metadata if isinstance(metadata, Mapping) else value).get("exit_code")
    return (output if isinstance(output, str) else text), (code if isinstance(code, int) else None)


def is_declined(text: str) -> bool:
    """Return whether a result says that the user did not allow the call."""
    return bool(_DECLINED.match(text[:400]))


def is_interrupted(call_outcome: CallOutcome) -> bool:
    """Return whether Ctrl-C ended a command, so that its status does not say that it failed."""
    return call_outcome.status in _INTERRUPTED


def find_status(text: str) -> int | None:
    """Return the exit status in the first or last lines of a text, None if there is none."""
    for part in (text[:400], text[-400:]):
        if match := _STATUS.search(part):
            return int(next(group for group in match.groups() if group is not None))
    return None


def _find_status_line(text: str) -> str:
    """Return the line that states the exit status, empty if there is none."""
    lines = [line.strip() for part in (text[-400:], text[:400]) for line in part.splitlines()]
    return next((line for line in lines if _STATUS_LINE.match(line)), "")


def _is_failure(call: ToolCall, kind: CallKind, text: str) -> bool:
    """Return whether a result without a status looks like a failure."""
    if _ERROR_START.match(text):
        return True
    if kind != "run":
        return False
    if _SHELL.search(text[:600]) and text.count("\n") < 12:
        return True
    return (TRACE in text[-6000:] or is_failed_output(text)) and not is_display_command(command_of(call))


def is_display_command(command: str) -> bool:
    """Return whether a command only displays existing content, such as files, logs and lists."""
    return all(map(_is_display, (words for words, _ in split_commands(command))))


def _is_display(words: Sequence[str]) -> bool:
    if not words:
        return True
    name = words[0].rsplit("/", 1)[-1]
    subcommands = [word for word in words[1:] if word != "compose"][:1]
    return name in _DISPLAY_COMMANDS or bool(_DISPLAY_SUBCOMMANDS.get(name, frozenset()).intersection(subcommands))


def is_negative_answer(call: ToolCall, call_outcome: CallOutcome) -> bool:
    """Return whether a failed command only gave a negative answer, such as no match and no output."""
    if call_outcome.error_line or call_outcome.status not in (1, None):
        return False
    words = [words[0] for words, _ in split_commands(command_of(call)) if words]
    return bool(words) and words[-1] in _NOTHING_FOUND
