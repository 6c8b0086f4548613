"""Find the scripts that a command line runs with a task runner."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily

_QUOTED = r"\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'"
_WORD = compile_lazily(rf"(?:[^\s\"']|{_QUOTED}|[\"'])+")
_ENDS = compile_lazily(rf"{_QUOTED}|(&&|\|\||[;|#>&])")
"""Matches the end of a command, or a quoted text, which may contain the same signs."""
_ASSIGNMENT = compile_lazily(r"[A-Za-z_]\w*[:+?]?=")
"""Matches a variable set before a command, or after make."""
_NAME = compile_lazily(r"[A-Za-z_][\w:.@/-]*$")
_FILE = compile_lazily(r"/|\.(?:[cm]?[jt]sx?|json|sh|py|html|wasm)$")
_PREFIXES = ("sudo", "time", "$", ">", "%", "corepack", "exec")
_WRAPPERS = ("uv", "poetry", "pdm", "hatch", "rye", "pipenv")
_OUTSIDE = ("~", "/", "$", "..", "[", "<", "{")
"""Beginnings of directories that lie outside of the workspace, that only the shell knows, or of placeholders."""
_WITH_VALUE = {
    "npm": ("-w", "--workspace", "--prefix", "-C"),
    "pnpm": ("-F", "--filter", "-C", "--dir", "--prefix"),
    "yarn": ("--cwd",),
    "bun": ("--filter", "-F", "--cwd"),
    "make": ("-C", "-f", "-I", "-o", "-W", "--directory", "--file", "--makefile"),
    "just": ("-f", "-d", "--justfile", "--working-directory", "--set", "--shell"),
    "poe": ("-C", "--directory"),
}
"""Options with a separate value, which is not a script."""
_ELSEWHERE = compile_lazily(
    r"(?:--(?:prefix|filter|workspaces?|cwd|dir|directory|file|makefile|justfile|working-directory|recursive)"
    r"|-[wCFfdr])(?:=|$)"
)
_MAKEFILE = compile_lazily(r"(?:-[a-zA-Z]*f|--(?:file|makefile))(?:=|$)|-f\S")
PROSE_WORDS = frozenset(
    (
        *("sure", "it", "the", "a", "an", "this", "that", "these", "them", "your", "you", "us", "me", "my", "new"),
        *("changes", "no", "any", "use", "and", "or", "to", "for", "in", "of", "with", "as", "sense", "up", "ask"),
        *("be", "is", "one", "some", "let", "want", "need", "wait", "remember", "follow"),
    )
)
"""Words that follow make or just in a sentence."""
_PLACEHOLDERS = frozenset(
    ("script", "name", "script-name", "target", "recipe", "task", "command", "xxx", "foo", "bar", "baz", "something")
)


SCRIPT_NAMES = frozenset(
    (
        *("build", "dev", "e2e", "fmt", "format", "lint", "lint-fix", "preview", "start", "test", "type-check"),
        *("typecheck", "types"),
    )
)
"""Names that pnpm, yarn and bun run as a script without ``run``, and that no program has."""
_COMMANDS = {"pnpm": frozenset[str](), "yarn": frozenset[str](), "bun": frozenset(("build", "test"))}
"""Those of them that a package manager has as commands of its own."""


class ScriptCall(NamedTuple):
    """A call of a script: the runner (npm for all of Node's), the name and its offset (0-based).

    ``elsewhere`` is true if an option or a change of directory selects another directory. ``may_be_program`` is true if
    the runner falls back to programs of this name.
    """

    runner: str
    name: str
    start: int
    elsewhere: bool
    may_be_program: bool = False


def find_calls(text: str) -> Iterator[ScriptCall]:
    """Yield the scripts that the commands of a line run, in order."""
    if not any(word in text for word in ("npm", "yarn", "bun", "make", "just", "poe")):
        return
    start, elsewhere = 0, False
    while start < len(text):
        end = next((match for match in _ENDS.finditer(text, start) if match[1]), None)
        stop = end.start() if end else len(text)
        words = _strip_prefix([(match[0], match.start()) for match in _WORD.finditer(text, start, stop)])
        if words and words[0][0] in ("cd", "pushd"):
            if len(words) > 1 and words[1][0].lstrip("\"'").startswith(_OUTSIDE):
                return
            elsewhere = True
        yield from (call._replace(elsewhere=call.elsewhere or elsewhere) for call in _parse_command(words))
        if not end or end[0] == "#":
            return
        start = end.end()


def _strip_prefix(words: Sequence[tuple[str, int]]) -> Sequence[tuple[str, int]]:
    """Return a command without its prefix: prompts, variables, and runners of runners."""
    while words and (words[0][0] in _PREFIXES or _ASSIGNMENT.match(words[0][0])):
        words = words[1:]
    if len(words) > 2 and words[0][0] in _WRAPPERS and words[1][0] == "run":
        return words[2:]
    return words


def _parse_command(words: Sequence[tuple[str, int]]) -> Iterator[ScriptCall]:
    runner = words[0][0] if words else ""
    if runner not in _WITH_VALUE:
        return
    rest, elsewhere = _strip_options(runner, words[1:])
    if any(mark in word for word, _ in rest for mark in "<{[$…*(") or any("..." in word for word, _ in rest):
        return
    if runner in ("npm", "pnpm", "yarn", "bun"):
        elsewhere = elsewhere or bool(rest and rest[0][0] in ("workspace", "workspaces"))
        may_be_program = runner in ("yarn", "bun")
        yield from (
            ScriptCall("npm", word, at, elsewhere, may_be_program)
            for word, at in _script_names(_node_scripts(runner, rest))
        )
    elif runner == "make" and any(_MAKEFILE.match(word) for word, _ in words):
        return  # the targets of another makefile are not known
    elif not any(word.lower() in PROSE_WORDS for word, _ in rest):
        targets = _make_targets(rest) if runner == "make" else rest[:1]
        yield from (ScriptCall(runner, word, at, elsewhere) for word, at in _script_names(targets))


def _script_names(words: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield the words that can be names of scripts."""
    for word, at in words:
        name = word.rstrip(".,;:)'\"")
        is_placeholder = _is_alternative(name) or name.lower() in _PLACEHOLDERS
        if _NAME.match(name) and not is_placeholder and not word.endswith(":"):
            yield name, at


def _is_alternative(name: str) -> bool:
    """Return whether a name stands for several scripts: build/test/lint."""
    return name.count("/") > 1 and "." not in name and "@" not in name


def _strip_options(runner: str, words: Sequence[tuple[str, int]]) -> tuple[list[tuple[str, int]], bool]:
    """Return the words of a command without options and their values, and whether an option selects
    another directory.
    """
    rest: list[tuple[str, int]] = []
    elsewhere = skips = False
    for word, at in words:
        if skips:
            skips = False
        elif word == "--":
            break
        elif word.startswith("-"):
            elsewhere = elsewhere or bool(_ELSEWHERE.match(word))
            skips = word in _WITH_VALUE[runner]
        else:
            rest.append((word, at))
    return rest, elsewhere


def _node_scripts(runner: str, rest: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the script that a package manager runs; empty if the word may be something else."""
    if rest and rest[0][0] == "workspace":
        rest = rest[2:]
    if not rest:
        return []
    verb = rest[0][0]
    if verb in ("run", "run-script"):
        return [word for word in rest[1:2] if runner == "npm" or not _FILE.search(word[0])]
    if runner == "npm":
        return [("test", rest[0][1])] if verb in ("test", "t") and len(rest) == 1 else []
    return rest[:1] if (":" in verb and "/" not in verb) or verb in SCRIPT_NAMES - _COMMANDS[runner] else []


def _make_targets(rest: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the targets among the arguments of make, without variables and numbers."""
    return [word for word in rest if "=" not in word[0] and not word[0].isdigit()]
