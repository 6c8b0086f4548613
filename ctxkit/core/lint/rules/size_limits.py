"""The sizes above which files and load sets are reported, from the table of hosts."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import LoadSet, Workspace
from ctxkit.core.lint.loading.hosts import HOSTS, SizeLimit
from ctxkit.core.lint.loading.load_sets import find_home
from ctxkit.core.lint.references.paths import is_archived

ALWAYS_TOKENS = "always_tokens"
"""Name of the limit of what a host always loads."""
DEFAULT_ALWAYS_TOKENS = 20_000
"""Tokens that a host may always load: a tenth of a window of 200,000 tokens. This is a choice of ctxkit."""
LIMITS = tuple((host.name, limit) for host in HOSTS for limit in host.limits)
SIZE_NAMES = (*(limit.setting for _, limit in LIMITS), ALWAYS_TOKENS)
"""Names of the limits in the settings."""


class Excess(NamedTuple):
    """A document or a load set over a limit, in the unit of the limit."""

    host: str
    limit: SizeLimit
    size: int
    allowed: int
    document: MarkdownDocument
    load_set: LoadSet | None = None


def find_excesses(workspace: Workspace) -> Iterator[Excess]:
    """Yield the documents and the load sets over the limits of hosts.

    Of the load sets of a host, only the smallest over a limit of all files counts: larger ones repeat its files.
    """
    documents = {document.path: document for document in workspace.documents}
    for host, limit in LIMITS:
        allowed = workspace.limits.sizes.get(limit.setting, limit.amount)
        if allowed and limit.paths:
            for document in workspace.documents:
                names = (document.path, *document.aliases)
                is_limited = any(find_home(pattern, name) is not None for pattern in limit.paths for name in names)
                if is_limited and not is_archived(document.path) and (size := measure(document, limit.unit)) > allowed:
                    yield Excess(host, limit, size, allowed, document)
        elif allowed:
            yield from _find_set_excesses(workspace, documents, host, limit, allowed)


def _find_set_excesses(
    workspace: Workspace, documents: Mapping[str, MarkdownDocument], host: str, limit: SizeLimit, allowed: int
) -> Iterator[Excess]:
    over: list[frozenset[str]] = []
    for load_set in workspace.load_sets:
        if load_set.agent == host and load_set.always and not any(paths <= {*load_set.paths} for paths in over):
            members = [documents[path] for path in load_set.paths if path in documents]
            size = sum(measure(document, limit.unit) for document in members)
            if size > allowed and not is_of_skill(workspace, load_set) and not is_archived(members[-1].path):
                over.append(frozenset(load_set.paths))
                yield Excess(host, limit, size, allowed, members[-1], load_set)


def is_of_skill(workspace: Workspace, load_set: LoadSet) -> bool:
    """Return whether a load set is that of the directory of a skill: nobody works there, and hosts load it nowhere."""
    return bool(load_set.directory) and workspace.document(f"{load_set.directory}/SKILL.md") is not None


def measure(document: MarkdownDocument, unit: str) -> int:
    """Return the size of a document in bytes, characters or lines."""
    if unit == "lines":
        return document.lines
    return len(document.text) if unit == "characters" else len(document.encode())


def find_always_tokens(workspace: Workspace) -> int:
    """Return the tokens that a host may always load, 0 for any number."""
    return workspace.limits.sizes.get(ALWAYS_TOKENS, DEFAULT_ALWAYS_TOKENS)
