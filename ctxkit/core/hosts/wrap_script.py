"""Make the scripts that a host's shell reads or calls, find the command in one, and commands that need a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.core.text.quantity import is_on, make_case_pattern
from ctxkit.core.text.shell import quote

if TYPE_CHECKING:
    from ctxkit.core.text.shell_commands import ScriptParser, ShellCommand, Word

HOOK = "hook"
"""Name of the script in the directory of a host."""
_HOOK_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
ctxkit={ctxkit}
python={python}
if [ -x "$ctxkit" ] && [ -x "$python" ]; then
    "$ctxkit" hook {host}
fi
exit 0
"""
WRAP = "wrap.sh"
_READER = "reader.sh"
"""Names of the two scripts in the directory of a host."""
_WRAP_SCRIPT = """\
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
# A shell (sh, bash, zsh) reads this file before a command of the model. A second shell then runs the command, with
# stdout and stderr in a pipe. The reader at its other end prints what comes, or a map of it. Without ctxkit nothing
# happens.
[ -z "${{__CTXKIT_CHILD-}}" ] || {{
    [ ! -s "$__CTXKIT_CHILD/functions" ] || . "$__CTXKIT_CHILD/functions"
    unset __CTXKIT_CHILD
    return 0
}}
case ${{CTXKIT_DISABLE:-}} in {off}) ;; *) return 0 ;; esac
[ -x {ctxkit} ] && [ -x {python} ] && [ -r {reader} ] || return 0
__ctxkit=$(mktemp -d "${{TMPDIR:-/tmp}}/ctxkit-wrap.XXXXXX" 2>/dev/null) || return 0
mkfifo "$__ctxkit/pipe" "$__ctxkit/end" 2>/dev/null || {{
    rm -rf "$__ctxkit"
    return 0
}}
# The shell waits for the reader at its end, because hosts stop to read when the shell is gone.
__ctxkit_end() {{
    {{ printf '%s\\n' "$1" >|"$__ctxkit/status.new" && mv -f "$__ctxkit/status.new" "$__ctxkit/status"; }} 2>/dev/null
    exec >/dev/null 2>&1
    read -r __ctxkit_reader <"$__ctxkit/reader" && kill -USR1 "$__ctxkit_reader" && read -r _ <"$__ctxkit/end" || :
}}
__ctxkit_script=${{BASH_EXECUTION_STRING-${{ZSH_EXECUTION_STRING-}}}}
if [ -n "${{BASH_EXECUTION_STRING-}}" ]; then
    __ctxkit_shell=$BASH
    declare -f >|"$__ctxkit/functions" 2>/dev/null
elif [ -n "${{ZSH_EXECUTION_STRING-}}" ]; then
    __ctxkit_shell=zsh
elif [ -r "/proc/$$/cmdline" ] && [ "$(tr '\\0\\n' '\\n\\0' <"/proc/$$/cmdline" | sed -n 2p)" = -c ]; then
    __ctxkit_shell=$(readlink "/proc/$$/exe") # a shell without a variable for its script
    __ctxkit_script=$(tr '\\0\\n' '\\n\\0' <"/proc/$$/cmdline" | sed -n 3p | tr '\\0' '\\n')
fi
printf '%s' "$__ctxkit_script" >|"$__ctxkit/command"
# The reader is no job of this shell, and in a session of its own: it outlives the shell if a host kills the group.
if command -v setsid >/dev/null 2>&1; then
    (setsid sh {reader} "$__ctxkit" $$ </dev/null &)
else
    (sh {reader} "$__ctxkit" $$ </dev/null &)
fi
if [ -n "$__ctxkit_script" ]; then
    # Of a pipeline that ends in tail, head or grep, a line on stderr says which member failed.
    case $__ctxkit_script in *"|"*tail* | *"|"*head* | *"|"*grep*)
        __ctxkit_noted=$(SHELL=$__ctxkit_shell {ctxkit} shell --print -c "$__ctxkit_script" 2>/dev/null </dev/null)
        __ctxkit_script=${{__ctxkit_noted:-$__ctxkit_script}}
    ;; esac
    # This shell says nothing, such as that a signal killed the other one.
    exec 2>/dev/null
    trap : INT # the other shell decides what it means: dash would end with 130
    (
        exec >"$__ctxkit/pipe" 2>&1
        export __CTXKIT_CHILD="$__ctxkit"
        exec "$__ctxkit_shell" -c "$__ctxkit_script" "${{ZSH_ARGZERO:-$0}}" "$@"
    ) && __ctxkit_status=0 || __ctxkit_status=$?
    trap - EXIT INT # the other shell has run it
    __ctxkit_end "$__ctxkit_status"
    exit "$__ctxkit_status"
fi
# A shell that reads its script from elsewhere runs the command itself. A trap of its own runs at the end.
exec >"$__ctxkit/pipe" 2>&1
__ctxkit_trap=
[ -z "${{BASH_VERSION-}}" ] || __ctxkit_trap=$(trap -p EXIT)
__ctxkit_exit() {{
    eval "set -- \\"\\$1\\" $__ctxkit_trap"
    [ $# -lt 4 ] || eval "$4"
    __ctxkit_end "$1"
}}
trap '__ctxkit_exit $?' EXIT
"""
_READER_SCRIPT = """\
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
# wrap.sh starts it with a directory and the number of its shell: it reads the output of a command from the pipe there,
# and lets ctxkit print what fits. ctxkit is not started for a command that prints nothing.
files=$1
has_ended=
trap has_ended=1 USR1
exec 3<>"$files/end"
echo $$ >"$files/reader"
exec 4<"$files/pipe"
dd bs=65536 count=1 <&4 >"$files/first" 2>/dev/null 3>&- &
while kill -0 $! 2>/dev/null && ! [ "$has_ended" ]; do
    wait $!
done
# A process that the command left behind may hold the pipe open.
tries=0
while kill -0 $! 2>/dev/null && [ $tries -lt 15 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
trap '' USR1
if [ -s "$files/first" ] || kill $! 2>/dev/null; then
    {ctxkit} shell --quiet --host {host} --reads "$files" "$2" <&4 || {{
        [ ! -e "$files/first" ] || cat "$files/first"
        cat <&4
    }}
fi 2>/dev/null
rm -rf "$files"
"""


