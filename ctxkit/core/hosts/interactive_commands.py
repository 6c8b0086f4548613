"""Recognize commands that need a terminal: editors, pagers, debuggers and the like, whose output no gate may hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxkit.core.text.shell_commands import ScriptParser, ShellCommand, Word

EDITORS = ("vi", "vim", "nvim", "view", "vimdiff", "nano", "pico", "emacs", "micro", "hx", "kak", "joe", "mcedit")
PAGERS = ("less", "more", "most")
SCREENS = ("htop", "btop", "atop", "watch", "tmux", "screen", "fzf", "tig", "lazygit", "ranger", "mc", "ncdu", "k9s")
BATCH_OPTIONS = {
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
REPLS = (
    *("python", "python3", "ipython", "bpython", "node", "deno", "irb", "pry", "ghci", "lua", "R", "julia", "erl"),
    *("iex", "sbcl", "clojure", "scala", "jshell", "bash", "sh", "zsh", "dash", "ksh", "fish"),
)
"""Programs that read commands from a terminal if they have neither operands nor other input."""
SSH_VALUES = "BbcDEeFIiJLlmOoPpQRSWw"
"""Options of ssh(1) with a value."""
_NAMES = frozenset((*EDITORS, *PAGERS, *SCREENS, *BATCH_OPTIONS, *REPLS, "ssh", "telnet"))
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
    if name in REPLS:
        return command.stdin == "" and all(word is not None and word.startswith("-") for word in words[1:])
    if name == "ssh":
        return command.stdin == "" and not _has_remote_command(words)
    batch = BATCH_OPTIONS.get(name, ())
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
        at += 2 if word[-1] in SSH_VALUES and len(word) == 2 else 1
    return len(words) > at + 1
