"""Anomalies in JSON data: rows that differ from the others."""

from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.data.columns import NumberColumn, StringColumn, ValueColumn
from ctxkit.core.brief.data.literals import format_literal, format_number, format_step
from ctxkit.core.brief.data.schema import SchemaNode, list_nodes
from ctxkit.core.brief.data.shape import TYPE_NAMES, DataShape
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.severity import is_error_line

RARE_SHARE = 0.05
"""Maximum share of rows for a rare type or key."""
RARE_VALUE_SHARE = 0.01
"""Maximum share of values for a rare value among a few distinct values."""
USUAL_SHARE = 0.8
"""Minimum share of values for the usual type."""
MIN_VALUES = 10
"""Minimum number of values for rarity to count."""
MIN_REPETITIONS = 5
"""Minimum average number of occurrences of the usual values, for a rare value to be an anomaly."""
MIN_SIGNED = 50
"""Minimum number of values for the only negative one to be an outlier."""
FAR_WIDTHS = 5
"""Number of interquartile ranges beyond which a number is an outlier."""


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Describe an anomaly in one row; ``node`` and ``test`` locate the value in it.

    ``weight`` orders anomalies: a lower weight matters more. ``earlier`` is an earlier row with the same value.
    """

    text: str
    row: int
    node: SchemaNode
    test: Callable[[JsonValue], bool]
    weight: int
    earlier: int | None = None


def find_anomalies(root: DataShape) -> list[Anomaly]:
    """Return the anomalies, the most important first."""
    anomalies = [odd for node in list_nodes(root) if node.shape.has_rows for odd in _find_in_node(node)]
    return sorted(anomalies, key=lambda odd: (odd.weight, odd.node.level))


def _find_in_node(node: SchemaNode) -> Iterator[Anomaly]:
    yield from _find_rare_types(node)
    yield from _find_rare_keys(node)
    for name, column in node.shape.columns.items():
        if name == "number" and isinstance(column, NumberColumn):
            yield from _find_far_numbers(node, column)
        elif isinstance(column, StringColumn):
            yield from _find_long_values(node, column.lengths, "characters", str)
        elif name == "array" and isinstance(column, NumberColumn):
            yield from _find_long_values(node, column, "elements", list)
        if isinstance(column, ValueColumn) and name in ("string", "boolean", "number"):
            yield from _find_rare_values(node, column)
            yield from _find_repeated_ids(node, column)


def _is_rare(count: int, total: int) -> bool:
    return total >= MIN_VALUES and count <= max(1, total * RARE_SHARE) and count * 4 <= total


def _find_rare_types(node: SchemaNode) -> Iterator[Anomaly]:
    """Yield types that few of the values have."""
    columns = node.shape.columns
    if len(columns) < 2:
        return
    usual, most = max(columns.items(), key=lambda pair: pair[1].count)
    if most.count < USUAL_SHARE * (node.shape.count - (columns["null"].count if "null" in columns else 0)):
        return
    for name, column in columns.items():
        if name != usual and _is_rare(column.count, node.shape.count):
            rare_share = f"is {_add_article(name)} in {column.count:,} of {node.shape.count:,}"
            text = f"{rare_share}; {_add_article(usual)} in {most.count:,}"
            yield Anomaly(text, column.first, node, _make_type_test(name), 3 if name == "null" else 0)


def _add_article(name: str) -> str:
    return name if name == "null" else f"an {name}" if name[0] in "ao" else f"a {name}"


def _make_type_test(name: str) -> Callable[[JsonValue], bool]:
    return lambda value: TYPE_NAMES[type(value)] == name


def _find_rare_keys(node: SchemaNode) -> Iterator[Anomaly]:
    """Yield keys that few objects have and keys that few objects lack, grouped by row."""
    objects = node.shape.object_count
    rare: dict[tuple[int, int], list[str]] = {}
    gone: dict[tuple[int, int], list[str]] = {}
    for key, child in node.shape.keys.items():
        lacking = objects - child.count
        if _is_rare(child.count, objects):
            rare.setdefault((child.count, child.first), []).append(key)
        elif lacking and _is_rare(lacking, objects) and child.first_lacking is not None:
            gone.setdefault((lacking, child.first_lacking), []).append(key)
    if len(rare) > 5 and sum(map(len, rare.values())) * 2 > len(node.shape.keys):
        rare = {}  # keys that are data: each is rare, and none is an anomaly
    for (count, row), keys in rare.items():
        yield _make_present_anomaly(node, keys, f"present in {count:,} of {objects:,}", row)
    for (count, row), keys in gone.items():
        yield _make_missing_anomaly(node, keys, f"missing from {count:,} of {objects:,}", row)


def _make_missing_anomaly(node: SchemaNode, keys: list[str], often: str, row: int) -> Anomaly:
    if len(keys) > 1:
        return Anomaly(
            f"lacks {len(keys)} keys {often}: {_format_names(keys)}", row, node, _make_missing_test(keys[0]), 2
        )
    return Anomaly(
        f"is {often}", row, replace(node, path=node.path + format_step(keys[0])), _make_missing_test(keys[0]), 2
    )


def _format_names(keys: list[str]) -> str:
    names = ", ".join(format_step(key).removeprefix(".") for key in keys[:6])
    return names + (f", +{len(keys) - 6:,} more" if len(keys) > 6 else "")


def _make_present_anomaly(node: SchemaNode, keys: list[str], often: str, row: int) -> Anomaly:
    if len(keys) > 1:
        return Anomaly(f"has {len(keys)} keys {often}: {_format_names(keys)}", row, node, _make_key_test(keys[0]), 1)
    inner = SchemaNode(node.path + format_step(keys[0]), (*node.steps, keys[0]), node.shape, None, node.level + 1)
    return Anomaly(f"is {often}", row, inner, _accept_any, 1)


def _make_key_test(key: str) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, dict) and key in value


def _accept_any(value: JsonValue) -> bool:
    del value
    return True


def _make_missing_test(key: str) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, dict) and key not in value


def _make_value_test(expected_value: JsonValue) -> Callable[[JsonValue], bool]:
    return lambda value: type(value) is type(expected_value) and value == expected_value


def _find_far_numbers(node: SchemaNode, column: NumberColumn) -> Iterator[Anomaly]:
    """Yield numbers far from the others, and numbers that are not finite."""
    if column.not_finite:
        count, row = column.not_finite
        yield Anomaly(f"is not finite in {count:,} of {column.count:,}", row, node, _is_not_finite, 0)
    for value, row, usual in find_outlying_numbers(column):
        yield Anomaly(f"is {format_number(value)}; most are {usual}", row, node, _make_value_test(value), 2)


def _is_not_finite(value: JsonValue) -> bool:
    return type(value) is float and value - value != 0


def find_outlying_numbers(column: NumberColumn) -> Iterator[tuple[JsonValue, int, str]]:
    """Yield (value, row, usual range) of outliers; if there are many, only the farthest."""
    if column.count < MIN_VALUES * 2 or not column.lowest:
        return
    low, middle, high = column.compute_quartiles()
    try:
        reach = FAR_WIDTHS * (high - low) or 10 * abs(middle)
        least, most = low - reach, high + reach
    except OverflowError:  # an integer too large to be added to a float
        return
    usual = format_number(low) if low == high else f"{format_number(low)}..{format_number(high)}"
    below, above = _list_far(column.lowest, least, most), _list_far(column.highest, least, most)
    for far in (below or _find_only_negative(column), above):
        yield from ((value, row, usual) for value, row in far[: 1 if len(far) > 3 else 3])


def _list_far(ends: Sequence[tuple[JsonValue, int]], least: float, most: float) -> list[tuple[JsonValue, int]]:
    return [(value, row) for value, row in ends if value < least or value > most]


def _find_only_negative(column: NumberColumn) -> list[tuple[JsonValue, int]]:
    """Return the few negative numbers of a column whose others are not negative, with their rows."""
    negative = [(value, row) for value, row in column.lowest if value < 0]
    few = max(column.count * RARE_VALUE_SHARE, column.count >= MIN_SIGNED)
    return negative if len(negative) < len(column.lowest) and len(negative) <= few else []


def _find_long_values(node: SchemaNode, lengths: NumberColumn, noun: str, kind: type) -> Iterator[Anomaly]:
    """Yield strings and arrays that are far longer than most."""
    for value, row, usual in find_outlying_numbers(lengths):
        if value > (500 if kind is str else 20) and value >= lengths.highest[0][0]:
            text = f"has {value:,} {noun}; most have {usual}"
            yield Anomaly(text, row, node, _make_length_test(kind, value), 3)
            return


def _make_length_test(kind: type, length: int) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, str | list) and isinstance(value, kind) and len(value) == length


def _find_repeated_ids(node: SchemaNode, column: ValueColumn) -> Iterator[Anomaly]:
    """Yield ids that occur in a second row."""
    name = next((step for step in reversed(node.steps) if step), "")
    if isinstance(column, StringColumn):
        repeats = column.duplicates.find_duplicate_ids(name, column.low, column.high)
    elif isinstance(column, NumberColumn) and column.is_integer and column.lowest:
        repeats = column.duplicates.find_duplicate_ids(name, column.lowest[0][0], column.highest[0][0])
    else:
        return
    for value, first, row in repeats:
        yield Anomaly(f"is {format_literal(value)} a second time", row, node, _make_value_test(value), 1, first)


def _find_rare_values(node: SchemaNode, column: ValueColumn) -> Iterator[Anomaly]:
    """Yield rare values of columns with few distinct values."""
    for value, count, row in _list_rare_values(column):
        if not (isinstance(column, NumberColumn) and any(value == odd for odd, _, _ in find_outlying_numbers(column))):
            text = f"is {format_literal(value)} in {count:,} of {column.count:,}"
            yield Anomaly(text, row, node, _make_value_test(value), _rate_rare_value(value))


def _list_rare_values(column: ValueColumn) -> list[tuple[JsonValue, int, int]]:
    """Return (value, count, first row) of the rare values of a column whose other values are frequent."""
    seen = column.seen or {}
    if not 2 <= len(seen) <= 12 or column.count < MIN_VALUES:
        return []
    if isinstance(column, NumberColumn) and (len(seen) > 4 or not column.is_integer):
        return []
    few = max(1, column.count * RARE_VALUE_SHARE)
    rare = [(value, count, row) for value, (count, row) in seen.items() if count <= few]
    if len(rare) > 4 or len(rare) == len(seen):
        return []
    usual = column.count - sum(count for _, count, _ in rare)
    return rare if usual >= MIN_REPETITIONS * (len(seen) - len(rare)) else []


def _rate_rare_value(value: JsonValue) -> int:
    """Return the weight of a rare value: the words of an error come first, numbers last."""
    return (0 if is_error_line(value) else 1) if isinstance(value, str) else 1 if isinstance(value, bool) else 4
