"""REF003: scripts that a task runner does not know."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.inline import spans
from ctxkit.core.lint.rule import ERROR, Rule
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "REF003",
        "missing-script",
        ERROR,
        "none",
        "A command runs a script that package.json, the Makefile, the justfile or pyproject.toml does not define.",
        "The agent runs it, reads an error, and tries again another way, every time anew.",
        "- Run `npm run lint` before a commit.   (package.json: build, test)",
        "- Run `npm test` before a commit.",
        "Peers check npm alone, or npm and make (agnix CC-MEM-004, ctxlint).",
    ),
)
_RUN = "(?:npm|pnpm|yarn|bun)"
_COMMANDS = {
    "npm": re.compile(rf"{_RUN}\s+(?:run|run-script)\s+(?P<names>\w[\w:.\-/]*)|npm\s+(?P<short>test|t)\b(?!:)"),
    "make": re.compile(r"make\s+(?P<names>[a-zA-Z][\w.\-/]*(?:\s+[a-zA-Z][\w.\-/]*)*)"),
    "just": re.compile(r"just\s+(?P<names>[a-zA-Z_][\w-]*)"),
    "poe": re.compile(r"(?:(?:uv|poetry) run )?poe\s+(?P<names>[a-zA-Z_][\w-]*)"),
}
_ELSEWHERE = re.compile(
    r"--prefix|--filter|--workspace|-w\b|-C\b|-f\b|--cwd|-F\b|--dir\b|\bcd\s|--makefile|--justfile|--if-present"
)
_SHELL = ("", "bash", "sh", "shell", "zsh", "console", "fish", "shell-session")
_ENDS = re.compile(r"&&|\|\||[;|#>&]")
_SHOWN = re.compile(
    r"<|\{|\[|\.\.\.|…|\bscript(?:-name|name)?\b$|\b(?:your|target|name|task|recipe|xxx)\b"
)
_UNLESS = re.compile(
    r"\b(?:no longer|removed|deprecated|does not exist|doesn'?t exist|there is no|add a|if available|if defined|e\.g|"
    r"for example|or similar|if it exists|when available)\b",
    re.IGNORECASE,
)
ANYTHING = "*"
"""The name that stands for all in a file that includes others."""


class Wanted(NamedTuple):
    """Hold a script that a line runs, and where it is named (0-based)."""

    runner: str
    name: str
    start: int
    elsewhere: bool


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield the scripts that no file of the project defines."""
    known = workspace.project.scripts
    if not known:
        return
    for document in workspace.documents:
        if document.kind not in (Kind.PROMPT, Kind.DAILY, Kind.MEMORY):
            for number, wanted in _wanted(document):
                if _missing(document, wanted, known):
                    yield _finding(document, number, wanted)


def _wanted(document: Document) -> Iterator[tuple[int, Wanted]]:
    """Yield the scripts named in code spans, and on the lines of fences that hold shell commands."""
    for block in document.blocks:
        if block.sort == "fence" and block.info.split(" ")[0].lower() in _SHELL:
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                for wanted in _named(line, len(line) - len(line.lstrip(" \t$>"))):
                    yield number, wanted
    for number in range(1, document.lines + 1):
        line = document.at(number)
        if "`" in line and not document.block_at(number) and not _UNLESS.search(line):
            for span in spans(line):
                for wanted in _named(span.text, 0):
                    yield number, wanted._replace(start=span.start + wanted.start)


def _named(text: str, start: int) -> Iterator[Wanted]:
    """Yield the scripts that a command line runs, one command after another."""
    elsewhere = bool(_ELSEWHERE.search(text))
    while start < len(text):
        end = _ENDS.search(text, start)
        stop = end.start() if end else len(text)
        piece = text[start:stop]
        indent = len(piece) - len(piece.lstrip())
        for runner, pattern in _COMMANDS.items():
            found = pattern.match(piece.strip())
            if found and not _SHOWN.search(piece[indent + len(runner) :]):
                yield from _each(runner, found, start + indent, elsewhere)
        if not end or end[0] == "#":
            return
        start = end.end()


def _each(runner: str, found: re.Match[str], start: int, elsewhere: bool) -> Iterator[Wanted]:
    if found["names"] is None:
        yield Wanted(runner, "test", start + found.start("short"), elsewhere)
        return
    at = found.start("names")
    for name in found["names"].split():
        yield Wanted(runner, name, start + found.string.index(name, at), elsewhere)
        if runner != "make":
            return


def _missing(document: Document, wanted: Wanted, known: Mapping[tuple[str, str], frozenset[str]]) -> bool:
    """Tell whether a runner has a file where the command would run, and none that has the script."""
    mine = {directory: names for (runner, directory), names in known.items() if runner == wanted.runner}
    if not mine or any(_knows(names, wanted.name) for names in mine.values()):
        return False
    return not any(ANYTHING in names for names in mine.values()) and (wanted.elsewhere or _near(document, mine))


def _near(document: Document, mine: Mapping[str, frozenset[str]]) -> bool:
    """Tell whether a file of the runner stands in the document's directory or above it."""
    here = dirname(document.path)
    while here and here not in mine:
        here = dirname(here)
    return here in mine or not dirname(document.path)


def _knows(names: frozenset[str], name: str) -> bool:
    return name in names or any("%" in held and _matches(held, name) for held in names)


def _matches(pattern: str, name: str) -> bool:
    before, _, after = pattern.partition("%")
    return name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)


_FILES = {"npm": "package.json", "make": "the Makefile", "just": "the justfile", "poe": "pyproject.toml"}


def _finding(document: Document, number: int, wanted: Wanted) -> Finding:
    return Finding(
        "REF003",
        ERROR,
        document.path,
        number,
        number,
        f"{_FILES[wanted.runner]} defines no '{wanted.name}'",
        column=wanted.start + 1,
        end_column=wanted.start + 1 + len(wanted.name),
        essence=f"{wanted.runner} {wanted.name}",
    )
