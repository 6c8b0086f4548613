"""Workspaces to plant in: made ones, in which every statement is there once, and real ones of the corpora."""

import os
import random
from collections.abc import Callable, Iterator

from bench.lint.desk import Desk
from bench.lint.pool import Pool
from bench.lint.sheet import Sheet
from bench.lint.sources import Source, sources

HEADINGS = (
    "Conventions", "Working style", "Testing", "Reviews", "Releases", "Data", "Operations", "Security", "Documents",
    "Tone",
    "Household", "Boundaries", "Daily rhythm", "Architecture", "Interfaces", "Migrations", "Tooling", "People",
    "Planning",
)  # fmt: skip
CODE = (
    ["```bash", "git fetch --prune", "git switch -c topic origin/trunk", "```"],
    ["```python", "def total(rows):", "    return sum(row.amount for row in rows)", "```"],
    ["~~~yaml", "retries: 3", "backoff: exponential", "~~~"],
    ["```text", "- Never commit the contents of this block", "```"],
)
PACKAGE = '{\n  "scripts": {\n    "build": "tsc -p .",\n    "lint": "eslint .",\n    "test": "vitest"\n  }\n}\n'
MAKE = ".PHONY: check docs\ncheck:\n\techo check\ndocs:\n\techo docs\n"
JUST = "default:\n  just --list\n\nbench size='10':\n  echo {{size}}\n"
PYPROJECT = '[project]\nname = "sample"\nversion = "1.0"\n\n[tool.poe.tasks]\nserve = "python -m app"\n'
PERSONA = ("AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "MEMORY.md", "IDENTITY.md", "HEARTBEAT.md")
CLAUDE = (
    "CLAUDE.md",
    ".claude/rules/style.md",
    ".claude/rules/deploy.md",
    "packages/api/CLAUDE.md",
    "packages/ui/CLAUDE.md",
)
CROSS = (
    "AGENTS.md", ".github/copilot-instructions.md", ".cursor/rules/base.mdc", "packages/api/AGENTS.md",
    "packages/ui/AGENTS.md",
    "GEMINI.md", ".windsurfrules", ".clinerules",
)  # fmt: skip
CONTEXT = ("Task", "Decisions", "Facts", "Pending", "Errors")


def make_value(seed: int) -> Desk:
    """Return a made workspace of the kind that its number tells: a persona's, Claude Code's, or one of many agents."""
    chance = random.Random(f"workspace {seed}")
    kind = ("persona", "claude", "cross")[seed % 3]
    desk = Desk(f"made-{kind}-{seed}", chance, Pool(chance), {}, is_synthetic=True)
    for path in {"persona": PERSONA, "claude": CLAUDE, "cross": CROSS}[kind]:
        desk.sheets[path] = memory(desk) if path == "MEMORY.md" else document(desk, path)
    if kind == "cross":
        desk.sheets["CLAUDE.md"] = Sheet.of("@AGENTS.md\n")
    desk.sheets[".agents/skills/notes/SKILL.md" if kind == "cross" else "skills/notes/SKILL.md"] = skill(desk)
    furnish(desk)
    return desk


def furnish(desk: Desk) -> None:
    """Add what a workspace needs for garbage and references: memory, context, build files."""
    for path, write in (("MEMORY.md", memory), ("memory/2026-02-13.md", diary), ("CONTEXT.md", context)):
        if path not in desk.sheets:
            desk.sheets[path] = write(desk)
    builds = {"package.json": PACKAGE, "Makefile": MAKE, "justfile": JUST, "pyproject.toml": PYPROJECT}
    desk.other |= {name: text for name, text in builds.items() if name not in desk.other}
    desk.other |= {".gitignore": "dist/\n*.local.json\nlogs/\n", "src/app/main.py": "print('app')\n"}


def document(desk: Desk, path: str) -> Sheet:
    """Return a document of a few sections with bullets, paragraphs, now and then a table or code."""
    chance = desk.chance
    rows = ["---", "description: Base rules", "alwaysApply: true", "---", ""] if path.endswith(".mdc") else []
    rows += [f"# {path.rsplit('/', 1)[-1].split('.')[0] or 'Rules'}", ""]
    for heading in chance.sample(HEADINGS, 3):
        rows += [f"## {heading}", ""]
        shape = chance.choice(("bullets", "bullets", "mixed", "table", "code"))
        if shape in ("mixed", "code"):
            rows += [f"{_describe(desk)}.", ""]
        if shape == "code" and len([item for item in CODE if repr(item) in desk.used]) < len(CODE):
            rows += [*desk.once(CODE), ""]
        if shape == "table":
            rows += ["| Topic | Rule |", "| --- | --- |", f"| {heading} | {_describe(desk)} |", ""]
        rows += [*(f"- {_describe(desk)}" for _ in range(chance.choice((2, 3)))), ""]
    return Sheet.of("\n".join(rows))


def memory(desk: Desk) -> Sheet:
    """Return a memory of flat bullets."""
    return Sheet.of("\n".join(["# Memory", "", *(f"- {_describe(desk)}" for _ in range(6))]))


def diary(desk: Desk) -> Sheet:
    """Return the notes of a day, where dates and what happened belong."""
    rows = ["# 2026-02-13", "", "## Morning", "", f"- {_describe(desk)}", f"- {_describe(desk)}", "", "## Evening", ""]
    return Sheet.of("\n".join([*rows, f"- {_describe(desk)}"]))


def context(desk: Desk) -> Sheet:
    """Return a CONTEXT.md that keeps to the template."""
    rows = ["# Context", "", "## Task", f"{_describe(desk)}.", ""]
    for name in CONTEXT[1:]:
        mark = "- [ ] " if name == "Pending" else "- "
        rows += [f"## {name}", *(f"{mark}{_describe(desk)}" for _ in range(2)), ""]
    return Sheet.of("\n".join(rows))


def skill(desk: Desk) -> Sheet:
    """Return a skill with its front matter."""
    head = ["---", "name: notes", "description: Take notes of a meeting", "---", "", "# Notes", ""]
    return Sheet.of("\n".join([*head, f"{_describe(desk)}.", "", *(f"- {_describe(desk)}" for _ in range(3))]))


def _describe(desk: Desk) -> str:
    saying = desk.pool.any()
    desk.add_paths(saying.paths)
    return saying.text


def real(corpora: str, seed: int) -> Iterator[Callable[[], Desk]]:
    """Yield a maker for each real workspace: the root of a repository, and every folder with a persona of its own."""
    for source in sources(corpora, None):
        files = source.files()
        folders = {os.path.dirname(path) for path in files if path.endswith("SOUL.md")} - {""}
        homes = sorted(folders, key=lambda home: (-len(home), home))
        for home in [*homes, ""]:
            inside = {path: text for path, text in files.items() if not home or path.startswith(home + "/")}
            files = {path: text for path, text in files.items() if path not in inside}
            kept = {path[len(home) + 1 if home else 0 :]: text for path, text in inside.items()}
            if sum(len(text) for path, text in kept.items() if "/" not in path) > 400:
                yield _maker(source, home, kept, seed)


def _maker(source: Source, home: str, files: dict[str, str], seed: int) -> Callable[[], Desk]:
    def make() -> Desk:
        chance = random.Random(f"{source.repo} {home} {seed}")
        sheets = {path: Sheet.of(text) for path, text in files.items()}
        desk = Desk(f"{source.repo}/{home}".strip("/"), chance, Pool(chance), sheets, is_synthetic=False)
        if not desk.companies():
            path = ".claude/rules/base.md" if "CLAUDE.md" in desk.documents() else ".cursor/rules/base.mdc"
            desk.sheets[path] = document(desk, path)
        furnish(desk)
        return desk

    return make
