"""Text as roff, the language of man pages: what is escaped, and how blocks are laid out."""

import re
from collections.abc import Iterable, Iterator

from tools.pages.markdown import Block, Code, Item

_SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
"""What a formatter would turn into typographic marks, spelled so that it stays as it is typed."""
_HYPHEN = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z])")
_TYPED = re.compile(r"(`[^`]+`|(?<![\w-])--?[A-Za-z][\w-]*|\bCTXKIT_[A-Z_]+|\bctxkit-[a-z-]+(?=\(1\)))")
"""Words of prose that are typed as they stand: code spans, options, variables and pages."""


def escape(text: str) -> str:
    """Return text as roff that comes out exactly as it is typed."""
    return "".join(_SPECIAL.get(sign, sign if sign.isascii() else rf"\[u{ord(sign):04X}]") for sign in text)


def render_prose(text: str) -> str:
    """Return prose as roff, a sentence a line, what is typed in bold."""
    pieces = _TYPED.split(text)
    marked = "".join(_bold(piece) if place % 2 else _loose(piece) for place, piece in enumerate(pieces))
    return "\n".join(guard_line(line) for line in re.sub(r"(?<=[.?!]) (?=[A-Z\\]|ctxkit )", "\n", marked).split("\n"))


def _bold(text: str) -> str:
    return rf"\fB{escape(text.strip('`'))}\fR"


def _loose(text: str) -> str:
    """Return text as roff in which a hyphen inside a word is a hyphen."""
    return "-".join(escape(piece) for piece in _HYPHEN.split(text))


def guard_line(line: str) -> str:
    """Return a line of roff that is no request, whatever it begins with."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def literal(lines: Iterable[str]) -> list[str]:
    """Return lines as an indented block that is not filled."""
    return [".PP", ".RS 4", ".EX", *(guard_line(escape(line)) for line in lines), ".EE", ".RE"]


def render_entry(tag: str, text: str) -> list[str]:
    """Return one entry of a list; ``tag`` is roff, ``text`` is prose."""
    return [".TP", guard_line(tag), render_prose(text)]


def section(title: str, content: Iterable[Block]) -> Iterator[str]:
    """Yield a heading and the roff of the blocks below it."""
    yield f".SH {escape(title)}"
    for block in content:
        yield from render_block(block)


def render_block(block: Block) -> list[str]:
    """Return a block as roff: a paragraph, an item of a list, or a block that is not filled."""
    if isinstance(block, Code):
        return literal(block.lines)
    if isinstance(block, Item):
        return render_entry(rf"\fB{escape(block.term)}\fR", block.text) if block.term else bullet(block.text)
    return [".PP", render_prose(block.text)]


def bullet(text: str) -> list[str]:
    """Return one entry of a list without terms."""
    return [r".IP \(bu 2", render_prose(text)]
