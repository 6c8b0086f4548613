"""Split Markdown text into statements: headings, bullets, paragraphs, table rows, code blocks."""

from collections.abc import Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Block
from ctxkit.core.lint.document.normal import normalize_text, strip_markup
from ctxkit.core.lint.document.size import LONGEST_STATEMENT, check_statements
from ctxkit.core.lint.document.unit import Unit, UnitKind

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
            self._add("code", block.line, block.end_line, 0, body.strip())

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
        self._add("heading", line, end_line, level, normalize_text(title))
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
        self._add("row", number, number, 0, is_intro=self._is_table_head(number))

    def _close(self) -> None:
        """Add the open statement."""
        if self._open:
            sort, line, depth = self._open
            self._open = None
            self._add(sort, line, self._last, depth)

    def _add(
        self,
        kind: UnitKind,
        line: int,
        end_line: int,
        depth: int,
        normalized: str | None = None,
        is_intro: bool = False,
    ) -> None:
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


def split_statements(
    path: str, lines: Sequence[str], starts: Sequence[int], block_list: Sequence[Block]
) -> tuple[Unit, ...]:
    """Return the statements of a text in order, given its lines, their offsets and its blocks."""
    segmenter = _Segmenter(path, lines, starts, block_list)
    segmenter.run()
    return tuple(segmenter.units)
