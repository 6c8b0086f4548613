"""Check the front matter and the body of agents, skills, commands and rules (STR001 to STR003, STR006)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import ERROR, WARNING, LintFinding, Rule
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.hosts import Source
from ctxkit.core.lint.loading.load_sets import find_home
from ctxkit.core.lint.references.paths import is_archived

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
_SKILL_SCHEMA = next(schema for schema in SCHEMAS if schema.source is _AGENT_SKILLS)
"""The row of a skill in any other directory, such as one of a plugin."""
CLAUDE_TOOLS = (
    *("Agent", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree"),
    *("Glob", "Grep", "LSP", "Monitor", "NotebookEdit", "PowerShell", "Read", "SendMessage", "Skill", "Task"),
    *("TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch"),
    *("WebFetch", "WebSearch", "Workflow", "Write", "MultiEdit", "NotebookRead", "BashOutput", "KillShell"),
    *("LS", "SlashCommand", "ListMcpResourcesTool", "ReadMcpResourceTool", "CronCreate", "CronDelete", "CronList"),
)
"""Tools of Claude Code (code.claude.com/docs/en/tools-reference, read on 2026-11-29) and their earlier names."""
_MOST_LETTERS = 2
"""Letters by which a misspelt name of a tool is longer or shorter than the right one: Create is not TaskCreate."""
EVIDENCE = "The documentation of the hosts; docs/hosts.md lists the pages and the days on which they were read."
RULES = (
    Rule(
        "STR001",
        "front-matter-invalid",
        ERROR,
        "none",
        "The front matter of a skill, an agent, a command or a rule is not valid YAML.",
        "A host that cannot parse it skips the file, or loads it without its name, description and patterns, and says "
        "nothing in the session.",
        "---\ndescription: Use when: the build fails\n---",
        '---\ndescription: "Use when: the build fails"\n---',
        EVIDENCE,
    ),
    Rule(
        "STR002",
        "front-matter-incomplete",
        WARNING,
        "none",
        "The front matter lacks a field that the host requires: the name or description of an agent or a skill, or "
        "applyTo of instructions.",
        "Without it, the host does not load the file by itself, or the model cannot tell when to use it.",
        ".claude/agents/reviewer.md:\n---\nname: reviewer\n---",
        ".claude/agents/reviewer.md:\n---\nname: reviewer\ndescription: Reviews a diff for security faults\n---",
        EVIDENCE,
    ),
    Rule(
        "STR003",
        "field-unknown",
        WARNING,
        "none",
        "A field of the front matter, or a tool or a model in it, is misspelt, or belongs to another kind of file.",
        "Hosts ignore fields that they do not know. A misspelt list of tools leaves an agent with all tools.",
        ".claude/agents/reviewer.md:\nallowed-tools: Read, Grep",
        ".claude/agents/reviewer.md:\ntools: Read, Grep",
        EVIDENCE,
    ),
    Rule(
        "STR006",
        "body-empty",
        WARNING,
        "none",
        "An agent or a skill has front matter and no instructions, or a file of instructions or rules is empty.",
        "The body is the prompt of an agent. Without it, the agent knows only its task. Of an empty CLAUDE.md the "
        "author believes that it says something.",
        "---\nname: reviewer\ndescription: Reviews a diff\n---",
        "---\nname: reviewer\ndescription: Reviews a diff\n---\nReview the diff for ...",
        EVIDENCE,
    ),
)
_SKILL_PATH = compile_lazily(r"(?:^|/)skills/(?:[^/]+/){1,8}SKILL\.md$")
"""Matches a skill in a plugin or in a directory from which people copy it; other SKILL.md are parts of programs."""
_COMMENT = compile_lazily(r"^[\w-]+[ \t]*:[ \t]+#+[ \t]*\w")
"""Matches a field whose value YAML takes for a comment."""
_FILLED = (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.SKILL, FileRole.COMMAND)
"""Roles of files that are there to say something."""
_WORD = compile_lazily(r"[^\s#>*_-]")
"""Matches what is more than an empty title or a ruler."""
_EMPTY = "the file is empty: whoever loads it learns nothing"
_OTHER_MODEL = compile_lazily(
    r"(?:gpt|o[1-9]|codex|gemini|grok|deepseek|qwen|kimi|glm|llama|mistral)[-\d.]", re.IGNORECASE
)
"""Matches the name of a model of another vendor."""
_TOOL = compile_lazily(r"[A-Za-z]+")
_NO_TOOL = compile_lazily(r"\([^()]*\)|\bmcp__\S+")
"""Matches the arguments of a tool, and tools of MCP servers."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield faults of front matter, and agents and skills without instructions."""
    headed = Counter(dirname(document.path) for document in workspace.documents if document.header.values)
    counts = Counter(dirname(document.path) for document in workspace.documents)
    results: list[LintFinding] = []
    for document in workspace.documents:
        schema = find_schema(document.path)
        if is_archived(document.path):
            continue
        if document.role in _FILLED and not _WORD.search(document.text):
            results.append(_make_finding("STR006", document, 1, _EMPTY))
            continue
        if schema is None:
            continue
        if late := _find_late_front_matter(document, schema):
            results.append(_make_late_finding(document, schema, late))
        elif document.front_matter or _needs_front_matter(document, schema, headed, counts):
            results.extend(_check_front_matter(document, schema))
    yield from _join_findings(results)


