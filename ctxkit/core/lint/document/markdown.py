"""Define parsed Markdown documents with their front matter, blocks, headings and statements."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily

UnitKind = Literal["heading", "bullet", "paragraph", "row", "code"]


class Unit(NamedTuple):
    """A statement of a document.

    ``line`` and ``end_line`` are 1-based and inclusive; ``start`` and ``end`` are character offsets without the line
    ending. ``text`` is the original text, ``normal`` the text without formatting, case and extra blanks. ``section``
    contains the titles above it, outermost first. ``list`` numbers its list or table, 0 outside of any; ``depth`` is
    the nesting of a bullet, from 0. ``is_intro`` marks a line that introduces the next lines ("Commands:", a table
    header). ``intro`` is the introducing line above a bullet or row. ``parents`` are the bullets above a nested
    statement, outermost first; of a row, the header of its table. A code unit is the complete fence; its ``normal`` is
    the lines inside, without indents.
    """

    path: str
    kind: UnitKind
    line: int
    end_line: int
    start: int
    end: int
    text: str
    normal: str
    section: tuple[str, ...] = ()
    list: int = 0
    depth: int = 0
    is_intro: bool = False
    intro: str = ""
    parents: tuple[str, ...] = ()


_MAX_CHARACTERS, _MAX_BRACKETS = 32_768, 500
"""Maximum characters of front matter that is parsed as YAML, and opening brackets: a parser without C is quadratic in
their depth.
"""
_PAIR = compile_lazily(r"([\w.-]+)[ \t]*[:=][ \t]*(.*)$")
_HINT = compile_lazily(r"(argument-hint:)[ \t]*\[[^\n]*$")
"""Matches the hint of a command, as Claude Code's documentation writes it: [file] [format], which is no YAML."""


class FrontMatter(NamedTuple):
    """The keys of a front matter in order, with their values as text; lists are joined by commas.

    ``lines`` are the numbers of the lines of the keys. ``problem`` says why the text is not a YAML mapping, and
    ``problem_line`` where; "" and 0 if it is one.
    """

    values: Mapping[str, str] = MappingProxyType({})
    lines: Mapping[str, int] = MappingProxyType({})
    problem: str = ""
    problem_line: int = 0


NO_FRONT_MATTER = FrontMatter()


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


def parse_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Return the front matter of the lines from its opening to its closing ruler.

    Text that is not a YAML mapping is read line by line, as lenient hosts read it, and so is the TOML between ``+++``.
    """
    body = lines[1:-1]
    pairs = {key: (value, number) for key, value, number in _read_pairs(body)}
    front_matter = FrontMatter(
        {key: value for key, (value, _) in pairs.items()}, {key: number for key, (_, number) in pairs.items()}
    )
    text = "\n".join(_HINT.sub(r"\1 ''", line) for line in body)
    brackets = text.count("[") + text.count("{")
    if not lines[0].startswith("---") or len(text) > _MAX_CHARACTERS or brackets > _MAX_BRACKETS:
        return front_matter
    values, problem, line = _parse_yaml(text)
    if problem:
        return front_matter._replace(problem=problem, problem_line=line + 2)
    return front_matter._replace(values=values)


def _parse_yaml(text: str) -> tuple[Mapping[str, str], str, int]:
    """Return the values of a YAML mapping; or why the text is none, and the line of the problem, from 0."""
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # scalars stay text
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return {}, str(error.problem or error.context), mark.line if mark else 0
    except (yaml.YAMLError, UnicodeError, RecursionError):  # a character that YAML does not allow, or too deep
        return {}, "a character or a nesting that YAML does not allow", 0
    if isinstance(data, dict):
        return {key: _join_value(value) for key, value in data.items() if isinstance(key, str)}, "", 0
    return {}, "" if data in (None, "") else "text instead of keys and values", 0


def _join_value(value: object) -> str:
    """Return a value as text: the members of a list joined by commas, and "" for a mapping.

    Aliases may repeat a long member: what is longer together than front matter may be is "" too.
    """
    if isinstance(value, list):
        members = [member for member in value if isinstance(member, str)]
        return ",".join(members) if sum(map(len, members)) <= _MAX_CHARACTERS else ""
    return value.strip() if isinstance(value, str) else ""


def _read_pairs(body: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield each key with its value and its line, from the lines between the rulers; a later one of a key is longer."""
    key, value, number = "", "", 0
    for line_number, line in enumerate(body, 2):
        pair = _PAIR.match(line)
        if pair:
            key, number = pair[1], line_number
            value = pair[2].strip().strip("[]").replace('"', "").replace("'", "")
        elif key and (member := line.strip()).startswith("- "):
            member = member[2:].strip().strip("\"'")
            value = f"{value},{member}" if value else member
        else:
            continue
        yield key, value, number
