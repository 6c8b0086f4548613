"""Line-based readers of TOML, INI, .env and .properties: sections and keys with their lines."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.data_nodes import DataNode
from ctxkit.core.brief.data.flow_collections import QUOTES, FlowParser, count_open_brackets, unquote
from ctxkit.core.brief.data.scalars import parse_number
from ctxkit.core.brief.data.settings_reader import MAX_BAD_LINES, SettingsContent, SettingsReader
from ctxkit.core.text.json_value import JsonValue

ENV_KEY = re.compile(r"[ \t]*(?:export[ \t]+)?([^\s=#;\[](?:[^=\n]*[^=\s])?)[ \t]*=[ \t]*")
TOML_KEY = re.compile(
    r"""[ \t]*((?:[\w-]+|"(?:[^"\\]|\\.)*+"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]*"|'[^']*'))*)[ \t]*=[ \t]*"""
)
STEP = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*+)"|'([^']*)'|([^.\s"']+(?:[ \t]+[^.\s"']+)*))[ \t]*(?:\.|$)""")
BARE_NAME = re.compile(r"[\w-]+")
MAX_STEPS = 100_000
"""Maximum dots of all dotted names that make tables of their own: each takes 4 microseconds and 700 bytes."""
TRIPLE = ('"""', "'''")


class _Ini(SettingsReader):
    """Read sections of keys followed by ``=`` or ``:``."""


class _Env(SettingsReader):
    """Read keys followed by ``=``, as for a shell or systemd."""

    key_pattern = ENV_KEY


class _Toml(SettingsReader):
    """Read TOML: dotted names, arrays of tables, values over several lines."""

    key_pattern = TOML_KEY

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self.steps_left = MAX_STEPS

    def _split_name(self, name: str) -> list[str]:
        """Return the steps of a dotted name; one with too many dots is a single step."""
        if BARE_NAME.fullmatch(name):
            return [name]
        dots = name.count(".")
        if dots > self.steps_left:
            return [name]
        self.steps_left -= dots
        return [basic or literal or bare for basic, literal, bare in STEP.findall(name)]

    def _open_section(self, name: str, *, many: bool) -> DataNode:
        """Return the table of a dotted name; with ``many``, the next element of an array of tables."""
        steps = self._split_name(name)
        node = self.content.root
        for number, step in enumerate(steps, 1):
            last = number == len(steps)
            node, known = self._get_child(node, step, [] if last and many else {})
            if isinstance(node.value, list):
                if last:
                    node.end = max(node.end, self.at + 2)
                    node.children.append(DataNode(None, self.at + 1, self.at + 1, self.at + 2, {}))
                if not node.children:
                    return node
                node = node.children[-1]
            elif last and known and node.children and any(not isinstance(inner.value, dict) for inner in node.children):
                self._note_repeat(node, f"[{name}]", self.at + 1)
        return node

    def _read_pair(self, match: "re.Match[str]", line: str) -> None:
        self.content.pairs += 1
        start = self.at
        tables, steps = [self.section], self._split_name(match[1])
        for step in steps[:-1]:
            tables.append(self._get_child(tables[-1], step, {})[0])
            if not isinstance(tables[-1].value, dict):
                steps = []
                break
        value = self._read_value(line[match.end() :])
        if steps:
            for table in tables[1:]:
                table.end = max(table.end, self.at + 1)
            self._add_node(tables[-1], steps[-1], value, start)

    def _read_value(self, text: str) -> JsonValue:
        """Return the value that begins with ``text``, and advance past it."""
        text = text.strip()
        self.at += 1
        if text.startswith(TRIPLE):
            return self._read_long_string(text)
        if text[:1] in ("[", "{"):
            level, parts = count_open_brackets(text, 0), [text.partition(" #")[0]]
            while level > 0 and self.at < len(self.lines):
                level = count_open_brackets(self.lines[self.at], level)
                parts.append(re.sub(r"(?:^|\s)#[^\"']*$", "", self.lines[self.at]))
                self.at += 1
            return FlowParser("\n".join(parts), parse_word, "=").read_value()
        quote = QUOTES.match(text)
        return unquote(quote[0]) if quote else parse_word(text.partition("#")[0].strip())

    def _read_long_string(self, text: str) -> str:
        mark, parts = text[:3], [text[3:]]
        while mark not in parts[-1] and self.at < len(self.lines):
            parts.append(self.lines[self.at])
            self.at += 1
        return "\n".join(parts).partition(mark)[0].strip()

    def _read_other(self, line: str) -> None:
        self.content.bad_count += 1
        if len(self.content.bad_lines) < MAX_BAD_LINES:
            self.content.bad_lines.append((self.at + 1, "neither a table nor a key" if line.strip() else ""))
        self.at += 1


def parse_word(text: str) -> JsonValue:
    """Return the value of an unquoted TOML word."""
    if text in ("true", "false"):
        return text == "true"
    return parse_number(text.replace("_", "") if text[:1].isdigit() else text)


def read_toml(lines: Sequence[str]) -> SettingsContent:
    """Return the content of a TOML text."""
    return _Toml(lines).read()


def read_ini(lines: Sequence[str]) -> SettingsContent:
    """Return the content of an INI or .properties text."""
    return _Ini(lines).read()


def read_env(lines: Sequence[str]) -> SettingsContent:
    """Return the content of lines of ``KEY=value``, within sections if there are any."""
    return _Env(lines).read()
