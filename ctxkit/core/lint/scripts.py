"""The names that a project's task runners know: npm, make, just, poe."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from posixpath import dirname

FILES = {
    "package.json": "npm",
    "Makefile": "make",
    "makefile": "make",
    "GNUmakefile": "make",
    "justfile": "just",
    "Justfile": "just",
    ".justfile": "just",
    "pyproject.toml": "poe",
}
WORDS = {
    "npm": re.compile(r"\b(?:npm|pnpm|yarn|bun)\b"),
    "make": re.compile(r"\bmake\b"),
    "just": re.compile(r"\bjust\b"),
    "poe": re.compile(r"\bpoe\b"),
}
ANYTHING = "*"
"""The name that stands for all where a file includes others, or makes names as it is read."""
PROGRAM = "program "
"""What stands before the name of a package that may bring a program of that name."""
_TARGET = re.compile(r"^([\w.%/][^:=#$\t\n]*+)[ \t]*+::?(?!=)", re.MULTILINE)
_PHONY = re.compile(r"^\.PHONY[ \t]*:([^\n]*)", re.MULTILINE)
_SPECIAL = re.compile(r"\.[A-Z][A-Z_]+$")
_INCLUDES = re.compile(r"^(?:-?include|sinclude)[ \t]+\S|^\$[({][^\n]*[)}][ \t]*:(?!=)|^[ \t]*\$\(eval\b", re.MULTILINE)
_RECIPE = re.compile(
    r"^(?:@|_)?([A-Za-z_][\w-]*)(?:[ \t](?:'[^'\n]*'|\"[^\"\n]*\"|[^:'\"\n]++)*+)?:(?!=)"
    r"|^alias[ \t]+([\w-]+)[ \t]*:=",
    re.MULTILINE,
)
_MODULE = re.compile(r"^mod\??[ \t]+([\w-]+)", re.MULTILINE)
_IMPORTS = re.compile(r"^import\??[ \t]", re.MULTILINE)
_BROUGHT = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_BINS = {"typescript": "tsc", "@biomejs/biome": "biome", "@playwright/test": "playwright"}
"""Programs whose packages have other names."""


def scripts(
    paths: Sequence[str], read: Callable[[str], bytes | None], texts: Iterable[str]
) -> dict[tuple[str, str], frozenset[str]]:
    """Return what each (runner, directory) knows, for the runners that some texts mention."""
    texts = list(texts)
    used = {runner for runner, word in WORDS.items() if any(word.search(text) for text in texts)}
    found: dict[tuple[str, str], frozenset[str]] = {}
    for path in paths:
        runner = FILES.get(path.rsplit("/", 1)[-1])
        data = read(path) if runner in used else None
        if runner and data is not None:
            names = frozenset(_names(runner, data.decode("utf-8", "replace")))
            if names or runner != "poe":  # a pyproject.toml without tasks is none of poe's files
                found[runner, dirname(path)] = names
    return found


def _names(runner: str, text: str) -> Iterator[str]:
    """Yield the names that one file defines; none when it cannot be read."""
    return {"npm": _npm, "make": _make, "just": _just, "poe": _poe}[runner](text)


def _npm(text: str) -> Iterator[str]:
    """Yield the scripts of a package.json, and the programs that its dependencies may bring."""
    from json import loads

    try:
        package = loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    if not isinstance(package, dict):
        return
    known = package.get("scripts")
    yield from known if isinstance(known, dict) else ()
    for part in _BROUGHT:
        brought = package.get(part)
        for name in brought if isinstance(brought, dict) else ():
            yield f"{PROGRAM}{_BINS.get(name, name.rsplit('/', 1)[-1])}"


def _make(text: str) -> Iterator[str]:
    text = text.replace("\r\n", "\n").replace("\\\n", " ")
    if _INCLUDES.search(text):
        yield ANYTHING
    for found in (*_TARGET.finditer(text), *_PHONY.finditer(text)):
        yield from (name for name in found[1].split() if not _SPECIAL.match(name))


def _just(text: str) -> Iterator[str]:
    text = text.replace("\r\n", "\n")
    if _IMPORTS.search(text):
        yield ANYTHING
    for found in _RECIPE.finditer(text):
        yield found[1] or found[2]
    yield from (found[1] for found in _MODULE.finditer(text))


def _poe(text: str) -> Iterator[str]:
    """Yield the tasks of poethepoet in a pyproject.toml."""
    from tomllib import loads as toml

    try:
        tool = toml(text).get("tool", {})
    except (ValueError, RecursionError):  # nested too deep, or a number of too many digits
        return
    poe = tool.get("poe") if isinstance(tool, dict) else None
    if isinstance(poe, dict):
        if any(key.startswith("include") for key in poe):
            yield ANYTHING
        tasks = poe.get("tasks")
        yield from tasks if isinstance(tasks, dict) else ()
