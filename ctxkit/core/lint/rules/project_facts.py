"""Find versions, package managers and test runners that the project contradicts (REF006)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from posixpath import dirname, join
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import WARNING, LineRange, LintFinding, Rule
from ctxkit.core.lint.document.inline import blank_code_spans, find_code_spans, text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import ProjectFact, Version, Workspace
from ctxkit.core.lint.loading.manifests import parse_version, select_facts
from ctxkit.core.lint.references.calls import find_calls, find_foreign_calls
from ctxkit.core.lint.references.excuses import speaks_of_another
from ctxkit.core.lint.references.paths import SHELLS, is_archived

_NODE = (
    r"npm[ \t](?:install|i|ci|add|run|test|start|uninstall|update|audit)"
    r"|yarn(?:[ \t](?:install|add|remove|run|test|build|dev|lint))?"
    r"|pnpm[ \t](?:install|i|add|remove|run|test|build|dev|lint)|bun[ \t](?:install|add|remove)"
)
_PYTHON = (
    r"poetry[ \t](?:install|add|run|lock|update)|uv[ \t](?:sync|add|lock|run)|pdm[ \t](?:install|add|run|sync)"
    r"|pipenv[ \t](?:install|run|sync)"
)
_MANAGER = compile_lazily(rf"(?<![\w./-])(?:(?P<node>{_NODE})|(?P<python>{_PYTHON}))(?![\w-])(?P<rest>[^\n]*)")
_GLOBAL = compile_lazily(
    r"[ \t](?:-g|--global|--prefix|-C|--cwd|--with|--no-project|--script|--python|--directory)\b|^[ \t](?:-[A-Z]|\w+@)"
)
"""Options of commands that do not change or run the project."""
_COMMAND_START = compile_lazily(r"(?:^|[;&|(]|\b(?:sudo|exec|then|do)|[A-Z_]=\S{0,80})[ \t$>%]*$")
"""Matches the text before a command; a name before it makes the command an argument of another program."""
_ADDED = compile_lazily(r"[ \t](?:install|i|add|update|uninstall|remove)$")
_ARGUMENT = compile_lazily(r"[ \t]+[@\w]")
"""Matches a package that a command installs: that may be one for another project."""
_ELSEWHERE = compile_lazily(r"[ \t](?:in(?:to|side)?|under|below|from)[ \t][`<]")
"""Matches text after a command that says in which directory it runs, or that it is taken from somewhere."""
_NAME = compile_lazily(r"\b(?:npm|yarn|pnpm|bun|uv|poetry|pdm|pipenv)\b")
_MANIFESTS = {"node": "package.json", "python": "pyproject.toml"}
"""The file of a package: commands run there, and the lock files below it are those of other packages."""
_ECOSYSTEMS = (("node", ("npm", "yarn", "pnpm", "bun")), ("python", ("uv", "poetry", "pdm", "pipenv")))
_SHELLS = (*SHELLS, "")
RULES = (
    Rule(
        "REF006",
        "outdated-fact",
        WARNING,
        "none",
        "Instructions state a version or a test runner, or run a package manager, that the manifests and lock files of "
        "the project contradict.",
        "The agent writes code for the wrong version, or adds a second lock file. A statement counts as wrong only if "
        "each manifest of the project that knows its subject contradicts it.",
        "- Next.js 14 with the App Router   (package.json: \"next\": \"16.2.2\")",
        "- Next.js 16 with the App Router",
        "Versions of the tools and frameworks of a table; ranges with alternatives are not compared.",
    ),
)
_STATED_ROLES = (FileRole.INSTRUCTIONS, FileRole.RULES)
_VERSION = (
    r"(?P<mark>>=|≥)?[ \t]{0,2}v?(?P<version>\d{1,3}(?:\.\d{1,3}){0,2})"
    r"(?P<open>\+|\.x|[ \t](?:or|and)[ \t](?:later|newer|higher|above|up))?"
)
_AFTER = r"(?![\w%/:-]|\.\d|[ \t]?[–—/][ \t]?v?\d|[ \t](?:or|to|and)[ \t]v?\d|,[ \t]?v?\d)"
"""A version is not the first of several, and no part of a word or a path."""


class Subject(NamedTuple):
    """A tool or a framework: how text names it, and the subjects of facts that have its version.

    Of ``parts`` numbers of a version, those that a statement names must agree.
    """

    name: str
    pattern: str
    subjects: tuple[str, ...]
    parts: int = 1


_SUBJECTS = (
    Subject("Node.js", r"Node(?:\.?js)?", ("node",)),
    Subject("Python", r"Python", ("python",), 2),
    Subject("Go", r"Go(?:lang)?(?= v?1\.\d)", ("go",), 2),
    Subject("Rust", r"Rust(?= v?1\.\d)", ("rust",), 2),
    Subject("Next.js", r"Next(?:\.js|JS)", ("npm:next",)),
    Subject("React", r"(?<!Preact )React(?:\.js)?", ("npm:react",)),
    Subject("React Native", r"React Native(?= v?0\.\d)", ("npm:react-native",), 2),
    Subject("Vue", r"Vue(?:\.js)?", ("npm:vue",)),
    Subject("Nuxt", r"Nuxt(?:\.js)?", ("npm:nuxt",)),
    Subject("Svelte", r"Svelte", ("npm:svelte",)),
    Subject("SvelteKit", r"SvelteKit", ("npm:@sveltejs/kit",)),
    Subject("Angular", r"Angular", ("npm:@angular/core",)),
    Subject("Astro", r"Astro", ("npm:astro",)),
    Subject("Vite", r"Vite", ("npm:vite",)),
    Subject("Vitest", r"Vitest", ("npm:vitest",)),
    Subject("Jest", r"Jest", ("npm:jest",)),
    Subject("TypeScript", r"TypeScript", ("npm:typescript",)),
    Subject("Tailwind CSS", r"Tailwind(?:[ ]?CSS)?", ("npm:tailwindcss",)),
    Subject("ESLint", r"ESLint", ("npm:eslint",)),
    Subject("Express", r"Express(?:\.js)?", ("npm:express",)),
    Subject("Fastify", r"Fastify", ("npm:fastify",)),
    Subject("NestJS", r"Nest(?:JS|\.js)", ("npm:@nestjs/core",)),
    Subject("Prisma", r"Prisma(?: ORM)?", ("npm:prisma", "npm:@prisma/client")),
    Subject("Zod", r"Zod", ("npm:zod",)),
    Subject("Zustand", r"Zustand", ("npm:zustand",)),
    Subject("Expo", r"Expo(?: SDK)?", ("npm:expo",)),
    Subject("Electron", r"Electron", ("npm:electron",)),
    Subject("Storybook", r"Storybook", ("npm:storybook",)),
    Subject("Django", r"Django", ("pypi:django",)),
    Subject("Pydantic", r"Pydantic", ("pypi:pydantic",)),
    Subject("SQLAlchemy", r"SQLAlchemy", ("pypi:sqlalchemy",)),
)
"""Tools and frameworks whose versions instructions state; a name that is a common word needs its suffix."""
_STATEMENT = compile_lazily(
    rf"(?<![\w@/.-])(?:{'|'.join(f'(?P<s{at}>{subject.pattern})' for at, subject in enumerate(_SUBJECTS))})"
    rf"[ \t]{{1,2}}(?:version[ \t])?{_VERSION}{_AFTER}"
)
_LAST_WORD = compile_lazily(r"(?<![\w.])[A-Za-z][\w.]*+(?=[ ]$)")
"""Matches the word directly before a name."""
_TEST_RUNNERS = frozenset(("jest", "vitest", "mocha", "jasmine", "ava"))
"""Packages of npm of which a project has one to run its tests."""
_OTHER_RUNNERS = frozenset(
    (
        *("pytest", "unittest", "playwright", "cypress", "karma", "bun", "node", "deno", "junit", "rspec", "go"),
        *("cargo", "jest-expo"),
    )
)
"""Others that a line may name beside it, so that it speaks of several parts of a project."""
_TEST_LABEL = compile_lazily(
    r"[ \t]{0,8}(?:[-*+|][ \t]{1,4})?[*_]{0,2}(?:unit[ ])?(?:tests?|testing)"
    r"(?:[ ](?:framework|runner|library|stack|tool))?[*_]{0,2}[ \t]{0,4}[:|]",
    re.IGNORECASE,
)
_TEST_RUNNER = compile_lazily(r"(?<![\w./@-])[a-zA-Z][a-zA-Z-]{1,20}(?![\w/-])")


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield statements of each kind that the project contradicts."""
    for document in workspace.documents:
        if document.role in _STATED_ROLES and not is_archived(document.path):
            for check in _CHECKS:
                yield from _join_places(check(document, workspace))


