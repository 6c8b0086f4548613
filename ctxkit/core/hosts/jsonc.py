"""Read JSON with comments into nodes that know their places, and edit it so that every other byte stays."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

_MAX_DEPTH = 100
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
        if depth > _MAX_DEPTH:
            raise ValueError(f"is nested deeper than {_MAX_DEPTH} levels")
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


_COMMA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*,")
_COMMENT = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n*]*\*/[ \t]*(?=[\r\n]))")
"""A comment behind a value, on the same line."""


def set_member(text: str, path: Sequence[str], value: JsonValue) -> str:
    """Return the text with a value at a path of keys; missing objects are created, an earlier value is replaced.

    Raise ValueError if the text is not JSON, or a value on the path is no object.
    """
    text = text if text.strip("\ufeff \t\r\n") else f"{text}{{}}\n"
    node = parse_jsonc(text)
    for number, key in enumerate(path):
        if node.kind != "object":
            raise ValueError(f"has no object at {'.'.join(path[:number]) or 'its root'}")
        if key not in node.members:
            for inner in reversed(path[number + 1 :]):
                value = {inner: value}
            return _insert(text, node, number, value, f"{json.dumps(key)}: ")
        node = node.members[key].node
    return f"{text[: node.start]}{_render(value, text, len(path))}{text[node.end :]}"


def append_item(text: str, path: Sequence[str], value: JsonValue) -> str:
    """Return the text with an item at the end of the array at a path; missing objects and the array are created.

    Raise ValueError as ``set_member`` does, or if the value there is no array.
    """
    node = parse_jsonc(text).find(*path) if text.strip("\ufeff \t\r\n") else None
    if node is None:
        return set_member(text, path, [value])
    if node.kind != "array":
        raise ValueError(f"has no array at {'.'.join(path)}")
    return _insert(text, node, len(path), value, "")


def remove_value(text: str, path: Sequence[str], item: int | None = None) -> str:
    """Return the text without the member at a path, or without one item of the array there.

    A comma goes with it. Objects and arrays that are empty then stay. The text is unchanged if there is no such value.
    """
    root = parse_jsonc(text)
    holder = root.find(*path[:-1]) if item is None else root.find(*path)
    if holder is None:
        return text
    spans = (
        [(member.start, member.node.end) for member in holder.members.values()]
        if item is None
        else [(node.start, node.end) for node in holder.items]
    )
    keys = list(holder.members)
    number = item if item is not None else keys.index(path[-1]) if path[-1] in keys else len(spans)
    return _cut(text, holder, spans, number) if 0 <= number < len(spans) else text


def keep_empty(text: str, before: str, original: str) -> str:
    """Return the text with the objects and arrays that a removal from ``before`` took, and that were empty originally.

    Objects within arrays are not considered. Raise ValueError if a text is not JSON.
    """
    kept, current = parse_jsonc(original), parse_jsonc(before)
    for path, value in _list_empty(kept):
        rest = parse_jsonc(text).find(*path) if text.strip("\ufeff \t\r\n") else None
        if rest is None and current.find(*path) is not None:
            text = set_member(text, path, value)
    return text


def _list_empty(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """Yield the path and the value of each object and array without content, below a node."""
    for key, member in node.members.items():
        child = member.node
        if child.kind != "scalar" and not child.members and not child.items:
            yield (*path, key), child.make_value()
        yield from _list_empty(child, (*path, key))


def _cut(text: str, holder: Node, spans: Sequence[tuple[int, int]], number: int) -> str:
    """Return the text without one of the spans in an object or array, and without one comma."""
    start, end = _skip_blanks_back(text, spans[number][0]), spans[number][1]
    comma = _COMMA.match(text, end)
    rest = text[comma.end() if comma else end :]
    if len(spans) == 1 and not text[holder.start + 1 : start].strip() and rest.lstrip()[:1] in "}]":
        return f"{text[: holder.start + 1]}{rest.lstrip()}"
    separator = _COMMA.match(text, spans[number - 1][1]) if number and comma is None else None
    if separator is None:
        return text[:start] + rest
    return f"{text[: separator.end() - 1]}{text[separator.end() : max(start, separator.end())]}{rest}"


def _skip_blanks_back(text: str, at: int) -> int:
    """Return the offset of the blanks before a place."""
    return len(text[:at].rstrip(" \t\r\n"))


def _insert(text: str, holder: Node, depth: int, value: JsonValue, key: str) -> str:
    """Return the text with a member or item after the last one of an object or array."""
    children = [member.node for member in holder.members.values()] or holder.items
    body = text[holder.start + 1 : holder.end - 1]
    is_inline = bool(children) and "\n" not in body
    content = key + (json.dumps(value, ensure_ascii=False) if is_inline else _render(value, text, depth + 1))
    newline, indent = _newline(text), _indent(text)
    if is_inline:
        at = children[-1].end
        return f"{text[:at]}, {content}{text[at:]}"
    line = f"{newline}{indent * (depth + 1)}{content}"
    if not children:
        closing = f"{newline}{indent * depth}"
        return f"{text[: holder.start + 1]}{body.rstrip()}{line}{closing}{text[holder.end - 1 :]}"
    end = children[-1].end
    comma = _COMMA.match(text, end)
    comment = _COMMENT.match(text, comma.end() if comma else end)
    at = comment.end() if comment else comma.end() if comma else end
    return f"{text[:end]}{'' if comma else ','}{text[end:at]}{line}{text[at:]}"


def _render(value: JsonValue, text: str, depth: int) -> str:
    """Return a value as JSON, indented as the file is."""
    indent, newline = _indent(text), _newline(text)
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline + indent * depth)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """Return the indentation of the first indented member, two blanks if there is none."""
    match = re.search(r'\n([ \t]{1,16})"', text)
    return match[1] if match else "  "
