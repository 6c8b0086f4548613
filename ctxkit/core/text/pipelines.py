"""Note in a script which member of a pipeline failed before tail, head or grep at its end, without other changes.

A shell returns the status of the last member. What the note adds to a script reads the statuses of all members right
after the pipeline (PIPESTATUS of bash, pipestatus of zsh), prints a line on stderr if one failed, and returns what the
pipeline did.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.shell import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctxkit.core.text.shell_commands import ShellCommand, Word

SHELLS = ("bash", "zsh")
"""Shells that keep the statuses of all members; dash has none."""
FUNCTION = "__ctxkit_pipe"
_DEFINITION = (
    f"{FUNCTION}() {{ local a=$1 s=$2 m=; shift 2; while [ $# -gt 2 ]; do case $2 in 0|141|$3) ;; "
    '*) m="$m${m:+, }$1 exited $2";; esac; shift 3; done; '
    'case $m in ?*) printf "[ctxkit: %s before %s]\\n" "$m" "$a" >&2 || :;; esac; return "$s"; }; '
)
"""A function of both shells, with the last member, its status, and name, status and harmless status of each other one.
141 is the end by SIGPIPE, which a member gets if head has read enough."""
MAX_SCRIPT = 20_000
"""Characters of a script that is noted."""
WIDTH = 40
"""Characters of a member in a note."""
_CANDIDATE = re.compile(r"\|&?\s*(?:\S{0,200}/)?(?:tail|head|[ef]?grep)\b")
_SELECTORS = frozenset(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "diff", "cmp", "colordiff"))
"""Programs whose status 1 is an answer: no line matches, or the files differ."""
_VALUES = {"tail": "ncs", "head": "nc", "grep": "efmABCdD"}
"""Short options of the last member whose value may be the next word, by POSIX and GNU."""
_LONG_VALUES = frozenset(
    (
        *("--lines", "--bytes", "--pid", "--sleep-interval", "--max-unchanged-stats", "--regexp", "--file"),
        *("--max-count", "--after-context", "--before-context", "--context", "--label"),
        *("--include", "--exclude", "--exclude-dir"),
        *("--exclude-from", "--devices", "--directories", "--binary-files"),
    )
)
_OBSERVERS = frozenset(
    (
        *("ps", "pgrep", "pkill", "pidof", "top", "htop", "functions", "compgen", "caller", "exec"),
        *("setopt", "unsetopt", "emulate", "enable", "shopt"),
    )
)
"""Commands that could see the change of a script, or change what it means: these scripts are left alone."""
_READ_STATE = re.compile(
    r"(?i:pipestatus)|\$_\b|\$\{_|BASH_COMMAND|EXECUTION_STRING|__ctxkit|xtrace|verbose|TRAPZERR"
    r"|\b(?:declare|typeset|readonly|export)\b(?!\s{1,9}(?:-[aAilnrtux]{1,9}\s{1,9})?\w)"
    r"|\b(?:printf|local|shift|return)\s{0,9}\(\)"
)
SHELL_OPTION = re.compile(r"[-+][a-zA-Z]*[xvnt][a-zA-Z]*|--verbose")
"""Options of a shell with which it prints what it runs, runs nothing, or ends after one command."""
_TRAPPED = frozenset(("ERR", "DEBUG", "RETURN", "ZERR"))


class Pipeline(NamedTuple):
    """A pipeline of a script: its first and last byte, the texts of its members, and the last member's words.

    ``programs`` are the names of the programs of the members, "" for one that is no simple command.
    """

    start: int
    end: int
    members: tuple[str, ...]
    programs: tuple[str, ...]
    last: ShellCommand


def note_pipelines(
    script: str,
    shell: str,
    list_pipelines: Callable[[str], Iterable[Pipeline]],
    list_commands: Callable[[str], Sequence[ShellCommand] | None],
) -> str:
    """Return a script that also says which members of its pipelines failed, or the script itself.

    ``shell`` is the name of the shell that runs it. ``list_pipelines`` returns the pipelines of its top level,
    ``list_commands`` the commands at any depth.
    """
    if shell not in SHELLS or len(script) > MAX_SCRIPT or not _CANDIDATE.search(script) or _READ_STATE.search(script):
        return script
    pipelines = [pipeline for pipeline in list_pipelines(script) if _reads_pipe_only(pipeline.last)]
    commands = list_commands(script) if pipelines else None
    if commands is None or any(map(_observes, commands)):
        return script
    data = script.encode()
    for pipeline in reversed(pipelines):
        inner = data[pipeline.start : pipeline.end]
        note = f"; {FUNCTION} {_make_arguments(pipeline, shell)}; }}".encode()
        data = data[: pipeline.start] + b"{ " + inner + note + data[pipeline.end :]
    return _DEFINITION + data.decode()


def _make_arguments(pipeline: Pipeline, shell: str) -> str:
    """Return the words of a call of the function, which is the first command after the pipeline."""
    words = [quote(f"| {_shorten(pipeline.members[-1])}"), '"$?"']
    for at, (text, program) in enumerate(zip(pipeline.members[:-1], pipeline.programs[:-1], strict=True)):
        status = f"${{PIPESTATUS[{at}]}}" if shell == "bash" else f"${{pipestatus[{at + 1}]}}"
        words += [quote(_shorten(text)), f'"{status}"', "1" if program in _SELECTORS else "''"]
    return " ".join(words)


def _shorten(text: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * WIDTH])
    shown = " ".join(plain.split())
    return shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 3]}..."


def _is_old_option(name: str, word: Word) -> bool:
    """Return whether a word is an option of tail or head such as +5."""
    return name != "grep" and word is not None and word.startswith("+")


def _reads_pipe_only(command: ShellCommand) -> bool:
    """Return whether a command is tail, head or grep without a file, which reads what the pipe brings."""
    name = (command.words[0] or "").rpartition("/")[2]
    name = "grep" if name in ("egrep", "fgrep") else name
    if name not in _VALUES:
        return False
    operands, has_pattern, words = 0, name != "grep", iter(command.words[1:])
    for word in words:
        if word == "--":
            operands += sum(1 for _ in words)
        elif word is None or not word.startswith("-") or word == "-":
            operands += not _is_old_option(name, word)
        else:
            option = _read_option(name, word)
            has_pattern |= option.is_pattern
            if option.takes_next:
                next(words, None)
    return operands == (0 if has_pattern else 1)


class _Option(NamedTuple):
    """Whether an option gives grep its pattern, and whether the next word is its value."""

    is_pattern: bool
    takes_next: bool


def _read_option(name: str, word: str) -> _Option:
    """Return what a word of options of tail, head or grep is."""
    if word.startswith("--"):
        return _Option(word.partition("=")[0] in ("--regexp", "--file"), word in _LONG_VALUES)
    values = [sign for sign in word[1:] if sign in _VALUES[name]]
    is_pattern = name == "grep" and not {"e", "f"}.isdisjoint(values)
    return _Option(is_pattern, bool(values) and word.endswith(values[0]))


def _may_be_option(word: Word) -> bool:
    """Return whether a word of ``set`` may be an option of the shell."""
    return word is None or SHELL_OPTION.fullmatch(word) is not None


def _may_be_trap(word: Word) -> bool:
    """Return whether a word of ``trap`` may name what a changed script traps too, or ask for it."""
    return word is None or word.removeprefix("SIG") in _TRAPPED or word == "-p"


def _observes(command: ShellCommand) -> bool:
    """Return whether a command could see that a script was changed, or gives the change another meaning."""
    if not command.words or command.words[0] is None:
        return False
    name, rest = command.words[0].rpartition("/")[2], command.words[1:]
    if name == "set":
        return not rest or any(map(_may_be_option, rest))
    if name == "trap":
        return not rest or any(map(_may_be_trap, rest))
    if name == "eval" and None in rest:
        return True
    return name in _OBSERVERS