def _join_findings(results: Sequence[LintFinding]) -> Iterator[LintFinding]:
    """Yield the findings; one fault of files of one kind in a directory is a single finding."""
    by_place: dict[tuple[str, ...], list[LintFinding]] = {}
    for finding in results:
        is_joined = finding.code in ("STR001", "STR002", "STR003") or finding.message == _EMPTY
        directory = dirname(dirname(finding.path) if finding.path.endswith("/SKILL.md") else finding.path)
        key = (finding.message, directory) if is_joined else (finding.message, finding.path, str(finding.line))
        by_place.setdefault(key, []).append(finding)
    for first, *others in by_place.values():
        more = f" (and {len(others)} more in the directory)" if others else ""
        related = tuple(other.location for other in others)
        yield first._replace(message=f"{first.message}{more}", related=related)


def find_schema(path: str) -> FieldSchema | None:
    """Return the row of the table of fields for a file, None if it has none; any directory ``skills`` has skills."""
    for schema in SCHEMAS:
        if any(find_home(pattern, path) is not None for pattern in schema.paths):
            return schema
    return _SKILL_SCHEMA if _SKILL_PATH.search(path) else None


def _needs_front_matter(
    document: MarkdownDocument, schema: FieldSchema, headed: Mapping[str, int], counts: Mapping[str, int]
) -> bool:
    """Return whether a file without front matter should have some: not a page or a shared part beside agents.

    Most other files of its directory have front matter, or it begins with the ruler of one.
    """
    directory = dirname(document.path)
    stem = document.path.rsplit("/", 1)[-1].split(".")[0]
    is_beside = stem.isupper() or stem.lower() == "readme" or stem.startswith("_")
    is_page = is_beside and document.role is not FileRole.SKILL
    if schema is _SKILL_SCHEMA:
        return document.at(1).rstrip() == "---"  # a skill outside of the directories of hosts may be that of a program
    others = counts[directory] - 1
    is_expected = document.role is FileRole.SKILL or (headed[directory] * 2 > others if others else schema.is_whole)
    return document.at(1).rstrip() == "---" or (not is_page and bool(schema.required) and is_expected)


def _make_finding(code: str, document: MarkdownDocument, line: int, message: str) -> LintFinding:
    return LintFinding(code, WARNING, document.path, line, line, message, essence=message)


def _make_unread_finding(document: MarkdownDocument, line: int, message: str) -> LintFinding:
    """Return the finding about front matter that hosts do not read at all."""
    return LintFinding("STR001", ERROR, document.path, line, line, message, essence="front matter")


def _make_late_finding(document: MarkdownDocument, schema: FieldSchema, line: int) -> LintFinding:
    """Return the finding for front matter that begins in a line below the first one."""
    message = (
        f"this front matter does not begin in the first line: {schema.host} reads it only there, "
        "and takes this for text"
    )
    return _make_unread_finding(document, line, message)


def _check_front_matter(document: MarkdownDocument, schema: FieldSchema) -> Iterator[LintFinding]:
    header, front = document.header, document.front_matter
    is_open = front is None and document.lines > 1 and document.at(1).rstrip() == "---"
    problem = header.problem or ("a line that is no key, or no closing ---" if is_open else "")
    if problem:
        if schema.yaml_effect:
            message = (
                f"the front matter is not valid YAML ({problem}): a host that parses it strictly {schema.yaml_effect}; "
                "quotation marks around the value make it text"
            )
            yield _make_unread_finding(document, header.problem_line or 1, message)
        return
    yield from _check_required(document, schema)
    yield from _check_fields(document, schema)
    if schema.needs_body and front is not None and _is_empty_after(document, front.end_line):
        message = f"this {schema.kind} has no instructions below its front matter"
        yield _make_finding("STR006", document, front.end_line, message)


