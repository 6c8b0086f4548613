"""Find the commands that a command line runs, and note which member of a pipeline failed before a filter at its end.

A shell returns the status of the last member. What the note adds to a script reads the statuses of all members right
after the pipeline (PIPESTATUS of bash, pipestatus of zsh), prints a line on stderr if one failed, and returns what the
pipeline did.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.shell import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    ScriptParser: TypeAlias = "Callable[[str], list[ShellCommand] | None]"
    """Returns the commands of a script, None if it cannot be parsed."""

Word = str | None
"""A word of a command, None if it is known only when the script runs."""


class ShellCommand(NamedTuple):
    """The words of a command, and the script that it reads on stdin: "" for none, None for an unknown one."""

    words: tuple[Word, ...]
    stdin: Word = ""


class Wrapper(NamedTuple):
    """How a program names the command that it runs: options with a value, and operands before the command.

    If ``as_script``, the remaining words are a script. ``script_options`` are options whose value is a script.
    """

    value_options: tuple[str, ...] = ()
    operands: int = 0
    as_script: bool = False
    script_options: tuple[str, ...] = ()


def _define(options: str = "", operands: int = 0, *, as_script: bool = False, scripts: str = "") -> Wrapper:
    return Wrapper(tuple(options.split()), operands, as_script, tuple(scripts.split()))


_SHELLS = ("sh", "bash", "dash", "ksh", "zsh", "ash", "fish")
WRAPPERS = {
    **dict.fromkeys(("nohup", "setsid", "builtin", "coproc", "busybox", "toybox", "unbuffer", "catchsegv"), _define()),
    "command": _define(),
    "exec": _define("-a"),
    "env": _define("-u --unset -C --chdir", scripts="-S --split-string"),
    "nice": _define("-n --adjustment"),
    "ionice": _define("-c --class -n --classdata -p --pid"),
    "stdbuf": _define("-i --input -o --output -e --error"),
    "time": _define("-f --format -o --output"),
    "timeout": _define("-k --kill-after -s --signal", 1),
    "sudo": _define("-u --user -g --group -h --host -p --prompt -C -r --role -t --type -T -D --chdir -R --chroot -U"),
    "doas": _define("-u -C"),
    "chrt": _define(operands=1),
    "taskset": _define(operands=1),
    "numactl": _define("-m -N -C -i -p"),
    "chroot": _define("--userspec --groups", 1),
    "unshare": _define("-S -G -R -w"),
    "nsenter": _define("-t --target -S -G -w"),
    "runuser": _define("-u -g -G", scripts="-c --command"),
    "su": _define("-s -g -G", 1, scripts="-c --command"),
    "script": _define("-E -m -o", scripts="-c --command"),
    "flock": _define("-w -E", 1, scripts="-c --command"),
    "xargs": _define("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace"),
    "parallel": _define("-j -N -n -I -a -d --jobs --colsep --arg-file", as_script=True),
    "watch": _define("-n --interval", as_script=True),
    "strace": _define("-e -o -p -s -u -E -I -P -O -S -X -a -b"),
    "ltrace": _define("-e -o -p -s -u -a -l -n -x"),
    "gdb": _define("-x -ex -iex -d"),
    "eval": _define(as_script=True),
    "trap": _define(operands=0, as_script=True),
    **dict.fromkeys(_SHELLS, _define("-o -O +O --rcfile --init-file", scripts="-c")),
}
"""Programs that run a command of their arguments, as their manuals describe them."""
_COMMAND_LISTS = {
    "find": ("-exec", "-execdir", "-ok", "-okdir"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
}
"""Programs with options behind which a command stands, up to ``;`` or ``+``."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_MAX_COMMANDS = 10_000
MAX_DEPTH = 12
"""Limits of the commands that are looked at, and of commands inside commands."""


class UndecidableError(Exception):
    """A command word is known only when the script runs, or the script is too deep or long to be searched."""


def may_run(words: Sequence[str], patterns: Sequence[str], parse: ScriptParser) -> bool:
    """Return whether a command line may run a command that a pattern names.

    A command that is known only when it runs counts as named. What a program such as make does itself does not count.
    Patterns are those of ``command_match.matches_command``.
    """
    if not patterns or not words:
        return False
    try:
        commands = _expand(ShellCommand(tuple(words)), partial(_parse_twice, parse=parse), 0)
        for number, command in enumerate(commands):
            if number > _MAX_COMMANDS or any(_may_match(command.words, pattern) for pattern in patterns):
                return True
    except UndecidableError:
        return True
    return False


def may_script_run(
    script: str, patterns: Sequence[str], parse: ScriptParser
) -> bool:
    """Return whether a shell script may run a command that a pattern names."""
    return may_run(("sh", "-c", script), patterns, parse)


def list_commands(script: str, parse: ScriptParser) -> Iterator[ShellCommand]:
    """Yield the commands of a script, and of each the commands that it runs, at most ``MAX_COMMANDS``.

    Raise UndecidableError if one is known only when the script runs.
    """
    return islice(_expand(ShellCommand(("sh", "-c", script)), partial(_parse_once, parse=parse), 0), _MAX_COMMANDS)


def _expand(
    command: ShellCommand, list_script: Callable[[str], Iterable[ShellCommand]], depth: int
) -> Iterator[ShellCommand]:
    """Yield a command, and each command that it runs."""
    if depth > MAX_DEPTH:
        raise UndecidableError
    words = command.words
    if not words:
        return
    if words[0] is None:
        raise UndecidableError
    yield command
    program = words[0].rpartition("/")[2]
    for inner in _list_inner(program, command):
        if isinstance(inner, ShellCommand):
            yield from _expand(inner, list_script, depth + 1)
        elif inner is None:
            raise UndecidableError
        else:
            for inner_command in list_script(inner):
                yield from _expand(inner_command, list_script, depth + 1)


