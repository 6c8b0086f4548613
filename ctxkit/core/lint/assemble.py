"""Making a workspace of a listing of paths and a way to read them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lint.agents import gemini_names, load_sets
from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.imports import DEEPEST, imports
from ctxkit.core.lint.load_set import LoadSet
from ctxkit.core.lint.parse import parse
from ctxkit.core.lint.roles import kind_of, source_of
from ctxkit.core.lint.scripts import scripts
from ctxkit.core.lint.size import Memory
from ctxkit.core.lint.workspace import History, Limits, Project, Workspace, forgotten, unignored
from ctxkit.core.tokenizer import Tokenizer

Read = Callable[[str], bytes | None]
"""Return the content of a file, or None when it cannot be read."""
GEMINI_SETTINGS = ".gemini/settings.json"
TARGET = 200
"""Bytes that a file may have which holds nothing but the path that a symbolic link led to."""


class Listing(NamedTuple):
    """Name what is in a project, paths relative to it, with slashes.

    ``links`` maps each symbolic link to the file or directory it leads to; ``broken`` are those that lead nowhere.
    ``asked`` are files that are to be read whatever their names.
    """

    paths: Sequence[str]
    links: Mapping[str, str] = {}
    broken: tuple[str, ...] = ()
    asked: Sequence[str] = ()
    ignored: Callable[[str], bool] = unignored
    history: History = forgotten


class Wanted(NamedTuple):
    """Hold what the settings add: the prompt as it is rendered, load sets besides those that are known, limits."""

    prompt: tuple[str, bytes] | None = None
    load_sets: tuple[LoadSet, ...] = ()
    limits: Limits = Limits()


def assemble(listing: Listing, read: Read, tokens: Tokenizer, wanted: Wanted = Wanted()) -> Workspace:  # noqa: B008
    """Return the workspace: the files that agents load, those that they import, and what is known around them."""
    gemini = gemini_names(read(GEMINI_SETTINGS) if GEMINI_SETTINGS in listing.paths else None)
    contents = _contents(listing, read, wanted, frozenset(gemini))
    aliases, stubs = _aliases(listing, contents)
    documents: dict[str, Document] = {}
    memory = Memory()
    for path in tuple(contents):
        data = contents.pop(path)
        if path not in stubs:
            document = parse(path, data, _kind(path, aliases), tuple(sorted(aliases.get(path, ()))))
            documents[path] = memory.take(document)
    _follow(listing, read, documents, memory)
    ordered = tuple(documents[path] for path in sorted(documents))
    texts = [document.text for document in ordered]
    return Workspace(
        ordered,
        (*load_sets(ordered, gemini), *wanted.load_sets),
        Project(known(listing), scripts(listing.paths, read, texts), listing.ignored, listing.history, listing.broken),
        clean(tokens),
        parse(wanted.prompt[0], wanted.prompt[1], Kind.PROMPT) if wanted.prompt else None,
        tuple(map(memory.take, _sources(listing, read, documents))),
        wanted.limits,
    )


def clean(tokens: Tokenizer) -> Tokenizer:
    """Return a counter that takes text with bytes in it that are no characters."""

    def count(text: str) -> int:
        """Return the tokens of a text, such bytes counted as a sign each."""
        try:
            return tokens(text)
        except UnicodeEncodeError:
            return tokens(text.encode("utf-8", "replace").decode())

    return count


def known(listing: Listing) -> frozenset[str]:
    """Return the files, links and directories that exist."""
    paths = {*listing.paths, *listing.links}
    for path in tuple(paths):
        parent = dirname(path)
        while parent and parent not in paths:
            paths.add(parent)
            parent = dirname(parent)
    return frozenset(paths)


def _contents(listing: Listing, read: Read, wanted: Wanted, named: frozenset[str]) -> dict[str, bytes]:
    """Return the files that are linted with their bytes: by name, by being asked for, or by being in a load set."""
    extra = {path for one in wanted.load_sets for path in one.paths}
    extra |= {path for path in listing.paths if path.rsplit("/", 1)[-1] in named}
    chosen = {path for path in listing.paths if path not in listing.links and (kind_of(path) or path in extra)}
    paths = frozenset(listing.paths)
    chosen |= {target for link, target in listing.links.items() if kind_of(link) and target in paths}
    chosen |= set(listing.asked)
    found = ((path, read(path)) for path in sorted(chosen))
    return {path: data for path, data in found if data is not None}


def _aliases(listing: Listing, contents: Mapping[str, bytes]) -> tuple[dict[str, set[str]], set[str]]:
    """Return the links to each file, and the files that are links which a checkout wrote as text."""
    from ctxkit.core.lint.imports import resolved

    aliases: dict[str, set[str]] = {}
    for link, target in listing.links.items():
        aliases.setdefault(target, set()).add(link)
    paths = frozenset(listing.paths)
    stubs: set[str] = set()
    for path, data in contents.items():
        if 0 < len(data) <= TARGET and b"\n" not in data.strip() and b" " not in data.strip():
            target = resolved(path, data.strip().decode("utf-8", "replace"))
            if target != path and (target in contents or target in paths):
                aliases.setdefault(target, set()).add(path)
                stubs.add(path)
    return aliases, stubs


def _kind(path: str, aliases: Mapping[str, set[str]]) -> Kind:
    """Return what a file is: by its own name, else by that of a link to it."""
    return next((kind for one in (path, *sorted(aliases.get(path, ()))) if (kind := kind_of(one))), Kind.DOCS)


def _follow(listing: Listing, read: Read, documents: dict[str, Document], memory: Memory) -> None:
    """Add what documents import, as deep as agents follow."""
    fresh: Iterable[Document] = [
        one for one in documents.values() if one.kind in (Kind.INSTRUCTIONS, Kind.RULES, Kind.DOCS)
    ]
    for _ in range(DEEPEST):
        added: list[Document] = []
        for document in fresh:
            for one in imports(document):
                path = listing.links.get(one.path, one.path)
                data = None if path in documents or path.startswith(("..", "/", "~")) else read(path)
                if data is not None and b"\0" not in data[:1024]:
                    parsed = parse(path, data, Kind.DOCS, (one.path,) if path != one.path else ())
                    documents[path] = memory.take(parsed)
                    added.append(documents[path])
        fresh = added
        if not added:
            return


def _sources(listing: Listing, read: Read, documents: Mapping[str, Document]) -> Iterator[Document]:
    """Yield README and manifest of the directories that have instructions."""
    homes = {dirname(path) for path in documents} | {""}
    for path in sorted(listing.paths):
        kind = source_of(path) if dirname(path) in homes and path not in documents else None
        data = read(path) if kind else None
        if kind and data is not None:
            yield parse(path, data, kind)
