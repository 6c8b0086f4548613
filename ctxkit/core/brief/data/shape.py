"""The shape of many JSON values: their keys, types and ranges, and the row where each first occurs."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from ctxkit.core.brief.data.columns import Column, NumberColumn, StringColumn, ValueColumn
from ctxkit.core.text.json_value import JsonValue

MAX_NODES = 4_000
"""Maximum number of paths; later paths are merged into their parents."""
MAX_DEPTH = 40
"""Maximum number of levels."""
MAX_KEYS = 256
"""Maximum number of keys of one object."""
MAX_DATA_KEYS = 100_000
"""Maximum number of distinct keys that are counted if keys are data."""
TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class DataShape:
    """Learn the shape of the values at one path, given in columns with the row of each value.

    A row is a line of JSONL or an element of the outermost array. ``has_rows`` means that rows are known here; outside
    the outermost array there is only one value and no row.
    """

    def __init__(self, has_rows: bool, depth: int = 0, nodes_left: list[int] | None = None) -> None:
        self.has_rows = has_rows
        self.depth = depth
        self.nodes_left = [MAX_NODES] if nodes_left is None else nodes_left
        self.count = 0
        self.first = 0
        self.first_lacking: int | None = None
        self.columns: dict[str, Column] = {}
        self.keys: dict[str, DataShape] = {}
        self.data_keys: dict[str, None] = {}
        self.others: DataShape | None = None
        self.items: DataShape | None = None
        self.has_deeper = False

    @property
    def object_count(self) -> int:
        """Return the number of values that are objects."""
        return self.columns["object"].count if "object" in self.columns else 0

    def add(self, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        """Add more values, in order, with their rows."""
        if not self.count:
            self.first = rows[0]
        self.count += len(values)
        kinds = dict.fromkeys(map(type, values))
        for kind in kinds:
            if len(kinds) == 1:
                self._add_type(kind, values, rows)
            else:
                places = [i for i, value in enumerate(values) if type(value) is kind]
                self._add_type(kind, [values[i] for i in places], [rows[i] for i in places])

    def _add_type(self, kind: type, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        name = TYPE_NAMES[kind]
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = _make_column(name, rows[0])
        before = column.count
        if name == "object":
            column.add([len(value) for value in values], rows)
            self._add_objects(values, rows, before)
        elif name == "array":
            column.add([len(value) for value in values], rows)
            self._add_arrays(values, rows)
        else:
            column.add(values, rows)

    def _add_objects(self, values: Sequence[dict[str, JsonValue]], rows: Sequence[int], before: int) -> None:
        counts = Counter(chain.from_iterable(values))
        if self.depth >= MAX_DEPTH:
            self.has_deeper = self.has_deeper or bool(counts)
            return
        if self._has_data_keys(values, counts):
            self._add_data_keys(counts, values, rows)
            return
        known = self._select_keys(counts)
        for key in known:
            self._add_key(key, counts[key], values, rows, before)
        if before or len(values) > 1:
            for key, child in self.keys.items():
                if key not in counts and child.first_lacking is None:
                    child.first_lacking = rows[0]
        if len(known) < len(counts):
            self._add_data_keys([key for key in counts if key not in self.keys], values, rows)

    def _select_keys(self, counts: Counter[str]) -> list[str]:
        """Return the keys that have their own shape, creating shapes within the limits."""
        known = []
        for key in counts:
            if key not in self.keys:
                if len(self.keys) >= MAX_KEYS or self.nodes_left[0] <= 0:
                    continue
                self.nodes_left[0] -= 1
                self.keys[key] = DataShape(self.has_rows, self.depth + 1, self.nodes_left)
            known.append(key)
        return known

    def _add_key(
        self, key: str, count: int, values: Sequence[dict[str, JsonValue]], rows: Sequence[int], before: int
    ) -> None:
        child = self.keys[key]
        if before and not child.count and child.first_lacking is None:
            child.first_lacking = self.columns["object"].first
        if count == len(values):
            child.add([value[key] for value in values], rows)
            return
        if child.first_lacking is None:
            child.first_lacking = next(row for value, row in zip(values, rows, strict=True) if key not in value)
        places = [i for i, value in enumerate(values) if key in value]
        child.add([values[i][key] for i in places], [rows[i] for i in places])

    def _has_data_keys(self, values: Sequence[dict[str, JsonValue]], counts: Counter[str]) -> bool:
        """Return whether the keys are data, such as ids and paths, instead of field names."""
        if self.others is not None:
            return not self.keys
        if self.keys or len(counts) < 25:
            return False
        if len(values) > 1:
            return len(counts) > 64 and sum(counts.values()) < len(counts) * len(values) / 5
        return _has_similar_rows(list(values[0].values()))

    def _add_data_keys(
        self, keys: Sequence[str] | Counter[str], values: Sequence[dict[str, JsonValue]], rows: Sequence[int]
    ) -> None:
        """Add the values of ``keys`` to one shared shape."""
        if self.others is None:
            self.others = DataShape(True, self.depth + 1, self.nodes_left)
        self.data_keys.update(dict.fromkeys(keys if len(self.data_keys) < MAX_DATA_KEYS else ()))
        key_set = keys if isinstance(keys, Counter) else set(keys)
        inner: list[JsonValue] = []
        places: list[int] = []
        for value, row in zip(values, rows, strict=True):
            for place, (key, item) in enumerate(value.items()):
                if key in key_set:
                    inner.append(item)
                    places.append(row if self.has_rows else place)
        self.others.add(inner, places)

    def _add_arrays(self, values: Sequence[list[JsonValue]], rows: Sequence[int]) -> None:
        flat = list(chain.from_iterable(values))
        if not flat:
            return
        if self.depth >= MAX_DEPTH:
            self.has_deeper = True
            return
        if self.items is None:
            self.items = DataShape(True, self.depth + 1, self.nodes_left)
        if self.has_rows:
            places: Sequence[int] = [row for value, row in zip(values, rows, strict=True) for _ in value]
        else:
            places = range(len(flat))
        self.items.add(flat, places)


def _make_column(name: str, row: int) -> Column:
    if name == "string":
        return StringColumn(row)
    if name == "boolean":
        return ValueColumn(row)
    return Column(row) if name == "null" else NumberColumn(row)


def _has_similar_rows(values: list[JsonValue]) -> bool:
    """Return whether the values of one object look like the rows of a table."""
    if len(set(map(type, values))) > 1:
        return False
    if type(values[0]) is not dict:
        return True
    counts = Counter(chain.from_iterable(values))
    return sum(counts.values()) * 3 >= len(counts) * len(values)
