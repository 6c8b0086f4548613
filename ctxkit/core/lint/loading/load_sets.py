"""Determine which files each host loads together, by the table of hosts and the settings of a project.

Source of what an assistant with a persona loads: docs.openclaw.ai/concepts/agent-workspace, read in November 2026.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.imports import find_imports
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import LoadSet
from ctxkit.core.lint.loading.hosts import HOSTS, HostFiles, HostLoading, Reach
from ctxkit.core.text.json_value import JsonValue, make_strict_json

_PERSONA_FILES = (
    *("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *("CONTEXT.md", "MEMORY.md", "memory.md", "memory/MEMORY.md"),
)
"""Files that OpenClaw and nanobot put into the system prompt, in this order."""
_HOME_FILES = frozenset(("SOUL.md", "IDENTITY.md", "HEARTBEAT.md"))
"""Files that identify a directory as a workspace of OpenClaw; other assistants have a USER.md or MEMORY.md too."""
_MEMORY_FILES = frozenset(("MEMORY.md", "memory.md"))
_ASSISTANT = "an assistant with a memory"
"""Name of an assistant that is not known by its files."""
_DAY = compile_lazily(r"(?:19|20)\d\d-?\d\d-?\d\d[^/]*$")
_DAILY_NOTES = 2
"""Number of daily notes that OpenClaw's instructions tell it to read: today's and yesterday's, here the two newest."""
GEMINI_SETTINGS = ".gemini/settings.json"
CODEX_SETTINGS = ".codex/config.toml"
OPENCODE_SETTINGS = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
MOST_PATTERNS = 100
"""Maximum number of patterns of opencode that are compared with the files of the project."""


class HostSettings(NamedTuple):
    """What the settings of a project change.

    ``gemini_names`` are the file names that Gemini CLI looks for, ``codex_names`` those that Codex looks for after its
    own. ``codex_bytes`` is the limit of Codex, 0 if its settings have none. ``opencode_files`` are paths of files.
    """

    gemini_names: tuple[str, ...] = ("GEMINI.md",)
    codex_names: tuple[str, ...] = ()
    codex_bytes: int = 0
    opencode_files: tuple[str, ...] = ()


class DocumentTree:
    """Index of documents by path and directory; ``paths`` keeps the order of loading, without duplicates."""

    def __init__(self, documents: Sequence[MarkdownDocument]) -> None:
        self.files: dict[str, MarkdownDocument] = {}
        for document in documents:
            self.files[document.path] = document
            self.files.update(dict.fromkeys(document.aliases, document))
        self.files_by_directory: dict[str, list[str]] = {}
        self._imported: dict[str, tuple[str, ...]] = {}
        self._sorted = sorted(self.files)
        for path in self._sorted:
            self.files_by_directory.setdefault(dirname(path), []).append(path)

    def paths(self, names: Sequence[str], *, hops: int = 0) -> tuple[str, ...]:
        """Return the documents at some paths that exist, each followed by its imports over at most ``hops`` files."""
        ordered: dict[str, None] = {}
        for name in names:
            self._add_document(name, ordered, hops)
        return tuple(ordered)

    def _add_document(self, name: str, ordered: dict[str, None], hops: int) -> None:
        document = self.files.get(name)
        if document is None or document.path in ordered:
            return
        ordered[document.path] = None
        if hops:
            for path in self._imported_paths(document):
                self._add_document(path, ordered, hops - 1)

    def _imported_paths(self, document: MarkdownDocument) -> tuple[str, ...]:
        """Return the paths that a document imports, each once."""
        if document.path not in self._imported:
            self._imported[document.path] = tuple(dict.fromkeys(imported.path for imported in find_imports(document)))
        return self._imported[document.path]

    def files_inside(self, directory: str) -> list[str]:
        """Return the files below a directory, sorted."""
        head = f"{directory}/"
        start, end = bisect_left(self._sorted, head), bisect_left(self._sorted, f"{directory}0")
        return self._sorted[start:end]  # 0 follows the slash in ASCII


_NO_SETTINGS = HostSettings()


def find_load_sets(
    documents: Sequence[MarkdownDocument], settings: HostSettings = _NO_SETTINGS, project: Collection[str] = ()
) -> tuple[LoadSet, ...]:
    """Return the load sets of all hosts that use these documents, grouped by host.

    ``project`` are the files and directories of the project, which show what hosts it uses.
    """
    tree = DocumentTree(documents)
    unique_sets: dict[LoadSet, None] = {}
    for host in HOSTS:
        if _is_used(host, project, tree):
            unique_sets.update(dict.fromkeys(_HostLoader(host, tree, settings).find_sets()))
    unique_sets.update(dict.fromkeys(_find_persona_sets(tree)))
    return tuple(unique_sets)


def _is_used(host: HostLoading, project: Collection[str], tree: DocumentTree) -> bool:
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
            yield from _find_named_file_sets(self._tree, list(sets.values()))
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


def _find_named_file_sets(tree: DocumentTree, sets: Sequence[LoadSet]) -> Iterator[LoadSet]:
    """Yield sets with the persona files that instructions name, because agents are told to read these first."""
    paths = {path for load_set in sets for path in load_set.paths}
    names_by_path = {path: {name for name in _PERSONA_FILES if name in tree.files[path].text} for path in paths}
    for load_set in sets:
        mentioned: set[str] = set().union(*(names_by_path[path] for path in load_set.paths))
        names = [join_path(load_set.directory, name) for name in _PERSONA_FILES if name in mentioned]
        more = tree.paths([*load_set.paths, *(name for name in names if not name.endswith("AGENTS.md"))])
        if more != load_set.paths:
            yield LoadSet(load_set.agent, load_set.directory, more, always=False, trigger="the files it names")


