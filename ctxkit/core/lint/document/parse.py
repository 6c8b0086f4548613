"""Parse the bytes of a file into a document with front matter, blocks, headings and statements."""

import re
from collections.abc import Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import (
    NO_FRONT_MATTER,
    Block,
    FileRole,
    FrontMatter,
    Heading,
    MarkdownDocument,
    Unit,
    UnitKind,
    parse_front_matter,
)
from ctxkit.core.lint.document.normal import normalize_text, strip_markup
from ctxkit.core.lint.document.size import LONGEST_STATEMENT, check_lines, check_statements

_FENCE = compile_lazily(r"\A([ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?)(`{3,}+|~{3,}+)[ \t]*+([^`\n]*+)$")
_KEY = compile_lazily(r"\A(?:[\w.-]++[ \t]*+:|[ \t]*(?:#|-[ \t])|[ \t]+\S|[ \t]*$)")
_FRONT_MATTER_LINES = 400
"""Maximum lines of front matter."""
_HEADING = compile_lazily(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM = compile_lazily(r"([ \t]*)(?:[-*+•‣◦]|\d{1,4}[.)]|[a-zA-Z][.)])(?:[ \t]+(?=\S)|$)")
_UNDERLINE = compile_lazily(r" {0,3}(?:=+|-{2,})[ \t]*$")
_RULE = compile_lazily(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|[=~─━═_*-]{3,})$")
_DELIMITER = compile_lazily(r"[ \t]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)*+(?:\|[ \t]*+)?$")
_TAGS = compile_lazily(r"[ \t]*+(?:</?[A-Za-z][\w:.-]*+(?:[ \t/][^<>]*+)?>[ \t]*+)++$")
_SENTENCE = compile_lazily(r".*[.!?:;。！？：；][\"'`*_)\]”’]*[ \t]*$|.*(?:  |\\|<br ?/?>)$")
"""Matches a line that ends a sentence or has a hard break: a capital on the next line begins a statement."""
_CAPITAL = compile_lazily(r"[ \t]*[\"'`*_(\[“‘]*[^\W\d_a-z]|[ \t]*\*\*|[ \t]*[^\w\s]")
_MARKUP = compile_lazily(r"[ \t]*\[[^\]]+\]:[ \t]*\S+")
"""Matches a link definition, which is not a statement."""
_CAPTION = compile_lazily(
    r"(?:\*\*|__)(?:[^*_\n:：]{1,40}[:：][^*_\n]*|[^\s*_]+(?: [^\s*_]+){0,4} ?)(?<![.!?。！？])(?:\*\*|__)$"
)
"""Matches a paragraph that is all bold and is a label or a few words: a title."""


class _Segmenter:
    """Splits the lines in one pass; ``units`` collects the statements."""

    def __init__(self, path: str, lines: Sequence[str], starts: Sequence[int], block_list: Sequence[Block]) -> None:
        self.path, self.lines, self.starts = path, lines, starts
        self.units: list[Unit] = []
        self._blocks = {block.line: block for block in block_list}
        self._titles: list[tuple[int, str]] = []
        self._section: tuple[str, ...] = ()
        self._open: tuple[UnitKind, int, int] | None = None  # kind, first line, depth
        self._last = 0
        self._list = 0
        self._indents: list[int] = []
        self._intro = ""
        self._table = False
        self._lists = 0
        self._header = ""  # of the open table
        self._parents: list[tuple[int, str]] = []  # depth and text of each bullet that the next statement may belong to

    def run(self) -> None:
        """Process all lines."""
        number = 1
        while number <= len(self.lines):
            block = self._blocks.get(number)
            if block:
                self._read_block(block)
                number = block.end_line + 1
                continue
            self._read_line(number, self.lines[number - 1])
            number += 1
        self._close()

    def _read_block(self, block: Block) -> None:
        """Add a fence as a statement of code; skip other blocks."""
        self._close()
        if block.kind == "fence" and block.closed and block.end_line - block.line > 1:
            body = "\n".join(line.strip() for line in self.lines[block.line : block.end_line - 1])
            self._add("code", (block.line, block.end_line), 0, body.strip())

    def _read_line(self, number: int, line: str) -> None:
        bare = line.strip()
        if not bare:
            self._close()
            self._table = False
            return
        first = bare[0]
        if first == ">":
            bare = bare.lstrip("> \t")
            first = bare[:1]
            if not bare:
                self._close()
                return
        if first == "#" and self._read_heading(number, line):
            return
        if first in "-=_*~─━═" and self._read_ruler(number, line, bare):
            return
        if (first == "<" and _TAGS.match(line)) or (first == "[" and _MARKUP.match(line)):
            self._close()
            return
        item = _ITEM.match(line)
        if item:
            self._begin_item(number, len(item[1].expandtabs(4)))
        elif "|" in bare and (first == "|" or self._table or self._is_table_head(number)):
            self._add_row(number, bare)
        elif self._open is None:
            self._begin_paragraph(number, line)
        elif self._starts_statement(line):
            self._close()
            self._open = ("paragraph", number, 0)
        self._last = number

    def _read_heading(self, number: int, line: str) -> bool:
        match = _HEADING.match(line)
        if not match:
            return False
        self._close()
        title = line[match.end() :].strip()
        bare = title.rstrip("#")
        self._begin_section(number, number, len(match[1]), bare.rstrip() if bare[-1:] in ("", " ", "\t") else title)
        return True

    def _begin_section(self, line: int, end_line: int, level: int, title: str) -> None:
        """Begin a section at a heading."""
        while self._titles and self._titles[-1][0] >= level:
            self._titles.pop()
        self._list, self._intro, self._table, self._indents = 0, "", False, []
        self._section = tuple(title for _, title in self._titles)
        self._add("heading", (line, end_line), level, normalize_text(title))
        self._titles.append((level, strip_markup(title)))
        self._section = tuple(title for _, title in self._titles)

    def _read_ruler(self, number: int, line: str, bare: str) -> bool:
        """Process the underline of a heading or a horizontal rule; return whether the line is one."""
        if bare[0] in "-=" and self._open and self._open[0] == "paragraph" and _UNDERLINE.match(line):
            start, self._open = self._open[1], None
            if number - start <= 2:
                self._begin_section(
                    start, number, 1 if bare[0] == "=" else 2, " ".join(self.lines[start - 1 : number - 1])
                )
                return True
        if _RULE.match(line):
            self._close()
            self._list, self._indents = 0, []
            return True
        return False

    def _begin_item(self, number: int, indent: int) -> None:
        """Begin a bullet; the indents above determine its depth."""
        self._close()
        if not self._list or ((not self.lines[number - 2].strip() if number > 1 else False) and not self._indents):
            self._lists += 1
            self._list = self._lists
            self._indents = []
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        self._table = False
        self._open = ("bullet", number, len(self._indents) - 1)

    def _begin_paragraph(self, number: int, line: str) -> None:
        """Begin a paragraph; an indented one under a list is part of the list."""
        inside = self._list and line[:1] in " \t"
        if not inside:
            self._list, self._indents = 0, []
        self._open = ("paragraph", number, len(self._indents) if inside else 0)

    def _starts_statement(self, line: str) -> bool:
        """Return whether a line begins a new statement inside a paragraph."""
        return bool(
            self._open
            and self._open[0] == "paragraph"
            and _CAPITAL.match(line)
            and _SENTENCE.match(self._previous_line())
        )

    def _previous_line(self) -> str:
        return self.lines[self._last - 1] if self._last else ""

    def _is_table_head(self, number: int) -> bool:
        """Return whether the next line makes this line a table header."""
        following = self.lines[number] if number < len(self.lines) else ""
        return "|" in following and "-" in following and bool(_DELIMITER.match(following))

    def _add_row(self, number: int, bare: str) -> None:
        self._close()
        if not self._table:
            self._table, self._header = True, ""
            self._lists += 1
            self._list, self._indents = self._lists, []
        if _DELIMITER.match(bare) and "-" in bare:
            return
        self._add("row", (number, number), 0, is_intro=self._is_table_head(number))

    def _close(self) -> None:
        """Add the open statement."""
        if self._open:
            sort, line, depth = self._open
            self._open = None
            self._add(sort, (line, self._last), depth)

    def _add(
        self,
        kind: UnitKind,
        lines: tuple[int, int],
        depth: int,
        normalized: str | None = None,
        is_intro: bool = False,
    ) -> None:
        line, end_line = lines
        head = self.lines[line - 1]
        start = self.starts[line - 1] + len(head) - len(head.lstrip())
        tail = self.lines[end_line - 1].rstrip()
        end = self.starts[end_line - 1] + len(tail)
        text = "\n".join(self.lines[line - 1 : end_line]).strip()
        if normalized is None:
            normalized = normalize_text(text) if len(text) <= LONGEST_STATEMENT else ""
        if kind in ("bullet", "paragraph"):
            is_intro = text.rstrip("*_`) ").endswith((":", "：")) or (
                kind == "paragraph" and bool(_CAPTION.match(text))
            )
        intro = self._intro
        check_statements(self.path, len(self.units) + 1)
        self.units.append(
            Unit(
                self.path, kind, line, end_line, start, end, text, normalized,
                self._section, self._list, depth, is_intro, intro, self._find_parents(kind, depth),
            )
        )  # fmt: skip
        if kind == "bullet":
            self._parents.append((depth, text))
        elif kind == "row" and is_intro:
            self._header = text
        if kind in ("paragraph", "heading"):
            self._intro = text if is_intro and kind == "paragraph" else ""

    def _find_parents(self, kind: UnitKind, depth: int) -> tuple[str, ...]:
        """Return the bullets above a statement, or the header of its table, and forget the bullets that it ends."""
        if kind == "row":
            return (self._header,) if self._header else ()
        if kind == "code":
            return ()
        while self._parents and (not self._list or self._parents[-1][0] >= depth):
            self._parents.pop()
        return tuple(text for _, text in self._parents)


_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_ANCHOR = compile_lazily(r"[^\w\- ]")
_LINK = compile_lazily(r"!?\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_LONGEST_TITLE = 4_000
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
    units = _split_statements(path, lines, starts, block_list)
    return MarkdownDocument(
        path,
        text,
        role,
        encoding,
        bom,
        "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n",
        starts,
        block_list,
        _make_headings(units, len(lines)),
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


def _make_headings(units: Sequence[Unit], lines: int) -> tuple[Heading, ...]:
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
        title = _heading_title(unit)
        anchor = slugify(title)
        times = taken[anchor] = taken.get(anchor, -1) + 1
        heading_list.append(Heading(unit.depth, title, unit.line, end, f"{anchor}-{times}" if times else anchor))
    return tuple(heading_list)


def _heading_title(unit: Unit) -> str:
    """Return the words of a heading."""
    line = unit.text.split("\n")[0].strip()
    if not line.startswith("#"):
        return line
    title = line.lstrip("#").strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def slugify(title: str) -> str:
    """Return GitHub's anchor of a heading: lower case, hyphens for blanks, no punctuation."""
    return _ANCHOR.sub("", _LINK.sub(r"\1", title[:_LONGEST_TITLE]).lower()).strip().replace(" ", "-")


def _parse_header(lines: Sequence[str], block_list: Sequence[Block]) -> FrontMatter:
    if not block_list or block_list[0].kind != "front":
        return NO_FRONT_MATTER
    return parse_front_matter(lines[: block_list[0].end_line])


def find_blocks(lines: Sequence[str]) -> tuple[Block, ...]:
    """Return the blocks of a text in order, without overlaps; the lines have no endings."""
    block_list: list[Block] = []
    number = 1
    front = _find_front_matter(lines)
    if front:
        block_list.append(front)
        number = front.end_line + 1
    while number <= len(lines):
        block = _block_at(lines, number)
        if block:
            block_list.append(block)
            number = block.end_line
        number += 1
    return tuple(block_list)


def _find_front_matter(lines: Sequence[str]) -> Block | None:
    """Return the front matter: lines between two rulers at the beginning of the file, if they look like keys."""
    if not lines or lines[0].rstrip() not in ("---", "+++") or len(lines) < 2 or not lines[1].strip():
        return None
    for number, line in enumerate(lines[1 : _FRONT_MATTER_LINES + 1], 2):
        if line.rstrip() in (lines[0].rstrip(), "..."):
            return Block("front", 1, number)
        if lines[0][0] == "-" and not _KEY.match(line):
            return None
    return None


def _block_at(lines: Sequence[str], number: int) -> Block | None:
    """Return the block that begins on a line."""
    line = lines[number - 1]
    if "`" in line or "~" in line:
        match = _FENCE.match(line)
        if match:
            return _read_fence(lines, number, match)
    if "<!--" in line and line.lstrip(" \t>").startswith("<!--"):
        return _read_comment(lines, number)
    return None


def _read_fence(lines: Sequence[str], number: int, match: re.Match[str]) -> Block:
    mark, info = match[2], match[3].strip()
    quoted = ">" in match[1]
    for end in range(number + 1, len(lines) + 1):
        line = lines[end - 1]
        bare = line.strip(" \t>") if quoted else line.strip()
        if bare[:1] == mark[0] and bare.startswith(mark) and not bare.strip(mark[0]):
            return Block("fence", number, end, True, info)
    return Block("fence", number, len(lines), False, info)


def _read_comment(lines: Sequence[str], number: int) -> Block | None:
    """Return a comment that occupies complete lines; a comment before other text is part of that text."""
    for end in range(number, len(lines) + 1):
        line = lines[end - 1]
        at = line.find("-->", line.find("<!--") + 4 if end == number else 0)
        if at >= 0:
            return None if end == number and line[at + 3 :].strip() else Block("comment", number, end)
    return Block("comment", number, len(lines), False)


def _split_statements(
    path: str, lines: Sequence[str], starts: Sequence[int], block_list: Sequence[Block]
) -> tuple[Unit, ...]:
    """Return the statements of a text in order, given its lines, their offsets and its blocks."""
    segmenter = _Segmenter(path, lines, starts, block_list)
    segmenter.run()
    return tuple(segmenter.units)
