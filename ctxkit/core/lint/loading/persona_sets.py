"""Determine what an assistant with a persona loads, such as OpenClaw, and the persona files that instructions name.

Source: docs.openclaw.ai/concepts/agent-workspace, read in November 2026.
"""

from collections.abc import Iterator, Sequence
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.load_set import LoadSet
from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.tree import DocumentTree, join_path

PERSONA_FILES = (
    *("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *("CONTEXT.md", "MEMORY.md", "memory.md", "memory/MEMORY.md"),
)
"""Files that OpenClaw and nanobot put into the system prompt, in this order."""
HOME_FILES = frozenset(("SOUL.md", "IDENTITY.md", "HEARTBEAT.md"))
"""Files that identify a directory as a workspace of OpenClaw; other assistants have a USER.md or MEMORY.md too."""
MEMORY_FILES = frozenset(("MEMORY.md", "memory.md"))
ASSISTANT = "an assistant with a memory"
"""Name of an assistant that is not known by its files."""
_DAY = compile_lazily(r"(?:19|20)\d\d-?\d\d-?\d\d[^/]*$")
DAILY_NOTES = 2
"""Number of daily notes that OpenClaw's instructions tell it to read: today's and yesterday's, here the two newest."""


def find_named_file_sets(tree: DocumentTree, sets: Sequence[LoadSet]) -> Iterator[LoadSet]:
    """Yield sets with the persona files that instructions name, because agents are told to read these first."""
    paths = {path for load_set in sets for path in load_set.paths}
    names_by_path = {path: {name for name in PERSONA_FILES if name in tree.files[path].text} for path in paths}
    for load_set in sets:
        mentioned: set[str] = set().union(*(names_by_path[path] for path in load_set.paths))
        names = [join_path(load_set.directory, name) for name in PERSONA_FILES if name in mentioned]
        more = tree.paths([*load_set.paths, *(name for name in names if not name.endswith("AGENTS.md"))])
        if more != load_set.paths:
            yield LoadSet(load_set.agent, load_set.directory, more, always=False, trigger="the files it names")


def find_persona_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield the sets of each workspace of an assistant; daily notes and skills are loaded on demand.

    A workspace without a file that only OpenClaw has, but with a MEMORY.md beside an AGENTS.md, is that of any
    assistant with a memory.
    """
    homes = {_find_workspace(path) for path in tree.files if path.rsplit("/", 1)[-1] in {*HOME_FILES, *MEMORY_FILES}}
    for home in sorted(homes):
        paths = tree.paths([join_path(home, name) for name in PERSONA_FILES])
        is_known = any(join_path(home, name) in tree.files for name in HOME_FILES)
        if paths and (is_known or join_path(home, "AGENTS.md") in tree.files):
            yield from _list_sets(tree, "OpenClaw" if is_known else ASSISTANT, home, paths)


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
    recent = tree.paths([*paths, *sorted(notes)[-DAILY_NOTES:]])
    if recent != paths:
        yield LoadSet(agent, home, recent, always=False, trigger="the newest notes")
    for skill in tree.files_inside(join_path(home, "skills")):
        if tree.files[skill].role is FileRole.SKILL:
            yield LoadSet(agent, home, tree.paths([*paths, skill]), always=False, trigger=skill)
