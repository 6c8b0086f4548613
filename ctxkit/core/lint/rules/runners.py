"""Find calls of scripts that no task runner defines (REF003)."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.inline import find_code_spans, text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.scripts import ANYTHING, PROGRAM_PREFIX
from ctxkit.core.lint.references.calls import ScriptCall, find_calls
from ctxkit.core.lint.references.elsewhere import find_foreign_calls

RULES = (
    Rule(
        "REF003",
        "missing-script",
        ERROR,
        "none",
        "A command runs a script that package.json, the Makefile, the justfile or pyproject.toml does not define.",
        "The agent runs the command, reads an error, and tries something else, every time again. A script that any "
        "file of the project defines counts as defined. Files that include other files are not checked.",
        "- Run `npm run lint` before a commit.   (package.json: build, test)",
        "- Run `npm test` before a commit.",
        "Peers check npm alone, or npm and make (agnix CC-MEM-004, ctxlint).",
    ),
)
_SHELL = ("bash", "sh", "shell", "zsh", "console", "fish", "shell-session", "terminal")
_OPTIONAL_CONTEXT = compile_lazily(
    r"\b(?:no longer|removed|deprecated|used to|formerly|previously|deleted|superseded"
    r"|does not exist|doesn'?t exist|there (?:is|are) no|if available|if defined|e\.g|"
    r"for example|or similar|if (?:it|they|one|present)|when available|never|don'?t|do not|not yet|instead of"
    r"|rather than|such as|would|could|might|other repo\w*|another repo\w*|your own|equivalent"
    r"|add(?:ing)? (?:a|an|the))\b|^\s*<"
    r"|\b(?:from|in|inside|at) `?(?:/|~/|\.\./)",
    re.IGNORECASE,
)
"""Words of a line whose script is optional or belongs to another project."""
_ARCHIVE_PATH = compile_lazily(
    r"(?:^|/)(?:archived?|old|legacy|backups?|templates?|examples?|samples?|fixtures?|testdata)(?:/|$)"
)
_AGENTS = compile_lazily(r"(?:^|/)(?:\.[a-z]+|skills|commands|agents|rules|prompts|plugins)(?:/.*)?$")
_PERSONA_PATH = compile_lazily(r"(?:^|/)agents/[^/]+\.md$")
"""Matches an agent with a subject of its own, such as the documentation of interfaces."""
_PROJECT_ROLES = (FileRole.INSTRUCTIONS, FileRole.PERSONA, FileRole.TOOLS, FileRole.DOCS)
"""Roles of documents that describe the project in their directory; rules and skills may describe others."""
_COMMON_NAMES = frozenset(
    ("all", "build", "check", "clean", "dev", "fmt", "format", "help", "install", "lint", "run", "start", "test")
)
MAX_MISSING = 2
"""Maximum number of undefined scripts in a document that names no defined script."""
Runners = Mapping[str, frozenset[str]]
"""Names that one kind of runner defines, by directory."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield calls of scripts that no file of the project defines."""
    missing = list(_find_undefined(workspace))
    foreign = find_foreign_calls(workspace) if missing else None
    for name, finding in missing:
        if foreign and name not in foreign.scripts and finding.path not in foreign.documents:
            yield finding


def _find_undefined(workspace: Workspace) -> Iterator[tuple[str, LintFinding]]:
    """Yield (script, finding) of the calls of scripts that no file defines, be they of this project or not."""
    scripts = workspace.project.scripts
    for document in workspace.documents if scripts else ():
        if document.role in (FileRole.PROMPT, FileRole.DAILY, FileRole.MEMORY) or _ARCHIVE_PATH.search(
            dirname(document.path)
        ):
            continue
        named = list(_find_named_scripts(document))
        for runner in sorted({call.runner for _, call in named}):
            names_by_directory = {directory: names for (kind, directory), names in scripts.items() if kind == runner}
            calls = [pair for pair in named if pair[1].runner == runner]
            yield from _find_missing(document, names_by_directory, calls, ".gitmodules" in workspace.project.paths)


