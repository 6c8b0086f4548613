"""The outcome of a call: whether it failed, its exit status, the lines that say why; and which failures stayed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.summary.call_kind import CallKind, classify_call, command_of, path_of
from ctxkit.core.summary.tool_call import ToolCall, keep_last_result
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value
from ctxkit.core.text.severity import ERROR, NO_ERROR, WARNING, is_error_line, rate_severity
from ctxkit.core.text.shell_script import split_commands

_STATUS = re.compile(
    r"<returncode>\s*(-?\d+)|<exit_code>\s*(-?\d+)|^\W*(?:Process |Command |The command )?(?:finished |exited "
    r"|completed |failed )?(?:executed )?(?:with )?(?:exit|return|status)[ _-]?(?:code"
    r"|status)?(?: is)?[:= ]+\(?(-?\d+)\b(?![/.%])"
    r"|exited with (?:exit |status |return |error )?(?:code|status)? ?:?(-?\d+)"
    r"|(?:finished|failed|completed|terminated) with (?:exit |return |error )?(?:code|status) ?:?(-?\d+)"
    r"|^exitcode: (-?\d+)|\[exit(?: code)?:? (-?\d+)\]",
    re.MULTILINE | re.IGNORECASE,
)
_FAILURE_START = re.compile(
    r"\W*(?:<tool_use_error>|(?:apply_patch )?(?:fatal |tool |command |execution |verification |\w+)?"
    r"(?:error|failed|failure)\b[^\n]{0,60}?:(?!\s*0\b)"
    r"|(?:execution|command|process) timed out\b|MCP tool '[^'\n]{1,80}' reported tool error\b"
    r"|Ran into (?:\[Errno|an? (?:error|exception)\b))",
    re.IGNORECASE,
)
"""The beginning of the result of a call that failed."""
_SHELL_MESSAGE = re.compile(
    r"(?:command not found|No such file or directory|Permission denied"
    r"|not recognized as an internal or external command|Is a directory)\s*$",
    re.MULTILINE,
)
"""A message with which a shell or a program says that there is nothing to work with."""
_NOISE = re.compile(
    r"\W*(?:</?\w+>|<returncode>.*|(?:the |error: )?(?:process |command )?(?:exited|finished|failed)? ?(?:with )?"
    r"(?:exit|return|status) ?(?:code|status)?\W*-?\d+.*|exitcode: .*|Traceback \(most recent call last\):"
    r"|\(no output\)|(?:process |command )?exited with code -?\d+.*"
    r"|(?:Wall time|Chunk ID|Total output lines|Original token count|Command|Directory|Output): ?.*"
    r"|npm (?:ERR!|error)(?: A complete log.*| code .*| errno .*| path .*)?|\[(?:The command|Python interpreter"
    r"|Current working).*|ERRORS|FAILURES|bash-\$|For more information.*)\W*",
    re.IGNORECASE,
)
"""A line around an output, or one that only states that something failed."""
_OUTPUT_FIELDS, _EMPTY_FIELDS = ("\nOutput: ", "\nStdout: "), ("(empty)", "(none)")
"""Labels of the output of a command, and what stands in fields that hold nothing."""
_TAG = re.compile(r"</?(?:tool_use_error|error|output|stderr|stdout)>")
"""A tag that a host adds to an output."""
RULES = ("===", "---", "***", "###", "___")
"""Beginnings and ends of the rules on both sides of a heading."""
_WORD = re.compile(r"\w{2}|[^\x00-\x7f]")
_TROUBLE = re.compile(
    r"error|exception|fail|fatal|cannot|no such|not found|denied|panic|abort|(?-i:\bERR_)|^\u00d7 ", re.IGNORECASE
)
_CAUSE = re.compile(r"\w\.\w{1,5}[:(]\d+|\b[A-Z]\w*(?:Error|Exception): \S|^E  |^[\u00d7\u2716\u2717\u2718] ")
"""A place in a file, or a sign with which a tool begins its reason."""
_ENDED = re.compile(
    r"error: script \"|npm (?:error|ERR!) |ERR_PNPM_RECURSIVE|make(?:\[\d+\])?: \*\*\*|husky - |FAILED: "
    r"|error Command failed|\W*ELIFECYCLE|error: could not compile\b|(?:error: )?[Rr]ecipe .* failed|ERROR collecting"
    r"|Command (?:failed|exited)"
)
"""The beginning of a line with which a runner of other programs says that one failed."""
_DISPLAY = """
cat head tail less more bat nl grep egrep fgrep rg ag sed awk jq yq cut sort uniq wc find fd ls tree stat file du df ps
env printenv date pwd which type echo printf cd export set source read journalctl dmesg history diff cmp sleep test [
pgrep findstr open goto scroll_up scroll_down search_dir search_file find_file
"""
_DISPLAY_COMMANDS = frozenset(_DISPLAY.split())
"""Commands that show content that is there, also those of SWE-agent: an error in their output is not their own."""
_TOOLS = frozenset(("git", "gh", "kubectl", "docker"))
_SHOWN = "status log diff show blame branch list view get describe logs ps inspect checks api"
_SHOWING = frozenset(_SHOWN.split())
"""Tools with commands of their own, and those of these that show content."""
_DECLINED = re.compile(
    r"\W*(?:Error: )?(?:no result recorded|The user (?:does ?n['’]?o?t|did ?n['’]?o?t) want to"
    r"|\[?Request interrupted by user|User (?:rejected|denied|declined|cancell?ed)\b"
    r"|(?:exec )?command rejected by|(?:Command |Tool (?:call|use) |Operation )?(?:was )?(?:rejected|denied|declined"
    r"|cancell?ed|aborted) by (?:the )?user|The tool use was rejected)",
    re.IGNORECASE,
)
"""The beginning of a result with which a host says that a call did not run."""
_CANCELLED = re.compile(r"\W*(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call\b)")
"""The beginning of a result with which a host says that a call did not run because one beside it failed."""
_ECHO = "$ "
"""The beginning of a line with which a runner of scripts repeats a command before it runs it."""
_ENDS, _TAIL_LINES, MAX_LINE, MIN_WORDS = 20_000, 4, 400, 3
"""Characters at each end of a result that are searched, lines at its end that tell a failure, the longest line, and
words of the line with which a tool, other than a shell, begins to say why.
"""
_HIDDEN = re.compile(r"[|;\n]")
"""A sign between the commands of a script after which its status is that of the last one."""
STATED = re.compile(r"Exit code:? [1-9]")
"""The beginning of the result of a command that failed, of agents that state only such a status."""


class CallOutcome(NamedTuple):
    """Whether a call failed, its exit status if known, and the lines that say why."""

    failed: bool
    status: int | None = None
    error_lines: tuple[str, ...] = ()


def read_outcome(call: ToolCall, kind: CallKind, *, is_stated: bool = False) -> CallOutcome:
    """Return the outcome of a call of a given kind; a call that did not run has not failed.

    ``is_stated`` tells that the agent states the status of commands that fail: one without it passed, whatever words
    its output contains, unless a pipe or a list hides the status.
    """
    text, status = _read_ends(call.text)
    if _is_cancelled(call.text):
        return CallOutcome(True, None, (strip_rules(_TAG.sub("", call.text)),))
    if call.answered_at < 0 or is_declined(call.text):
        return CallOutcome(False, status)
    rows = [strip_rules(_TAG.sub("", line)) for line in strip_escapes(text).splitlines()]
    lines = [line for line in rows if _says_something(line)]
    is_known = status is not None or (is_stated and _states_status(call, kind))
    if not (call.failed or status or (not is_known and _looks_failed(call, kind, text, lines))):
        return CallOutcome(False, status)
    return CallOutcome(True, status, _find_reasons(kind, lines, _find_stated_status(rows, status)))


def _find_stated_status(rows: Iterable[str], status: int | None) -> str:
    """Return the line that states the status of a failed command, empty without a status."""
    return next(filter(_STATUS.search, rows), f"exit status {status}") if status else ""


def _find_reasons(kind: CallKind, lines: Sequence[str], stated: str) -> tuple[str, ...]:
    """Return the lines that say why a call failed: of a command those of its output, of other tools their sentence."""
    sentence = next((line for line in lines if len(line.split()) >= MIN_WORDS), "")
    if sentence and kind != "run":
        return (sentence,)
    return tuple(_choose_lines(lines, stated))


def _read_ends(result: str) -> tuple[str, int | None]:
    """Return the ends of an output, of a short one all of it, and the exit status that is stated beside or in it."""
    text, status = unwrap_output(result)
    text = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    return text, find_status(text) if status is None else status


def _states_status(call: ToolCall, kind: CallKind) -> bool:
    """Return whether the status of a command is that of what it runs: no pipe or list hides it."""
    return kind == "run" and not _HIDDEN.search(command_of(call))


def _says_something(line: str) -> bool:
    """Return whether a line of output has words, and is neither an echo of the command nor noise."""
    return bool(_WORD.search(line)) and not (line.startswith(_ECHO) or _NOISE.fullmatch(line))


def strip_rules(line: str) -> str:
    """Return a line without blanks and without the rules on both sides of a heading.

    >>> strip_rules("==== 3 passed in 0.1s ===="), strip_rules("- a")
    ('3 passed in 0.1s', '- a')
    """
    line = line.strip()
    return line.strip("=-*#_ ") if line.startswith(RULES) and line.endswith(RULES) else line


def _choose_lines(lines: Sequence[str], stated: str) -> list[str]:
    """Return the first line that reports an error, the first that has a cause, and the last that mentions one.

    Without a line that speaks of an error, the line that ``stated`` the status, else the first of all, and the last are
    returned.
    """
    short = [line for line in lines if len(line) <= MAX_LINE] or [line[:MAX_LINE] for line in lines[-1:]]
    mentions = [line for line in short if _mentions_trouble(line)]
    mentions = [line for line in mentions if line[-1] != ":" or _CAUSE.search(line)] or mentions
    if not mentions:
        return list(dict.fromkeys((*((stated,) if stated else short[:1]), *short[-1:])))
    causes = [line for line in mentions if _CAUSE.search(line)]
    best_lines = {max(mentions, key=_rank_report), *causes[:1], mentions[-1]}
    return [line for line in dict.fromkeys(mentions) if line in best_lines]


def _mentions_trouble(line: str) -> bool:
    return is_error_line(line) or (_TROUBLE.search(line) is not None and NO_ERROR.search(line) is None)


def _rank_report(line: str) -> tuple[bool, ...]:
    """Return the rank of a line that speaks of an error: a report, a count, and at last a mention.

    A line that only tells that a program of several ended comes behind all others.
    """
    severity = rate_severity(line)
    is_report = severity == ERROR or line.startswith("ERR_")
    return (not _ENDED.match(line), is_report, severity > ERROR, is_error_line(line))


def _looks_failed(call: ToolCall, kind: CallKind, text: str, lines: Sequence[str]) -> bool:
    """Return whether a result without a status reads as that of a failed call."""
    if _FAILURE_START.match(text):
        return True
    if kind != "run" or not lines:
        return False
    if len(lines) < 12 and _SHELL_MESSAGE.search(text[:600]):
        return True
    ends = lines[-_TAIL_LINES:]
    return any(map(_reports_error, ends)) and not shows_content(command_of(call))


def _is_shell_message(line: str) -> bool:
    """Return whether a line says that there is nothing to work with: the agent went another way."""
    return _SHELL_MESSAGE.search(line) is not None


def _reports_error(line: str) -> bool:
    return is_error_line(line) and rate_severity(line) != WARNING


def shows_content(command: str) -> bool:
    """Return whether a command only shows content that is there, such as files, logs and lists."""
    return all(_shows([word for word in words if word[:1] != "-"]) for words, _ in split_commands(command) if words)


def _shows(words: Sequence[str]) -> bool:
    """Return whether a command shows content; its tool may stand behind a program that runs it, and before a path."""
    names = [word.rsplit("/", 1)[-1] for word in words[:5]]
    shows = not (_TOOLS.isdisjoint(names[:3]) or _SHOWING.isdisjoint(names[1:]))
    return shows or not _DISPLAY_COMMANDS.isdisjoint(names[:1])


def is_declined(text: str) -> bool:
    """Return whether a result says that the call did not run."""
    return _is_cancelled(text) or bool(_DECLINED.match(text[:400]))


def _is_cancelled(text: str) -> bool:
    """Return whether a result says that the call did not run because one beside it failed."""
    return bool(_CANCELLED.match(text[:400]))


def find_status(text: str) -> int | None:
    """Return the exit status in the first or last lines of a text, None if there is none."""
    for part in (text[:400], text[-400:]):
        if match := _STATUS.search(part):
            return int(next(group for group in match.groups() if group is not None))
    return None


def read_wrapped_status(text: str) -> int | None:
    """Return the exit status that an agent writes around the output of a command, None if it writes none."""
    return unwrap_output(text)[1]


def unwrap_output(text: str) -> tuple[str, int | None]:
    """Return the output and the status of a command without the fields, the header or the JSON that an agent writes.

    >>> unwrap_output('{"output": "ok", "metadata": {"exit_code": 0}}')
    ('ok', 0)
    """
    return read_output_fields(text) or _unwrap_json(text)


def _unwrap_json(text: str) -> tuple[str, int | None]:
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


def read_output_fields(text: str) -> tuple[str, int | None] | None:
    """Return the output, the error and the status in the labelled fields of Gemini CLI and Qwen Code, else None.

    >>> read_output_fields("Command: make\\nDirectory: (root)\\nOutput: (empty)\\nError: (none)\\nExit Code: 1\\n")
    ('', 1)
    """
    status_at = text.rfind("\nExit Code: ") if text.startswith("Command: ") else -1
    error_at = text.rfind("\nError: ", 0, max(status_at, 0))
    label = min((name for name in _OUTPUT_FIELDS if 0 <= text.find(name) < error_at), key=text.find, default="")
    if not label:
        return None
    output, error = text[text.find(label) + len(label) : error_at], text[error_at + len("\nError: ") : status_at]
    parts = (part for part in (output.removesuffix("\nStderr: (empty)"), error) if part.strip() not in _EMPTY_FIELDS)
    return "\n".join(parts), find_status(text[status_at:])


class ClassifiedCall(NamedTuple):
    """A tool call with its kind and outcome."""

    call: ToolCall
    kind: CallKind
    outcome: CallOutcome


@keep_last_result
def classify_calls(calls: Sequence[ToolCall]) -> tuple[ClassifiedCall, ...]:
    """Return tool calls with their kinds and outcomes."""
    kinds = [classify_call(call) for call in calls]
    is_stated = any(
        kind == "run" and (call.failed or STATED.match(call.text)) for call, kind in zip(calls, kinds, strict=True)
    )
    return tuple(
        ClassifiedCall(call, kind, read_outcome(call, kind, is_stated=is_stated))
        for call, kind in zip(calls, kinds, strict=True)
    )


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
_EDITED = "passes since the edit of "
"""The beginning of a resolution that names what was edited."""
_MAX_ATTEMPT, _MAX_TARGET = 200, 80
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
            passed |= dict.fromkeys(_list_passed_keys(call, kind, attempt), len(edited))
        elif attempt and (kind, attempt) not in failures:
            resolution = _find_resolution(key, passed, edited)
            failure = FailedCall(at, attempt, outcome.error_lines, resolution, _is_look(call, kind), False)
            is_new = kind == "run" and not failure.is_look and seen.isdisjoint((key, failure.lines[:1]))
            failures[kind, attempt] = failure._replace(is_told=is_new and _is_telling(call, failure))
            seen |= {key, failure.lines[:1]}
    return tuple(reversed(failures.values()))


def _list_passed_keys(call: ToolCall, kind: CallKind, attempt: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of what a call shows to pass: the call, and the commands that it joins with &&."""
    if call.answered_at < 0 or _selects_output(attempt):
        return
    yield find_key(call, kind, attempt)
    if kind == "run" and "\n" not in command_of(call):
        yield from (find_key(call, kind, part) for part in attempt.split(" && "))


def _is_look(call: ToolCall, kind: CallKind) -> bool:
    """Return whether a call only looks at something, or did not run."""
    return kind == "read" or _is_cancelled(call.text) or (kind == "run" and shows_content(command_of(call)))


def _is_telling(call: ToolCall, failure: FailedCall) -> bool:
    """Return whether a failed command ran, edits no lines, is whole in its attempt, and passed only after an edit."""
    is_whole = sum(not _SETUP.match(line) for line in _list_lines(command_of(call))) == 1
    if not is_whole or failure.attempt.endswith(CUT) or _RANGE.match(failure.attempt):
        return False
    is_resolved = failure.resolution and not failure.resolution.startswith(_EDITED)
    return not is_resolved and not any(map(_is_shell_message, failure.lines))


def _list_lines(command: str) -> list[str]:
    return [" ".join(line.split()) for line in command.replace("\\\n", " ").splitlines() if line.strip()]


def _find_resolution(key: tuple[str, str], passed: Mapping[tuple[str, str], int], edited: Sequence[str]) -> str:
    """Return how a failed call was resolved later: by the same call, or by one of all that is in a folder of its path.

    ``edited`` are the edits from the end, ``passed`` how many of them stand behind the pass of a call.
    """
    kind, words = key
    if key in passed and kind == "run" and (before := edited[passed[key] : passed[key] + 1]):
        return f"{_EDITED}{before[0]}"
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
        if len(first) > _MAX_ATTEMPT:
            first = first[: first.rfind(" ", _MAX_ATTEMPT // 2, _MAX_ATTEMPT)]
        elif not _DOCUMENT.search(first):
            return first
        return f"{first}{CUT}"
    target = path_of(call) or " ".join(call.first_string(*_TARGETS).split())[:_MAX_TARGET]
    return " ".join(filter(None, (call.name, target)))


def _selects_output(attempt: str) -> bool:
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
