"""Read JSON with comments into nodes that know their places, so that an edit keeps every other byte."""

import json
import re
from typing import NoReturn

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

MAX_DEPTH = 100
"""Maximum nesting of a settings file."""
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")


class Node:
    """A value with its place: ``start`` and ``end`` are offsets in the text, ``value`` is that of a scalar.

    An object has ``members`` and an array ``items``, in the order of the file. It is no dataclass: the hook, which
    hosts wait for, loads this module.
    """

    def __init__(self, start: int, end: int = 0, kind: str = "scalar", value: JsonValue = None) -> None:
        self.start, self.end, self.kind, self.value = start, end, kind, value
        self.members: dict[str, Member] = {}
        self.items: list[Node] = []

    def find(self, *path: str) -> "Node | None":
        """Return the value at a path of keys and of indexes in arrays, None if there is none."""
        node: Node | None = self
        for key in path:
            node = node._find_child(key) if node is not None else None
        return node

    def _find_child(self, key: str) -> "Node | None":
        if self.kind == "array":
            return self.items[int(key)] if key.isdecimal() and int(key) < len(self.items) else None
        member = self.members.get(key)
        return member.node if member else None

    def make_value(self) -> JsonValue:
        """Return the value as Python has it."""
        if self.kind == "object":
            return {key: member.node.make_value() for key, member in self.members.items()}
        return [item.make_value() for item in self.items] if self.kind == "array" else self.value


class Member(NamedTuple):
    """A member of an object: the offset of its key, and its value."""

    start: int
    node: Node


def parse_jsonc(text: str) -> Node:
    """Return the value of a text; comments and trailing commas are allowed. Raise ValueError if it is not JSON."""
    reader = _Reader(text)
    node = reader.read_value(0)
    reader.skip_space()
    if reader.at != len(text):
        reader.fail()
    return node


class _Reader:
    """A text, and the offset up to which it is read."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self) -> NoReturn:
        """Raise ValueError with the place where reading stopped."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        raise ValueError(f"is not JSON: line {line}, column {column}")

    def skip_space(self) -> None:
        """Pass blanks and comments."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def read_value(self, depth: int) -> Node:
        """Return the next value."""
        self.skip_space()
        if depth > MAX_DEPTH:
            raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
        node, first = Node(self.at), self.text[self.at : self.at + 1]
        if first == "{":
            node.kind = "object"
            self._read_sequence(node, "}", depth)
        elif first == "[":
            node.kind = "array"
            self._read_sequence(node, "]", depth)
        else:
            node.value = self._read_scalar()
        node.end = self.at
        return node

    def _read_sequence(self, node: Node, close: str, depth: int) -> None:
        self.at += 1
        self.skip_space()
        while self.text[self.at : self.at + 1] != close:
            if node.kind == "object":
                self._read_member(node, depth)
            else:
                node.items.append(self.read_value(depth + 1))
            self.skip_space()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
                self.skip_space()
            elif self.text[self.at : self.at + 1] != close:
                self.fail()
        self.at += 1

    def _read_member(self, node: Node, depth: int) -> None:
        start = self.at
        if self.text[start : start + 1] != '"':
            self.fail()
        key = str(self._read_scalar())
        self.skip_space()
        if self.text[self.at : self.at + 1] != ":":
            self.fail()
        self.at += 1
        if key in node.members:  # which of the two a host reads is unknown
            raise ValueError(f"has the key {key!r} twice")
        node.members[key] = Member(start, self.read_value(depth + 1))

    def _read_scalar(self) -> JsonValue:
        match = (_STRING if self.text[self.at : self.at + 1] == '"' else _SCALAR).match(self.text, self.at)
        if match is None:
            self.fail()
        try:
            value = json.loads(match[0])
        except ValueError:
            self.fail()
        self.at = match.end()
        return value
