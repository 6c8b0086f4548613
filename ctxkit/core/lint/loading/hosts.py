"""The table of hosts: which files each loads, when, how it follows imports, and where it stops reading.

Each row names its source and the day on which it was read. ``docs/hosts.md`` is written from this table.

Sources of which tool reads a file and can share its text, read in November 2026: code.claude.com/docs/en/memory
(imports, symbolic links), geminicli.com/docs/reference/memport and /cli/gemini-md (imports, context.fileName),
cursor.com/docs/rules, docs.windsurf.com/windsurf/cascade/agents-md, docs.cline.bot/customization/cline-rules and
docs.github.com on custom instructions for Copilot (AGENTS.md).
"""

from enum import StrEnum
from posixpath import dirname, relpath
from typing import Literal, NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily


class Source(NamedTuple):
    """Where a fact stands, and the day on which it was read."""

    url: str
    read: str


class Reach(StrEnum):
    """The directories in which a host looks for files."""

    ROOT = "the root"
    DOWN = "each directory from the root to the working one"
    NEAREST = "the nearest directory from the working one up"
    ANYWHERE = "all directories"


class When(NamedTuple):
    """A condition on front matter: the value of ``key`` is one of ``values``; "" stands for a missing value."""

    key: str
    values: tuple[str, ...]


ALWAYS: tuple[tuple[When, ...], ...] = ((),)
"""A file is always loaded."""
_ON_DEMAND: tuple[tuple[When, ...], ...] = ()
"""A file is loaded only if the user or the model asks for it."""


class HostFiles(NamedTuple):
    """Files that a host loads.

    ``paths`` are patterns below a directory: a name, or a folder with ``**/*.md`` or ``*/SKILL.md`` in it; if
    ``take_first``, only those of the first pattern that matches are loaded. A file is always loaded if all conditions
    of one of the alternatives of ``always`` hold, else on demand. Files ``unless`` of which one exists in a directory
    from the root to the working one turn these off. The name and the description of ``listed`` files are always in the
    window. ``extra`` is the field of the settings that has more patterns.
    """

    paths: tuple[str, ...]
    reach: Reach
    always: tuple[tuple[When, ...], ...]
    source: Source
    take_first: bool = False
    unless: tuple[str, ...] = ()
    listed: bool = False
    extra: Literal["", "gemini_names", "codex_names", "opencode_files"] = ""


class SizeLimit(NamedTuple):
    """A size from which a host reads no further, or above which its documentation advises against a file.

    ``paths`` are patterns as in ``HostFiles``; without them, the limit is for the files of a load set together.
    ``setting`` is the key of ``sizes`` in the settings that changes it. ``effect`` says what the host does with more.
    """

    setting: str
    unit: Literal["bytes", "characters", "lines"]
    amount: int
    paths: tuple[str, ...]
    effect: str
    advice: str
    source: Source


class HostLoading(NamedTuple):
    """An agent program.

    ``signs`` are files and directories of the root that show that a project uses it; without any, every project may.
    ``hops`` is the maximum number of imports in a chain that it follows.
    """

    name: str
    files: tuple[HostFiles, ...]
    signs: tuple[str, ...] = ()
    hops: int = 0
    hops_source: Source | None = None
    limits: tuple[SizeLimit, ...] = ()
    nearest_first: bool = False


