"""Compute the tokens of files and load sets before and after fixes, and find what would save most of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import LoadSet, Workspace, measure_listings
from ctxkit.core.lint.loading.hosts import ALWAYS, HOSTS, HostFiles
from ctxkit.core.lint.loading.load_sets import find_home


class Cost(NamedTuple):
    """The tokens of a file or a load set before and after fixes.

    ``paths`` are the files of a set, empty for a file; of ``listed`` files it has only the names and descriptions.
    """

    name: str
    before: int
    after: int
    paths: tuple[str, ...] = ()
    always: bool = True
    listed: tuple[str, ...] = ()

    @property
    def saving(self) -> int:
        """Return the tokens that the fixes save."""
        return self.before - self.after


class Costs(NamedTuple):
    """The costs of files, sorted by path, and of load sets, the most expensive first."""

    files: tuple[Cost, ...]
    sets: tuple[Cost, ...]


def compute_costs(before: Workspace, after: Workspace) -> Costs:
    """Return the cost of each file and each load set; omit files that no agent loads."""
    sizes, sizes_after = (
        {document.path: before.tokens(document.text) for document in workspace.documents}
        for workspace in (before, after)
    )
    prompt = before.tokens(before.prompt.text) if before.prompt else 0
    prompts = [Cost(before.prompt.path, prompt, prompt)] if before.prompt else []
    loaded = {path for load_set in before.load_sets for path in load_set.paths}
    files = (Cost(path, size, sizes_after.get(path, size)) for path, size in sizes.items() if path in loaded)
    listings = measure_listings(before)
    sets = []
    for load_set in before.load_sets:
        paths = tuple(path for path in load_set.paths if path in sizes)
        constant = prompt + sum(map(listings.__getitem__, load_set.listed))
        sums = [constant + sum(map(counts.__getitem__, paths)) for counts in (sizes, sizes_after)]
        sets.append(Cost(load_set.name, sums[0], sums[1], paths, load_set.always, load_set.listed))
    return Costs((*prompts, *files), tuple(sorted(sets, key=lambda cost: (not cost.always, -cost.before, cost.name))))


MOST_SAVINGS = 3
"""Number of savings that are shown."""
MIN_TOKENS = 100
"""Tokens below which a saving is not worth the change."""
_MAIN_LINES = 200
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
    start = document.starts[_MAIN_LINES] if document.lines > _MAIN_LINES else len(document.text)
    advice = "move what is needed at times into skills or scoped rules"
    return Saving(workspace.tokens(document.text[start:]), document.path, f"keep {_MAIN_LINES} lines, and {advice}")


def _find_row(agent: str, document: MarkdownDocument) -> HostFiles | None:
    """Return the row of a host by which it loads a document, None if it imports it."""
    for files in _HOSTS[agent].files:
        for name in (document.path, *document.aliases):
            if files.extra or any(find_home(pattern, name) is not None for pattern in files.paths):
                return files
    return None
