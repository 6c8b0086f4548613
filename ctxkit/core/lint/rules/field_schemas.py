"""The fields of front matter that hosts read, as data: one row for each kind of file."""

from typing import NamedTuple

from ctxkit.core.lint.loading.host_loading import Source

_DAY = "2026-11-29"
_CLAUDE_AGENTS = Source("https://code.claude.com/docs/en/sub-agents", _DAY)
_CLAUDE_SKILLS = Source("https://code.claude.com/docs/en/skills", _DAY)
_CLAUDE_MEMORY = Source("https://code.claude.com/docs/en/memory", _DAY)
_AGENT_SKILLS = Source("https://agentskills.io/specification", _DAY)
_CURSOR = Source("https://cursor.com/docs/rules", _DAY)
_COPILOT_AGENTS = Source("https://docs.github.com/en/copilot/reference/custom-agents-configuration", _DAY)
_VS_CODE = Source("https://code.visualstudio.com/docs/copilot/customization/custom-instructions", _DAY)
_KIRO = Source("https://kiro.dev/docs/steering/", _DAY)
_WINDSURF = Source("https://docs.devin.ai/desktop/cascade/memories", _DAY)
_CLINE = Source("https://docs.cline.bot/customization/cline-rules", _DAY)

_SKILL_FIELDS = (
    *("name", "description", "when_to_use", "argument-hint", "arguments", "disable-model-invocation"),
    *("user-invocable", "allowed-tools", "disallowed-tools", "model", "effort", "context", "agent", "background"),
    *("hooks", "paths", "shell", "metadata", "license", "compatibility"),
)


class FieldSchema(NamedTuple):
    """The front matter of a kind of file.

    ``paths`` are patterns as in the table of hosts. ``required`` maps a field to what the host does without it.
    ``others`` maps fields of other hosts or kinds to the field that means the same here. ``globs`` is the field with
    patterns of files, ``tools`` that with names of tools. ``yaml_effect`` says what a host that parses strictly does
    with text that is not YAML, "" if the host reads any text. A file that ``needs_body`` is of no use without text.
    """

    host: str
    kind: str
    paths: tuple[str, ...]
    fields: tuple[str, ...]
    source: Source
    required: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    globs: str = ""
    yaml_effect: str = ""
    tools: str = ""
    needs_body: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether any file in the directory is meant to be of this kind, because its name says so."""
        return any(not pattern.endswith("/*.md") for pattern in self.paths)


_SKIPPED = "Claude Code skips the file without a message"
SCHEMAS = (
    FieldSchema(
        "Claude Code",
        "agent",
        (".claude/agents/**/*.md",),
        (
            *("name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills"),
            *("mcpServers", "hooks", "memory", "background", "effort", "isolation", "color", "initialPrompt"),
        ),
        _CLAUDE_AGENTS,
        (("name", _SKIPPED), ("description", _SKIPPED)),
        (("allowed-tools", "tools"), ("disallowed-tools", "disallowedTools"), ("max-turns", "maxTurns")),
        yaml_effect="skips the agent without a message",
        tools="tools",
        needs_body=True,
    ),
    FieldSchema(
        "Claude Code",
        "skill",
        (".claude/skills/*/SKILL.md",),
        _SKILL_FIELDS,
        _CLAUDE_SKILLS,
        (("description", "Claude Code lists the first paragraph instead, which says less of when to use the skill"),),
        (("tools", "allowed-tools"),),
        globs="paths",
        yaml_effect="loads the skill without its description, and the model cannot tell when to use it",
        tools="allowed-tools",
        needs_body=True,
    ),
    FieldSchema(
        "hosts of Agent Skills",
        "skill",
        (
            *(".agents/skills/*/SKILL.md", ".codex/skills/*/SKILL.md", ".cursor/skills/*/SKILL.md"),
            *(".github/skills/*/SKILL.md", ".opencode/skills/*/SKILL.md", ".gemini/skills/*/SKILL.md"),
        ),
        _SKILL_FIELDS,
        _AGENT_SKILLS,
        (
            ("name", "the specification of Agent Skills requires it"),
            ("description", "the specification of Agent Skills requires it, and models choose skills by it"),
        ),
        yaml_effect="skips the skill, or loads it without its description",
        needs_body=True,
    ),
    FieldSchema(
        "Claude Code",
        "command",
        (".claude/commands/**/*.md",),
        _SKILL_FIELDS,
        _CLAUDE_SKILLS,
        others=(("tools", "allowed-tools"),),
        yaml_effect="loads the command without its fields",
        tools="allowed-tools",
    ),
    FieldSchema(
        "Claude Code",
        "rule",
        (".claude/rules/**/*.md",),
        ("paths",),
        _CLAUDE_MEMORY,
        globs="paths",
        yaml_effect="does not know to which paths the rule applies",
    ),
    FieldSchema(
        "Cursor",
        "rule",
        (".cursor/rules/**/*.mdc",),
        ("description", "globs", "alwaysApply"),
        _CURSOR,
        globs="globs",
    ),
    FieldSchema(
        "Copilot",
        "instructions file",
        (".github/instructions/**/*.instructions.md",),
        ("name", "description", "applyTo", "excludeAgent"),
        _VS_CODE,
        (("applyTo", "VS Code does not apply the file by itself: someone has to attach it to a chat"),),
        globs="applyTo",
        yaml_effect="does not know to which files the instructions apply",
    ),
    FieldSchema(
        "Copilot",
        "agent",
        (".github/agents/**/*.agent.md",),
        (
            *("name", "description", "target", "tools", "model", "disable-model-invocation", "user-invocable", "infer"),
            *("mcp-servers", "metadata", "argument-hint", "handoffs", "agents"),
        ),
        _COPILOT_AGENTS,
        (("description", "Copilot requires it"),),
        (("allowed-tools", "tools"),),
        yaml_effect="does not know the name and the tools of the agent",
        needs_body=True,
    ),
    FieldSchema(
        "Windsurf",
        "rule",
        (".devin/rules/**/*.md", ".windsurf/rules/**/*.md"),
        ("trigger", "globs", "description"),
        _WINDSURF,
        globs="globs",
    ),
    FieldSchema(
        "Kiro",
        "steering file",
        (".kiro/steering/**/*.md",),
        ("inclusion", "fileMatchPattern", "name", "description"),
        _KIRO,
        globs="fileMatchPattern",
        yaml_effect="does not know when to include the file",
    ),
    FieldSchema("Cline", "rule", (".clinerules/**/*.md",), ("paths",), _CLINE, globs="paths"),
)
"""The kinds of files with front matter, each with the page on which its fields stand."""
SKILL_SCHEMA = next(schema for schema in SCHEMAS if schema.source is _AGENT_SKILLS)
"""The row of a skill in any other directory, such as one of a plugin."""
CLAUDE_TOOLS = (
    *("Agent", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree"),
    *("Glob", "Grep", "LSP", "Monitor", "NotebookEdit", "PowerShell", "Read", "SendMessage", "Skill", "Task"),
    *("TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch"),
    *("WebFetch", "WebSearch", "Workflow", "Write", "MultiEdit", "NotebookRead", "BashOutput", "KillShell"),
    *("LS", "SlashCommand", "ListMcpResourcesTool", "ReadMcpResourceTool", "CronCreate", "CronDelete", "CronList"),
)
"""Tools of Claude Code (code.claude.com/docs/en/tools-reference, read on 2026-11-29) and their earlier names."""
