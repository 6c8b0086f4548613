"""Find commands of a package manager that the lock files of the project contradict (REF006)."""

from collections.abc import Iterator, Sequence
from posixpath import dirname, join

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.inline import blank_code_spans, find_code_spans, text_lines
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.document.workspace import ProjectFact, Workspace
from ctxkit.core.lint.loading.manifests import select_facts
from ctxkit.core.lint.references.calls import find_calls
from ctxkit.core.lint.references.commands import SHELLS
from ctxkit.core.lint.references.elsewhere import find_foreign_calls
from ctxkit.core.lint.references.other_times import speaks_of_another

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
MANIFESTS = {"node": "package.json", "python": "pyproject.toml"}
"""The file of a package: commands run there, and the lock files below it are those of other packages."""
ECOSYSTEMS = (("node", ("npm", "yarn", "pnpm", "bun")), ("python", ("uv", "poetry", "pdm", "pipenv")))
_SHELLS = (*SHELLS, "")


def find_manager_conflicts(document: MarkdownDocument, workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the first command of a package manager that has no lock file, if another one has it.

    Documents that run it in a directory of another repository, and the scripts of that one, say nothing of this one.
    """
    calls: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for number, text in _list_commands(document):
        for match in _MANAGER.finditer(text):
            ecosystem = "node" if match["node"] else "python"
            manager = (match["node"] or match["python"]).split()[0]
            if not _COMMAND_START.search(text[: match.start()]):
                continue
            is_package = _ADDED.search(match["node"] or match["python"]) and _ARGUMENT.match(match["rest"])
            if not is_package and not _GLOBAL.search(match["rest"]):
                calls.setdefault((ecosystem, manager), []).append((number, match[0]))
    directory = dirname(document.path)
    for (ecosystem, manager), commands in calls.items():
        managers = dict(ECOSYSTEMS)[ecosystem]
        facts = _drop_stale_locks(select_facts(workspace.project.facts(), managers))
        known = {fact.subject for fact in facts}
        has_manifest = join(directory, MANIFESTS[ecosystem]) in workspace.project.paths
        near = [fact for fact in facts if _is_below(directory, dirname(fact.path)) or not (directory or has_manifest)]
        lines = _list_own_lines(document, workspace, commands) if near and manager not in known else []
        if lines:
            more = f" ({len(lines)} commands)" if len(lines) > 1 else ""
            yield LintFinding(
                "REF006", WARNING, document.path, lines[0], lines[0],
                f"runs {manager}{more}, but the project has {near[0].text}: {' or '.join(sorted(known))}",
                related=(LineRange(near[0].path, 1, 1),), essence=f"package manager {manager}",
            )  # fmt: skip


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


def _list_commands(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the code spans and of the lines in fences of shell commands."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in _SHELLS:
            for number in range(block.line + 1, block.end_line):
                line = document.at(number).partition(" #")[0]
                if not speaks_of_another(line):
                    yield number, line
    for number, line in text_lines(document):
        names = {match[0].lower() for match in _NAME.finditer(line)}
        is_list = any(len(names.intersection(managers)) > 1 for _, managers in ECOSYSTEMS)
        if "`" in line and not is_list and not speaks_of_another(blank_code_spans(line)):
            for span in find_code_spans(line):
                if not _ELSEWHERE.match(line[span.start + len(span.text) :].lstrip("`")):
                    yield number, span.text
