"""Which part a file plays for an agent, told by its path."""

import re

from ctxkit.core.lint.document import Kind

NAMES = {
    "agents.md": Kind.INSTRUCTIONS,
    "agents.override.md": Kind.INSTRUCTIONS,
    "agents.local.md": Kind.INSTRUCTIONS,
    "agent.md": Kind.INSTRUCTIONS,
    "claude.md": Kind.INSTRUCTIONS,
    "claude.local.md": Kind.INSTRUCTIONS,
    "gemini.md": Kind.INSTRUCTIONS,
    "qwen.md": Kind.INSTRUCTIONS,
    "warp.md": Kind.INSTRUCTIONS,
    "copilot-instructions.md": Kind.INSTRUCTIONS,
    ".cursorrules": Kind.RULES,
    ".windsurfrules": Kind.RULES,
    ".clinerules": Kind.RULES,
    ".roorules": Kind.RULES,
    ".rules": Kind.RULES,
    "soul.md": Kind.PERSONA,
    "identity.md": Kind.PERSONA,
    "user.md": Kind.PERSONA,
    "heartbeat.md": Kind.PERSONA,
    "bootstrap.md": Kind.PERSONA,
    "boot.md": Kind.PERSONA,
    "tools.md": Kind.TOOLS,
    "memory.md": Kind.MEMORY,
    "context.md": Kind.CONTEXT,
    "skill.md": Kind.SKILL,
}
"""File names, in small letters."""
PERSONAL = frozenset(
    ("SOUL.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md", "TOOLS.md", "CONTEXT.md")
)
"""Names that count only as they are written: a tools.md among documents is none of the agent's files."""
_SHOUTED = frozenset(name.upper() for name in PERSONAL)
_RULES = re.compile(
    r"(?:^|/)(?:\.claude/rules|\.cursor/rules|\.windsurf/rules|\.devin/rules|\.clinerules|\.roo/rules[^/]*"
    r"|\.github/instructions|\.continue/rules|\.kiro/steering|\.augment/rules)/.*\.(?:md|mdc|txt)$"
)
_COMMAND = re.compile(
    r"(?:^|/)(?:\.(?:claude|codex|cursor|opencode|gemini|windsurf)/(?:commands?|agents?|prompts|workflows|output-styles)"
    r"|\.github/(?:prompts|agents|chatmodes)|\.clinerules/workflows)/.*\.md$"
)
_SKILLS = re.compile(r"(?:^|/)(?:\.claude|\.agents|\.codex|\.cursor|\.github|\.opencode)/skills/[^/]+\.md$")
_DAILY = re.compile(r"(?:^|/)(?:memory/(?:[^/]+/)*[^/]+|SESSION_[^/]+)\.md$")
"""Notes by day or session, beside MEMORY.md."""
_README = re.compile(r"readme(?:\.(?:md|markdown|rst|txt))?$", re.IGNORECASE)


def kind_of(path: str) -> Kind | None:
    """Return what a file is for agents, or None when they do not look for it by its path."""
    name = path.rsplit("/", 1)[-1]
    if _COMMAND.search(path):
        return Kind.COMMAND
    if _RULES.search(path):
        return Kind.RULES
    known = NAMES.get(name.lower())
    if known and (name in PERSONAL or name.upper() not in _SHOUTED):
        return known
    if _SKILLS.search(path):
        return Kind.SKILL
    if _DAILY.search(path) and not path.startswith(("docs/", "src/")):
        return Kind.DAILY
    return None


def source_of(path: str) -> Kind | None:
    """Return what a file is that agents do not load but that instructions may restate: README or manifest."""
    name = path.rsplit("/", 1)[-1]
    if name == "package.json":
        return Kind.MANIFEST
    return Kind.README if _README.match(name) else None