def make_wrap_script(host: str, ctxkit: str, python: str, reader: str) -> str:
    """Return the script that a shell reads; it does nothing if ctxkit, its Python or the reader is gone."""
    paths = {"ctxkit": quote(ctxkit), "python": quote(python), "reader": quote(reader)}
    return _WRAP_SCRIPT.format(host=host, off=make_case_pattern(), **paths)


def make_reader_script(host: str, ctxkit: str) -> str:
    """Return the script that reads the output of the shell, and prints it raw if ctxkit fails."""
    return _READER_SCRIPT.format(host=host, ctxkit=quote(ctxkit))


def make_source_command(wrap: str, home: str = "") -> str:
    """Return what stands in front of a command, and does nothing if the script is gone.

    It has plain words only: Codex applies no rule to a script with another shape, such as ``[ -r FILE ]``. It adds no
    line, so that a shell's messages name the same lines as without it. A script below ``home`` is named by ``~``.
    """
    below_home = wrap.removeprefix(home.rstrip("/") + "/") if home else wrap
    word = quote(wrap) if below_home == wrap else f"~/{quote(below_home)}"
    return f"test -r {word} && . {word}; "


def make_wrapping_scripts(host: str, directory: str, programs: tuple[str, str]) -> dict[str, str]:
    """Return both scripts, and the one that the host calls for its events, by path; they run ctxkit and its Python."""
    ctxkit, python = programs
    wrap, reader = f"{directory}/{WRAP}", f"{directory}/{_READER}"
    return {
        f"{directory}/{HOOK}": make_hook_script(host, ctxkit, python),
        wrap: make_wrap_script(host, ctxkit, python, reader),
        reader: make_reader_script(host, ctxkit),
    }


def make_hook_script(host: str, ctxkit: str, python: str) -> str:
    """Return the program that hooks call, which does nothing if ctxkit or its Python is gone."""
    return _HOOK_SCRIPT.format(host=host, ctxkit=quote(ctxkit), python=quote(python))


def make_hook_command(directory: str) -> str:
    """Return the command of a hook, which does nothing if its program is gone."""
    program = quote(f"{directory}/{HOOK}")
    return f"[ ! -x {program} ] || {program}"


_CLAUDE_CODE = re.compile(r"(?<!\S)eval '((?:[^']|'\"'\"')*)'(?: < /dev/null)? && pwd -P >\| \S+$")
"""The end of Claude Code's script (2.1.330): snapshot && options && eval 'COMMAND' < /dev/null && pwd -P >| FILE."""
_SOURCED = re.compile(r"test -r ((?:[^'\"\s$]|'[^'\n]*'|\"'\"|\$'(?:[^'\\\n]|\\[^\n])*')+) && \. \1; ")
"""What a hook puts in front of a command."""
_GEMINI_END = "\n)\n__code=$?\nexit $__code"
"""The end of Gemini CLI's script (0.61.0)."""
_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?(?:[A-Za-z_]\w*=\S*\s+)*CTXKIT_DISABLE=([^\s;&|<>()]*)")


def find_command(script: str) -> str:
    """Return the command inside the script of a host, the script itself if it has no known shape."""
    sourced = _SOURCED.search(script)
    if sourced:
        return script[sourced.end() :].removesuffix(_GEMINI_END)
    match = _CLAUDE_CODE.search(script)
    return match[1].replace("'\"'\"'", "'") if match else script


