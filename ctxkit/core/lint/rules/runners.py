"""REF003: scripts that a task runner does not know."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname

from ctxkit.core.lint.calls import Call, calls
from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.inline import plain, spans
from ctxkit.core.lint.rule import ERROR, Rule
from ctxkit.core.lint.scripts import ANYTHING, PROGRAM
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "REF003",
        "missing-script",
        ERROR,
        "none",
        "A command runs a script that package.json, the Makefile, the justfile or pyproject.toml does not define.",
        "The agent runs it, reads an error, and tries again another way, every time anew. A script that any file of "
        "the project defines is taken to be meant; files that include others are not judged.",
        "- Run `npm run lint` before a commit.   (package.json: build, test)",
        "- Run `npm test` before a commit.",
        "Peers check npm alone, or npm and make (agnix CC-MEM-004, ctxlint).",
    ),
)
_SHELL = ("bash", "sh", "shell", "zsh", "console", "fish", "shell-session", "terminal")
_UNLESS = re.compile(
    r"\b(?:no longer|removed|deprecated|does not exist|doesn'?t exist|there (?:is|are) no|if available|if defined|e\.g|"
    r"for example|or similar|if (?:it|they|one|present)|when available|never|don'?t|do not|not yet|instead of"
    r"|rather than|such as|would|could|might|other repo\w*|another repo\w*|your own|equivalent"
    r"|add(?:ing)? (?:a|an|the))\b|^\s*<"
    r"|\b(?:from|in|inside|at) `?(?:/|~/|\.\./)",
    re.IGNORECASE,
)
"""What says that a script need not be there, or is one of another project."""
_APART = re.compile(r"(?:^|/)(?:archived?|old|legacy|backups?|templates?|examples?|samples?|fixtures?|testdata)(?:/|$)")
_AGENTS = re.compile(r"(?:^|/)(?:\.[a-z]+|skills|commands|agents|rules|prompts|plugins)(?:/.*)?$")
_OWN = (Kind.INSTRUCTIONS, Kind.PERSONA, Kind.TOOLS, Kind.DOCS)
"""Documents that are about the project they stand in, as rules and skills may not be."""
_USUAL = frozenset(
    ("all", "build", "check", "clean", "dev", "fmt", "format", "help", "install", "lint", "run", "start", "test")
)
FEW = 2
"""Names that may be missing in a document that names none which is there."""
Runners = Mapping[str, frozenset[str]]
"""What one kind of runner knows, by directory."""


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield the scripts that no file of the project defines."""
    scripts = workspace.project.scripts
    for document in workspace.documents if scripts else ():
        if document.kind in (Kind.PROMPT, Kind.DAILY, Kind.MEMORY) or _APART.search(dirname(document.path)):
            continue
        named = list(_named(document))
        for runner in sorted({call.runner for _, call in named}):
            mine = {directory: names for (kind, directory), names in scripts.items() if kind == runner}
            yield from _missing(document, mine, [one for one in named if one[1].runner == runner])


def _named(document: Document) -> Iterator[tuple[int, Call]]:
    """Yield the scripts named in code spans, and on the lines of fences that hold shell commands."""
    for block in document.blocks:
        info = block.info.split(" ")[0].lower()
        if block.sort == "fence" and block.closed and (info in _SHELL or not info):
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if not _UNLESS.search(line):
                    for call in calls(line):
                        yield number, call
    for number, line in plain(document):
        if "`" in line and not _UNLESS.search(line):
            for span in spans(line):
                for call in calls(span.text):
                    yield number, call._replace(start=span.start + call.start)


def _missing(document: Document, mine: Runners, named: list[tuple[int, Call]]) -> Iterator[Finding]:
    """Yield the calls of what no file defines, in a document that speaks of the project's own runners."""
    if not mine or any(ANYTHING in names for names in mine.values()):
        return
    known = {call: any(_knows(names, call) for names in mine.values()) for _, call in named}
    if not (_beside(document, mine) or _about(document, known)):
        return
    for number, call in named:
        if not known[call] and (call.elsewhere or _near(document, mine)):
            yield _finding(document, number, call)


def _beside(document: Document, mine: Runners) -> bool:
    """Tell whether instructions stand where a runner's file does."""
    return document.kind in _OWN and _AGENTS.sub("", dirname(document.path)) in mine


def _about(document: Document, known: Mapping[Call, bool]) -> bool:
    """Tell whether a document names as many scripts that are there as such that are not.

    Else it is about another project, unless they are few; in a skill, which may be about any project, few are too many
    and the usual names do not count.
    """
    there = {call.name for call, knows in known.items() if knows}
    if document.kind is Kind.SKILL:
        there -= _USUAL
    missing = len({call.name for call, knows in known.items() if not knows})
    return len(there) >= missing or (document.kind is not Kind.SKILL and missing <= FEW)


def _near(document: Document, mine: Runners) -> bool:
    """Tell whether a file of the runner stands in the document's directory or above it."""
    here = dirname(document.path)
    while here and here not in mine and here != dirname(here):
        here = dirname(here)
    return here in mine or not dirname(document.path)


def _knows(names: frozenset[str], call: Call) -> bool:
    if call.name in names or (call.loose and f"{PROGRAM}{call.name}" in names):
        return True
    if call.runner == "just":
        return call.name.split("::")[0] in names
    return any("%" in held and _matches(held, call.name) for held in names)


def _matches(pattern: str, name: str) -> bool:
    before, _, after = pattern.partition("%")
    return name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)


_FILES = {"npm": "package.json", "make": "the Makefile", "just": "the justfile", "poe": "pyproject.toml"}


def _finding(document: Document, number: int, call: Call) -> Finding:
    return Finding(
        "REF003",
        ERROR,
        document.path,
        number,
        number,
        f"{_FILES[call.runner]} defines no '{call.name}'",
        column=call.start + 1,
        end_column=call.start + 1 + len(call.name),
        essence=f"{call.runner} {call.name}",
    )
