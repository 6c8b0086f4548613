"""How a call ended, read from what came back: its status, and the line that says what went wrong."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxkit.core.brief.data.positions import Broken, TooDeep, decode
from ctxkit.core.context.extract.acts import Act, command_of
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.shell import simple_commands

_STATUS = re.compile(
    r"<returncode>\s*(-?\d+)|<exit_code>\s*(-?\d+)|^\W*(?:Process |Command |The command )?(?:finished |exited "
    r"|completed |failed )?"
    r"(?:executed )?(?:with )?(?:exit|return|status)[ _-]?(?:code|status)?(?: is)?[:= ]+\(?(-?\d+)\b"
    r"|(?:exited|finished|failed|completed|terminated) with (?:exit |status |return |error )?(?:code"
    r"|status)? ?:?(-?\d+)"
    r"|^exitcode: (-?\d+)|\[exit(?: code)?:? (-?\d+)\]",
    re.MULTILINE | re.IGNORECASE,
)
_TOLD = re.compile(
    r"^\W*(?:<tool_use_error>|(?:fatal |tool |command |execution )?(?:error|failed|failure)\b\s*:)", re.IGNORECASE
)
_TRACE = "Traceback (most recent call last)"
_RAISED = re.compile(
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Failure|NotFound)\b(?::.*)?$", re.MULTILINE
)
_SHELL = re.compile(
    r"^(?:/?[\w./-]+: (?:line \d+: )?)?(?:[\w./-]+: )*.{0,160}?(?:command not found|No such file or directory"
    r"|Permission denied"
    r"|not recognized as an internal or external command|cannot access .*|Is a directory)\s*$",
    re.MULTILINE,
)
_NAMED = re.compile(
    r"^(?:[\w.]+\.)?(?:[A-Z]\w*)?(?:Error|Exception)\b(?: \[\w+\])?: \S|^(?:error|fatal|ERROR|FATAL)(?:\[\w+\])?: \S"
)
_STRONG = re.compile(
    r"\berror(?:\[\w+\])?\s*[:!]|\berror TS\d+|\bfatal\b|\bpanic(?:ked)?\b|\b[A-Z]\w*(?:Error|Exception)\b|ERR!"
    r"|\bE {3,}|^FAILED |^FAIL\b"
    r"|command not found|No such file|not found|[Cc]annot |[Cc]an't |[Cc]ould not |[Uu]nable to|denied|refused"
    r"|timed out|undefined reference",
    re.MULTILINE,
)
_TROUBLE = re.compile(r"error|fail|fatal|exception|panic|not found|no such|denied|cannot", re.IGNORECASE)
_WEAK = re.compile(r"\berror|\bfail|\binvalid|\bunexpected|\bmissing|\bwarning|\bnot\b", re.IGNORECASE)
_NOISE = re.compile(
    r"^\s*(?:$|\(no output\)$|[-=~_*#^|+.]+$|</?(?:output|returncode|stdout|stderr|tool_use_error|error)>\s*$"
    r"|<returncode>\s*-?\d+</returncode>"
    r"|(?:Process |Command )?(?:exited|finished)? ?(?:with )?exit ?code:? ?-?\d+\W*$|Command exited with code -?\d+$"
    r"|exitcode: .*|Code output:\s*$|\(Open file: .*|\(Current directory: .*|bash-\$\s*$"
    r"|Traceback \(most recent call last\):"
    r"|(?:Wall time|Chunk ID|Total output lines|Original token count): .*|Output:\s*$|Process exited with code .*"
    r"|Error:\s*$|npm ERR! A complete log.*"
    r"|\[(?:The command|Command finished|Python interpreter|Current working|Jupyter).*)",
    re.IGNORECASE,
)
_COLOURS = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_NOTHING_FOUND = ("grep", "rg", "egrep", "diff", "test", "[", "which", "pgrep", "cmp", "ls")
"""Commands whose status 1 is an answer; where they print nothing it is not told as a failure."""
LONGEST = 500
"""Characters of a line that can say what went wrong; a longer one is code or data."""
HEAD, TAIL = 20_000, 20_000
"""Characters of a result that are looked at: statuses and errors stand near its ends."""


class Outcome(NamedTuple):
    """Hold whether a call failed, its exit status where one is told, and the line that says what went wrong.

    ``more`` are the first line that looks like trouble and the last one, where they are others.
    """

    failed: bool
    status: int | None
    line: str
    more: tuple[str, ...] = ()


def outcome(deed: Deed, kind: Act) -> Outcome:
    """Return how a call of that kind ended."""
    text, told = _unwrapped(deed.text)
    near = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
    status = told if told is not None else status_of(near)
    failed = deed.failed or bool(status) or (status is None and _fails(kind, near))
    if not failed:
        return Outcome(False, status, "")
    line, *more = error_lines(near) or [""]
    return Outcome(True, status, line, tuple(more))


def _unwrapped(text: str) -> tuple[str, int | None]:
    """Return what a command printed, and its status, where both stand in JSON as Codex and others write it."""
    if text[:1] != "{" or len(text) > 1_000_000 or '"output"' not in text[:40] + text[-400:]:
        return text, None
    try:
        value, _ = decode(text, 0)
    except (Broken, TooDeep):
        return text, None
    held: Any = value.get("output")
    metadata = value.get("metadata")
    code = (metadata if isinstance(metadata, Mapping) else value).get("exit_code")
    return (held if isinstance(held, str) else text), (code if isinstance(code, int) else None)


def status_of(text: str) -> int | None:
    """Return the exit status that a text tells in its first or last lines, None where it tells none."""
    for part in (text[:400], text[-400:]):
        if found := _STATUS.search(part):
            return int(next(group for group in found.groups() if group is not None))
    return None


def _fails(kind: Act, text: str) -> bool:
    """Tell whether a result reads like a failure where nothing says how the call ended."""
    if _TOLD.match(text):
        return True
    if kind != "run":
        return False
    return _TRACE in text[-6000:] or bool(_SHELL.search(text[:600]) and text.count("\n") < 12)


def error_lines(text: str) -> list[str]:
    """Return the lines of a text that say what went wrong, the best first, as they stand but for blanks and colours.

    The others are the first that looks like trouble, and the last.
    """
    text = _COLOURS.sub("", text)
    lines = [line.strip() for line in text.splitlines() if not _NOISE.match(line)]
    short = [line for line in lines if len(line) <= LONGEST] or lines
    if not short:
        return []
    signs = [line for line in short if _TROUBLE.search(line)]
    found = [_best(text, short), *signs[:1], short[-1]]
    return list(dict.fromkeys(filter(None, map(_plain, found))))


def _best(text: str, lines: list[str]) -> str:
    if _TRACE in text and (raised := [found[0] for found in _RAISED.finditer(text)]):
        return raised[-1].strip()
    for pattern in (_NAMED, _STRONG, _WEAK):
        if found := next((line for line in lines if pattern.search(line)), ""):
            return found
    return lines[-1]


def _plain(line: str) -> str:
    """Return a line without the tags that hosts put round errors."""
    return re.sub(r"</?(?:tool_use_error|error|output|stderr|stdout)>", "", line).strip()


def answers_no(deed: Deed, made: Outcome) -> bool:
    """Tell whether a failed command only said no: nothing was found, nothing was printed."""
    if made.line or made.status not in (1, None):
        return False
    words = [words[0] for words, _ in simple_commands(command_of(deed)) if words]
    return bool(words) and words[-1] in _NOTHING_FOUND
