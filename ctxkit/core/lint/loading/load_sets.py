"""Determine which files each host loads together, by the table of hosts."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.load_set import LoadSet
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.tree import DocumentTree, ancestors, join_path
from ctxkit.core.lint.loading.host_loading import HostFiles, HostLoading, Reach
from ctxkit.core.lint.loading.host_settings import HostSettings
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.loading.persona_sets import find_named_file_sets, find_persona_sets

NO_SETTINGS = HostSettings()


def find_load_sets(
    documents: Sequence[MarkdownDocument], settings: HostSettings = NO_SETTINGS, project: Collection[str] = ()
) -> tuple[LoadSet, ...]:
    """Return the load sets of all hosts that use these documents, grouped by host.

    ``project`` are the files and directories of the project, which show what hosts it uses.
    """
    tree = DocumentTree(documents)
    unique_sets: dict[LoadSet, None] = {}
    for host in HOSTS:
        if is_used(host, project, tree):
            unique_sets.update(dict.fromkeys(_HostLoader(host, tree, settings).find_sets()))
    unique_sets.update(dict.fromkeys(find_persona_sets(tree)))
    return tuple(unique_sets)


def is_used(host: HostLoading, project: Collection[str], tree: DocumentTree) -> bool:
    """Return whether a project has a sign of a host; True for a host without signs."""
    return not host.signs or any(
        sign in project or sign in tree.files or tree.files_inside(sign) for sign in host.signs
    )


def find_home(pattern: str, path: str) -> str | None:
    """Return the directory below which a path matches a pattern of ``HostFiles``, None if there is none."""
    head = pattern[: pattern.index("*")] if "*" in pattern else pattern
    before, separator, _ = f"/{path}".partition(f"/{head}")
    if not separator:
        return None
    home = before[1:]
    inside = path[len(home) + 1 :] if home else path
    is_match = inside == pattern if head == pattern else matches(f"/{pattern}", inside)
    return home if is_match else None


class _HostLoader:
    """Finds the load sets of a host in a workspace."""

    def __init__(self, host: HostLoading, tree: DocumentTree, settings: HostSettings) -> None:
        self._host = host
        self._tree = tree
        self._paths: dict[HostFiles, Mapping[str, list[list[str]]]] = {}
        for files in host.files:
            patterns = (*files.paths, *(getattr(settings, files.extra) if files.extra else ()))
            self._paths[files] = self._find_paths(patterns)

    def _find_paths(self, patterns: Sequence[str]) -> Mapping[str, list[list[str]]]:
        """Return by directory, for each pattern, the paths that match it there."""
        by_home: dict[str, list[list[str]]] = {}
        for number, pattern in enumerate(patterns):
            for path in sorted(self._tree.files):
                if (home := find_home(pattern, path)) is not None:
                    by_home.setdefault(home, [[] for _ in patterns])[number].append(path)
        return by_home

    def find_sets(self) -> Iterator[LoadSet]:
        """Yield a set for each directory with files that are always loaded, then one for each file on demand."""
        name = self._host.name
        sets: dict[str, LoadSet] = {}
        for home in self._list_homes():
            paths = self._tree.paths(list(self._list_paths(home)), hops=self._host.hops)
            listed = tuple(dict.fromkeys(self._list_listed(home)))
            if (paths or listed) and not any(other.paths == paths for other in sets.values()):
                sets[home] = LoadSet(name, home, paths, listed=listed)
        yield from sets.values()
        if name == "Claude Code":
            yield from find_named_file_sets(self._tree, list(sets.values()))
        for path, home in self._list_extras():
            base = next((sets[place] for place in reversed(ancestors(home)) if place in sets), LoadSet(name, "", ()))
            paths = self._tree.paths([*base.paths, path])
            if len(paths) > len(base.paths):
                yield LoadSet(name, base.directory, paths, always=False, trigger=path, listed=base.listed)

    def _list_homes(self) -> list[str]:
        """Return the root and the directories in which the host finds more than in their parents, sorted."""
        homes = {""}
        for files, by_home in self._paths.items():
            if files.reach in (Reach.DOWN, Reach.NEAREST) and files.always:
                homes.update(by_home)
        return sorted(homes)

    def _list_paths(self, working: str) -> Iterator[str]:
        """Yield the paths of the files that are always loaded in a working directory, in order."""
        directories = ancestors(working)
        for directory in reversed(directories) if self._host.nearest_first else directories:
            for files in self._host.files:
                if files.always and not self._is_off(files, directories):
                    candidates = self._find_in(files, directory, working)
                    yield from (path for path in candidates if self._is_always(files, path))

    def _is_off(self, files: HostFiles, directories: Sequence[str]) -> bool:
        return any(join_path(directory, name) in self._tree.files for directory in directories for name in files.unless)

    def _is_always(self, files: HostFiles, path: str) -> bool:
        metadata = self._tree.files[path].metadata
        return any(
            all(metadata.get(when.key, "").strip() in when.values for when in conditions) for conditions in files.always
        )

    def _find_in(self, files: HostFiles, directory: str, working: str) -> list[str]:
        """Return the files that the host looks for in one directory when another is the working directory."""
        by_home = self._paths[files]
        if files.reach is Reach.ANYWHERE:
            return [path for home in sorted(by_home) for path in _choose(files, by_home[home])] if not directory else []
        is_nearest = directory == next((place for place in reversed(ancestors(working)) if place in by_home), None)
        if (files.reach is Reach.ROOT and directory) or (files.reach is Reach.NEAREST and not is_nearest):
            return []
        return _choose(files, by_home.get(directory, []))

    def _list_listed(self, working: str) -> Iterator[str]:
        """Yield the files whose names and descriptions are in the window in a working directory."""
        for directory in ancestors(working):
            for files in self._host.files:
                if files.listed:
                    for path in self._find_in(files, directory, working):
                        document = self._tree.files[path]
                        if document.metadata.get("disable-model-invocation", "").lower() != "true":
                            yield document.path

    def _list_extras(self) -> Iterator[tuple[str, str]]:
        """Yield each file that is loaded on demand, and the directory in which the host finds it."""
        for files, by_home in self._paths.items():
            for home in sorted(by_home):
                if not home or files.reach is not Reach.ROOT:
                    candidates = _choose(files, by_home[home])
                    yield from ((path, home) for path in candidates if not self._is_always(files, path))


def _choose(files: HostFiles, paths_by_pattern: Sequence[list[str]]) -> list[str]:
    """Return the paths of all patterns, or of the first pattern that matches."""
    if files.take_first:
        return next(filter(None, paths_by_pattern), [])
    return [path for paths in paths_by_pattern for path in paths]