def _check_required(document: MarkdownDocument, schema: FieldSchema) -> Iterator[LintFinding]:
    """Yield one finding for all required fields without a value."""
    header = document.header
    missing = [field for field, _ in schema.required if not header.values.get(field, "").strip()]
    if missing:
        what = "front matter" if document.front_matter is None else " and no ".join(missing)
        line = header.lines.get(missing[0], 1)
        is_comment = missing[0] in header.lines and _COMMENT.search(document.at(line)) is not None
        why = ", because a # behind a blank begins a comment in YAML" if is_comment else ""
        advice = "; quotation marks around the value make it text" if is_comment else ""
        message = f"this {schema.kind} has no {what}{why}: {dict(schema.required)[missing[-1]]}{advice}"
        yield _make_finding("STR002", document, line, message)


def _find_late_front_matter(document: MarkdownDocument, schema: FieldSchema) -> int:
    """Return the line of the ruler above fields of the schema that stand below the first line, 0 for none."""
    if document.front_matter or document.at(1).rstrip() == "---":
        return 0
    for number in range(2, document.lines - 1):
        if document.at(number).rstrip() == "---" and document.block_at(number) is None:
            last = min(number + _MAX_FIELDS, document.lines)
            lines = list(filter(str.strip, map(document.at, range(number + 1, last + 1))))
            field, colon, _ = lines[0].partition(":") if lines else ("", "", "")
            if colon and field.strip() in schema.fields and "---" in map(str.rstrip, lines[1:]):
                return number
    return 0


_MAX_FIELDS = 20
"""Maximum lines of front matter that stands below the first line."""


def _is_empty_after(document: MarkdownDocument, line: int) -> bool:
    """Return whether nothing but blanks and comments follows a line."""
    blocks = [block for block in document.blocks if block.line > line and block.kind != "comment"]
    return not blocks and not document.units_in(line + 1, document.lines)


def _check_fields(document: MarkdownDocument, schema: FieldSchema) -> Iterator[LintFinding]:
    """Yield fields of other kinds of files, and fields and tools that differ in spelling from known ones."""
    values = document.header.values
    for field, line in document.header.lines.items():
        meant = _find_meant(field, schema) if field in values and field not in schema.fields else ""
        if meant and not (meant in values and field in dict(schema.others)):
            verb = "ignore" if schema is _SKILL_SCHEMA else "ignores"
            message = f"{schema.host} {verb} '{field}' in this {schema.kind}: its field is '{meant}'"
            yield _make_finding("STR003", document, line, message)
    yield from _check_tools(document, schema)
    model = values.get("model", "").strip()
    if schema.host == "Claude Code" and _OTHER_MODEL.match(model):
        takes = "Claude Code takes opus, sonnet, haiku, inherit, or the name of a Claude"
        message = f"'{model[:80]}' is no model of Claude, and works only where a gateway serves it: {takes}"
        yield _make_finding("STR003", document, document.header.lines.get("model", 1), message)


def _find_meant(field: str, schema: FieldSchema) -> str:
    """Return the field that another kind of file calls ``field``, or that differs in spelling, or ""."""
    by_spelling = {name.lower(): name for name in reversed(schema.fields)}
    near = get_close_matches(field.lower(), [name.lower() for name in schema.fields], 1, 0.8)
    return dict(schema.others).get(field) or (by_spelling[near[0]] if near else "")


def _check_tools(document: MarkdownDocument, schema: FieldSchema) -> Iterator[LintFinding]:
    """Yield names that differ in spelling from tools of Claude Code, and lists without any of its tools."""
    listed = document.header.values.get(schema.tools, "") if schema.tools else ""
    line = document.header.lines.get(schema.tools, 1)
    names = _TOOL.findall(_NO_TOOL.sub(" ", listed))
    known = {tool.lower() for tool in CLAUDE_TOOLS}
    if schema.tools == "tools" and names and "mcp__" not in listed and known.isdisjoint(map(str.lower, names)):
        message = f"none of {listed[:80]} is a tool of Claude Code: the agent usually fails to launch"
        yield _make_finding("STR003", document, line, message)
        return
    for tool in names:
        candidates = [name for name in CLAUDE_TOOLS if abs(len(name) - len(tool)) <= _MOST_LETTERS]
        near = get_close_matches(tool, candidates, 1, 0.75)
        if tool not in CLAUDE_TOOLS and near and tool.lower() != near[0].lower():
            message = f"Claude Code has no tool '{tool}': is '{near[0]}' meant?"
            yield _make_finding("STR003", document, line, message)