_DAY = "2026-11-29"
_CLAUDE_MEMORY = Source("https://code.claude.com/docs/en/memory", _DAY)
_CLAUDE_SKILLS = Source("https://code.claude.com/docs/en/skills", _DAY)
_CLAUDE_AGENTS = Source("https://code.claude.com/docs/en/sub-agents", _DAY)
_CODEX = Source("https://github.com/openai/codex/blob/main/codex-rs/core/src/agents_md.rs", _DAY)
_CODEX_SKILLS = Source("https://github.com/openai/codex/blob/main/codex-rs/ext/skills/src/host_roots.rs", _DAY)
_GEMINI = Source("https://geminicli.com/docs/cli/gemini-md", "2026-11")
_CURSOR = Source("https://cursor.com/docs/rules", _DAY)
_CURSOR_HELP = Source("https://cursor.com/help/customization/rules", _DAY)
_CURSOR_SKILLS = Source("https://cursor.com/docs/context/skills", _DAY)
_WINDSURF = Source("https://docs.devin.ai/desktop/cascade/memories", _DAY)
_WINDSURF_AGENTS = Source("https://docs.devin.ai/desktop/cascade/agents-md", _DAY)
_CLINE = Source("https://docs.cline.bot/customization/cline-rules", _DAY)
_COPILOT = Source(
    "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions", _DAY
)
_COPILOT_SUPPORT = Source("https://docs.github.com/en/copilot/reference/custom-instructions-support", _DAY)
_COPILOT_AGENTS = Source("https://docs.github.com/en/copilot/reference/custom-agents-configuration", _DAY)
_COPILOT_SKILLS = Source("https://docs.github.com/en/copilot/concepts/agents/about-agent-skills", _DAY)
_VS_CODE_PROMPTS = Source("https://code.visualstudio.com/docs/copilot/customization/prompt-files", _DAY)
_OPENCODE = Source("https://opencode.ai/docs/instructions", _DAY)
_OPENCODE_1 = Source("https://opencode.ai/v1/docs/rules", _DAY)
_OPENCODE_SKILLS = Source("https://opencode.ai/v1/docs/skills", _DAY)
_ROO = Source("https://docs.roocode.com/features/custom-instructions", _DAY)
_KIRO = Source("https://kiro.dev/docs/steering/", _DAY)
_CONTINUE = Source(
    "https://github.com/continuedev/continue/blob/main/core/config/markdown/loadMarkdownRules.ts", _DAY
)
_CONTINUE_RULES = Source("https://docs.continue.dev/customize/deep-dives/rules", _DAY)
_AMP = Source("https://ampcode.com/manual#AGENTS.md", _DAY)
_CLAUDE_OWN = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_UNSCOPED = ((When("paths", ("",)),),)
HOSTS = (
    HostLoading(
        "Claude Code",
        (
            HostFiles(("AGENTS.md", ".claude/AGENTS.md"), Reach.DOWN, ALWAYS, _CLAUDE_MEMORY, unless=_CLAUDE_OWN),
            HostFiles(("CLAUDE.md", ".claude/CLAUDE.md"), Reach.DOWN, ALWAYS, _CLAUDE_MEMORY),
            HostFiles((".claude/rules/**/*.md",), Reach.DOWN, _UNSCOPED, _CLAUDE_MEMORY),
            HostFiles(("CLAUDE.local.md",), Reach.DOWN, ALWAYS, _CLAUDE_MEMORY),
            HostFiles((".claude/skills/*/SKILL.md",), Reach.DOWN, _ON_DEMAND, _CLAUDE_SKILLS, listed=True),
            HostFiles((".claude/commands/**/*.md",), Reach.DOWN, _ON_DEMAND, _CLAUDE_SKILLS, listed=True),
            HostFiles((".claude/agents/**/*.md",), Reach.DOWN, _ON_DEMAND, _CLAUDE_AGENTS, listed=True),
        ),
        hops=4,
        hops_source=_CLAUDE_MEMORY,
        limits=(
            SizeLimit(
                "claude_md_lines",
                "lines",
                200,
                ("CLAUDE.md", ".claude/CLAUDE.md"),
                "Claude Code loads all of it in every session, and longer files reduce adherence",
                "move what only some files need into .claude/rules with paths, and procedures into skills",
                _CLAUDE_MEMORY,
            ),
            SizeLimit(
                "skill_lines",
                "lines",
                500,
                ("SKILL.md",),
                "the whole file enters the window when the skill is used",
                "move reference material into files beside SKILL.md, and link to them",
                _CLAUDE_SKILLS,
            ),
        ),
    ),
    HostLoading(
        "Codex",
        (
            HostFiles(
                ("AGENTS.override.md", "AGENTS.md"), Reach.DOWN, ALWAYS, _CODEX, take_first=True, extra="codex_names"
            ),
            HostFiles(
                (".agents/skills/*/SKILL.md", ".codex/skills/*/SKILL.md"),
                *(Reach.DOWN, _ON_DEMAND, _CODEX_SKILLS),
                listed=True,
            ),
        ),
        limits=(
            SizeLimit(
                "codex_bytes",
                "bytes",
                32_768,
                (),
                "Codex cuts what exceeds project_doc_max_bytes, the files nearest to the working directory first",
                "shorten the files, or raise project_doc_max_bytes in config.toml",
                _CODEX,
            ),
        ),
    ),
    HostLoading(
        "Gemini CLI",
        (HostFiles((), Reach.DOWN, ALWAYS, _GEMINI, extra="gemini_names"),),
        hops=5,
        hops_source=Source("https://geminicli.com/docs/reference/memport", "2026-11"),
    ),
    HostLoading(
        "Cursor",
        (
            HostFiles(("AGENTS.md",), Reach.DOWN, ALWAYS, _CURSOR),
            HostFiles(("CLAUDE.md", "CLAUDE.local.md"), Reach.ROOT, ALWAYS, _CURSOR_HELP),
            HostFiles((".cursorrules",), Reach.ROOT, ALWAYS, _CURSOR_HELP),
            HostFiles((".cursor/rules/**/*.mdc",), Reach.DOWN, ((When("alwaysApply", ("true",)),),), _CURSOR),
            HostFiles(
                (".cursor/skills/*/SKILL.md", ".agents/skills/*/SKILL.md", ".claude/skills/*/SKILL.md"),
                *(Reach.ROOT, _ON_DEMAND, _CURSOR_SKILLS),
                listed=True,
            ),
        ),
        limits=(
            SizeLimit(
                "cursor_rule_lines",
                "lines",
                500,
                (".cursor/rules/**/*.mdc",),
                "Cursor advises to keep rules under 500 lines",
                "split it into several rules with globs of their own",
                _CURSOR,
            ),
        ),
    ),
    HostLoading(
        "Windsurf",
        (
            HostFiles((".windsurfrules",), Reach.ROOT, ALWAYS, _WINDSURF),
            HostFiles(
                (".devin/rules/**/*.md", ".windsurf/rules/**/*.md"),
                *(Reach.ANYWHERE, ((When("trigger", ("", "always_on")),),), _WINDSURF),
            ),
            HostFiles(("AGENTS.md",), Reach.DOWN, ALWAYS, _WINDSURF_AGENTS),
        ),
        signs=(".windsurf", ".windsurfrules", ".devin"),
        limits=(
            SizeLimit(
                "windsurf_rule_characters",
                "characters",
                12_000,
                (".devin/rules/**/*.md", ".windsurf/rules/**/*.md"),
                "Windsurf limits a rule to 12,000 characters",
                "split it into several rules with triggers of their own",
                _WINDSURF,
            ),
        ),
    ),
    HostLoading(
        "Cline",
        (
            HostFiles((".clinerules",), Reach.ROOT, ALWAYS, _CLINE),
            HostFiles((".clinerules/**/*.md", ".clinerules/**/*.txt"), Reach.ROOT, _UNSCOPED, _CLINE),
            HostFiles((".cursorrules", ".windsurfrules", "AGENTS.md"), Reach.ROOT, ALWAYS, _CLINE),
        ),
        signs=(".clinerules",),
    ),
    HostLoading(
        "Copilot",
        (
            HostFiles((".github/copilot-instructions.md",), Reach.ROOT, ALWAYS, _COPILOT),
            HostFiles(
                (".github/instructions/**/*.instructions.md",),
                *(Reach.ROOT, ((When("applyTo", ("**", "**/*", "*")),),), _COPILOT),
            ),
            HostFiles(("AGENTS.md",), Reach.NEAREST, ALWAYS, _COPILOT),
            HostFiles(("CLAUDE.md", "GEMINI.md"), Reach.ROOT, ALWAYS, _COPILOT_SUPPORT),
            HostFiles((".github/agents/**/*.md",), Reach.ROOT, _ON_DEMAND, _COPILOT_AGENTS, listed=True),
            HostFiles(
                (".github/skills/*/SKILL.md", ".claude/skills/*/SKILL.md", ".agents/skills/*/SKILL.md"),
                *(Reach.ROOT, _ON_DEMAND, _COPILOT_SKILLS),
                listed=True,
            ),
            HostFiles((".github/prompts/**/*.prompt.md",), Reach.ROOT, _ON_DEMAND, _VS_CODE_PROMPTS),
        ),
        signs=(
            *(".github/copilot-instructions.md", ".github/instructions", ".github/agents", ".github/prompts"),
            *(".github/skills", ".github/chatmodes"),
        ),
        limits=(
            SizeLimit(
                "copilot_agent_characters",
                "characters",
                30_000,
                (".github/agents/**/*.md",),
                "Copilot allows 30,000 characters for the prompt of an agent",
                "move reference material into files that the agent can read",
                _COPILOT_AGENTS,
            ),
        ),
    ),
    HostLoading(
        "opencode",
        (
            HostFiles(("AGENTS.md",), Reach.DOWN, ALWAYS, _OPENCODE),
            HostFiles(
                (".opencode/skills/*/SKILL.md", ".claude/skills/*/SKILL.md", ".agents/skills/*/SKILL.md"),
                *(Reach.DOWN, _ON_DEMAND, _OPENCODE_SKILLS),
                listed=True,
            ),
        ),
        signs=("opencode.json", "opencode.jsonc", ".opencode"),
        nearest_first=True,
    ),
    HostLoading(
        "opencode 1",
        (
            HostFiles(("AGENTS.md",), Reach.DOWN, ALWAYS, _OPENCODE_1),
            HostFiles(("CLAUDE.md",), Reach.DOWN, ALWAYS, _OPENCODE_1, unless=("AGENTS.md",)),
            HostFiles((), Reach.ROOT, ALWAYS, _OPENCODE_1, extra="opencode_files"),
        ),
        signs=("opencode.json", "opencode.jsonc", ".opencode"),
    ),
    HostLoading(
        "Roo Code",
        (
            HostFiles(("AGENTS.md", "AGENT.md"), Reach.ROOT, ALWAYS, _ROO, take_first=True),
            HostFiles((".roo/rules/**/*", ".roorules"), Reach.ROOT, ALWAYS, _ROO, take_first=True),
            HostFiles((".roo/rules-*/**/*",), Reach.ROOT, _ON_DEMAND, _ROO),
        ),
        signs=(".roo", ".roorules", ".roomodes"),
    ),
    HostLoading(
        "Kiro",
        (
            HostFiles((".kiro/steering/**/*.md",), Reach.ROOT, ((When("inclusion", ("", "always")),),), _KIRO),
            HostFiles(("AGENTS.md",), Reach.ANYWHERE, ALWAYS, _KIRO),
        ),
        signs=(".kiro",),
    ),
    HostLoading(
        "Continue",
        (
            HostFiles(("AGENTS.md", "AGENT.md", "CLAUDE.md"), Reach.ROOT, ALWAYS, _CONTINUE, take_first=True),
            HostFiles(
                (".continue/rules/**/*.md",),
                Reach.ROOT,
                (
                    (When("alwaysApply", ("true",)),),
                    (When("alwaysApply", ("",)), When("globs", ("",)), When("regex", ("",))),
                ),
                _CONTINUE_RULES,
            ),
        ),
        signs=(".continue",),
    ),
    HostLoading(
        "Amp",
        (HostFiles(("AGENTS.md", "AGENT.md", "CLAUDE.md"), Reach.DOWN, ALWAYS, _AMP, take_first=True),),
        signs=(".amp", "AGENT.md"),
        hops=1,
        hops_source=_AMP,
    ),
)
"""The hosts, in the order of output. Roo Code was shut down on 15 May 2026, and its files are still in repositories."""
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
