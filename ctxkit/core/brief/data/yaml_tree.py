"""A YAML reader by indentation: values with their lines, as far as the text is readable."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.data_nodes import DataNode, set_list_value, set_mapping_value
from ctxkit.core.brief.data.flow_collections import unquote
from ctxkit.core.brief.data.yaml_lines import DIVIDER, KEY, MAX_BAD_LINES, REMARK, YamlContent, YamlLineReader
from ctxkit.core.lazy_pattern import compile_lazily

PROPERTY = compile_lazily(r"(?:([&])([^\s\[\]{},]+)|!\S*)(?:[ \t]+|$)")
BLOCK = compile_lazily(r"[|>](?:[-+]?[1-9]?|[1-9][-+])(?:[ \t]+#.*)?$")
MAX_DEPTH = 60
"""Maximum number of levels."""


def read_yaml(lines: Sequence[str]) -> YamlContent:
    """Return the content of a YAML text."""
    return _YamlReader(lines).read()


class _YamlReader(YamlLineReader):
    """Read lines in order and build the tree of each document."""

    depth = 0

    def read(self) -> YamlContent:
        """Return the content of all lines."""
        while self._find_document():
            start = self.at
            root = DataNode(None, start + 1, start + 1, start + 1)
            while not self._is_over():
                self._read_block(root, 0)
                if self._skip_to_content() is not None and not self._is_divider():
                    self._note_bad_line("what stands here belongs to nothing above")
            root.close(self.at + 1)
            self.content.documents.append(root)
        return self.content

    def _find_document(self) -> bool:
        """Advance to the beginning of a document; return whether there is one."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            divider = DIVIDER.match(line)
            if divider:
                rest = REMARK.sub("", line[3:]).strip() if divider[0] == "---" else ""
                if rest:
                    self.lines[self.at] = "   " + line[3:]
                    return True
            elif line.strip() and not line.lstrip().startswith("#") and not line.startswith("%"):
                return True
            self.at += 1
        return False

    def _is_divider(self) -> bool:
        return self.at < len(self.lines) and DIVIDER.match(self.lines[self.at]) is not None

    def _is_over(self) -> bool:
        return self._skip_to_content() is None

    def _read_block(self, node: DataNode, least: int) -> None:
        """Read the value that begins on the next line indented by at least ``least``, if there is one."""
        indent = self._skip_to_content()
        if indent is None or indent < least:
            return
        line = self.lines[self.at]
        node.start = self.at + 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._skip_block(indent)
        elif line.startswith("-", indent) and line[indent + 1 : indent + 2] in ("", " ", "\t", "\r"):
            self._read_sequence(node, indent)
        elif KEY.match(line, indent) or line.startswith("? ", indent):
            self._read_mapping(node, indent)
        else:
            self._read_value(node, indent, least - 1, alone=True)
        self.depth -= 1

    def _skip_block(self, indent: int) -> None:
        """Skip lines that are nested too deeply."""
        while (inner := self._skip_to_content()) is not None and inner >= indent:
            self.at += 1

    def _read_sequence(self, node: DataNode, indent: int) -> None:
        while self._skip_to_content() == indent:
            line = self.lines[self.at]
            if not (line.startswith("-", indent) and line[indent + 1 : indent + 2] in ("", " ", "\t", "\r")):
                break
            self.content.items += 1
            item = DataNode(None, self.at + 1, self.at + 1, self.at + 1)
            node.children.append(item)
            rest = line[indent + 1 :].lstrip(" \t")
            self._read_item(item, rest, len(line) - len(rest), indent)
            item.close(self.at + 1 - self._count_trailing(item.at))
        set_list_value(node)

    def _read_item(self, item: DataNode, rest: str, column: int, indent: int) -> None:
        """Read the text after a dash as if it were on its own line."""
        bare = rest.rstrip()
        if not bare or bare.startswith("#"):
            self.at += 1
            self._read_block(item, indent + 1)
            return
        self.lines[self.at] = " " * column + rest
        opens = (rest[0] == "-" and rest[1:2] in ("", " ")) or rest.startswith("? ")
        if opens or (rest[0] not in "[{|>" and KEY.match(rest)):
            self._read_block(item, column)
        else:
            self._read_value(item, column, indent)

    def _count_trailing(self, start: int) -> int:
        """Return the number of blank lines and comments directly before the current position."""
        count = 0
        while self.at - count > start and self.lines[self.at - count - 1].lstrip()[:1] in ("", "#"):
            count += 1
        return count

    def _read_mapping(self, node: DataNode, indent: int) -> None:
        seen: dict[str, DataNode] = {}
        while True:
            inner = self._skip_to_content()
            if inner is None or inner < indent:
                break
            line = self.lines[self.at]
            if inner > indent:
                self._note_bad_line("indented deeper than what it stands beside")
                continue
            match = KEY.match(line, indent)
            if not match:
                if line.startswith("-", indent):
                    break
                if line[indent] in "?:" and line[indent + 1 : indent + 2] in ("", " "):
                    self.at += 1
                    self._skip_block(indent + 1)
                    continue
                self._note_bad_line("neither a key nor the value of one")
                continue
            self._read_pair(node, match, indent, seen)
        set_mapping_value(node)

    def _read_pair(self, node: DataNode, match: "re.Match[str]", indent: int, seen: dict[str, DataNode]) -> None:
        bare = match[3]
        key = bare if bare is not None else unquote(match[0].rstrip().removesuffix(":").rstrip())
        child = DataNode(key, self.at + 1, self.at + 1, self.at + 1)
        self.content.pairs += 1
        if key in seen and key != "<<" and len(self.content.repeats) < MAX_BAD_LINES:
            self.content.repeats.append((self.at + 1, key, seen[key].at))
        seen[key] = child
        node.children.append(child)
        self._read_value(child, match.end(), indent, keyed=True)
        child.close(self.at + 1 - self._count_trailing(child.at))

    def _read_value(
        self, node: DataNode, column: int, indent: int, *, keyed: bool = False, alone: bool = False
    ) -> None:
        """Read the value that begins at ``column`` of the current line, below a parent indented by ``indent``."""
        line = self.lines[self.at].rstrip("\r")
        name = ""
        while prop := PROPERTY.match(line, column):
            name = prop[2] or name
            if prop[2]:
                self.content.anchors.setdefault(prop[2], self.at + 1)
            column = prop.end()
        sign = line[column : column + 1]
        if not sign or sign == "#":
            self.at += 1
            self._read_nested(node, indent, keyed=keyed)
        elif sign in "|>" and BLOCK.match(line, column):
            self._read_block_scalar(node, indent, line[column:])
        elif sign in "[{":
            self._read_flow(node, line[column:])
        elif sign in "\"'":
            self._read_quoted(node, line[column:], sign)
        elif name and not keyed and KEY.match(line, column):
            self.lines[self.at] = " " * column + line[column:]
            self._read_block(node, column)
        else:
            self._read_plain(node, line[column:], indent, alone=alone)
        if name and isinstance(node.value, str | int | float | bool | None):
            self.scalars[name] = node.value

    def _read_nested(self, node: DataNode, indent: int, *, keyed: bool) -> None:
        """Read a value from the lines below; a list may be indented as little as its key."""
        inner = self._skip_to_content()
        dash = keyed and inner == indent and self.lines[self.at][indent : indent + 2].rstrip() == "-"
        self._read_block(node, indent if dash else indent + 1)
