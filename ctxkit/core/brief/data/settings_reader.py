"""A line-based reader of settings, and their content: sections and keys with their lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from ctxkit.core.brief.data.data_nodes import DataNode, add_children, set_list_value, set_mapping_value
from ctxkit.core.brief.data.flow_collections import QUOTES, unquote
from ctxkit.core.brief.data.scalars import parse_number
from ctxkit.core.text.json_value import JsonValue

HEADER = re.compile(r"[ \t]*(\[\[?)[ \t]*(\S(?:.*?\S)??)[ \t]*(\]\]?)[ \t]*(?:[#;].*)?$")
INI_KEY = re.compile(r"[ \t]*(?:export[ \t]+)?([^\s=:#;\[](?:[^=:\n]*[^=:\s])?)[ \t]*[=:][ \t]*")
_get_end = attrgetter("end")
MAX_BAD_LINES = 20
"""Maximum number of invalid lines that are stored."""
MAX_LEAVES = 20_000
"""Maximum number of values in brackets with their own nodes; later collections have one node."""


@dataclass(slots=True)
class SettingsContent:
    """Hold the content of a settings file, and the lines that are not settings."""

    root: DataNode
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    bad_count: int = 0
    pairs: int = 0
    sections: int = 0
    repeats: list[tuple[int, str, int]] = field(default_factory=list)


class SettingsReader:
    """Read lines in order and add their content to the current section; subclasses read other syntaxes."""

    key_pattern = INI_KEY

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.at = 0
        self.content = SettingsContent(DataNode(None, 1, 1, len(lines) + 1, {}))
        self.section = self.content.root
        self.members: dict[int, dict[str, DataNode]] = {}
        self.last = 0
        self.leaves = 0

    def read(self) -> SettingsContent:
        """Return the content of all lines."""
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip("\r")
            bare = line.lstrip()
            if not bare or bare[0] in "#;" or bare.startswith("//"):
                self.at += 1
                continue
            if bare[0] == "[" and (match := HEADER.match(line)) and len(match[1]) == len(match[3]):
                self._begin_section(match[2], many=len(match[1]) == 2)
            elif match := self.key_pattern.match(line):
                self._read_pair(match, line)
            else:
                self._read_other(line)
            self.last = self.at
        self._end_section(self.section)
        self._set_values(self.content.root)
        return self.content

    def _end_section(self, section: DataNode) -> None:
        if section is not self.content.root:
            section.end = max(self.last + 1, section.at + 1)

    def _set_values(self, root: DataNode) -> None:
        """Set the values of nodes, innermost first, and extend tables to the end of their children."""
        order, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node.value, dict | list):
                order.append(node)
                waiting.extend(node.children)
        for node in reversed(order):
            (set_list_value if isinstance(node.value, list) else set_mapping_value)(node)
            if node.children and node is not root:
                node.at = min(node.at, node.children[0].at)
                node.end = max(node.end, max(map(_get_end, node.children)))

    def _get_child(self, parent: DataNode, key: str, value: JsonValue) -> tuple[DataNode, bool]:
        """Return a member of a table, created if missing, and whether it existed."""
        known = self.members.setdefault(id(parent), {})
        if key in known:
            return known[key], True
        known[key] = node = DataNode(key, self.at + 1, self.at + 1, self.at + 2, value)
        parent.children.append(node)
        return node, False

    def _begin_section(self, name: str, *, many: bool) -> None:
        self._end_section(self.section)
        self.content.sections += 1
        self.section = self._open_section(name, many=many)
        self.at += 1

    def _open_section(self, name: str, *, many: bool) -> DataNode:
        """Return the section with a name; a repeated section continues."""
        del many
        section, known = self._get_child(self.content.root, name, {})
        if known:
            self._note_repeat(section, f"[{name}]", self.at + 1)
        return section

    def _note_repeat(self, node: DataNode, name: str, line: int) -> None:
        """Note that a line repeats the name of a node."""
        if len(self.content.repeats) < MAX_BAD_LINES:
            self.content.repeats.append((line, name, node.at))

    def _read_pair(self, match: "re.Match[str]", line: str) -> None:
        """Read a key with its value and the indented lines that continue it."""
        self.content.pairs += 1
        start = self.at
        text = line[match.end() :].strip()
        self.at += 1
        while self.at < len(self.lines) and (self._is_continuation(self.lines[self.at]) or text.endswith("\\")):
            text = text.removesuffix("\\") + "\n" + self.lines[self.at].strip()
            self.at += 1
        value = unquote(text) if text[:1] in ("'", '"') and QUOTES.fullmatch(text) else parse_number(text.strip())
        self._add_node(self.section, match[1].strip(), value, start)

    def _is_continuation(self, line: str) -> bool:
        """Return whether a line continues the value above: indented, and not blank or a comment."""
        bare = line.strip()
        deeper = line[:1] in (" ", "\t") and bool(bare) and bare[0] not in "#;"
        return deeper and not self._has_indented_keys() and not HEADER.match(line)

    def _has_indented_keys(self) -> bool:
        """Return whether the keys of the section are indented themselves."""
        return self.lines[self.at - 1][:1] in (" ", "\t") and self.key_pattern.match(self.lines[self.at]) is not None

    def _add_node(self, parent: DataNode, key: str, value: JsonValue, start: int) -> None:
        """Add a key with its value, which began at the index ``start``, to a table."""
        known = self.members.setdefault(id(parent), {})
        node = DataNode(key, start + 1, start + 1, self.at + 1, value)
        if key in known:
            self._note_repeat(known[key], key, start + 1)
        known[key] = node
        parent.children.append(node)
        if isinstance(value, dict | list):
            self.leaves += add_children(node, MAX_LEAVES - self.leaves)

    def _read_other(self, line: str) -> None:
        """Read a line that is not a section or pair; within a section, a single word is a key without a value."""
        bare = line.strip()
        self.at += 1
        if self.content.sections and " " not in bare and "<" not in bare:
            self._add_node(self.section, bare, None, self.at - 1)
            self.content.pairs += 1
        else:
            self.content.bad_count += 1
            if len(self.content.bad_lines) < MAX_BAD_LINES:
                self.content.bad_lines.append((self.at, "neither a section nor a key"))
