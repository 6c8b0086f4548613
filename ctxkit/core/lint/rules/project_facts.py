"""Find versions, package managers and test runners that the project contradicts (REF006)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.inline import text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import WARNING, Rule
from ctxkit.core.lint.document.workspace import ProjectFact, Version, Workspace
from ctxkit.core.lint.loading.manifests import parse_version, select_facts
from ctxkit.core.lint.references.other_times import speaks_of_another
from ctxkit.core.lint.references.paths import is_archived
from ctxkit.core.lint.rules.package_managers import find_manager_conflicts

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


SUBJECTS = (
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
    rf"(?<![\w@/.-])(?:{'|'.join(f'(?P<s{at}>{subject.pattern})' for at, subject in enumerate(SUBJECTS))})"
    rf"[ \t]{{1,2}}(?:version[ \t])?{_VERSION}{_AFTER}"
)
_LAST_WORD = compile_lazily(r"(?<![\w.])[A-Za-z][\w.]*+(?=[ ]$)")
"""Matches the word directly before a name."""
TEST_RUNNERS = frozenset(("jest", "vitest", "mocha", "jasmine", "ava"))
"""Packages of npm of which a project has one to run its tests."""
OTHER_RUNNERS = frozenset(
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
            for check in CHECKS:
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
            subject = next(item for at, item in enumerate(SUBJECTS) if match[f"s{at}"] is not None)
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
            if all(contradicts(fact, version, is_minimum=is_minimum) for fact in facts):
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


def contradicts(fact: ProjectFact, version: Version, *, is_minimum: bool) -> bool:
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
    known = {name for name in TEST_RUNNERS if select_facts(workspace.project.facts(), (f"npm:{name}",))}
    for number, line in text_lines(document):
        label = _TEST_LABEL.match(line)
        if label is None or not known or speaks_of_another(line):
            continue
        named = {match[0].lower() for match in _TEST_RUNNER.finditer(line, label.end())}
        if len(named & TEST_RUNNERS) == 1 and not named & (known | OTHER_RUNNERS):
            (fact, *_) = select_facts(workspace.project.facts(), tuple(f"npm:{name}" for name in sorted(known)))
            (stated,) = named & TEST_RUNNERS
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

CHECKS: tuple[Callable[[MarkdownDocument, Workspace], Iterator[LintFinding]], ...] = (
    *(_check_versions, find_manager_conflicts, _check_test_runners, _check_own_version),
)
"""The kinds of facts that are checked."""
