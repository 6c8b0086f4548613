"""Determine which tool reads an instruction file, and how it can share the text of another file.

Sources, read in November 2026: code.claude.com/docs/en/memory (imports, symbolic links), geminicli.com/docs/reference/
memport and /cli/gemini-md (imports, context.fileName), cursor.com/docs/rules, docs.windsurf.com/windsurf/cascade/
agents-md, docs.cline.bot/customization/cline-rules and docs.github.com on custom instructions for Copilot (AGENTS.md).
"""

import re
from posixpath import dirname, relpath

SHARED = "AGENTS.md"
"""Name of the file that most tools read."""
_TOOLS = (
    ("Codex", re.compile(r"(?:^|/)AGENTS(?:\.override|\.local)?\.md$")),
    ("Claude Code", re.compile(r"(?:^|/)(?:CLAUDE(?:\.local)?\.md|\.claude/rules/.*)$")),
    ("Gemini CLI", re.compile(r"(?:^|/)GEMINI\.md$")),
    ("Cursor", re.compile(r"(?:^|/)(?:\.cursorrules|\.cursor/rules/.*)$")),
    ("Windsurf", re.compile(r"(?:^|/)(?:\.windsurfrules|\.(?:windsurf|devin)/rules/.*)$")),
    ("Cline", re.compile(r"(?:^|/)\.clinerules(?:/.*)?$")),
    ("Copilot", re.compile(r"(?:^|/)\.github/(?:copilot-instructions\.md|instructions/.*)$")),
)
_READERS = ("Cursor", "Windsurf", "Cline", "Copilot")
"""Tools that read AGENTS.md beside their own files."""


def find_tool(path: str) -> str:
    """Return the tool that an instruction file is for; "" if it is for several tools or unknown."""
    return next((tool for tool, pattern in _TOOLS if pattern.search(path)), "")


def suggest_sharing(path: str, keeper: str) -> str:
    """Return how the tool of a file can use the text of another file instead of a copy."""
    tool = find_tool(path)
    target = relpath(keeper, dirname(path) or ".")
    if tool == "Claude Code":
        return f"'@{target}' in {path}, or a symbolic link, makes Claude Code read {keeper}"
    if tool == "Gemini CLI":
        return f"'@./{target}' in {path}, or context.fileName in .gemini/settings.json, makes Gemini CLI read {keeper}"
    if keeper.rsplit("/", 1)[-1] == SHARED and tool in _READERS:
        return f"{tool} reads {keeper} itself, so {path} needs no copy"
    if tool == "Codex":
        return f"a symbolic link makes Codex read {keeper}"
    others = " and ".join(dict.fromkeys(filter(None, (find_tool(keeper), tool))))
    return f"{others} can read one {SHARED} instead, or {path} can be a symbolic link"
