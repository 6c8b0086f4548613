"""Determine which files each agent loads together.

Sources, read in November 2026: code.claude.com/docs/en/memory, github.com/openai/codex docs/agents_md.md,
geminicli.com/docs/cli/gemini-md, cursor.com/docs/context/rules and /cli/using, docs.windsurf.com memories,
docs.cline.bot/customization/cline-rules, docs.github.com on custom instructions for Copilot, and
docs.openclaw.ai/concepts/agent-workspace.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from posixpath import dirname

from ctxkit.core.lint.document.load_set import LoadSet
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.tree import DocumentTree, ancestors, join_path
from ctxkit.core.lint.loading.gemini_files import GEMINI_FILES

PERSONA_FILES = (
    *("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *("CONTEXT.md", "MEMORY.md", "memory.md", "memory/MEMORY.md"),
)
"""Files that OpenClaw and nanobot put into the system prompt, in this order."""
HOME_FILES = frozenset(("SOUL.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"))
"""Files that identify a directory as the workspace of such an agent."""
_DAY = re.compile(r"(?:19|20)\d\d-?\d\d-?\d\d[^/]*$")
DAILY_NOTES = 2
"""Number of daily notes that OpenClaw's instructions tell it to read: today's and yesterday's, here the two newest."""


def find_load_sets(documents: Sequence[MarkdownDocument], gemini: Sequence[str] = GEMINI_FILES) -> tuple[LoadSet, ...]:
    """Return the load sets of all agents that use these documents, grouped by agent.

    ``gemini`` are the file names that Gemini CLI looks for.
    """
    tree = DocumentTree(documents)
    unique_sets: dict[LoadSet, None] = {}
    for agent in (
        _claude_sets,
        _codex_sets,
        lambda tree: _gemini_sets(tree, gemini),
        _cursor_sets,
        _windsurf_sets,
        _cline_sets,
        _copilot_sets,
        _openclaw_sets,
    ):
        for load_set in agent(tree):
            if load_set.paths:
                unique_sets[load_set] = None
    return tuple(unique_sets)


def _directory_sets(
    tree: DocumentTree, agent: str, names: Sequence[str], list_files: Callable[[str, str], list[str]]
) -> Iterator[LoadSet]:
    """Yield a set for each directory with own files: the files from the root down to it, root first.

    ``list_files`` returns the files of one directory when another is the working directory.
    """
    seen: set[tuple[str, ...]] = set()
    for home in tree.directories_with(*names):
        paths = tree.paths(
            [path for ancestor in ancestors(home) for path in list_files(ancestor, home)],
            follow=agent in _IMPORTING_AGENTS,
        )
        if paths and paths not in seen:
            seen.add(paths)
            yield LoadSet(agent, home, paths)


_IMPORTING_AGENTS = ("Claude Code", "Gemini CLI")
"""Agents that support imports."""


def _on_demand_sets(tree: DocumentTree, agent: str, extras: Sequence[str], base: LoadSet | None) -> Iterator[LoadSet]:
    """Yield a set for each file that is loaded on demand, after the files that are already loaded."""
    base_paths = base.paths if base else ()
    for extra in extras:
        paths = tree.paths([*base_paths, extra])
        if len(paths) > len(base_paths):
            yield LoadSet(agent, "", paths, always=False, trigger=extra)


def _root_set(sets: Sequence[LoadSet]) -> LoadSet | None:
    return next((load_set for load_set in sets if not load_set.directory), None)


