"""The subset of Markdown in which the text of the man pages is written; text/README.md describes it."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Paragraph(NamedTuple):
    """Hold the text of a paragraph on one line."""

    text: str


class Item(NamedTuple):
    """Hold an item of a list: a term with its meaning, or text alone."""

    term: str
    text: str


class Code(NamedTuple):
    """Hold the lines of a fenced block."""

    lines: tuple[str, ...]


Block = Paragraph | Item | Code
_FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_ITEM = re.compile(r"^- ", re.MULTILINE)
_TERM = re.compile(r"(`[^`]+`(?:, `[^`]+`)*): (.*)")
_UNSUPPORTED = re.compile(r"^(?:[#*+>|]|\d+[.)] |```| {3}).*", re.MULTILINE)


def parse_document(markdown: str) -> tuple[str, dict[str, list[Block]]]:
    """Return the title of a document, and its blocks by section; those before the first heading are of section ""."""
    first, _, rest = markdown.partition("\n")
    if not first.startswith("# "):
        raise ValueError(f"the first line is no title: {first}")
    introduction, *pieces = _HEADING.split(rest)
    sections = dict(zip(pieces[::2], pieces[1::2], strict=True))
    return first.removeprefix("# "), {name: parse_blocks(text) for name, text in {"": introduction, **sections}.items()}


def parse_blocks(markdown: str) -> list[Block]:
    """Return the blocks of Markdown without headings; anything outside the subset is a ValueError."""
    prose, *pieces = _FENCE.split(markdown)
    blocks = list(_parse_prose(prose))
    for code, prose in zip(pieces[::2], pieces[1::2], strict=True):
        blocks += [Code(tuple(code.splitlines())), *_parse_prose(prose)]
    return blocks


def _parse_prose(markdown: str) -> Iterator[Block]:
    unsupported = _UNSUPPORTED.search(markdown)
    if unsupported:
        raise ValueError(f"not supported in a man page: {unsupported[0]}")
    for text in re.split(r"\n{2,}", markdown.strip("\n")):
        if text.startswith("- "):
            yield from map(_parse_item, _ITEM.split(text)[1:])
        elif text:
            yield Paragraph(" ".join(text.split()))


def _parse_item(markdown: str) -> Item:
    text = " ".join(markdown.split())
    match = _TERM.fullmatch(text)
    return Item(match[1].replace("`", ""), match[2]) if match else Item("", text)
