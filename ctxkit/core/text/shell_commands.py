"""Find the commands that a command line runs: behind wrappers, in scripts, and as arguments of other programs."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
MAX_COMMANDS = 10_000
MAX_DEPTH = 12
"""Limits of the commands that are looked at, and of commands inside commands."""


class UndecidableError(Exception):
    """A command word is known only when the script runs, or the script is too deep or long to be searched."""


if TYPE_CHECKING:
    ScriptParser = Callable[[str], list[ShellCommand] | None]
    """Returns the commands of a script, None if it cannot be parsed."""


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
            if number > MAX_COMMANDS or any(_may_match(command.words, pattern) for pattern in patterns):
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
    return islice(_expand(ShellCommand(("sh", "-c", script)), partial(_parse_once, parse=parse), 0), MAX_COMMANDS)


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
