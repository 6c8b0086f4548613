"""Parse the bytes of a file into a document with headings, blocks and statements."""

from collections.abc import Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.blocks import find_blocks
from ctxkit.core.lint.document.front_matter import NO_FRONT_MATTER, FrontMatter, parse_front_matter
from ctxkit.core.lint.document.markdown import Block, FileRole, Heading, MarkdownDocument
from ctxkit.core.lint.document.segment import split_statements
from ctxkit.core.lint.document.size import check_lines
from ctxkit.core.lint.document.unit import Unit

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_ANCHOR = compile_lazily(r"[^\w\- ]")
_LINK = compile_lazily(r"!?\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
LONGEST_TITLE = 4_000
"""Maximum characters of a heading that its anchor is made from."""


def parse_document(
    path: str, data: bytes, role: FileRole = FileRole.DOCS, aliases: tuple[str, ...] = ()
) -> MarkdownDocument:
    """Return the document of any bytes; raise MalformedInputError for too many lines or statements."""
    check_lines(path, data)
    bom, encoding = next(((mark, name) for mark, name in _BOMS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(bom) :]
    try:
        text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError:  # invalid UTF-16: keep the bytes
        bom, encoding, text = b"", "utf-8", data.decode("utf-8", "surrogateescape")
    raw = text.split("\n")
    if len(raw) > 1 and not raw[-1]:
        raw.pop()
    starts = tuple(_line_starts(raw))
    lines = [line.removesuffix("\r") for line in raw]
    del raw
    block_list = find_blocks(lines)
    units = split_statements(path, lines, starts, block_list)
    return MarkdownDocument(
        path,
        text,
        role,
        encoding,
        bom,
        "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n",
        starts,
        block_list,
        make_headings(units, len(lines)),
        units,
        aliases,
        _parse_header(lines, block_list),
    )


def _line_starts(raw: Sequence[str]) -> list[int]:
    """Return the offset of each line in characters."""
    starts, at = [], 0
    for line in raw:
        starts.append(at)
        at += len(line) + 1
    return starts


def make_headings(units: Sequence[Unit], lines: int) -> tuple[Heading, ...]:
    """Return the headings of a text, each with the last line of its section."""
    heads = [unit for unit in units if unit.kind == "heading"]
    ends: list[int] = []
    open_: list[Unit] = []  # headings that may end an earlier section, the nearest last
    for unit in reversed(heads):
        while open_ and open_[-1].depth > unit.depth:
            open_.pop()
        ends.append(open_[-1].line - 1 if open_ else lines)
        open_.append(unit)
    taken: dict[str, int] = {}
    heading_list = []
    for unit, end in zip(heads, reversed(ends), strict=True):
        title = heading_title(unit)
        anchor = slugify(title)
        times = taken[anchor] = taken.get(anchor, -1) + 1
        heading_list.append(Heading(unit.depth, title, unit.line, end, f"{anchor}-{times}" if times else anchor))
    return tuple(heading_list)


def heading_title(unit: Unit) -> str:
    """Return the words of a heading."""
    line = unit.text.split("\n")[0].strip()
    if not line.startswith("#"):
        return line
    title = line.lstrip("#").strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def slugify(title: str) -> str:
    """Return GitHub's anchor of a heading: lower case, hyphens for blanks, no punctuation."""
    return _ANCHOR.sub("", _LINK.sub(r"\1", title[:LONGEST_TITLE]).lower()).strip().replace(" ", "-")


def _parse_header(lines: Sequence[str], block_list: Sequence[Block]) -> FrontMatter:
    if not block_list or block_list[0].kind != "front":
        return NO_FRONT_MATTER
    return parse_front_matter(lines[: block_list[0].end_line])
