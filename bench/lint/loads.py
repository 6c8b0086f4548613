"""Which files agents load together: the bench's own plain model, which knows only what is beyond dispute."""

import posixpath
import re
from collections.abc import Iterable, Mapping

PERSONA = ("SOUL.md", "USER.md", "TOOLS.md", "MEMORY.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md", "CONTEXT.md")
"""Files of a workspace of OpenClaw or nanobot, loaded with its AGENTS.md."""
LOADED = re.compile(
    r"(?:^|/)(?:(?:AGENTS|CLAUDE|GEMINI|CLAUDE\.local)\.md|"
    + "|".join(re.escape(name) for name in PERSONA)
    + r"|memory/[^/]+\.md|\.(?:cursor|windsurf|cline)rules|\.(?:cursor|windsurf|claude)/rules/.+\.mdc?"
    r"|\.clinerules/[^/]+\.md|\.github/copilot-instructions\.md|\.github/instructions/.+\.md|skills/.+/SKILL\.md)$"
)
"""Paths of files that any agent loads by itself or on demand."""
IMPORT = re.compile(r"(?m)^\s*(?:[-*]\s+)?@(?!\s)([\w./~-]+\.\w+)\s*$")
MATTER = re.compile(r"---\r?\n.*?\n---\r?\n", re.DOTALL)
IMPORTERS = ("claude ", "gemini ")
"""Agents that follow imports."""
TREES = {"codex": "AGENTS.md", "claude": "CLAUDE.md", "gemini": "GEMINI.md"}
"""Files that are loaded from the root down to where an agent works."""
ROOT = {
    "claude": r"CLAUDE\.local\.md|\.claude/CLAUDE\.md|\.claude/rules/.+\.md",
    "cursor": r"AGENTS\.md|\.cursorrules|\.cursor/rules/.+\.mdc",
    "windsurf": r"AGENTS\.md|\.windsurfrules|\.windsurf/rules/.+\.md",
    "cline": r"\.clinerules|\.clinerules/.+\.md",
    "copilot": r"AGENTS\.md|\.github/copilot-instructions\.md",
}


def loads(files: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the files that each agent loads at once, of all of a workspace's by path; sets of one file too."""
    table: dict[str, set[str]] = {}
    for agent, name in TREES.items():
        for path in files:
            if posixpath.basename(path) == name:
                table[f"{agent} {path}"] = _above(files, path, name)
    for agent, pattern in ROOT.items():
        matched = {path for path in files if re.fullmatch(pattern, path) and _always(files[path])}
        for key in [key for key in table if key.startswith(f"{agent} ")]:
            table[key] |= matched
        if matched and f"{agent} {TREES.get(agent)}" not in table:
            table.setdefault(f"{agent} root", set()).update(matched)
    table |= _personas(files)
    return {
        key: frozenset(_list_imports(files, paths) if key.startswith(IMPORTERS) else paths)
        for key, paths in table.items()
    }


def _always(text: str) -> bool:
    """Return whether a rule file is loaded on every turn, not only where its front matter says."""
    matter = MATTER.match(text.removeprefix("\ufeff"))
    return matter is None or not re.search(r"(?m)^(?:globs|paths|applyTo):\s*\S|^alwaysApply:\s*false", matter[0])


def _above(files: Iterable[str], path: str, name: str) -> set[str]:
    folder = posixpath.dirname(path)
    return {file for file in files if posixpath.basename(file) == name and _inside(folder, posixpath.dirname(file))}


def _inside(folder: str, above: str) -> bool:
    return not above or folder == above or folder.startswith(above + "/")


def _personas(files: Iterable[str]) -> dict[str, set[str]]:
    """Return the sets of the folders that have a SOUL.md, or a USER.md and a TOOLS.md."""
    by_folder: dict[str, set[str]] = {}
    for path in files:
        folder, name = posixpath.split(path)
        if posixpath.basename(folder) == "memory":
            folder = posixpath.dirname(folder)
            name = "MEMORY.md" if name == "MEMORY.md" else ""
        if name in (*PERSONA, "AGENTS.md"):
            by_folder.setdefault(folder, set()).add(path)
    names = {folder: {posixpath.basename(path) for path in paths} for folder, paths in by_folder.items()}
    items = ({"SOUL.md"}, {"USER.md", "TOOLS.md"}, {"TOOLS.md", "MEMORY.md"})
    return {f"persona {f}": paths for f, paths in by_folder.items() if any(item <= names[f] for item in items)}


def _list_imports(files: Mapping[str, str], paths: set[str]) -> set[str]:
    """Return files with what they import, and what that imports."""
    value, waiting = set(paths), list(paths)
    while waiting:
        path = waiting.pop()
        for name in IMPORT.findall(files[path]):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if target in files and target not in value:
                value.add(target)
                waiting.append(target)
    return value