def _claude_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Claude Code's sets: CLAUDE.md, .claude/CLAUDE.md, unscoped rules and CLAUDE.local.md of each directory.

    AGENTS.md is read if it is imported, and since 2.1.277 if no directory down to the working one has a CLAUDE.md.
    """
    file_names = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
    rules = [path for path in tree.files if "/.claude/rules/" in f"/{path}"]
    scoped = sorted(path for path in rules if tree.files[path].metadata.get("paths"))

    def list_files(directory: str, working: str) -> list[str]:
        """Return the files of ``directory`` that are loaded in the directory ``working``, in order."""
        rules = [path for path in tree.files_inside(join_path(directory, ".claude/rules")) if path not in scoped]
        has_own_file = any(
            join_path(ancestor, name) in tree.files for ancestor in ancestors(working) for name in file_names
        )
        fallback = [] if has_own_file else [join_path(directory, "AGENTS.md")]
        return [
            *fallback,
            *(join_path(directory, name) for name in file_names[:2]),
            *rules,
            join_path(directory, file_names[2]),
        ]

    sets = list(_directory_sets(tree, "Claude Code", (*file_names, "AGENTS.md"), list_files))
    yield from sets
    base = _root_set(sets)
    extras = [*scoped]
    extras += [
        path for path in sorted(tree.files) if _is_in_folder(tree, path, ".claude", FileRole.SKILL, FileRole.COMMAND)
    ]
    yield from _on_demand_sets(tree, "Claude Code", extras, base)
    yield from _named_file_sets(tree, sets)


def _is_in_folder(tree: DocumentTree, path: str, folder: str, *kinds: FileRole) -> bool:
    return f"/{folder}/" in f"/{path}" and tree.files[path].role in kinds


def _named_file_sets(tree: DocumentTree, sets: Sequence[LoadSet]) -> Iterator[LoadSet]:
    """Yield sets with the persona files that instructions name, because agents are told to read these first."""
    paths = {path for load_set in sets for path in load_set.paths}
    names_by_path = {path: {name for name in PERSONA_FILES if name in tree.files[path].text} for path in paths}
    for load_set in sets:
        mentioned: set[str] = set().union(*(names_by_path[path] for path in load_set.paths))
        names = [join_path(load_set.directory, name) for name in PERSONA_FILES if name in mentioned]
        more = tree.paths([*load_set.paths, *(name for name in names if not name.endswith("AGENTS.md"))])
        if more != load_set.paths:
            yield LoadSet(load_set.agent, load_set.directory, more, always=False, trigger="the files it names")


def _codex_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Codex's sets: one file per directory, from the root down, AGENTS.override.md or AGENTS.md."""

    def list_files(directory: str, _working: str) -> list[str]:
        override = join_path(directory, "AGENTS.override.md")
        return [override if override in tree.files else join_path(directory, "AGENTS.md")]

    sets = list(_directory_sets(tree, "Codex", ("AGENTS.md", "AGENTS.override.md"), list_files))
    yield from sets
    extras = [path for path in sorted(tree.files) if _is_in_folder(tree, path, ".agents", FileRole.SKILL)]
    extras += [
        path for path in sorted(tree.files) if _is_in_folder(tree, path, ".codex", FileRole.SKILL, FileRole.COMMAND)
    ]
    yield from _on_demand_sets(tree, "Codex", extras, _root_set(sets))


def _gemini_sets(tree: DocumentTree, names: Sequence[str]) -> Iterator[LoadSet]:
    """Yield Gemini CLI's sets: GEMINI.md or the files in its settings, from the root down, with their imports."""
    yield from _directory_sets(
        tree, "Gemini CLI", names, lambda directory, _: [join_path(directory, name) for name in names]
    )


