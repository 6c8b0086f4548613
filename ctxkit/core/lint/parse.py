"""Reading a file: its bytes as a document with headings, blocks and statements."""

import re
from collections.abc import Sequence

from ctxkit.core.lint.blocks import blocks
from ctxkit.core.lint.document import Block, Document, Heading, Kind
from ctxkit.core.lint.segment import segment
from ctxkit.core.lint.size import check_lines
from ctxkit.core.lint.unit import Unit

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_KEY = re.compile(r"([\w.-]+)[ \t]*[:=][ \t]*(.*)$")
_ANCHOR = re.compile(r"[^\w\- ]")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
LONGEST_TITLE = 4_000
"""Characters of a heading that its address is made of."""


def parse(path: str, data: bytes, kind: Kind = Kind.DOCS, aliases: tuple[str, ...] = ()) -> Document:
    """Return the document that some bytes are; any bytes are one. Raises Malformed for too many lines or statements."""
    check_lines(path, data)
    bom, encoding = next(((mark, name) for mark, name in _BOMS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(bom) :]
    try:
        text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError:  # half a character of UTF-16: only bytes can be kept
        bom, encoding, text = b"", "utf-8", data.decode("utf-8", "surrogateescape")
    raw = text.split("\n")
    if len(raw) > 1 and not raw[-1]:
        raw.pop()
    starts = tuple(_starts(raw))
    lines = [line.removesuffix("\r") for line in raw]
    del raw
    found = blocks(lines)
    units = segment(path, lines, starts, found) if kind != Kind.MANIFEST else ()
    return Document(
        path,
        text,
        kind,
        encoding,
        bom,
        "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n",
        starts,
        found,
        headings(units, len(lines)),
        units,
        aliases,
        _matter(lines, found),
    )


def _starts(raw: Sequence[str]) -> list[int]:
    """Return the character at which each line begins."""
    starts, at = [], 0
    for line in raw:
        starts.append(at)
        at += len(line) + 1
    return starts


def headings(units: Sequence[Unit], lines: int) -> tuple[Heading, ...]:
    """Return the headings among the units of a text, each with the last line of its section."""
    heads = [unit for unit in units if unit.sort == "heading"]
    ends: list[int] = []
    open_: list[Unit] = []  # those that may end the section of one before them, the nearest last
    for unit in reversed(heads):
        while open_ and open_[-1].depth > unit.depth:
            open_.pop()
        ends.append(open_[-1].line - 1 if open_ else lines)
        open_.append(unit)
    taken: dict[str, int] = {}
    found = []
    for unit, end in zip(heads, reversed(ends), strict=True):
        title = title_of(unit)
        anchor = slug(title)
        times = taken[anchor] = taken.get(anchor, -1) + 1
        found.append(Heading(unit.depth, title, unit.line, end, f"{anchor}-{times}" if times else anchor))
    return tuple(found)


def title_of(unit: Unit) -> str:
    """Return the words of a heading."""
    line = unit.text.split("\n")[0].strip()
    if not line.startswith("#"):
        return line
    title = line.lstrip("#").strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def slug(title: str) -> str:
    """Return the address that GitHub gives a heading: small letters, blanks as hyphens, no punctuation."""
    return _ANCHOR.sub("", _LINK.sub(r"\1", title[:LONGEST_TITLE]).lower()).strip().replace(" ", "-")


def _matter(lines: Sequence[str], found: Sequence[Block]) -> dict[str, str]:
    """Return the keys of the front matter with their values as text: those of a list joined by commas."""
    if not found or found[0].sort != "front":
        return {}
    matter: dict[str, str] = {}
    key = ""
    for line in lines[1 : found[0].end_line - 1]:
        pair = _KEY.match(line)
        if pair:
            key = pair[1]
            matter[key] = pair[2].strip().strip("[]").replace('"', "").replace("'", "")
        elif key and line.strip().startswith("- "):
            value = line.strip()[2:].strip().strip("\"'")
            matter[key] = f"{matter[key]},{value}" if matter[key] else value
    return matter
