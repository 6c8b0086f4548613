"""Text as roff, the language of man pages: what is escaped, and how blocks are laid out."""

import re
from collections.abc import Iterator
from inspect import cleandoc

_SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
"""What a formatter would turn into typographic marks, spelled so that it stays as it is typed."""
_HYPHEN = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z])")
_TYPED = re.compile(r"((?<![\w-])--?[A-Za-z][\w-]*|\bCTXKIT_[A-Z_]+|\bctxkit-[a-z-]+(?=\(1\)))")
"""Words of prose that are typed as they stand: options, variables and pages."""
_TERM = re.compile(r"^(\S.*)\n((?: {4}.*(?:\n|\Z))+)", re.MULTILINE)


def typed(text: str) -> str:
    """Return text as roff that comes out exactly as it is typed."""
    return "".join(_SPECIAL.get(one, one if one.isascii() else rf"\[u{ord(one):04X}]") for one in text)


def said(text: str) -> str:
    """Return prose as roff, a sentence a line, what is typed in bold."""
    pieces = _TYPED.split(text)
    marked = "".join(rf"\fB{typed(piece)}\fR" if place % 2 else _loose(piece) for place, piece in enumerate(pieces))
    return "\n".join(guarded(line) for line in re.sub(r"(?<=[.?!]) (?=[A-Z\\])", "\n", marked).split("\n"))


def _loose(text: str) -> str:
    """Return text as roff in which a hyphen inside a word is a hyphen."""
    return "-".join(typed(piece) for piece in _HYPHEN.split(text))


def guarded(line: str) -> str:
    """Return a line of roff that is no request, whatever it begins with."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def literal(lines: list[str]) -> list[str]:
    """Return lines as an indented block that is not filled."""
    return [".PP", ".RS 4", ".EX", *(guarded(typed(line)) for line in lines), ".EE", ".RE"]


def tagged(tag: str, text: str) -> list[str]:
    """Return one entry of a list; ``tag`` is roff, ``text`` is prose."""
    return [".TP", guarded(tag), said(text)]


def section(title: str, text: str) -> Iterator[str]:
    """Yield a heading and the roff of the prose below it."""
    yield f".SH {typed(title)}"
    yield from blocks(text)


def blocks(text: str) -> Iterator[str]:
    """Yield the roff of prose: paragraphs, literal blocks, and terms with their meaning indented below."""
    for block in cleandoc(text).split("\n\n"):
        lines = block.split("\n")
        indented = [line.startswith("    ") for line in lines]
        if all(indented):
            yield from literal([line[4:] for line in lines])
        elif any(indented):
            yield from _terms(block)
        else:
            yield from (".PP", said(" ".join(lines)))


def _terms(block: str) -> Iterator[str]:
    for term, meaning in _TERM.findall(block):
        yield from tagged(rf"\fB{typed(term)}\fR", " ".join(meaning.split()))
