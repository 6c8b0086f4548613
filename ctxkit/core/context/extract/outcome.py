"""How a call ended, read from what came back: its status, and the line that says what went wrong."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.context.extract.acts import Act, command_of
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.shell import simple_commands
from ctxkit.core.context.extract.signs import TRACE, ends_badly, error_lines, names_error
from ctxkit.core.positions import Broken, TooDeep, decode

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
_ENDED = re.compile(
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
_NOTHING_FOUND = ("grep", "rg", "egrep", "diff", "test", "[", "which", "pgrep", "cmp", "ls")
"""Commands whose status 1 is an answer; where they print nothing it is not told as a failure."""
_SHOWING = """
cat head tail less more bat nl tac grep egrep fgrep rg ag ack sed awk gawk jq yq cut sort uniq wc tr column xxd strings
find fd ls tree stat file du df ps env printenv date pwd whoami uname which type echo printf cd pushd popd export set
source . true read journalctl dmesg history man diff cmp comm tee sleep mkdir xargs test [
"""
_SHOWS = frozenset(_SHOWING.split())
_TELLERS = {
    "git": frozenset(("log", "show", "diff", "grep", "blame", "status", "branch", "remote", "config", "ls-files")),
    "docker": frozenset(("logs", "ps", "images", "inspect")),
    "kubectl": frozenset(("logs", "get", "describe")),
    "gh": frozenset(("run", "issue", "pr", "api")),
}
"""Commands, and of some the subcommands, that show what stands elsewhere: an error in it is not theirs."""
HEAD, TAIL = 20_000, 20_000
"""Characters of a result that are looked at: statuses and errors stand near its ends."""


class Outcome(NamedTuple):
    """Hold whether a call failed, its exit status where one is told, and the line that says what went wrong.

    ``more`` are the last line that names trouble and the first, where they are others, and the one that tells the
    status where that names an error, or no other does.
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
    failed = deed.failed or bool(status) or (status is None and _fails(deed, kind, near))
    if not failed:
        return Outcome(False, status, "")
    line, *more = error_lines(near) or [""]
    ended = _ended(near)
    if ended not in ("", line, *more) and (names_error(ended) or not any(map(names_error, (line, *more)))):
        more.append(ended)
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


def _ended(text: str) -> str:
    """Return the line that tells how a command ended, as it stands, empty where none does."""
    lines = [line.strip() for part in (text[-400:], text[:400]) for line in part.splitlines()]
    return next((line for line in lines if _ENDED.match(line)), "")


def _fails(deed: Deed, kind: Act, text: str) -> bool:
    """Tell whether a result reads like a failure where nothing says how the call ended."""
    if _TOLD.match(text):
        return True
    if kind != "run":
        return False
    if _SHELL.search(text[:600]) and text.count("\n") < 12:
        return True
    return (TRACE in text[-6000:] or ends_badly(text)) and not shows(command_of(deed))


def shows(command: str) -> bool:
    """Tell whether a command only prints what stands elsewhere, such as files, logs and lists."""
    return all(map(_only_shows, (words for words, _ in simple_commands(command))))


def _only_shows(words: Sequence[str]) -> bool:
    if not words:
        return True
    name = words[0].rsplit("/", 1)[-1]
    return name in _SHOWS or (len(words) > 1 and words[1] in _TELLERS.get(name, ()))


def answers_no(deed: Deed, made: Outcome) -> bool:
    """Tell whether a failed command only said no: nothing was found, nothing was printed."""
    if made.line or made.status not in (1, None):
        return False
    words = [words[0] for words, _ in simple_commands(command_of(deed)) if words]
    return bool(words) and words[-1] in _NOTHING_FOUND
