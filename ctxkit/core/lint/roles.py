"""Which part a file plays for an agent, told by its path."""

import re

from ctxkit.core.lint.document import Kind

NAMES = {
    "AGENTS.md": Kind.INSTRUCTIONS,
    "AGENTS.override.md": Kind.INSTRUCTIONS,
    "AGENTS.local.md": Kind.INSTRUCTIONS,
    "AGENT.md": Kind.INSTRUCTIONS,
    "CLAUDE.md": Kind.INSTRUCTIONS,
    "CLAUDE.local.md": Kind.INSTRUCTIONS,
    "GEMINI.md": Kind.INSTRUCTIONS,
    "QWEN.md": Kind.INSTRUCTIONS,
    "WARP.md": Kind.INSTRUCTIONS,
    "copilot-instructions.md": Kind.INSTRUCTIONS,
    ".cursorrules": Kind.RULES,
    ".windsurfrules": Kind.RULES,
    ".clinerules": Kind.RULES,
    ".roorules": Kind.RULES,
    ".rules": Kind.RULES,
    "SOUL.md": Kind.PERSONA,
    "IDENTITY.md": Kind.PERSONA,
    "USER.md": Kind.PERSONA,
    "HEARTBEAT.md": Kind.PERSONA,
    "BOOTSTRAP.md": Kind.PERSONA,
    "BOOT.md": Kind.PERSONA,
    "TOOLS.md": Kind.TOOLS,
    "MEMORY.md": Kind.MEMORY,
    "CONTEXT.md": Kind.CONTEXT,
    "SKILL.md": Kind.SKILL,
}
"""File names, as the tools that look for them write them: a tools.md among documents is none of the agent's files."""
SMALL = "memory.md"
"""What OpenClaw takes for MEMORY.md too, in the directory of the workspace."""
_RULES = re.compile(
    r"(?:^|/)(?:\.claude/rules|\.cursor/rules|\.windsurf/rules|\.devin/rules|\.clinerules|\.roo/rules[^/]*"
    r"|\.github/instructions|\.continue/rules|\.kiro/steering|\.augment/rules)/.*\.(?:md|mdc|txt)$"
)
_COMMAND = re.compile(
    r"(?:^|/)(?:\.(?:claude|codex|cursor|opencode|gemini|windsurf)/(?:commands?|agents?|prompts|workflows|output-styles)"
    r"|\.github/(?:prompts|agents|chatmodes)|\.clinerules/workflows)/.*\.md$"
)
_SKILLS = re.compile(r"(?:^|/)(?:\.claude|\.agents|\.codex|\.cursor|\.github|\.opencode)/skills/[^/]+\.md$")
_DAILY = re.compile(r"(?:^|/)(?:memory/(?:[^/]+/){0,40}[^/]+|SESSION_[^/]+)\.md$")
"""Notes by day or session, beside MEMORY.md."""
_README = re.compile(r"readme(?:\.(?:md|markdown|rst|txt))?$", re.IGNORECASE)


def kind_of(path: str) -> Kind | None:
    """Return what a file is for agents, or None when they do not look for it by its path."""
    name = path.rsplit("/", 1)[-1]
    if _COMMAND.search(path):
        return Kind.COMMAND
    if _RULES.search(path):
        return Kind.RULES
    if name in NAMES or path == SMALL:
        return NAMES.get(name, Kind.MEMORY)
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
