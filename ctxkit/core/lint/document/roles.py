"""Determine a file's role for agents from its path."""

import re
from itertools import takewhile

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole

ROLES_BY_NAME = {
    "AGENTS.md": FileRole.INSTRUCTIONS,
    "AGENTS.override.md": FileRole.INSTRUCTIONS,
    "AGENTS.local.md": FileRole.INSTRUCTIONS,
    "AGENT.md": FileRole.INSTRUCTIONS,
    "CLAUDE.md": FileRole.INSTRUCTIONS,
    "CLAUDE.local.md": FileRole.INSTRUCTIONS,
    "GEMINI.md": FileRole.INSTRUCTIONS,
    "QWEN.md": FileRole.INSTRUCTIONS,
    "WARP.md": FileRole.INSTRUCTIONS,
    "copilot-instructions.md": FileRole.INSTRUCTIONS,
    ".cursorrules": FileRole.RULES,
    ".windsurfrules": FileRole.RULES,
    ".clinerules": FileRole.RULES,
    ".roorules": FileRole.RULES,
    ".rules": FileRole.RULES,
    "SOUL.md": FileRole.PERSONA,
    "IDENTITY.md": FileRole.PERSONA,
    "USER.md": FileRole.PERSONA,
    "HEARTBEAT.md": FileRole.PERSONA,
    "BOOTSTRAP.md": FileRole.PERSONA,
    "BOOT.md": FileRole.PERSONA,
    "TOOLS.md": FileRole.TOOLS,
    "MEMORY.md": FileRole.MEMORY,
    "CONTEXT.md": FileRole.CONTEXT,
    "SKILL.md": FileRole.SKILL,
}
"""Roles by file name, case-sensitive as in the agents: a tools.md is not an agent's file."""
MEMORY_FILE = "memory.md"
"""Name that OpenClaw also accepts for MEMORY.md in the workspace directory."""
VENDORED = ("vendor", "node_modules", "third_party", "bower_components")
"""Directories with copies of other projects."""
_RULES = compile_lazily(
    r"(?:^|/)(?:\.claude/rules|\.cursor/rules|\.windsurf/rules|\.devin/rules|\.clinerules|\.roo/rules[^/]*"
    r"|\.github/instructions|\.continue/rules|\.kiro/steering|\.augment/rules)/.*\.(?:md|mdc|txt)$"
)
_COMMAND = compile_lazily(
    r"(?:^|/)(?:\.(?:claude|codex|cursor|opencode|gemini|windsurf)/(?:commands?|agents?|prompts|workflows|output-styles)"
    r"|\.github/(?:prompts|agents|chatmodes)|\.clinerules/workflows)/.*\.md$"
)
_DAILY = compile_lazily(r"(?:^|/)(?:memory/(?:[^/]+/){0,40}[^/]+|SESSION_[^/]+)\.md$")
"""Matches notes of days or sessions."""
_REPORTS = compile_lazily(r"(?:^|/)[^/]*(?:docs?|documentation|reports?|archived?)/", re.IGNORECASE)
"""Matches directories whose reports of sessions are documents for people: no host loads them as memory."""
_README = compile_lazily(r"readme(?:\.(?:md|markdown|rst|txt))?$", re.IGNORECASE)


def role_of(path: str) -> FileRole | None:
    """Return the role of a file for agents, or None if they do not look for it by its path.

    Files of other projects, whose copies lie in directories such as vendor, have no role.
    """
    name = path.rsplit("/", 1)[-1]
    if any(f"{folder}/" in path for folder in VENDORED) and _is_vendored(path):
        return None
    if _COMMAND.search(path):
        return FileRole.COMMAND
    if _RULES.search(path):
        return FileRole.RULES
    if name in ROLES_BY_NAME or path == MEMORY_FILE:
        return ROLES_BY_NAME.get(name, FileRole.MEMORY)
    if _DAILY.search(path) and not path.startswith("src/") and not _REPORTS.search(path):
        return FileRole.DAILY
    return None


def _is_vendored(path: str) -> bool:
    """Return whether a directory with copies of other projects contains a path, outside of a directory of an agent."""
    directories = path.split("/")[:-1]
    return any(part in VENDORED for part in takewhile(lambda part: not part.startswith("."), directories))


def describe_names() -> str:
    """Return the names and directories of agent files, for a message."""
    return (
        f"{', '.join(ROLES_BY_NAME)}, and rules, skills, commands and notes in directories such as .claude and memory"
    )


def source_role_of(path: str) -> FileRole | None:
    """Return the role of a README, which agents do not load but instructions link to, or None."""
    return FileRole.README if _README.match(path.rsplit("/", 1)[-1]) else None
