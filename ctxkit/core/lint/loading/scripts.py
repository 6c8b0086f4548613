"""Parse the names that a project's task runners define: npm, make, just, poe."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily

RUNNERS_BY_FILE = {
    "package.json": "npm",
    "Makefile": "make",
    "makefile": "make",
    "GNUmakefile": "make",
    "justfile": "just",
    "Justfile": "just",
    ".justfile": "just",
    "pyproject.toml": "poe",
}
RUNNER_WORDS = {
    "npm": compile_lazily(r"\b(?:npm|pnpm|yarn|bun)\b"),
    "make": compile_lazily(r"\bmake\b"),
    "just": compile_lazily(r"\bjust\b"),
    "poe": compile_lazily(r"\bpoe\b"),
}
ANYTHING = "*"
"""Stands for all names, if a file includes others or generates names."""
PROGRAM_PREFIX = "program "
"""Prefix of a package name that may provide a program of the same name."""
_TARGET = compile_lazily(r"^([\w.%/][^:=#$\t\n]*+)[ \t]*+::?(?!=)", re.MULTILINE)
_PHONY = compile_lazily(r"^\.PHONY[ \t]*:([^\n]*)", re.MULTILINE)
_SPECIAL = compile_lazily(r"\.[A-Z][A-Z_]+$")
_INCLUDES = compile_lazily(
    r"^(?:-?include|sinclude)[ \t]+\S|^\$[({][^\n]*[)}][ \t]*:(?!=)|^[ \t]*\$\(eval\b", re.MULTILINE
)
_RECIPE = compile_lazily(
    r"^(?:@|_)?([A-Za-z_][\w-]*)(?:[ \t](?:'[^'\n]*'|\"[^\"\n]*\"|[^:'\"\n]++)*+)?:(?!=)"
    r"|^alias[ \t]+([\w-]+)[ \t]*:=",
    re.MULTILINE,
)
_MODULE = compile_lazily(r"^mod\??[ \t]+([\w-]+)", re.MULTILINE)
_IMPORTS = compile_lazily(r"^import\??[ \t]", re.MULTILINE)
_DEPENDENCY_KEYS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_PROGRAM_NAMES = {"typescript": "tsc", "@biomejs/biome": "biome", "@playwright/test": "playwright"}
"""Programs whose packages have other names."""


def find_scripts(
    paths: Sequence[str], read: Callable[[str], bytes | None], texts: Iterable[str]
) -> dict[tuple[str, str], frozenset[str]]:
    """Return the names of each (runner, directory), for the runners that the texts mention."""
    texts = list(texts)
    used = {runner for runner, word in RUNNER_WORDS.items() if any(word.search(text) for text in texts)}
    names_by_runner: dict[tuple[str, str], frozenset[str]] = {}
    for path in paths:
        runner = RUNNERS_BY_FILE.get(path.rsplit("/", 1)[-1])
        data = read(path) if runner in used else None
        if runner and data is not None:
            names = frozenset(_parse_names(runner, data.decode("utf-8", "replace")))
            if names or runner != "poe":  # a pyproject.toml without tasks does not belong to poe
                names_by_runner[runner, dirname(path)] = names
    return names_by_runner


def _parse_names(runner: str, text: str) -> Iterator[str]:
    """Yield the names that a file defines; none if it cannot be parsed."""
    return {"npm": _npm_names, "make": _make_names, "just": _just_names, "poe": _poe_names}[runner](text)


def _npm_names(text: str) -> Iterator[str]:
    """Yield the scripts of a package.json, and the programs that its dependencies may provide."""
    from json import loads

    try:
        package = loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    if not isinstance(package, dict):
        return
    known = package.get("scripts")
    yield from known if isinstance(known, dict) else ()
    for part in _DEPENDENCY_KEYS:
        dependencies = package.get(part)
        for name in dependencies if isinstance(dependencies, dict) else ():
            yield f"{PROGRAM_PREFIX}{_PROGRAM_NAMES.get(name, name.rsplit('/', 1)[-1])}"


def _make_names(text: str) -> Iterator[str]:
    text = text.replace("\r\n", "\n").replace("\\\n", " ")
    if _INCLUDES.search(text):
        yield ANYTHING
    for match in (*_TARGET.finditer(text), *_PHONY.finditer(text)):
        yield from (name for name in match[1].split() if not _SPECIAL.match(name))


def _just_names(text: str) -> Iterator[str]:
    text = text.replace("\r\n", "\n")
    if _IMPORTS.search(text):
        yield ANYTHING
    for match in _RECIPE.finditer(text):
        yield match[1] or match[2]
    yield from (match[1] for match in _MODULE.finditer(text))


def _poe_names(text: str) -> Iterator[str]:
    """Yield the tasks of poethepoet in a pyproject.toml."""
    from tomllib import loads as toml

    try:
        tool = toml(text).get("tool", {})
    except (ValueError, RecursionError):  # nested too deep, or a number with too many digits
        return
    poe = tool.get("poe") if isinstance(tool, dict) else None
    if isinstance(poe, dict):
        if any(key.startswith("include") for key in poe):
            yield ANYTHING
        tasks = poe.get("tasks")
        yield from tasks if isinstance(tasks, dict) else ()