def _cursor_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Cursor's sets: AGENTS.md, .cursorrules and rules that always apply; its CLI also reads the root's
    CLAUDE.md.
    """
    rules = [path for path in tree.files_inside(".cursor/rules") if path.endswith(".mdc")]
    always = [path for path in rules if tree.files[path].metadata.get("alwaysApply", "").lower() == "true"]

    def list_files(directory: str, _working: str) -> list[str]:
        more = [".cursorrules", *always] if not directory else []
        return [join_path(directory, "AGENTS.md"), *more]

    sets = list(_directory_sets(tree, "Cursor", ("AGENTS.md",), list_files))
    yield from sets
    base = _root_set(sets)
    both = tree.paths(["AGENTS.md", "CLAUDE.md"])
    if len(both) > 1:
        yield LoadSet("Cursor CLI", "", tree.paths([*both, *(base.paths if base else ())]))
    yield from _on_demand_sets(tree, "Cursor", [path for path in rules if path not in always], base)
    extras = [
        path for path in sorted(tree.files) if _is_in_folder(tree, path, ".cursor", FileRole.SKILL, FileRole.COMMAND)
    ]
    yield from _on_demand_sets(tree, "Cursor", extras, base)


def _windsurf_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Windsurf's sets: .windsurfrules, rules whose trigger is always_on or missing, and AGENTS.md."""
    rules = [*tree.files_inside(".windsurf/rules"), *tree.files_inside(".devin/rules")]
    always = [path for path in rules if tree.files[path].metadata.get("trigger", "always_on") == "always_on"]
    if not rules and ".windsurfrules" not in tree.files:
        return
    base = LoadSet("Windsurf", "", tree.paths([".windsurfrules", *always, "AGENTS.md"]))
    yield base
    yield from _on_demand_sets(tree, "Windsurf", [path for path in rules if path not in always], base)


def _cline_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Cline's sets: .clinerules, a file or a directory, with AGENTS.md."""
    rules = [path for path in tree.files_inside(".clinerules") if tree.files[path].role is FileRole.RULES]
    file_paths = [path for path in (".clinerules", *rules) if path in tree.files]
    if not file_paths:
        return
    scoped = [path for path in file_paths if tree.files[path].metadata.get("paths")]
    base = LoadSet("Cline", "", tree.paths([*(path for path in file_paths if path not in scoped), "AGENTS.md"]))
    yield base
    yield from _on_demand_sets(tree, "Cline", scoped, base)


def _copilot_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield Copilot's sets: its instructions, those for every path, and AGENTS.md, CLAUDE.md and GEMINI.md."""
    rules = [path for path in tree.files_inside(".github/instructions") if path.endswith(".md")]
    everywhere = [path for path in rules if tree.files[path].metadata.get("applyTo", "").strip() in ("**", "**/*", "*")]
    file_paths = [".github/copilot-instructions.md", *everywhere]
    base = LoadSet("Copilot", "", tree.paths([*file_paths, "AGENTS.md", "CLAUDE.md", "GEMINI.md"]))
    if len(base.paths) > 1 or any(path in tree.files for path in file_paths):
        yield base
    yield from _on_demand_sets(tree, "Copilot", [path for path in rules if path not in everywhere], base)
    extras = [
        path for path in sorted(tree.files) if _is_in_folder(tree, path, ".github", FileRole.SKILL, FileRole.COMMAND)
    ]
    yield from _on_demand_sets(tree, "Copilot", extras, base)


def _openclaw_sets(tree: DocumentTree) -> Iterator[LoadSet]:
    """Yield OpenClaw's sets: the workspace files; daily notes and skills are loaded on demand."""
    homes = {dirname(path) for path in tree.files if path.rsplit("/", 1)[-1] in HOME_FILES}
    homes = {home.removesuffix("memory").rstrip("/") if home.rsplit("/", 1)[-1] == "memory" else home for home in homes}
    for home in sorted(homes):
        paths = tree.paths([join_path(home, name) for name in PERSONA_FILES])
        if not paths:
            continue
        base = LoadSet("OpenClaw", home, paths)
        yield base
        notes = [
            path
            for path in [*tree.files_inside(join_path(home, "memory")), *tree.files_by_directory.get(home, [])]
            if tree.files[path].role is FileRole.DAILY and tree.files[path].path not in paths
        ]
        notes = [path for path in notes if dirname(path) in (home, join_path(home, "memory"))]
        notes = [path for path in notes if _DAY.search(path)] or notes
        recent = tree.paths([*paths, *sorted(notes)[-DAILY_NOTES:]])
        if recent != paths:
            yield LoadSet("OpenClaw", home, recent, always=False, trigger="the newest notes")
        for skill in [
            path for path in tree.files_inside(join_path(home, "skills")) if tree.files[path].role is FileRole.SKILL
        ]:
            yield LoadSet("OpenClaw", home, tree.paths([*paths, skill]), always=False, trigger=skill)
