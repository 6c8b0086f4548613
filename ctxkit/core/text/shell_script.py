"""Split a shell script into its simple commands, match them with patterns, and read its comment that states a focus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"(?P<blank>[ \t]+|\\\n)|(?P<comment>(?:(?<=\s)|^)\#[^\n]*)"
    r"|(?P<here><<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>\w+)['\"]?)"
    r"|(?P<out>(?:\d|&)?>>?\|?(?!&)|&>)|(?P<dup>\d?>&\d?-?|<<<|<(?!\w[\w.-]{0,40}>/))|(?P<stop>\n|&&|\|\||;;?|\||&|\(|\))"
    r"|(?P<word>(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\((?:[^()]|\([^()]*\))*\)|\\.|<\w[\w.-]{0,40}>(?=/)"
    r"|[^\s;&|<>()'\"\\])+)|(?P<other>.)",
    re.DOTALL,
)
"""A token of a script; ``<name>/`` begins a path whose folder somebody has hidden, and redirects nothing."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DRIVE = re.compile(r"['\"]?[A-Za-z]:\\")
"""The beginning of an absolute path of Windows."""
_DOCUMENT = re.compile(
    r"\$\([ \t]*cat[ \t]*<<-?[ \t]*['\"\\]?(?P<end>\w{1,80})['\"]?[ \t]*\n|@(?P<quote>['\"])[ \t]*\r?\n"
)
"""The beginning of a document that is an argument: of ``$(cat <<EOF``, or of PowerShell, whose quotes end no word."""
_WRAPPERS = (
    "sudo",
    "env",
    "time",
    "nohup",
    "command",
    "exec",
    "then",
    "do",
    "else",
    "!",
    "{",
    "builtin",
    "nice",
    "stdbuf",
)
_PREPARING = frozenset(("cd", "export", "set", "source", ".", "pushd", "mkdir", "echo", "sleep", "true", "test"))
"""Commands that prepare another one, which the output is of."""


class _SimpleCommand:
    """Collect the words of one simple command, and the files that its output goes to."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.outs: list[str] = []
        self._names_output = self._names_input = False

    def add_token(self, token: re.Match[str]) -> None:
        """Take one token: a redirection says what the word after it is."""
        if token["out"]:
            self._names_output = True
        elif token["dup"]:
            self._names_input = token["dup"] in ("<", "<<<")
        elif token["word"]:
            self._add_word(token["word"])

    def _add_word(self, word: str) -> None:
        if self._names_output:
            self.outs.append(_unquote(word))
            self._names_output = False
        elif self._names_input:
            self._names_input = False
        else:
            self.words.append(_unquote(word))

    def finish(self) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the words and the files, if there are any."""
        if self.words or self.outs:
            yield _strip_prefix(self.words), self.outs


def split_commands(command: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the unquoted words of each simple command, and the files that its output is redirected to."""
    simple_command = _SimpleCommand()
    command = shorten_documents(command)
    ends: list[str] = []
    at = 0
    while token := _TOKEN.match(command, at):
        at = token.end()
        if token["stop"]:
            yield from simple_command.finish()
            simple_command = _SimpleCommand()
            if token["stop"] == "\n" and ends:
                at, ends = _skip_here_documents(command, at, ends), []
        elif token["here"]:
            ends.append(token["end"])
        else:
            simple_command.add_token(token)
    yield from simple_command.finish()


def find_program(script: str) -> str:
    """Return the name of the first program of a script that does more than prepare another one, "" for none."""
    names = [words[0].rpartition("/")[2] for words, _ in split_commands(script) if words]
    return next((name for name in names if name and name not in _PREPARING), names[0] if names else "")


def shorten_documents(command: str) -> str:
    """Return a script with an ellipsis for each document that is an argument, up to one that does not end."""
    kept, at = [], 0
    while start := _DOCUMENT.search(command, at):
        line = rf"^[ \t]*{start['end']}[ \t]*\r?\n?[ \t]*\)" if start["end"] else f"^{start['quote']}@"
        end = re.compile(line, re.MULTILINE).search(command, start.end())
        if end is None:
            break
        kept.append(command[at : start.start()])
        at = end.end()
    return "…".join([*kept, command[at:]])


def _skip_here_documents(command: str, at: int, ends: Sequence[str]) -> int:
    """Return the position after the here documents."""
    for end in ends:
        match = re.compile(rf"^[ \t]*{re.escape(end)}[ \t]*$", re.MULTILINE).search(command, at)
        at = match.end() if match else len(command)
    return at


def _strip_prefix(words: list[str]) -> list[str]:
    """Return the words without leading assignments and without commands that run another command."""
    at = 0
    while at < len(words) and (
        words[at] in _WRAPPERS or _ASSIGNMENT.match(words[at]) or (at and words[at].startswith("-"))
    ):
        at += 1
    if words[at : at + 1] == ["timeout"]:
        return _strip_prefix(_strip_timeout(words[at + 1 :]))
    if words[at : at + 1] == ["xargs"]:
        return []
    return words[at:]


def _strip_timeout(words: list[str]) -> list[str]:
    """Return the words of the command that ``timeout`` runs, after its options and the duration."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-k", "-s", "--kill-after", "--signal") else 1
    return words[at + 1 :]


def _unquote(word: str) -> str:
    """Return a word without its quotes, if the quoting is simple."""
    if word[0] in "'\"" and word[-1] == word[0] and word.count(word[0]) == 2:
        return word[1:-1]
    if _DRIVE.match(word):  # cmd and PowerShell do not escape with backslashes
        return re.sub(r"['\"]", "", word)
    return re.sub(r"['\"]|\\(?=[^n])", "", word) if any(sign in word for sign in "'\"\\") else word


SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
"""Programs whose option -c takes a script."""
MAX_SCRIPT = 100_000
"""Maximum characters of a script that is split into its commands."""
_GLOB_SIGNS = frozenset("*?[")


def matches_command(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches a command line, or a command of its script.

    A pattern without glob signs matches a command that begins with the words of the pattern, as ``git diff`` matches
    ``git diff --stat``. A glob matches the whole command, its words joined by blanks. The directory of a program may
    be left out. The script of ``sh -c`` is split into its commands, without those inside ``$(...)``: see
    ``shell_commands`` for a search at any depth.
    """
    if not patterns or not words:
        return False
    commands = list(_list_commands(words))
    return any(matches_words(command, pattern) for pattern in patterns for command in commands)


def _list_commands(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the command line itself, and the commands of its script."""
    yield list(words)
    if script := find_script(words):

        yield from (command for command, _ in split_commands(script[:MAX_SCRIPT]) if command)


def find_script(words: Sequence[str]) -> str:
    """Return the script of ``sh -c``, or ""."""
    place = find_script_place(words)
    return words[place] if place else ""


def find_script_place(words: Sequence[str]) -> int:
    """Return the index of the script of ``sh -c``, 0 for none; options may be joined, as in ``bash -lc``."""
    if words[0].rpartition("/")[2] not in SHELLS:
        return 0
    for number, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return 0
        if not word.startswith("--") and word.endswith("c"):
            return number + 1
    return 0


def matches_words(command: Sequence[str], pattern: str) -> bool:
    """Return whether a pattern names a command by its words."""
    lines = (" ".join(command), " ".join([command[0].rpartition("/")[2], *command[1:]]))
    if _GLOB_SIGNS.isdisjoint(pattern):
        start = " ".join(pattern.split())
        return bool(start) and any(line == start or line.startswith(f"{start} ") for line in lines)
    from fnmatch import fnmatchcase

    return any(fnmatchcase(line, pattern) for line in lines)


MAX_FOCUS = 1_000
"""Characters of a focus in a comment; what follows is left out."""
_COMMENT = re.compile(r"#[ \t]*focus:[ \t]*(?P<focus>\S[^\n]*)", re.IGNORECASE)


class FocusComment(NamedTuple):
    """The focus that the last comment of its form in a script states, "" for none, and the comment as it stands."""

    focus: str = ""
    comment: str = ""

    def remove_from(self, script: str) -> str:
        """Return a script without the comment if it ends with it, for a title that need not repeat the focus."""
        bare = script.rstrip()
        return bare.removesuffix(self.comment).rstrip() if self.comment and bare.endswith(self.comment) else script


NO_FOCUS = FocusComment()


def find_focus_comment(script: str, list_comments: Callable[[str], list[str]]) -> FocusComment:
    """Return the focus in a script; ``list_comments`` parses it, and is called only if a comment may state a focus."""
    if not _COMMENT.search(script):
        return NO_FOCUS
    matches = [match for comment in list_comments(script) if (match := _COMMENT.match(comment))]
    if not matches:
        return NO_FOCUS
    return FocusComment(matches[-1]["focus"].strip()[:MAX_FOCUS], matches[-1].string)