def replace_command(script: str, change: Callable[[str], str]) -> str:
    """Return the script of a host with the command inside it changed."""
    sourced = _SOURCED.search(script)
    if sourced:
        command = find_command(script)
        return script[: sourced.end()] + change(command) + script[sourced.end() + len(command) :]
    match = _CLAUDE_CODE.search(script)
    if match is None:
        return change(script)
    quoted = change(find_command(script)).replace("'", "'\"'\"'")
    return script[: match.start(1)] + quoted + script[match.end(1) :]


def remove_switch(command: str) -> str:
    """Return a command without the assignment of CTXKIT_DISABLE at its beginning."""
    match = _ASSIGNMENT.match(command)
    return command[match.end() :].lstrip(" \t\n;&") if match else command


def is_disabled(command: str) -> bool:
    """Return whether a command begins with an assignment that turns ctxkit off, as in ``CTXKIT_DISABLE=1 make``."""
    match = _ASSIGNMENT.match(command)
    return match is not None and is_on(match[1].strip("'\""))


_EDITORS = ("vi", "vim", "nvim", "view", "vimdiff", "nano", "pico", "emacs", "micro", "hx", "kak", "joe", "mcedit")
_PAGERS = ("less", "more", "most")
_SCREENS = ("htop", "btop", "atop", "watch", "tmux", "screen", "fzf", "tig", "lazygit", "ranger", "mc", "ncdu", "k9s")
_BATCH_OPTIONS = {
    "emacs": ("-batch", "--batch", "--script"),
    "vim": ("-es", "-Es", "-s"),
    "nvim": ("-es", "-Es", "-l", "--headless"),
    "top": ("-b", "-l"),
    "gdb": ("-batch", "--batch", "-batch-silent", "--batch-silent"),
    "lldb": ("-b", "--batch"),
    "fzf": ("-f", "--filter"),
    "sftp": ("-b",),
    "tmux": ("-V", "new", "new-session", "ls", "list-sessions", "send-keys", "capture-pane", "kill-session"),
    "screen": ("-dm", "-dmS", "-ls", "-list", "-X", "-S"),
}
"""Words with which a program needs no terminal, as its manual describes them; ``-b`` may be joined, as in ``-bn1``."""
_REPLS = (
    *("python", "python3", "ipython", "bpython", "node", "deno", "irb", "pry", "ghci", "lua", "R", "julia", "erl"),
    *("iex", "sbcl", "clojure", "scala", "jshell", "bash", "sh", "zsh", "dash", "ksh", "fish"),
)
"""Programs that read commands from a terminal if they have neither operands nor other input."""
_SSH_VALUES = "BbcDEeFIiJLlmOoPpQRSWw"
"""Options of ssh(1) with a value."""
_NAMES = frozenset((*_EDITORS, *_PAGERS, *_SCREENS, *_BATCH_OPTIONS, *_REPLS, "ssh", "telnet"))
_WORD = re.compile(r"[A-Za-z0-9_]+")


def is_interactive(script: str, parse: ScriptParser) -> bool:
    """Return whether a script runs a program that reads from a terminal or draws on it.

    ``parse`` lists the commands of a script: what a here document or a string contains is no command.
    """
    if _NAMES.isdisjoint(_WORD.findall(script)):  # which saves the parser
        return False
    from ctxkit.core.text.shell_commands import UndecidableError, list_commands

    try:
        return any(map(_needs_terminal, list_commands(script, parse)))
    except UndecidableError:
        return False


def _needs_terminal(command: ShellCommand) -> bool:
    words = command.words
    name = (words[0] or "").rpartition("/")[2]
    if name not in _NAMES:
        return False
    if name in _REPLS:
        return command.stdin == "" and all(word is not None and word.startswith("-") for word in words[1:])
    if name == "ssh":
        return command.stdin == "" and not _has_remote_command(words)
    batch = _BATCH_OPTIONS.get(name, ())
    return not any(word in batch or ("-b" in batch and _is_joined(word)) for word in words[1:])


def _is_joined(word: Word) -> bool:
    """Return whether a word is short options of which the first is ``-b``, as in ``-bn1``."""
    return word is not None and word.startswith("-b") and word[2:].isalnum()


def _has_remote_command(words: tuple[Word, ...]) -> bool:
    """Return whether ssh has a command after the host, or an option that needs none."""
    at = 1
    while at < len(words) and (word := words[at]) is not None and word.startswith("-"):
        if any(sign in word[1:] for sign in "NfVGQ"):
            return True
        at += 2 if word[-1] in _SSH_VALUES and len(word) == 2 else 1
    return len(words) > at + 1
