"""YAML read by its indentation: values with their lines, without a parser, as far as it can be read."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.branches import Branch, mapping, sequence
from ctxkit.core.brief.data.flows import unquoted
from ctxkit.core.brief.data.yaml_lines import DIVIDER, KEY, REMARK, TRIES, Cursor, Yaml

PROPERTY = re.compile(r"(?:([&])([^\s\[\]{},]+)|!\S*)(?:[ \t]+|$)")
BLOCK = re.compile(r"[|>](?:[-+]?[1-9]?|[1-9][-+])(?:[ \t]+#.*)?$")
DEEPEST = 60
"""Levels that are read."""


def read(lines: Sequence[str]) -> Yaml:
    """Return what the lines of a YAML text hold."""
    return _Reader(lines).read()


class _Reader(Cursor):
    """Read lines one after another; what they hold hangs below the document reached."""

    deep = 0

    def read(self) -> Yaml:
        """Return everything."""
        while self._between():
            start = self.at
            root = Branch(None, start + 1, start + 1, start + 1)
            while not self._is_over():
                self._block(root, 0)
                if self._skip() is not None and not self._divides():
                    self._refuse("what stands here belongs to nothing above")
            root.close(self.at + 1)
            self.found.documents.append(root)
        return self.found

    def _between(self) -> bool:
        """Go on to where a document begins; tell whether there is one."""
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

    def _divides(self) -> bool:
        return self.at < len(self.lines) and DIVIDER.match(self.lines[self.at]) is not None

    def _is_over(self) -> bool:
        return self._skip() is None

    def _block(self, branch: Branch, least: int) -> None:
        """Read the value that begins on the next line which is indented by ``least`` or more; there may be none."""
        indent = self._skip()
        if indent is None or indent < least:
            return
        line = self.lines[self.at]
        branch.start = self.at + 1
        self.deep += 1
        if self.deep > DEEPEST:
            self._pass(indent)
        elif line.startswith("-", indent) and line[indent + 1 : indent + 2] in ("", " ", "\t", "\r"):
            self._sequence(branch, indent)
        elif KEY.match(line, indent) or line.startswith("? ", indent):
            self._mapping(branch, indent)
        else:
            self._value(branch, indent, least - 1, alone=True)
        self.deep -= 1

    def _pass(self, indent: int) -> None:
        """Skip lines that are nested too deeply."""
        while (inner := self._skip()) is not None and inner >= indent:
            self.at += 1

    def _sequence(self, branch: Branch, indent: int) -> None:
        while self._skip() == indent:
            line = self.lines[self.at]
            if not (line.startswith("-", indent) and line[indent + 1 : indent + 2] in ("", " ", "\t", "\r")):
                break
            self.found.items += 1
            item = Branch(None, self.at + 1, self.at + 1, self.at + 1)
            branch.below.append(item)
            rest = line[indent + 1 :].lstrip(" \t")
            self._entered(item, rest, len(line) - len(rest), indent)
            item.close(self.at + 1 - self._trailing(item.at))
        sequence(branch)

    def _entered(self, item: Branch, rest: str, column: int, indent: int) -> None:
        """Read what stands behind a dash as if it stood on a line of its own."""
        bare = rest.rstrip()
        if not bare or bare.startswith("#"):
            self.at += 1
            self._block(item, indent + 1)
            return
        self.lines[self.at] = " " * column + rest
        opens = (rest[0] == "-" and rest[1:2] in ("", " ")) or rest.startswith("? ")
        if opens or (rest[0] not in "[{|>" and KEY.match(rest)):
            self._block(item, column)
        else:
            self._value(item, column, indent)

    def _trailing(self, start: int) -> int:
        """Return how many blank lines and remarks before the place reached belong to nothing."""
        count = 0
        while self.at - count > start and self.lines[self.at - count - 1].lstrip()[:1] in ("", "#"):
            count += 1
        return count

    def _mapping(self, branch: Branch, indent: int) -> None:
        seen: dict[str, Branch] = {}
        while True:
            inner = self._skip()
            if inner is None or inner < indent:
                break
            line = self.lines[self.at]
            if inner > indent:
                self._refuse("indented deeper than what it stands beside")
                continue
            found = KEY.match(line, indent)
            if not found:
                if line.startswith("-", indent):
                    break
                if line[indent] in "?:" and line[indent + 1 : indent + 2] in ("", " "):
                    self.at += 1
                    self._pass(indent + 1)
                    continue
                self._refuse("neither a key nor the value of one")
                continue
            self._pair(branch, found, indent, seen)
        mapping(branch)

    def _pair(self, branch: Branch, found: "re.Match[str]", indent: int, seen: dict[str, Branch]) -> None:
        bare = found[3]
        key = bare if bare is not None else unquoted(found[0].rstrip().removesuffix(":").rstrip())
        one = Branch(key, self.at + 1, self.at + 1, self.at + 1)
        self.found.pairs += 1
        if key in seen and key != "<<" and len(self.found.twice) < TRIES:
            self.found.twice.append((self.at + 1, key, seen[key].at))
        seen[key] = one
        branch.below.append(one)
        self._value(one, found.end(), indent, keyed=True)
        one.close(self.at + 1 - self._trailing(one.at))

    def _value(self, branch: Branch, column: int, indent: int, *, keyed: bool = False, alone: bool = False) -> None:
        """Read the value that begins at a column of the line reached, below something indented by ``indent``."""
        line = self.lines[self.at].rstrip("\r")
        name = ""
        while prop := PROPERTY.match(line, column):
            name = prop[2] or name
            if prop[2]:
                self.found.anchors.setdefault(prop[2], self.at + 1)
            column = prop.end()
        sign = line[column : column + 1]
        if not sign or sign == "#":
            self.at += 1
            self._below(branch, indent, keyed=keyed)
        elif sign in "|>" and BLOCK.match(line, column):
            self._literal(branch, indent, line[column:])
        elif sign in "[{":
            self._flow(branch, line[column:])
        elif sign in "\"'":
            self._quoted(branch, line[column:], sign)
        elif name and not keyed and KEY.match(line, column):
            self.lines[self.at] = " " * column + line[column:]
            self._block(branch, column)
        else:
            self._plain(branch, line[column:], indent, alone=alone)
        if name and isinstance(branch.value, str | int | float | bool | None):
            self.scalars[name] = branch.value

    def _below(self, branch: Branch, indent: int, *, keyed: bool) -> None:
        """Read a value from the lines below; a list may stand as far left as the key that it belongs to."""
        inner = self._skip()
        dash = keyed and inner == indent and self.lines[self.at][indent : indent + 2].rstrip() == "-"
        self._block(branch, indent if dash else indent + 1)