def _join_places(findings: Iterable[LintFinding]) -> Iterator[LintFinding]:
    """Yield the findings of a document, those that state the same as one with all its places."""
    by_essence: dict[str, LintFinding] = {}
    for finding in findings:
        first = by_essence.setdefault(finding.essence, finding)
        if first is not finding:
            by_essence[finding.essence] = first._replace(related=(*first.related, finding.location))
    yield from by_essence.values()


def _check_versions(document: MarkdownDocument, workspace: Workspace) -> Iterator[LintFinding]:
    """Yield stated versions that each manifest with the same subject contradicts.

    Rules for some files speak of the versions of other things, and a version in brackets tells since when a thing is.
    """
    if document.role is FileRole.RULES:
        return
    for number, line in _list_statements(document):
        seen: set[tuple[str, str]] = set()
        in_use: set[str] = set()
        wrong: list[tuple[str, str, Sequence[ProjectFact]]] = []
        for match in _STATEMENT.finditer(line):
            subject = next(item for at, item in enumerate(_SUBJECTS) if match[f"s{at}"] is not None)
            key = (subject.name, match["version"])
            is_minimum = bool(match["mark"]) or (match["open"] or "").strip() not in ("", ".x")
            is_remark = is_minimum and line[: match.start()].rstrip(" \t*_`").endswith("(")
            if key in seen or is_remark or speaks_of_another(line):
                continue
            seen.add(key)
            facts = select_facts(workspace.project.facts(), subject.subjects)
            version = parse_version(match["version"])[: subject.parts]
            if not facts or _names_other_package(line[: match.start()], subject, workspace.project.facts()):
                continue
            if all(_contradicts(fact, version, is_minimum=is_minimum) for fact in facts):
                wrong.append((subject.name, _format_version(match), facts))
            else:
                in_use.add(subject.name)
        for name, stated, known in wrong:
            if name not in in_use:  # a line with the right version too compares the two
                yield _make_finding(document, number, f"{name} {stated}", known)


