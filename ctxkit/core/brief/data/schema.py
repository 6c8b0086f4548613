"""Schema lines that describe a data shape and cannot be mistaken for data."""

import re
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.data.columns import Column, NumberColumn, StringColumn, ValueColumn
from ctxkit.core.brief.data.literals import PLAIN, format_number, format_step, format_values, quote_string, split_folder
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.quantity import pluralize

match_date = re.compile(r"\d{4}-\d\d-\d\d").match
DEEPER = " (nested deeper than this map goes)"


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """Hold a shape with its path, the path as steps (None for any member), and its parent."""

    path: str
    steps: tuple[str | None, ...]
    shape: DataShape
    parent: DataShape | None
    level: int


EntryFactory = Callable[[Sequence[SchemaNode], str, int], Entry]
"""Return an entry about neighbouring nodes, with a text and a rank, at their lines."""


def list_nodes(root: DataShape) -> list[SchemaNode]:
    """Return all nodes of a shape, outer ones first."""
    nodes = [SchemaNode("", (), root, None, 0)]
    for node in nodes:
        nodes.extend(list_children(node))
    return nodes


def list_children(node: SchemaNode) -> Iterator[SchemaNode]:
    """Yield the direct children of a node: its keys, its members if keys are data, its elements."""
    shape, level = node.shape, node.level + 1
    for key, child in shape.keys.items():
        yield SchemaNode(node.path + format_step(key), (*node.steps, key), child, shape, level)
    if shape.others:
        yield SchemaNode(f"{node.path}.*", (*node.steps, None), shape.others, None, level)
    if shape.items:
        yield SchemaNode(f"{node.path}[]", (*node.steps, None), shape.items, None, level)


class _PathOrder:
    """Order nodes by the nesting of their paths."""

    def __init__(self, root: DataShape) -> None:
        self.positions: dict[int, int] = {}
        self._walk(root)

    def _walk(self, shape: DataShape) -> None:
        self.positions[id(shape)] = len(self.positions)
        for child in (*shape.keys.values(), *filter(None, (shape.others, shape.items))):
            self._walk(child)

    def __call__(self, node: SchemaNode) -> int:
        return self.positions[id(node.shape)]


class Schema:
    """Describe a shape in lines; outer levels come before inner ones if space is short."""

    def __init__(self, root: DataShape) -> None:
        self.root = root
        self._groups = list(_group_siblings(_sort_by_weight(list_nodes(root))))
        self._order = _PathOrder(root)
        self.size = len(self._groups)

    def build_entries(self, most: int, make_entry: EntryFactory) -> tuple[list[Entry], int]:
        """Return at most ``most`` entries and the number of paths that they omit."""
        selection = self._groups[:most]
        known = {id(node.shape) for group in selection for node in group}
        selection.sort(key=lambda group: self._order(group[0]))
        entries = [make_entry(group, _format_line(group, known), 20 + group[0].level) for group in selection]
        return entries, sum(map(len, self._groups[most:]))


def make_unplaced_entry(group: Sequence[SchemaNode], text: str, rank: int) -> Entry:
    """Return an entry without lines, because every row has the path."""
    del group
    return Entry(text, rank=rank)


def _sort_by_weight(nodes: list[SchemaNode]) -> list[SchemaNode]:
    """Sort the nodes of each level by the size of their parents' subtrees, then by the size of their own."""
    weights: dict[int, int] = {}
    for node in reversed(nodes):
        weights[id(node.shape)] = 1 + sum(weights[id(inner.shape)] for inner in list_children(node))
    parents = {id(inner.shape): id(node.shape) for node in nodes for inner in list_children(node)}

    def order(node: SchemaNode) -> tuple[int, int, int]:
        return node.level, -weights.get(parents.get(id(node.shape), 0), 0), -weights[id(node.shape)]

    return sorted(nodes, key=order)


def _group_siblings(nodes: list[SchemaNode]) -> Iterator[list[SchemaNode]]:
    """Yield groups of nodes: siblings without details together, the others separately."""
    plain_nodes: dict[tuple[int, int, str], list[SchemaNode]] = {}
    for node in nodes:
        if node.parent and _has_no_details(node.shape):
            plain_nodes.setdefault(_make_group_key(node), []).append(node)
    seen_ids: set[int] = set()
    for node in nodes:
        if id(node.shape) in seen_ids:
            continue
        group = plain_nodes.get(_make_group_key(node), [])
        if len(group) < 4 or not any(node is other for other in group):
            group = [node]
        seen_ids.update(id(other.shape) for other in group)
        yield group


def _make_group_key(node: SchemaNode) -> tuple[int, int, str]:
    return id(node.parent), node.shape.count, next(iter(node.shape.columns), "")


def _has_no_details(shape: DataShape) -> bool:
    """Return whether a shape has no details except type and length, such as a URL."""
    if len(shape.columns) != 1:
        return False
    column = next(iter(shape.columns.values()))
    if not isinstance(column, StringColumn):
        return "null" in shape.columns
    return bool(column.lengths.highest[0][0] > 40 and not format_values(column) and not match_date(column.low))


def _format_line(group: list[SchemaNode], known: set[int]) -> str:
    node = group[0]
    often = ""
    if node.parent and node.shape.count < node.parent.object_count:
        often = f", in {node.shape.count:,} of {node.parent.object_count:,}" + (" each" if len(group) > 1 else "")
    if len(group) == 1:
        return f"{node.path or '(top)'}: {describe_shape(node.shape, known)}{often}"
    return f"{_format_names(group)}: {_describe_group(group)}{often}"


