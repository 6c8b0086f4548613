"""One file of a workspace, read: its text, and what stands where in it."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, NamedTuple

from ctxkit.core.lint.document.unit import Unit


class FileRole(StrEnum):
    """Say what part a file plays for an agent."""

    INSTRUCTIONS = "instructions"  # AGENTS.md, CLAUDE.md, GEMINI.md and their like
    PERSONA = "persona"  # SOUL.md, IDENTITY.md, USER.md, HEARTBEAT.md, BOOTSTRAP.md
    TOOLS = "tools"  # TOOLS.md
    MEMORY = "memory"  # MEMORY.md
    DAILY = "daily"  # memory/*.md but for MEMORY.md
    CONTEXT = "context"  # CONTEXT.md
    RULES = "rules"  # .claude/rules, .cursor/rules, .windsurf/rules, .clinerules, .github/instructions
    SKILL = "skill"  # SKILL.md
    COMMAND = "command"  # commands and subagents: .claude/commands, .claude/agents, .github/prompts
    PROMPT = "prompt"  # the rendered system prompt
    README = "readme"
    DOCS = "docs"  # any other text that is imported, or that was asked for
    MANIFEST = "manifest"  # package.json


class Block(NamedTuple):
    """Name lines (1-based, inclusive) that are no prose; one that is not ``closed`` runs to the end of the file.

    ``info`` is what follows the opening fence.
    """

    kind: Literal["front", "fence", "comment", "code"]
    line: int
    end_line: int
    closed: bool = True
    info: str = ""


class Heading(NamedTuple):
    """Hold a heading: ``end_line`` is the last line of its section, ``anchor`` its address as GitHub makes it."""

    level: int
    title: str
    line: int
    end_line: int
    anchor: str


class MarkdownDocument(NamedTuple):
    """Hold a file of a workspace.

    ``path`` is relative to the workspace, with slashes. ``text`` is the content without its byte order mark,
    line endings as they are; what is not UTF-8 stands in it as surrogates, so that it can be written back
    (see ``encode``). ``newline`` is the ending that most lines have. ``aliases`` are symbolic links that lead to
    this file. ``starts`` is where each line begins; ``metadata`` the keys of the front matter with their values as
    text, those of a list joined by commas.
    """

    path: str
    text: str
    role: FileRole = FileRole.DOCS
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"
    starts: tuple[int, ...] = (0,)
    blocks: tuple[Block, ...] = ()
    headings: tuple[Heading, ...] = ()
    units: tuple[Unit, ...] = ()
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, str] = MappingProxyType({})

    @property
    def lines(self) -> int:
        """Return how many lines there are; a last line without a newline is one."""
        return len(self.starts)

    def span(self, line: int, end_line: int) -> tuple[int, int]:
        """Return the characters (end exclusive) that the lines take, with the ending of the last."""
        after = self.starts[end_line] if end_line < len(self.starts) else len(self.text)
        return self.starts[line - 1], after

    def at(self, line: int) -> str:
        """Return one line without its ending."""
        start, end = self.span(line, line)
        return self.text[start:end].rstrip("\r\n")

    def line_of(self, offset: int) -> int:
        """Return the line that a character stands on."""
        return bisect_right(self.starts, offset)

    def units_in(self, line: int, end_line: int) -> tuple[Unit, ...]:
        """Return the statements that begin on some lines."""
        first = bisect_left(self.units, line, key=_line_of)
        return self.units[first : bisect_right(self.units, end_line, key=_line_of)]

    def block_at(self, line: int) -> Block | None:
        """Return the fence, comment or front matter that a line is part of, or None where it is prose."""
        index = bisect_right(self.blocks, line, key=lambda block: block.line) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        return block if block.line <= line <= block.end_line else None

    @property
    def front_matter(self) -> Block | None:
        """Return the front matter."""
        return self.blocks[0] if self.blocks and self.blocks[0].kind == "front" else None

    def encode(self, text: str | None = None) -> bytes:
        """Return the bytes of the file, or of another text in its place."""
        return self.bom + (self.text if text is None else text).encode(self.encoding, "surrogateescape")


def _line_of(unit: Unit) -> int:
    return unit.line