def _format_version(match: re.Match[str]) -> str:
    """Return a stated version with the mark or the words that make it the lowest one."""
    mark = f"{match['mark']} " if match["mark"] else ""
    return f"{mark}{match['version']}{match['open'] or ''}"


def _names_other_package(before: str, subject: Subject, facts: Sequence[ProjectFact]) -> bool:
    """Return whether the word before a name makes it that of another package of the project: Lucide React."""
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    names = [known.partition(":")[2].rsplit("/", 1)[-1] for known in subject.subjects if known.startswith("npm:")]
    longer = {f"npm:{mark}{word[0].lower()}{sign}{name}" for name in names for mark, sign in (("", "-"), ("@", "/"))}
    return any(fact.subject in longer for fact in facts)


def _list_statements(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield the lines of the text and of drawn directories."""
    yield from text_lines(document)
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.strip().lower() in ("", "text"):
            for number in range(block.line + 1, block.end_line):
                yield number, document.at(number)


def _contradicts(fact: ProjectFact, version: Version, *, is_minimum: bool) -> bool:
    """Return whether a fact excludes a stated version, or a stated lowest version."""
    size = min(len(version), len(fact.version))
    if not size:
        return False
    stated, known = version[:size], fact.version[:size]
    if fact.bound == "minimum":
        return stated < known
    return stated > known if is_minimum else stated != known


def _make_finding(document: MarkdownDocument, number: int, stated: str, facts: Sequence[ProjectFact]) -> LintFinding:
    fact = min(facts, key=lambda fact: (fact.path.count("/"), fact.path))
    name = fact.subject.split(":")[-1]
    known = fact.text if fact.text.lower().startswith(f"{name} ") else f"{name} {fact.text}"
    return LintFinding(
        "REF006", WARNING, document.path, number, number,
        f"states {stated}, but {fact.path} has {known}",
        related=(LineRange(fact.path, 1, 1),), essence=stated,
    )  # fmt: skip


def _check_test_runners(document: MarkdownDocument, workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the line that names the test runner, if the manifests have only another one."""
    known = {name for name in _TEST_RUNNERS if select_facts(workspace.project.facts(), (f"npm:{name}",))}
    for number, line in text_lines(document):
        label = _TEST_LABEL.match(line)
        if label is None or not known or speaks_of_another(line):
            continue
        named = {match[0].lower() for match in _TEST_RUNNER.finditer(line, label.end())}
        if len(named & _TEST_RUNNERS) == 1 and not named & (known | _OTHER_RUNNERS):
            (fact, *_) = select_facts(workspace.project.facts(), tuple(f"npm:{name}" for name in sorted(known)))
            (stated,) = named & _TEST_RUNNERS
            yield LintFinding(
                "REF006", WARNING, document.path, number, number,
                f"names {stated} for tests, but {fact.path} has {' and '.join(sorted(known))}",
                related=(LineRange(fact.path, 1, 1),), essence=f"test runner {stated}",
            )  # fmt: skip


def _check_own_version(document: MarkdownDocument, workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the current version of the project, if no manifest has it."""
    for number, line in text_lines(document):
        if match := _OWN_VERSION.match(line):
            facts = select_facts(workspace.project.facts(), ("version",))
            known = {fact.version for fact in facts}
            if facts and known.isdisjoint(((0, 0, 0), parse_version(match["version"]))):  # 0.0.0 stands for any
                fact = min(facts, key=lambda fact: (fact.path.count("/"), not fact.path.endswith("package.json")))
                yield LintFinding(
                    "REF006", WARNING, document.path, number, number,
                    f"states the version {match['version']}, but {fact.path} has {fact.text}",
                    related=(LineRange(fact.path, 1, 1),), essence="current version",
                )  # fmt: skip


_OWN_VERSION = compile_lazily(
    r"[ \t>]{0,8}(?:[-*+|][ \t]{1,4})?[*_]{0,2}current[ ](?:package[ ]|project[ ]|app[ ])?version[*_]{0,2}"
    r"[ \t]{0,4}[:|][*_]{0,2}[ \t`]{0,4}v?(?P<version>\d{1,4}\.\d{1,4}\.\d{1,4})(?![\w.-])",
    re.IGNORECASE,
)
"""Matches a line whose label says that it has the version of the project."""


def _find_manager_conflicts(document: MarkdownDocument, workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the first command of a package manager that has no lock file, if another one has it.

    Documents that run it in a directory of another repository, and the scripts of that one, say nothing of this one.
    """
    directory = dirname(document.path)
    for (ecosystem, manager), commands in _find_manager_calls(document).items():
        managers = dict(_ECOSYSTEMS)[ecosystem]
        facts = _drop_stale_locks(select_facts(workspace.project.facts(), managers))
        known = {fact.subject for fact in facts}
        has_manifest = join(directory, _MANIFESTS[ecosystem]) in workspace.project.paths
        near = [fact for fact in facts if _is_below(directory, dirname(fact.path)) or not (directory or has_manifest)]
        lines = _list_own_lines(document, workspace, commands) if near and manager not in known else []
        if lines:
            more = f" ({len(lines)} commands)" if len(lines) > 1 else ""
            yield LintFinding(
                "REF006", WARNING, document.path, lines[0], lines[0],
                f"runs {manager}{more}, but the project has {near[0].text}: {' or '.join(sorted(known))}",
                related=(LineRange(near[0].path, 1, 1),), essence=f"package manager {manager}",
            )  # fmt: skip


def _find_manager_calls(document: MarkdownDocument) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """Return the lines and texts of the commands that install for the project, by ecosystem and package manager."""
    calls: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for number, text in _list_commands(document):
        for match in _MANAGER.finditer(text):
            ecosystem = "node" if match["node"] else "python"
            command = match[ecosystem]
            if not _COMMAND_START.search(text[: match.start()]):
                continue
            is_package = _ADDED.search(command) and _ARGUMENT.match(match["rest"])
            if not is_package and not _GLOBAL.search(match["rest"]):
                calls.setdefault((ecosystem, command.split()[0]), []).append((number, match[0]))
    return calls


def _list_own_lines(
    document: MarkdownDocument, workspace: Workspace, commands: Sequence[tuple[int, str]]
) -> list[int]:
    """Return the lines of the commands that run in this project."""
    foreign = find_foreign_calls(workspace)
    if document.path in foreign.documents:
        return []
    return [line for line, text in commands if not any(call.name in foreign.scripts for call in find_calls(text))]


def _drop_stale_locks(facts: Sequence[ProjectFact]) -> list[ProjectFact]:
    """Return the facts without the lock files of other managers beside that of the one that a manifest names."""
    locked = {(dirname(fact.path), fact.subject) for fact in facts if not fact.path.endswith("package.json")}
    named = {dirname(fact.path): fact.subject for fact in facts if fact.path.endswith("package.json")}
    decided = {home: manager for home, manager in named.items() if (home, manager) in locked}
    return [fact for fact in facts if decided.get(dirname(fact.path), fact.subject) == fact.subject]


def _is_below(directory: str, parent: str) -> bool:
    """Return whether a directory is another one, or below it."""
    return not parent or directory == parent or directory.startswith(f"{parent}/")


def _list_shell_lines(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in _SHELLS:
            for number in range(block.line + 1, block.end_line):
                line = document.at(number).partition(" #")[0]
                if not speaks_of_another(line):
                    yield number, line


def _list_commands(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the lines in fences of shell commands, and of the code spans."""
    yield from _list_shell_lines(document)
    for number, line in text_lines(document):
        names = {match[0].lower() for match in _NAME.finditer(line)}
        is_list = any(len(names.intersection(managers)) > 1 for _, managers in _ECOSYSTEMS)
        if "`" in line and not is_list and not speaks_of_another(blank_code_spans(line)):
            for span in find_code_spans(line):
                if not _ELSEWHERE.match(line[span.start + len(span.text) :].lstrip("`")):
                    yield number, span.text


_CHECKS: tuple[Callable[[MarkdownDocument, Workspace], Iterator[LintFinding]], ...] = (
    *(_check_versions, _find_manager_conflicts, _check_test_runners, _check_own_version),
)
"""The kinds of facts that are checked."""
