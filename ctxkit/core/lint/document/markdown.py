"""Define parsed Markdown documents with their blocks, headings and statements."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple

from ctxkit.core.lint.document.front_matter import NO_FRONT_MATTER, FrontMatter
from ctxkit.core.lint.document.unit import Unit


class FileRole(StrEnum):
    """The role of a file for an agent."""

    INSTRUCTIONS = "instructions"  # AGENTS.md, CLAUDE.md, GEMINI.md and similar files
    PERSONA = "persona"  # SOUL.md, IDENTITY.md, USER.md, HEARTBEAT.md, BOOTSTRAP.md
    TOOLS = "tools"  # TOOLS.md
    MEMORY = "memory"  # MEMORY.md
    DAILY = "daily"  # memory/*.md except MEMORY.md
    CONTEXT = "context"  # CONTEXT.md
    RULES = "rules"  # .claude/rules, .cursor/rules, .windsurf/rules, .clinerules, .github/instructions
    SKILL = "skill"  # SKILL.md
    COMMAND = "command"  # commands and subagents: .claude/commands, .claude/agents, .github/prompts
    PROMPT = "prompt"  # the rendered system prompt
    README = "readme"
    DOCS = "docs"  # any other text that is imported or named by the user


class Block(NamedTuple):
    """A range of lines (1-based, inclusive) that is not prose; a block that is not ``closed`` runs to the end of the
    file.

    ``info`` is the text after the opening fence.
    """

    kind: Literal["front", "fence", "comment", "code"]
    line: int
    end_line: int
    closed: bool = True
    info: str = ""


class Heading(NamedTuple):
    """A heading; ``end_line`` is the last line of its section, ``anchor`` its anchor on GitHub."""

    level: int
    title: str
    line: int
    end_line: int
    anchor: str


class MarkdownDocument(NamedTuple):
    """A parsed file of a workspace.

    ``path`` is relative to the workspace, with slashes. ``text`` is the content without its byte order mark, with its
    original line endings. Bytes that are not UTF-8 are surrogates in it, so that ``encode`` restores them. ``newline``
    is the most frequent line ending. ``aliases`` are symbolic links to this file. ``starts`` are the offsets of the
    lines. ``header`` is the content of the front matter.
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
    header: FrontMatter = NO_FRONT_MATTER

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return the values of the front matter by their keys, as text; lists are joined by commas."""
        return self.header.values

    @property
    def lines(self) -> int:
        """Return the number of lines; a last line without a newline counts."""
        return len(self.starts)

    def span(self, line: int, end_line: int) -> tuple[int, int]:
        """Return the start and end (exclusive) of a range of lines in characters, with the last line's ending."""
        after = self.starts[end_line] if end_line < len(self.starts) else len(self.text)
        return self.starts[line - 1], after

    def at(self, line: int) -> str:
        """Return a line without its ending."""
        start, end = self.span(line, line)
        return self.text[start:end].rstrip("\r\n")

    def line_of(self, offset: int) -> int:
        """Return the line of a character offset."""
        return bisect_right(self.starts, offset)

    def units_in(self, line: int, end_line: int) -> tuple[Unit, ...]:
        """Return the statements that begin in a range of lines."""
        first = bisect_left(self.units, line, key=_line_of)
        return self.units[first : bisect_right(self.units, end_line, key=_line_of)]

    def block_at(self, line: int) -> Block | None:
        """Return the fence, comment or front matter that contains a line, or None for prose."""
        index = bisect_right(self.blocks, line, key=lambda block: block.line) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        return block if block.line <= line <= block.end_line else None

    @property
    def front_matter(self) -> Block | None:
        """Return the front matter, or None."""
        return self.blocks[0] if self.blocks and self.blocks[0].kind == "front" else None

    def encode(self, text: str | None = None) -> bytes:
        """Return the bytes of the file, or of another text in its place."""
        return self.bom + (self.text if text is None else text).encode(self.encoding, "surrogateescape")


def _line_of(unit: Unit) -> int:
    return unit.line
