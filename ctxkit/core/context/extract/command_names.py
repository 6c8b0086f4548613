"""The names of what commands run: checks, and programs with their subcommands."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.text.shell_script import split_commands

MAX_COMMAND = 4_000
"""Maximum characters of a command in which programs are looked for."""
_CHECK = re.compile(r"\b(?:\w*tests?|\w*spec|build|lint|check|typecheck|tsc|mypy|ruff|eslint|clippy|vitest|jest)\b")
_RUNNERS = ("python", "python3", "uv", "poetry", "npx", "pnpm", "bunx", "run", "exec", "time")
"""Words before the name of a check."""
_FILE_PROGRAM_NAMES = """
cat cd chmod cp find git grep ln ls mkdir mv open rm rmdir tar touch unzip wc
"""
_FILE_PROGRAMS = frozenset(_FILE_PROGRAM_NAMES.split())
"""Programs whose argument may be a folder with the name of a check."""
_LAUNCHERS = ("run", "exec", "compose", "-m", "--bun")
"""Words between a program and what it runs."""
_FRAMES = ("cd", "echo", "export", "head", "mkdir", "printf", "sleep", "tail")
"""Programs that stand beside the one that a command is about."""


def find_checks(command: str) -> frozenset[str]:
    """Return the names of the checks that a command runs: tests, builds and linters, without their arguments.

    >>> sorted(find_checks("cd app && npm run lint && pytest -q tests/a.py"))
    ['npm lint', 'pytest']
    """
    return frozenset(name for words in split_words(command) for name in name_check(words))


def list_runs(command: str) -> Iterator[str]:
    """Yield the names of what a command runs, without programs that only stand beside it.

    >>> list(list_runs("cd app && git push origin; npm run build | tail"))
    ['git push', 'npm run build']
    """
    yield from (name_run(words) for words in split_words(command) if words[0] not in _FRAMES)


def split_words(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command."""
    yield from (list(words) for words, _ in split_commands(command[:MAX_COMMAND]) if words and words[0])


def name_run(words: Sequence[str]) -> str:
    """Return the name of what a command runs: the program and its subcommand, or what a launcher starts.

    >>> name_run(["git", "push", "origin"]), name_run(["npm", "run", "build"])
    ('git push', 'npm run build')
    """
    size = 2
    while size < len(words) and words[size - 1] in _LAUNCHERS:
        size += 1
    return " ".join(words[:size])


def name_check(words: Sequence[str]) -> list[str]:
    """Return the name of the check that a command runs, without its arguments, none if it runs no check.

    >>> name_check(["python", "-m", "pytest", "tests/a.py"]), name_check(["npm", "run", "build"])
    (['pytest'], ['npm build'])
    """
    if words[0] in _FILE_PROGRAMS:
        return []
    names = [word for word in words[:6] if not word.startswith("-") and word not in _RUNNERS]
    head = [name.replace("\\", "/").rsplit("/", 1)[-1] for name in names[:2]]
    place = next((at for at, name in enumerate(head) if _CHECK.fullmatch(name)), -1)
    return [" ".join(head[: place + 1])] if place >= 0 else []