def _find_named_scripts(document: MarkdownDocument) -> Iterator[tuple[int, ScriptCall]]:
    """Yield (line, call) of the scripts in code spans and in fences of shell commands."""
    for block in document.blocks:
        info = block.info.split(" ")[0].lower()
        if block.kind == "fence" and block.closed and (info in _SHELL or not info):
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if not _OPTIONAL_CONTEXT.search(line):
                    for call in find_calls(line):
                        yield number, call
    for number, line in text_lines(document):
        if "`" in line and not _OPTIONAL_CONTEXT.search(line):
            for span in find_code_spans(line):
                for call in find_calls(span.text):
                    yield number, call._replace(start=span.start + call.start)


def _find_missing(
    document: MarkdownDocument, names_by_directory: Runners, named: list[tuple[int, ScriptCall]], has_modules: bool
) -> Iterator[tuple[str, LintFinding]]:
    """Yield (script, finding) of the calls of undefined scripts, if the document is about the project's own runners.

    Submodules, if the project has any, may define all others.
    """
    if not names_by_directory or any(ANYTHING in names for names in names_by_directory.values()) or has_modules:
        return
    known = {call: any(_has_script(names, call) for names in names_by_directory.values()) for _, call in named}
    if not (_is_beside_runner(document, names_by_directory) or _is_about_project(document, known)):
        return
    for number, call in named:
        if not known[call] and (call.elsewhere or _is_near_runner(document, names_by_directory)):
            yield call.name, _make_finding(document, number, call)


def _is_beside_runner(document: MarkdownDocument, names_by_directory: Runners) -> bool:
    """Return whether the file of a runner is in the same directory as the instructions."""
    return document.role in _PROJECT_ROLES and _AGENTS.sub("", dirname(document.path)) in names_by_directory


def _is_about_project(document: MarkdownDocument, known: Mapping[ScriptCall, bool]) -> bool:
    """Return whether a document names at least as many defined as undefined scripts.

    Otherwise the document describes another project, unless the undefined scripts are few. A skill or an agent may
    describe any project: it may not have more undefined scripts, an agent only half as many, and common names do not
    count.
    """
    there = {call.name for call, knows in known.items() if knows}
    is_general = document.role is FileRole.SKILL or _PERSONA_PATH.search(document.path) is not None
    if is_general:
        there -= _COMMON_NAMES
    missing = len({call.name for call, knows in known.items() if not knows})
    if is_general:
        return len(there) >= missing * (1 if document.role is FileRole.SKILL else 2)
    return len(there) >= missing or missing <= MAX_MISSING


def _is_near_runner(document: MarkdownDocument, names_by_directory: Runners) -> bool:
    """Return whether a runner's file is in the document's directory or a parent of it."""
    here = dirname(document.path)
    while here and here not in names_by_directory and here != dirname(here):
        here = dirname(here)
    return here in names_by_directory or not dirname(document.path)


def _has_script(names: frozenset[str], call: ScriptCall) -> bool:
    if call.name in names or (call.may_be_program and f"{PROGRAM_PREFIX}{call.name}" in names):
        return True
    if call.runner == "just":
        return call.name.split("::")[0] in names
    return any("%" in name and _matches_pattern(name, call.name) for name in names)


def _matches_pattern(pattern: str, name: str) -> bool:
    before, _, after = pattern.partition("%")
    return name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)


_FILES = {"npm": "package.json", "make": "the Makefile", "just": "the justfile", "poe": "pyproject.toml"}


def _make_finding(document: MarkdownDocument, number: int, call: ScriptCall) -> LintFinding:
    return LintFinding(
        "REF003",
        ERROR,
        document.path,
        number,
        number,
        f"{_FILES[call.runner]} does not define '{call.name}'",
        column=call.start + 1,
        end_column=call.start + 1 + len(call.name),
        essence=f"{call.runner} {call.name}",
    )