def _format_names(group: list[SchemaNode]) -> str:
    """Return the paths of siblings as one, ``.user.{url, html_url, +3 more}``."""
    keys = [str(node.steps[-1]) for node in group]
    outer = group[0].path.removesuffix(format_step(keys[0]))
    names = ", ".join(key if PLAIN(key) else quote_string(key, 40) for key in keys[:12])
    more = f", +{len(keys) - 12:,} more" if len(keys) > 12 else ""
    return f"{outer}.{{{names}{more}}}"


def _describe_group(group: list[SchemaNode]) -> str:
    columns = [next(iter(node.shape.columns.values())) for node in group]
    lengths = [column.lengths for column in columns if isinstance(column, StringColumn)]
    if not lengths:
        return "null"
    low, high = min(length.lowest[0][0] for length in lengths), max(length.highest[0][0] for length in lengths)
    example = columns[0].example if isinstance(columns[0], StringColumn) else ""
    span = pluralize(low, "char") if low == high else f"{low:,}..{high:,} chars"
    return f"strings of {span}, the first e.g. {quote_string(example, 60)}"


def describe_shape(shape: DataShape, known: set[int]) -> str:
    """Return the types of a shape with the range or values of each; ``known`` shapes have their own line."""
    total = len(shape.columns)
    parts = []
    for name, column in sorted(shape.columns.items(), key=lambda pair: -pair[1].count):
        label = "integer" if isinstance(column, NumberColumn) and name == "number" and column.is_integer else name
        more = _describe_column(name, column, shape, known)
        alone = isinstance(column, StringColumn) and len(column.seen or ()) == 1 and "×" in more
        count = f" ×{column.count:,}" if total > 1 and not alone else ""
        parts.append(f"{label}{count}{more and f' {more}'}")
    return " | ".join(parts) or "nothing"


def _describe_column(name: str, column: Column, shape: DataShape, known: set[int]) -> str:
    if name == "object":
        return _describe_keys(shape, known)
    if name == "array" and isinstance(column, NumberColumn):
        return f"of {_format_span(column, 'element')}{DEEPER if shape.has_deeper else ''}"
    if isinstance(column, StringColumn):
        return _describe_strings(column)
    if isinstance(column, NumberColumn):
        return format_values(column) or _format_range(column)
    return format_values(column) if isinstance(column, ValueColumn) else ""


def _describe_keys(shape: DataShape, known: set[int]) -> str:
    """Return the keys of an object, or only their number if each has its own line."""
    if shape.has_deeper:
        return DEEPER.lstrip()
    if shape.others and not shape.keys:
        return _describe_alike_keys(shape)
    hidden = [key for key, child in shape.keys.items() if id(child) not in known]
    if not shape.keys:
        return "without keys"
    count = _count_keys(shape)
    if not hidden:
        return f"with {count}"
    which = "keys" if len(hidden) == len(shape.keys) else "further keys"
    names = ", ".join(key if PLAIN(key) else quote_string(key, 40) for key in hidden[:8])
    others, over = _count_data_keys(shape)
    more = f", +{over}{len(hidden) - 8 + others:,} more" if len(hidden) > 8 else ""
    return f"with {count} ({which} {names}{more})"


def _describe_alike_keys(shape: DataShape) -> str:
    """Return the number of keys that are data, such as paths, with the first three."""
    shared, ends = split_folder(list(shape.data_keys)[:3])
    some = f"in {quote_string(shared, 60)}: " if shared else ""
    some += ", ".join(quote_string(end, 40) for end in ends)
    total, over = _count_data_keys(shape)
    return f"with {over}{pluralize(total, 'key')} alike ({some}, +{over}{total - 3:,} more)"


def _count_data_keys(shape: DataShape) -> tuple[int, str]:
    """Return the number of different keys that are data, and "over " if more than these were not compared."""
    count, column = len(shape.data_keys), shape.columns["object"]
    if not shape.has_uncounted_keys:
        return count, ""
    if column.count == 1 and isinstance(column, NumberColumn):  # the keys of one object are different
        return int(column.highest[0][0]) - len(shape.keys), ""
    return count, "over "


def _count_keys(shape: DataShape) -> str:
    """Return the number of keys of an object, or of different keys if some objects lack some."""
    objects = shape.columns["object"].count
    is_uneven = any(child.count < objects for child in shape.keys.values())
    others, over = _count_data_keys(shape)
    return over + pluralize(len(shape.keys) + others, "different key" if is_uneven else "key")


def _format_span(numbers: NumberColumn, noun: str) -> str:
    low, high = numbers.lowest[0][0], numbers.highest[0][0]
    return pluralize(low, noun) if low == high else f"{low:,}..{high:,} {noun}s"


def _describe_strings(column: StringColumn) -> str:
    listed = format_values(column)
    if listed:
        return listed
    length = _format_span(column.lengths, "char")
    if column.count == 1:
        return quote_string(column.example, 60)
    if match_date(column.low) and match_date(column.high):
        return f"from {quote_string(column.low, 40)} to {quote_string(column.high, 40)}"
    return f"of {length}, e.g. {quote_string(column.example, 60)}"


def _format_range(column: NumberColumn) -> str:
    odd = f", {column.not_finite[0]:,} not finite" if column.not_finite else ""
    if not column.lowest:
        return odd.removeprefix(", ")
    low, high = column.lowest[0][0], column.highest[0][0]
    return (format_number(low) if low == high else f"{format_number(low)}..{format_number(high)}") + odd
