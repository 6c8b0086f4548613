"""Assemble a workspace from a listing of paths and a function that reads files."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lint.document.imports import MOST_HOPS, find_imports
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.roles import role_of, source_role_of
from ctxkit.core.lint.document.size import MemoryBudget
from ctxkit.core.lint.document.workspace import (
    LoadSet,
    PathHistory,
    ProjectInfo,
    TokenLimits,
    Workspace,
    is_never_ignored,
    no_history,
    no_names,
    no_problem,
)
from ctxkit.core.lint.loading.load_sets import HostSettings, find_load_sets, read_host_settings
from ctxkit.core.lint.loading.manifests import find_scripts, read_facts
from ctxkit.core.tokens.vocabulary import Tokenizer

_LOCK_FILE = "skills-lock.json"
"""The file in which ``npx skills add`` records what it installed (github.com/vercel-labs/skills)."""
Read = Callable[[str], bytes | None]
"""Returns the content of a file, or None if it cannot be read."""
_LINK_TARGET_BYTES = 200
"""Maximum bytes of a file that contains only the target path of a symbolic link."""


class ProjectListing(NamedTuple):
    """The files of a project, paths relative to it, with slashes.

    ``links`` maps each symbolic link to its target; ``broken`` links have no target. ``explicit_paths`` are files to
    read whatever their names. ``is_outside`` returns whether a link leads from a path out of the project. ``location``,
    ``history_problem`` and ``removed_named`` are those of the ``ProjectInfo``.
    """

    paths: Sequence[str]
    links: Mapping[str, str] = {}
    broken: tuple[str, ...] = ()
    explicit_paths: Sequence[str] = ()
    is_ignored: Callable[[str], bool] = is_never_ignored
    history: PathHistory = no_history
    is_outside: Callable[[str], bool] = is_never_ignored
    location: str = ""
    history_problem: Callable[[], str] = no_problem
    removed_named: Callable[[str], Sequence[str]] = no_names


class WorkspaceOptions(NamedTuple):
    """Additions from the settings: the rendered prompt, more load sets, limits."""

    prompt: tuple[str, bytes] | None = None
    load_sets: tuple[LoadSet, ...] = ()
    limits: TokenLimits = TokenLimits()


_DEFAULTS = WorkspaceOptions()


def assemble_workspace(
    listing: ProjectListing, read: Read, tokens: Tokenizer, options: WorkspaceOptions = _DEFAULTS
) -> Workspace:
    """Return the workspace: the files that agents load, their imports, and facts about the project."""

    def read_inside(path: str) -> bytes | None:
        """Return the content of a file of the project, None for one behind a link out of it."""
        return None if listing.is_outside(path) else read(path)

    settings = read_host_settings(listing.paths, read_inside)
    contents = _read_contents(listing, read, options, settings)
    aliases, stubs = _find_aliases(listing, contents)
    documents: dict[str, MarkdownDocument] = {}
    memory = MemoryBudget()
    for path in tuple(contents):
        data = contents.pop(path)
        if path not in stubs:
            document = parse_document(path, data, _kind(path, aliases), tuple(sorted(aliases.get(path, ()))))
            documents[path] = memory.add(document)
    _read_imports(listing, read, documents, memory)
    ordered = tuple(documents[path] for path in sorted(documents))
    texts = [document.text for document in ordered]
    existing = _list_existing_paths(listing)
    return Workspace(
        ordered,
        (*find_load_sets(ordered, settings, existing), *options.load_sets),
        ProjectInfo(
            existing,
            find_scripts(listing.paths, read_inside, texts),
            listing.is_ignored,
            listing.history,
            listing.broken,
            listing.location,
            listing.history_problem,
            cache(lambda: read_facts(listing.paths, read_inside)),
            listing.removed_named,
            find_installed_skills(listing.paths, read_inside),
        ),
        _tolerant_tokenizer(tokens),
        parse_document(options.prompt[0], options.prompt[1], FileRole.PROMPT) if options.prompt else None,
        tuple(map(memory.add, _read_sources(listing, read_inside, documents))),
        _add_limits(options.limits, settings),
        outside=frozenset(filter(listing.is_outside, documents)),
    )


def _add_limits(limits: TokenLimits, settings: HostSettings) -> TokenLimits:
    """Return the limits with those that the settings of hosts change, unless the settings of ctxkit do."""
    if not settings.codex_bytes:
        return limits
    return limits._replace(sizes={"codex_bytes": settings.codex_bytes, **limits.sizes})


def _tolerant_tokenizer(tokens: Tokenizer) -> Tokenizer:
    """Return a tokenizer that accepts text with lone surrogates."""

    def count(text: str) -> int:
        """Return the number of tokens of a text; each lone surrogate counts as a question mark."""
        try:
            return tokens(text)
        except UnicodeEncodeError:
            return tokens(text.encode("utf-8", "replace").decode())

    return count


def _list_existing_paths(listing: ProjectListing) -> frozenset[str]:
    """Return the files, links and directories that exist."""
    paths = {*listing.paths, *listing.links}
    for path in tuple(paths):
        parent = dirname(path)
        while parent and parent not in paths:
            paths.add(parent)
            parent = dirname(parent)
    return frozenset(paths)


def _read_contents(
    listing: ProjectListing, read: Read, options: WorkspaceOptions, settings: HostSettings
) -> dict[str, bytes]:
    """Return the bytes of the files to lint: known names, explicit paths, and files of load sets."""
    extra = {path for load_set in options.load_sets for path in load_set.paths} | {*settings.opencode_files}
    file_names = frozenset((*settings.gemini_names, *settings.codex_names))
    extra |= {path for path in listing.paths if path.rsplit("/", 1)[-1] in file_names}
    selected = {path for path in listing.paths if path not in listing.links and (role_of(path) or path in extra)}
    paths = frozenset(listing.paths)
    selected |= {target for link, target in listing.links.items() if role_of(link) and target in paths}
    selected |= set(listing.explicit_paths)
    contents = ((path, read(path)) for path in sorted(selected))
    return {path: data for path, data in contents if data is not None}


def _find_aliases(listing: ProjectListing, contents: Mapping[str, bytes]) -> tuple[dict[str, set[str]], set[str]]:
    """Return the links to each file, and the files that are symbolic links checked out as text."""
    from ctxkit.core.lint.document.imports import resolve_import

    aliases: dict[str, set[str]] = {}
    for link, target in listing.links.items():
        aliases.setdefault(target, set()).add(link)
    paths = frozenset(listing.paths)
    stubs: set[str] = set()
    for path, data in contents.items():
        if 0 < len(data) <= _LINK_TARGET_BYTES and b"\n" not in data.strip() and b" " not in data.strip():
            target = resolve_import(path, data.strip().decode("utf-8", "replace"))
            if target != path and (target in contents or target in paths):
                aliases.setdefault(target, set()).add(path)
                stubs.add(path)
    return aliases, stubs


def _kind(path: str, aliases: Mapping[str, set[str]]) -> FileRole:
    """Return the role of a file by its own name, else by that of a link to it."""
    return next((kind for name in (path, *sorted(aliases.get(path, ()))) if (kind := role_of(name))), FileRole.DOCS)


def _read_imports(
    listing: ProjectListing, read: Read, documents: dict[str, MarkdownDocument], memory: MemoryBudget
) -> None:
    """Add the imports of documents, to the depth that agents follow."""
    fresh: Iterable[MarkdownDocument] = [
        reference
        for reference in documents.values()
        if reference.role in (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.DOCS)
    ]
    existing = frozenset(listing.paths)
    for _ in range(MOST_HOPS):
        added: list[MarkdownDocument] = []
        for document in fresh:
            for reference in find_imports(document):
                path = listing.links.get(reference.path, reference.path)
                is_candidate = reference.is_file_name or path in existing
                if path in documents or path.startswith(("..", "/", "~")) or not is_candidate:
                    continue
                data = read(path)
                if data is not None and b"\0" not in data[:1024]:
                    parsed = parse_document(
                        path, data, FileRole.DOCS, (reference.path,) if path != reference.path else ()
                    )
                    documents[path] = memory.add(parsed)
                    added.append(documents[path])
        fresh = added
        if not added:
            return


def _read_sources(
    listing: ProjectListing, read: Read, documents: Mapping[str, MarkdownDocument]
) -> Iterator[MarkdownDocument]:
    """Yield the README and manifest of each directory with instructions."""
    homes = {dirname(path) for path in documents} | {""}
    for path in sorted(listing.paths):
        kind = source_role_of(path) if dirname(path) in homes and path not in documents else None
        data = read(path) if kind else None
        if kind and data is not None:
            yield parse_document(path, data, kind)


def find_installed_skills(paths: Iterable[str], read: Callable[[str], bytes | None]) -> frozenset[str]:
    """Return the directories of the skills that lock files list, below the directories of these files.

    A skill of its name in any directory ``skills`` is meant: the program copies it into that of each host.
    """
    paths = tuple(paths)
    locks = [path for path in paths if path.rsplit("/", 1)[-1] == _LOCK_FILE]
    names_by_home = {dirname(lock): _read_names(read(lock)) for lock in locks}
    directories: set[str] = set()
    for path in paths if names_by_home else ():
        head, separator, rest = f"/{path}".rpartition("/skills/")
        name = rest.partition("/")[0]
        if separator and name != rest and any(name in names_by_home.get(home, ()) for home in _list_parents(path)):
            directories.add(f"{head}/skills/{name}"[1:])
    return frozenset(directories)


def _list_parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first, "" for the root."""
    while path:
        path = dirname(path)
        yield path


def _read_names(data: bytes | None) -> frozenset[str]:
    """Return the names of the skills in a lock file; none if it cannot be read."""
    try:
        lock = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return frozenset()
    skills = lock.get("skills") if isinstance(lock, dict) else None
    return frozenset(skills) if isinstance(skills, dict) else frozenset()
