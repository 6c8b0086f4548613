"""Make the findings about paths that are gone or unknown (REF001, REF002)."""

import re
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, WARNING, Severity
from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.references.paths import PathMention, rewrite_path

STATED_ROLES = (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.PERSONA, FileRole.TOOLS, FileRole.CONTEXT)
"""Roles of documents that describe the files of their project."""
COMMON_NAMES = frozenset(
    (
        *("readme.md", "changelog.md", "todo.md", "plan.md", "notes.md", "spec.md", "package.json", "tsconfig.json"),
        *("setup.py", "setup.cfg", "pyproject.toml", "requirements.txt", "config.json", "config.yaml", "config.yml"),
        *("config.toml", "settings.json", "settings.py", "conftest.py", "main.py", "main.ts", "main.go", "main.rs"),
        *("index.ts", "index.js", "index.html", "app.py", "utils.py", "utils.ts", "types.ts", "lib.rs", "mod.rs"),
        *("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "cargo.toml", "cargo.lock"),
        *("go.mod", "go.sum", "docker-compose.yml", "docker-compose.yaml", "makefile", "agents.md", "claude.md"),
        *("gemini.md", "memory.md", "soul.md", "user.md", "tools.md", "identity.md", "heartbeat.md", "bootstrap.md"),
        *(
            "context.md",
            "skill.md",
            "agent.md",
            "template.md",
            "index.md",
            "mcp.json",
            ".mcp.json",
            "design.md",
            "progress.md",
            "tasks.md",
        ),
    )
)
"""Names of files that text mentions in general, without meaning a particular file."""


def add_place(finding: LintFinding, other: LintFinding) -> LintFinding:
    """Return the finding about a path with another place that names it."""
    fixes = [fix for fix in (finding.fix, other.fix) if fix]
    edits = tuple(edit for fix in fixes for edit in fix.edits)
    related = tuple(dict.fromkeys((*finding.related, other.location)))
    return finding._replace(related=related, fix=fixes[0]._replace(edits=edits) if fixes else None)


def make_stale_finding(document: MarkdownDocument, mention: PathMention, place: str, past: RemovedPath) -> LintFinding:
    """Return the finding: an error in instructions, a warning in a memory, which may describe the past."""
    severity = WARNING if document.role is FileRole.MEMORY else ERROR
    when = f"{past.commit} ({past.date})"
    if not past.renamed_to:
        what = "does not exist since" if mention.path.endswith("/") else "was removed in"
        return make_path_finding(document, mention, "REF001", severity, f"`{mention.path}` {what} {when}")
    message = f"`{mention.path}` was renamed to {past.renamed_to} in {when}"
    new = rewrite_path(document, mention.path, place, past.renamed_to) if _is_move(place, past.renamed_to) else ""
    start = document.starts[mention.line - 1] + mention.start
    edit = TextEdit(document.path, start, start + len(mention.path), new)
    return make_path_finding(
        document,
        mention,
        "REF001",
        severity,
        message,
        Fix((edit,), False, f"name its new path, {new}") if new else None,
    )


def _is_move(old_path: str, new_path: str) -> bool:
    """Return whether a rename only moved a file or gave it another name: its content has the same use.

    A file that became one of several in a directory, or that was put away, is not what the text means.
    """
    is_same_name = old_path.rsplit("/", 1)[-1] == new_path.rsplit("/", 1)[-1]
    is_put_away = _STORE.search(dirname(new_path)) is not None and not _STORE.search(dirname(old_path))
    return not is_put_away and (is_same_name or dirname(old_path) == dirname(new_path))


_STORE = compile_lazily(
    r"(?:^|/)(?:archived?|archives|retired|legacy|old|deprecated|attic|backups?|history|completed|done|sprint\W?\d+"
    r"|v\d+|templates?|examples?|samples?|fixtures?)(?:/|$)",
    re.IGNORECASE,
)
"""Matches directories of files that are no longer in use, or that are examples."""


def make_path_finding(
    document: MarkdownDocument,
    mention: PathMention,
    code: str,
    severity: Severity,
    message: str,
    fix: Fix | None = None,
) -> LintFinding:
    """Return a finding at the mention of a path."""
    return LintFinding(
        code,
        severity,
        document.path,
        mention.line,
        mention.line,
        message,
        column=mention.start + 1,
        end_column=mention.start + 1 + len(mention.path),
        fix=fix,
        essence=mention.path,
    )
