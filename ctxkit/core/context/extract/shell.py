"""The effects of shell commands on files, read from their words."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<blank>[ \t]+|\\\n)|(?P<comment>(?:(?<=\s)|^)\#[^\n]*)"
    r"|(?P<here><<-?[ \t]*(?P<quote>['\"\\]?)(?P<end>\w+)['\"]?)"
    r"|(?P<out>(?:\d|&)?>>?\|?(?!&)|&>)|(?P<dup>\d?>&\d?-?|<<<|<)|(?P<stop>\n|&&|\|\||;;?|\||&|\(|\))"
    r"|(?P<word>(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\((?:[^()]|\([^()]*\))*\)|\\.|[^\s;&|<>()'\"\\])+)|(?P<other>.)",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
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
_TAKING = ("-n", "-u", "-C", "--timeout")
_READ_COMMANDS = ("cat", "head", "tail", "less", "more", "bat", "nl", "open", "tac", "view")
_NOT_A_PATH = re.compile(r"[$*?`{}\[\]~]|^-|^/dev/|^&|^\d+$|^$|\n|[<>|]")


class FileEffects(NamedTuple):
    """The files that a command changes, removes, moves (from, to) and reads, as named in it."""

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    read: tuple[str, ...] = ()


def find_effects(command: str) -> FileEffects:
    """Return the effects of a shell command or script on files; names in variables are ignored."""
    changed: list[str] = []
    removed: list[str] = []
    moved: list[tuple[str, str]] = []
    read: list[str] = []
    for words, outs in split_commands(command):
        changed += outs
        if not words:
            continue
        name, rest = words[0].rsplit("/", 1)[-1], words[1:]
        plain = [word for word in rest if word and not word.startswith("-")]
        if name == "git" and plain[:1] in (["mv"], ["rm"]) and "--cached" not in rest:
            name, plain = plain[0], plain[1:]
        if name == "mv" and len(plain) >= 2:
            moved += [(source, plain[-1]) for source in plain[:-1]]
        elif name in ("rm", "unlink"):
            removed += plain
        else:
            changed += _find_written_paths(name, rest, plain)
            read += plain[-1:] if name in _READ_COMMANDS and plain and not outs else ()
    return FileEffects(
        _select_real_paths(changed),
        _select_real_paths(removed),
        tuple(pair for pair in moved if len(_select_real_paths(pair)) == 2),
        _select_real_paths(read),
    )


def _find_written_paths(name: str, rest: Sequence[str], plain: Sequence[str]) -> Sequence[str]:
    """Return the files that a command writes, if it is one that writes to its arguments."""
    if name in ("touch", "tee", "truncate"):
        return plain if name != "truncate" else plain[-1:]
    if name == "cp" and len(plain) >= 2:
        return plain[-1:]
    if name in ("sed", "perl", "gsed", "ruby") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in rest):
        scripted = any(word in ("-e", "-f", "--expression") for word in rest)
        files = plain if not scripted else [word for word in _skip_scripts(rest) if not word.startswith("-")]
        return files[0 if scripted else 1 :] if name != "perl" or scripted else files[1:]
    if name == "dd":
        return [word[3:] for word in rest if word.startswith("of=")]
    if name in ("curl", "wget"):
        return [rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-o", "-O", "--output") and word != "-O"]
    return ()


def _skip_scripts(rest: Sequence[str]) -> Iterator[str]:
    """Yield words without scripts after -e and without the empty argument of -i on some systems."""
    skip = False
    for word in rest:
        if not skip and word != "":
            yield word
        skip = word in ("-e", "-f", "--expression") or bool(re.fullmatch(r"-\w*e", word))


def _select_real_paths(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if not _NOT_A_PATH.search(path))


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
        return _strip_prefix(words[at + 2 :])
    if words[at : at + 1] == ["xargs"]:
        return []
    return words[at:]


def _unquote(word: str) -> str:
    """Return a word without its quotes, if the quoting is simple."""
    if word[0] in "'\"" and word[-1] == word[0] and word.count(word[0]) == 2:
        return word[1:-1]
    return re.sub(r"['\"]|\\(?=[^n])", "", word) if any(sign in word for sign in "'\"\\") else word