def _parse_once(script: str, parse: ScriptParser) -> list[ShellCommand]:
    """Return the commands of a script by the parser."""
    commands = parse(script)
    if commands is None:
        raise UndecidableError
    return commands


def _parse_twice(script: str, parse: ScriptParser) -> Iterator[ShellCommand]:
    """Yield the commands of a script by the parser, and by its words where the parser may have lost its way."""
    from ctxkit.core.text.shell_script import split_commands

    yield from _parse_once(script, parse)
    yield from (ShellCommand(tuple(words)) for words, _ in split_commands(script) if words)


def _list_inner(program: str, command: ShellCommand) -> Iterator[ShellCommand | Word]:
    """Yield the commands and the scripts that a command runs; None for a script that is not known."""
    words = command.words
    if program in ("source", "."):
        if len(words) > 1 and words[1] is None:
            yield None
    elif program == "ctxkit" and "--" in words[:-1]:
        yield ShellCommand(words[words.index("--") + 1 :])
    elif program in _COMMAND_LISTS:
        yield from _list_executed(words, _COMMAND_LISTS[program])
    elif program in WRAPPERS:
        yield from _unwrap(WRAPPERS[program], command, is_shell=program in _SHELLS)


def _list_executed(words: tuple[Word, ...], options: tuple[str, ...]) -> Iterator[ShellCommand]:
    """Yield the commands behind the options of find and of its like."""
    for place, word in enumerate(words):
        if word in options:
            rest = words[place + 1 :]
            end = next((at for at, following in enumerate(rest) if following in (";", "+")), len(rest))
            yield ShellCommand(rest[:end])


def _unwrap(wrapper: Wrapper, command: ShellCommand, *, is_shell: bool) -> Iterator[ShellCommand | Word]:
    """Yield the command or the script that a wrapper runs."""
    scripts = list(_list_scripts(command.words, wrapper, is_shell=is_shell))
    yield from scripts
    rest = _skip_options(command.words, wrapper, is_shell=is_shell)
    if is_shell:
        if not scripts and not rest and command.stdin != "":
            yield command.stdin
    elif wrapper.as_script and rest:
        yield None if rest[0] is None else " ".join(word if word is not None else '"$x"' for word in rest)
    elif rest and not scripts:
        yield ShellCommand(rest, command.stdin)


_SET_OPTION = re.compile(r"[-+][A-Za-z]*[oO]")
"""An option of a shell whose value is the name of another, as in ``-euo pipefail``."""


def _is_option(word: str) -> bool:
    return _ASSIGNMENT.match(word) is not None or (word[:1] in ("-", "+") and word != "-")


def _skip_options(words: tuple[Word, ...], wrapper: Wrapper, *, is_shell: bool) -> tuple[Word, ...]:
    """Return the words after the options and the operands of a wrapper."""
    at = 1
    while at < len(words) and (word := words[at]) is not None and _is_option(word):
        at += 2 if word in wrapper.value_options or (is_shell and _SET_OPTION.fullmatch(word)) else 1
    return words[at + wrapper.operands :]


def _list_scripts(words: tuple[Word, ...], wrapper: Wrapper, *, is_shell: bool) -> Iterator[Word]:
    """Yield the scripts that are values of options; those of a shell stand before its operands."""
    for place, word in enumerate(words[1:], 1):
        if is_shell and _is_operand(word, words[place - 1]):
            return
        if word is not None and _is_script_option(word, wrapper, is_shell=is_shell):
            _, is_joined, value = word.partition("=")
            following = [other for other in words[place + 1 : place + 3] if other != "--"]
            yield value if is_joined else following[0] if following else ""
            if is_shell:
                return


def _is_operand(word: Word, before: Word) -> bool:
    """Return whether a word of a shell is neither an option nor the value of one."""
    return word is None or not (_is_option(word) or _SET_OPTION.fullmatch(before or ""))


def _is_script_option(word: str, wrapper: Wrapper, *, is_shell: bool) -> bool:
    """Return whether the value of an option is a script; shells join their options, as in ``-lc``."""
    if is_shell and word.startswith("-") and not word.startswith("--"):
        return word.endswith("c")
    return word.partition("=")[0] in wrapper.script_options


def _may_match(words: tuple[Word, ...], pattern: str) -> bool:
    """Return whether a pattern names a command; an unknown argument may be any."""
    from ctxkit.core.text.shell_script import matches_words

    known = [word if word is not None else "*" for word in words]
    if None not in words:
        return matches_words(known, pattern)
    parts = pattern.split()
    program = (words[0] or "").rpartition("/")[2]
    if any(sign in pattern for sign in "*?["):
        return matches_words(known, pattern) or parts[:1] in ([words[0]], [program])
    pairs = zip((program, *words[1:]), parts, strict=False)
    return len(words) >= len(parts) and all(word is None or word == other for word, other in pairs)


SHELLS = ("bash", "zsh")
"""Shells that keep the statuses of all members; dash has none."""
_FUNCTION = "__ctxkit_pipe"
_DEFINITION = (
    f"{_FUNCTION}() {{ local a=$1 s=$2 m=; shift 2; while [ $# -gt 2 ]; do case $2 in 0|141|$3) ;; "
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
        note = f"; {_FUNCTION} {_make_arguments(pipeline, shell)}; }}".encode()
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
