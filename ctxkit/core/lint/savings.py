"""Find what would save most of the tokens that hosts always load."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.load_set import LoadSet
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.host_loading import ALWAYS, HostFiles
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.loading.load_sets import find_home

MOST_SAVINGS = 3
"""Number of savings that are shown."""
MIN_TOKENS = 100
"""Tokens below which a saving is not worth the change."""
MAIN_LINES = 200
"""Lines of instructions that may stay: what Claude Code's documentation advises (see ``hosts``)."""
_HOSTS = {host.name: host for host in HOSTS}


class Saving(NamedTuple):
    """A change that saves tokens on every turn, and the file that it changes."""

    tokens: int
    path: str
    action: str


def find_savings(workspace: Workspace, findings: Sequence[LintFinding]) -> list[Saving]:
    """Return the largest savings: copies, unscoped rules, imports and long files; the largest first.

    A file has one saving, the largest.
    """
    by_path: dict[str, Saving] = {}
    always = {path for load_set in workspace.load_sets if load_set.always for path in load_set.paths}
    copies = _list_copies([finding for finding in findings if finding.path in always])
    for saving in (*copies, *_list_changes(workspace)):
        if saving.tokens >= MIN_TOKENS and saving.tokens > by_path.get(saving.path, saving._replace(tokens=0)).tokens:
            by_path[saving.path] = saving
    return sorted(by_path.values(), key=lambda saving: (-saving.tokens, saving.path))[:MOST_SAVINGS]


def _list_copies(findings: Sequence[LintFinding]) -> Iterator[Saving]:
    """Yield a saving for each file with copies of statements."""
    tokens: dict[str, int] = {}
    for finding in findings:
        if finding.code.startswith("DUP") and finding.tokens:
            tokens[finding.path] = tokens.get(finding.path, 0) + finding.tokens
    for path, count in tokens.items():
        yield Saving(count, path, "remove its copies of other statements (findings DUP, --fix)")


def _list_changes(workspace: Workspace) -> Iterator[Saving]:
    """Yield the savings of documents that a host loads without need."""
    documents = {document.path: document for document in workspace.documents}
    seen: set[str] = set()
    for load_set in workspace.load_sets:
        host = _HOSTS.get(load_set.agent)
        for path in load_set.paths if load_set.always and host else ():
            if path not in seen and path in documents:
                seen.add(path)
                yield _describe_change(workspace, load_set, documents[path])


def _describe_change(workspace: Workspace, load_set: LoadSet, document: MarkdownDocument) -> Saving:
    tokens = workspace.tokens(document.text)
    row = _find_row(load_set.agent, document)
    if row is None:
        return Saving(tokens, document.path, f"link to it instead of importing it: {load_set.agent} always loads it")
    if row.always != ALWAYS:
        keys = ", ".join(dict.fromkeys(when.key for conditions in row.always for when in conditions))
        return Saving(tokens, document.path, f"limit it by {keys}: {load_set.agent} loads it for all files")
    start = document.starts[MAIN_LINES] if document.lines > MAIN_LINES else len(document.text)
    advice = "move what is needed at times into skills or scoped rules"
    return Saving(workspace.tokens(document.text[start:]), document.path, f"keep {MAIN_LINES} lines, and {advice}")


def _find_row(agent: str, document: MarkdownDocument) -> HostFiles | None:
    """Return the row of a host by which it loads a document, None if it imports it."""
    for files in _HOSTS[agent].files:
        for name in (document.path, *document.aliases):
            if files.extra or any(find_home(pattern, name) is not None for pattern in files.paths):
                return files
    return None