def _find_persona_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield the sets of each workspace of an assistant; daily notes and skills are loaded on demand.

    A workspace without a file that only OpenClaw has, but with a MEMORY.md beside an AGENTS.md, is that of any
    assistant with a memory.
    """
    homes = {_find_workspace(path) for path in tree.files if path.rsplit("/", 1)[-1] in {*_HOME_FILES, *_MEMORY_FILES}}
    for home in sorted(homes):
        paths = tree.paths([join_path(home, name) for name in _PERSONA_FILES])
        is_known = any(join_path(home, name) in tree.files for name in _HOME_FILES)
        if paths and (is_known or join_path(home, "AGENTS.md") in tree.files):
            yield from _list_sets(tree, "OpenClaw" if is_known else _ASSISTANT, home, paths)


def _find_workspace(path: str) -> str:
    """Return the workspace of a file in it, or in its directory of memories."""
    home = dirname(path)
    return dirname(home) if home.rsplit("/", 1)[-1] == "memory" else home


def _list_sets(tree: DocumentTree, agent: str, home: str, paths: tuple[str, ...]) -> Iterator[LoadSet]:
    yield LoadSet(agent, home, paths)
    notes = [
        path
        for path in [*tree.files_inside(join_path(home, "memory")), *tree.files_by_directory.get(home, [])]
        if tree.files[path].role is FileRole.DAILY and tree.files[path].path not in paths
    ]
    notes = [path for path in notes if dirname(path) in (home, join_path(home, "memory"))]
    notes = [path for path in notes if _DAY.search(path)] or notes
    recent = tree.paths([*paths, *sorted(notes)[-_DAILY_NOTES:]])
    if recent != paths:
        yield LoadSet(agent, home, recent, always=False, trigger="the newest notes")
    for skill in tree.files_inside(join_path(home, "skills")):
        if tree.files[skill].role is FileRole.SKILL:
            yield LoadSet(agent, home, tree.paths([*paths, skill]), always=False, trigger=skill)


def read_host_settings(paths: Iterable[str], read: Callable[[str], bytes | None]) -> HostSettings:
    """Return the settings of a project; ``read`` returns the content of one of its files, None if it cannot."""
    files = frozenset(paths)
    texts = {path: read(path) for path in (GEMINI_SETTINGS, CODEX_SETTINGS, *OPENCODE_SETTINGS) if path in files}
    codex = _parse_toml(texts.get(CODEX_SETTINGS))
    limit = codex.get("project_doc_max_bytes")
    patterns = [
        pattern
        for path in OPENCODE_SETTINGS
        for pattern in _list_words(_parse_json(texts.get(path)).get("instructions"))
        if "://" not in pattern and not pattern.startswith(("/", "~", ".."))
    ]
    return HostSettings(
        _find_gemini_names(_parse_json(texts.get(GEMINI_SETTINGS))) or HostSettings().gemini_names,
        _list_names(codex.get("project_doc_fallback_filenames")),
        limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else 0,
        tuple(_expand_patterns(patterns[:MOST_PATTERNS], files)),
    )


def _find_gemini_names(settings: dict[str, JsonValue]) -> tuple[str, ...]:
    """Return ``context.fileName``, a name or a list of names; older settings call it ``contextFileName``."""
    context = settings.get("context")
    file_name = context.get("fileName") if isinstance(context, dict) else None
    return _list_names(file_name or settings.get("contextFileName"))


def _list_names(value: JsonValue) -> tuple[str, ...]:
    """Return the file names of a value, which is a name or a list of names."""
    return tuple(name for name in _list_words([value] if isinstance(value, str) else value) if name and "/" not in name)


def _list_words(value: JsonValue) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _expand_patterns(patterns: Iterable[str], paths: frozenset[str]) -> dict[str, None]:
    """Return the paths that the patterns name, in the order of the patterns."""
    expanded: dict[str, None] = {}
    for pattern in (pattern.removeprefix("./") for pattern in patterns):
        if pattern in paths:
            expanded[pattern] = None
        elif "*" in pattern:
            expanded.update(dict.fromkeys(path for path in sorted(paths) if matches(f"/{pattern}", path)))
    return expanded


def _parse_json(data: bytes | None) -> dict[str, JsonValue]:
    """Return the object of JSON with comments, empty if it cannot be parsed."""
    from json import loads

    if data is None:
        return {}
    try:
        value = loads(make_strict_json(data.decode("utf-8", "replace").removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _parse_toml(data: bytes | None) -> dict[str, JsonValue]:
    from tomllib import loads

    try:
        return loads((data or b"").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}


def join_path(directory: str, name: str) -> str:
    """Return a path inside a directory; "" is the workspace."""
    return f"{directory}/{name}" if directory else name


def ancestors(directory: str) -> list[str]:
    """Return the directories from the root to ``directory``, inclusive."""
    parts = directory.split("/") if directory else []
    return ["", *("/".join(parts[: index + 1]) for index in range(len(parts)))]
