"""Determine a file's role for agents from its path, and recognize documents that a program writes."""

import re
from itertools import takewhile

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument

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
_MEMORY_FILE = "memory.md"
"""Name that OpenClaw also accepts for MEMORY.md in the workspace directory."""
_VENDORED = ("vendor", "node_modules", "third_party", "bower_components")
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
    if any(f"{folder}/" in path for folder in _VENDORED) and _is_vendored(path):
        return None
    if _COMMAND.search(path):
        return FileRole.COMMAND
    if _RULES.search(path):
        return FileRole.RULES
    if name in ROLES_BY_NAME or path == _MEMORY_FILE:
        return ROLES_BY_NAME.get(name, FileRole.MEMORY)
    if _DAILY.search(path) and not path.startswith("src/") and not _REPORTS.search(path):
        return FileRole.DAILY
    return None


def _is_vendored(path: str) -> bool:
    """Return whether a directory with copies of other projects contains a path, outside of a directory of an agent."""
    directories = path.split("/")[:-1]
    return any(part in _VENDORED for part in takewhile(lambda part: not part.startswith("."), directories))


def describe_names() -> str:
    """Return the names and directories of agent files, for a message."""
    return (
        f"{', '.join(ROLES_BY_NAME)}, and rules, skills, commands and notes in directories such as .claude and memory"
    )


def source_role_of(path: str) -> FileRole | None:
    """Return the role of a README, which agents do not load but instructions link to, or None."""
    return FileRole.README if _README.match(path.rsplit("/", 1)[-1]) else None


_NOTICE_LINES = 12
"""First lines of a document in which such a notice stands."""
_NOTICE = compile_lazily(
    r"\bthis (?:file|document|page) (?:is|was) (?:\w+ )?(?:auto(?:matically)?[ -]?)?(?:generated|compiled) "
    r"|\bauto(?:matically)?[ -]?generated\b|@generated\b"
    r"|\bgenerated (?:file|by|from)\b[^\n]{0,200}\b(?:do not edit|edit\b[^\n]{1,80}\binstead)"
    r"|^(?:<!--|>)?[ \t]*[*_]{0,2}generated from\b[^\n]{0,200}\n(?:[^\n]{0,200}\n)?[^\n]{0,200}"
    r"\bdo not (?:edit|modify) it\b"
    r"|\bdo not (?:edit|modify) (?:this file|by hand|manually|directly)",
    re.IGNORECASE | re.MULTILINE,
)


def is_generated(document: MarkdownDocument) -> bool:
    """Return whether a document says in its first lines that a program writes it: nobody mends it by hand."""
    end = document.starts[_NOTICE_LINES] if document.lines > _NOTICE_LINES else len(document.text)
    return _NOTICE.search(document.text, 0, end) is not None
