"""Syntax trees in JSON: the nodes by type, the headings, and the nodes with names."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.measure import pluralize

TAGS = ("t", "type", "_type", "nodeType", "node_type", "kind")
"""Keys of the type of a node."""
HEADINGS = ("Header", "heading", "Heading", "heading_open")
CODE = ("CodeBlock", "code", "code_block", "fence")
CONTENT = ("c", "value", "literal", "text", "children", "content")
"""Keys of the content of a node."""
MIN_NODES = 20
MIN_SHARE = 0.7
"""Minimum share of the objects that have a type."""
MIN_DEPTH = 3
"""Minimum number of nodes around the innermost one; in trees of texts, whose key is ``t``, it is 1."""
MIN_TYPES = 3
DATA_TYPES = frozenset(("object", "array", "string", "number", "integer", "boolean", "null"))
"""Types in JSON schemas, which are no nodes."""
MAX_OBJECTS = 500_000
MAX_TYPES = 24
"""Maximum number of listed types."""
WIDTH = 100
"""Maximum number of characters of a heading or name."""
RANK = 4
Steps = tuple["str | int", ...]


@dataclass(frozen=True, slots=True)
class SyntaxNode:
    """Hold an object or array of a tree, its path, and the number of nodes around it."""

    value: JsonValue
    steps: Steps
    depth: int


class SyntaxTree:
    """Hold the nodes of one JSON value; ``counts`` is empty if it is not a syntax tree."""

    def __init__(self, part_ranges: PartRanges, value: JsonValue) -> None:
        self.part_ranges = part_ranges
        self.counts: Counter[str] = Counter()
        self.tag = _find_tag(value)
        self._listed: list[tuple[SyntaxNode, str]] = []
        if self.tag:
            self._read(value)

    def _read(self, value: JsonValue) -> None:
        """Count the nodes by type, and collect those that have a label."""
        deepest = 0
        for node in _walk(value, self.tag):
            name = node.value.get(self.tag)
            if isinstance(name, str):
                self.counts[name] += 1
                deepest = max(deepest, node.depth)
                label = _label_node(node.value, name)
                if label:
                    self._listed.append((node, label))
        least = 1 if self.tag == "t" else MIN_DEPTH
        if deepest < least or len(self.counts) < MIN_TYPES or self.counts.keys() <= DATA_TYPES:
            self.counts.clear()

    def build_section(self, most: int) -> Section:
        """Return a section with the types of nodes and at most ``most`` headings, blocks of code and named nodes."""
        ranked = self.counts.most_common()
        more = f", +{len(ranked) - MAX_TYPES:,} more types" if len(ranked) > MAX_TYPES else ""
        types = ", ".join(f"{clean_line(name, 40)} ×{count:,}" for name, count in ranked[:MAX_TYPES])
        total = pluralize(sum(self.counts.values()), "node")
        outer_first = sorted(range(len(self._listed)), key=lambda at: self._listed[at][0].depth)[:most]
        entries = [self._make_entry(*self._listed[at]) for at in sorted(outer_first)]
        left = len(self._listed) - len(entries)
        hidden = f"; {left:,} further headings, blocks of code and names not shown" if left else ""
        return Section(f"Nodes{hidden}", (Entry(f"{total}: {types}{more}", rank=1), *entries), noun="nodes")

    def _make_entry(self, node: SyntaxNode, label: str) -> Entry:
        place = self.part_ranges.places.find(self.part_ranges.roots[0], node.steps)
        rank = RANK + min(node.depth, 9)
        return self.part_ranges.make_entry(place, label, rank) if place else Entry(label, rank=rank)


def _find_tag(value: JsonValue) -> str:
    """Return the key of the type that most objects have, or an empty string."""
    counts: Counter[str] = Counter()
    total = 0
    for node in _walk(value, ""):
        total += 1
        counts.update(tag for tag in TAGS if isinstance(node.value.get(tag), str))
        if total > MAX_OBJECTS:
            return ""
    tag, count = next(iter(counts.most_common(1)), ("", 0))
    return tag if count >= max(MIN_NODES, MIN_SHARE * total) else ""


def _walk(value: JsonValue, tag: str) -> Iterator[SyntaxNode]:
    """Yield all objects in the order of the text; objects with the ``tag`` count as depth."""
    stack = [iter([SyntaxNode(value, (), 0)])]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        is_object = isinstance(node.value, dict)
        if is_object:
            yield node
        stack.append(_iter_inner(node, node.depth + (is_object and isinstance(node.value.get(tag), str))))


def _iter_inner(node: SyntaxNode, depth: int) -> Iterator[SyntaxNode]:
    """Yield the arrays and objects directly inside a value."""
    value = node.value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        if inner and isinstance(inner, dict | list):
            yield SyntaxNode(inner, (*node.steps, step), depth)


def _label_node(value: dict[str, JsonValue], name: str) -> str:
    """Return the label of a heading, a block of code or a node with a name and a body, or an empty string."""
    if name in HEADINGS:
        return clean_line(f"{name} {_join_text(value)}", WIDTH)
    if name in CODE:
        lines = [line for text in _iter_texts(value) for line in text.split("\n") if line.strip()]
        return clean_line(f"{name} {next(iter(lines), '')}", WIDTH)
    own = value.get("name")
    owner = value.get("id")
    own = owner.get("name") if isinstance(owner, dict) else own
    has_body = any(isinstance(value.get(key), dict | list) for key in ("body", "inner", "members", "children"))
    return clean_line(f"{name} {own}", WIDTH) if has_body and isinstance(own, str) and own else ""


def _join_text(value: JsonValue) -> str:
    """Return the words of a heading."""
    return "".join(_iter_texts(value))


def _iter_texts(value: JsonValue, levels: int = 12) -> Iterator[str]:
    """Yield the texts of leaves: the content of ``Str`` and ``Code``, values of text nodes, and blanks."""
    if not levels:
        return
    if isinstance(value, list):
        for item in value:
            yield from _iter_texts(item, levels - 1)
    elif isinstance(value, dict):
        content = next((value[key] for key in CONTENT if key in value), None)
        if value.get("t") in ("Space", "SoftBreak", "LineBreak"):
            yield " "
        elif isinstance(content, str):
            yield content
        elif value.get("t") in ("Code", "CodeBlock") and isinstance(content, list):
            yield from (text for text in content[-1:] if isinstance(text, str))
        else:
            yield from _iter_texts(content, levels - 1)
