"""A line reader for YAML: scalars and bracketed collections, which may extend over several lines."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.data_nodes import DataNode, add_children
from ctxkit.core.brief.data.flow_collections import FlowParser, count_open_brackets, unquote
from ctxkit.core.brief.data.scalars import parse_scalar
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import JsonValue

KEY = compile_lazily(
    r"""(?:"((?:[^"\\]|\\.)*+)"|'((?:[^']|'')*+)'(?!')|((?:[^\s\-?:,\[\]{}#&*!|>'"%@`]|[-?:&*!](?=\S)|<<)(?:[^:#]|:(?=\S)|(?<=\S)\#)*?))"""
    r"[ \t]*:(?=\s|$)[ \t]*",
)
REMARK = compile_lazily(r"(?:^|[ \t])#.*$")
DIVIDER = compile_lazily(r"(?:---|\.\.\.)(?=\s|$)")
TEMPLATE = compile_lazily(r"\s*(?:\{\{|\{%)")
"""Pattern of lines of a template engine, such as Helm's."""
MAX_LEAVES = 20_000
"""Maximum number of values in brackets with their own nodes; later collections have one node."""
MAX_BAD_LINES = 20
"""Maximum number of invalid lines that are stored."""
_CLOSED = {
    '"': compile_lazily(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
    "'": compile_lazily(r"'(?:[^']|'')*+'(?!')", re.DOTALL),
}


@dataclass(slots=True)
class YamlContent:
    """Hold the documents of a YAML text, with statistics and problems."""

    documents: list[DataNode] = field(default_factory=list)
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    bad_count: int = 0
    repeats: list[tuple[int, str, int]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    aliases: int = 0
    templates: int = 0
    loose_lines: int = 0
    pairs: int = 0
    items: int = 0
    blocks: list[tuple[int, int, str]] = field(default_factory=list)


class YamlLineReader:
    """Read lines in order; parse the values that are not block mappings or block lists."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.at = 0
        self.content = YamlContent()
        self.scalars: dict[str, JsonValue] = {}
        self.leaves = 0

    def _skip_to_content(self) -> int | None:
        """Advance to the next line with content; return its indentation, or None at the end of the document."""
        lines, total = self.lines, len(self.lines)
        while self.at < total:
            line = lines[self.at]
            bare = line.lstrip(" ")
            first = bare[:1]
            if first in "#\r\t" or not first:
                if first == "\t" and bare.strip() and not bare.lstrip().startswith("#"):
                    self._note_bad_line("a tab in the indentation")
                    continue
                self.at += 1
                continue
            if first == "{" and TEMPLATE.match(bare):
                self.content.templates += 1
                self.at += 1
                continue
            indent = len(line) - len(bare)
            if not indent and first in "-." and DIVIDER.match(line):
                return None
            return indent
        return None

    def _note_bad_line(self, why: str) -> None:
        """Record a line that is not YAML, and advance past it."""
        if self.at < len(self.lines):
            self.content.bad_count += 1
            if len(self.content.bad_lines) < MAX_BAD_LINES:
                self.content.bad_lines.append((self.at + 1, why))
            self.at += 1

    def _read_block_scalar(self, node: DataNode, indent: int, mark: str) -> None:
        """Read the lines of a block scalar: all deeper indented and blank lines."""
        self.at += 1
        begin = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            bare = line.lstrip(" ")
            if bare.strip() and len(line) - len(bare) <= indent:
                break
            self.at += 1
        while self.at > begin and not self.lines[self.at - 1].strip():
            self.at -= 1
        text = [line.strip() for line in self.lines[begin : self.at]]
        node.value = ("\n" if mark.startswith("|") else " ").join(text)
        if self.at - begin >= 5:
            self.content.blocks.append((begin + 1, self.at, next(filter(None, text), "")))

    def _read_flow(self, node: DataNode, text: str) -> None:
        """Read the lines of a bracketed collection."""
        level = count_open_brackets(text, 0)
        parts = [REMARK.sub("", text) if "#" in text else text]
        self.at += 1
        while level > 0 and self.at < len(self.lines) and len(parts) < 100_000:
            line = self.lines[self.at]
            level = count_open_brackets(line, level)
            parts.append(REMARK.sub("", line) if "#" in line else line)
            self.at += 1
        try:
            node.value = FlowParser("\n".join(parts)).read_value()
        except RecursionError:
            node.value = None
        node.end = max(self.at + 1, node.at + 1)
        self.leaves += add_children(node, MAX_LEAVES - self.leaves)

    def _read_quoted(self, node: DataNode, text: str, sign: str) -> None:
        """Read a quoted scalar, which may extend over several lines."""
        pattern = _CLOSED[sign]
        start, parts = self.at, [text]
        whole = text
        match = pattern.match(whole)
        while not match and self.at + 1 < len(self.lines) and len(parts) < 2_000:
            self.at += 1
            parts.append(self.lines[self.at].strip())
            if sign in parts[-1]:
                whole = "\n".join(parts)
                match = pattern.match(whole)
        if not match:
            self.at = start
            self._note_bad_line("a quote opens here that nothing closes")
            node.value = text
            return
        node.value = unquote(match[0])
        self.at += 1

    def _read_plain(self, node: DataNode, text: str, indent: int, *, alone: bool) -> None:
        """Read a plain scalar with its continuation lines."""
        value_text = (REMARK.sub("", text) if "#" in text else text).strip()
        self.at += 1
        count = 0
        while self.at < len(self.lines) and self._is_continuation(indent):
            value_text += " " + self.lines[self.at].strip()
            self.at += 1
            count += 1
        self.content.loose_lines += count + (alone and " " in value_text)
        if value_text.startswith("*") and len(value_text) > 1:
            self.content.aliases += 1
            node.value = self.scalars.get(value_text[1:], value_text)
        else:
            node.value = parse_scalar(value_text)

    def _is_continuation(self, indent: int) -> bool:
        """Return whether a line continues a plain scalar: indented deeper, and not a key or comment."""
        line = self.lines[self.at]
        bare = line.lstrip(" \t")
        if not bare.strip() or bare.startswith("#") or len(line) - len(bare) <= indent:
            return False
        return not KEY.match(bare) and not (bare.startswith("- ") and indent < 0) and not TEMPLATE.match(bare)
