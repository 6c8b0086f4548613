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
_TARGET = re.compile(r"^([A-Za-z0-9][\w./%\- ]*?)[ \t]*::?(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^(?:@|_)?([A-Za-z][\w-]*)(?:[ \t]+[^:=\n]*)?:(?!=)|^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)


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
            found[runner, dirname(path)] = frozenset(_names(runner, data.decode("utf-8", "replace")))
    return found


def _names(runner: str, text: str) -> Iterator[str]:
    """Yield the names that one file defines; none when it cannot be read."""
    if runner == "npm":
        from json import loads

        try:
            known = loads(text).get("scripts", {})
        except (ValueError, AttributeError, RecursionError):
            return
        yield from known if isinstance(known, dict) else ()
    elif runner == "make":
        for found in _TARGET.finditer(text):
            yield from found[1].split()
    elif runner == "just":
        for found in _RECIPE.finditer(text):
            yield found[1] or found[2]
    else:
        yield from _poe(text)


def _poe(text: str) -> Iterator[str]:
    from tomllib import TOMLDecodeError
    from tomllib import loads as toml

    try:
        tool = toml(text).get("tool", {})
    except TOMLDecodeError:
        return
    if isinstance(tool, dict) and isinstance(tool.get("poe"), dict):
        yield from tool["poe"].get("tasks", {})
