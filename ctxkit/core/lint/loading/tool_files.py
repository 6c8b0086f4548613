"""Determine which tool reads an instruction file, and how it can share the text of another file.

Sources, read in November 2026: code.claude.com/docs/en/memory (imports, symbolic links), geminicli.com/docs/reference/
memport and /cli/gemini-md (imports, context.fileName), cursor.com/docs/rules, docs.windsurf.com/windsurf/cascade/
agents-md, docs.cline.bot/customization/cline-rules and docs.github.com on custom instructions for Copilot (AGENTS.md).
"""

from posixpath import dirname, relpath

from ctxkit.core.lazy_pattern import compile_lazily

SHARED = "AGENTS.md"
"""Name of the file that most tools read."""
_TOOLS = (
    ("Codex", compile_lazily(r"(?:^|/)AGENTS(?:\.override|\.local)?\.md$")),
    ("Claude Code", compile_lazily(r"(?:^|/)(?:CLAUDE(?:\.local)?\.md|\.claude/rules/.*)$")),
    ("Gemini CLI", compile_lazily(r"(?:^|/)GEMINI\.md$")),
    ("Cursor", compile_lazily(r"(?:^|/)(?:\.cursorrules|\.cursor/rules/.*)$")),
    ("Windsurf", compile_lazily(r"(?:^|/)(?:\.windsurfrules|\.(?:windsurf|devin)/rules/.*)$")),
    ("Cline", compile_lazily(r"(?:^|/)\.clinerules(?:/.*)?$")),
    ("Copilot", compile_lazily(r"(?:^|/)\.github/(?:copilot-instructions\.md|instructions/.*)$")),
)
_TOOL_FOLDER = compile_lazily(r"/\.(?:cursor|windsurf|devin|clinerules|github)/")
_READERS = ("Cursor", "Windsurf", "Cline", "Copilot")
"""Tools that read AGENTS.md beside their own files."""


def find_tool(path: str) -> str:
    """Return the tool that an instruction file is for; "" if it is for several tools or unknown."""
    return next((tool for tool, pattern in _TOOLS if pattern.search(path)), "")


def suggest_sharing(path: str, keeper: str) -> str:
    """Return how the tool of a file can use the text of another file instead of a copy, "" if that is not known.

    Rules with front matter apply to some files only, in a syntax of their tool: no other file can replace them.
    """
    tool = find_tool(path)
    target = relpath(keeper, dirname(path) or ".")
    name = path.rsplit("/", 1)[-1]
    if tool == "Claude Code" and name.startswith("CLAUDE"):
        return f"'@{target}' in {path}, or a symbolic link, makes Claude Code read {keeper}"
    if tool == "Gemini CLI":
        return f"'@./{target}' in {path}, or context.fileName in .gemini/settings.json, makes Gemini CLI read {keeper}"
    if keeper.rsplit("/", 1)[-1] == SHARED and tool in _READERS and dirname(keeper) == _directory_of(path):
        return f"{tool} reads {keeper} itself, so {path} needs no copy"
    return ""


def _directory_of(path: str) -> str:
    """Return the directory that a file of a tool applies to: the parent of .github, .cursor and the like."""
    folder = _TOOL_FOLDER.search(f"/{path}")
    return f"/{path}"[: folder.start()].lstrip("/") if folder else dirname(path)
