"""The shape of many JSON values: their keys, types and ranges, and the row where each first occurs."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from ctxkit.core.brief.data.columns import Column, NumberColumn, StringColumn, ValueColumn
from ctxkit.core.brief.data.duplicates import UNLIMITED, ValueBudget
from ctxkit.core.text.json_value import JsonValue, LargeArray, LargeObject, LargeString

MAX_NODES = 4_000
"""Maximum number of paths; later paths are merged into their parents."""
MAX_DEPTH = 40
"""Maximum number of levels."""
MAX_KEYS = 256
"""Maximum number of keys of one object."""
STORED_VALUES = 400_000
"""Maximum number of values that all columns of a large dataset together store, to find repeated ones."""
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
    LargeString: "string",
    LargeArray: "array",
    LargeObject: "object",
}


class ShapeBudget(ValueBudget):
    """Hold how many more paths a dataset may have, and how many more values its columns may store."""

    def __init__(self, values: int = UNLIMITED) -> None:
        super().__init__(values)
        self.nodes = MAX_NODES


class DataShape:
    """Learn the shape of the values at one path, given in columns with the row of each value.

    A row is a line of JSONL or an element of the outermost array. ``has_rows`` means that rows are known here; outside
    the outermost array there is only one value and no row.
    """

    def __init__(self, has_rows: bool, depth: int = 0, budget: "ShapeBudget | None" = None) -> None:
        self.has_rows = has_rows
        self.depth = depth
        self.budget = budget or ShapeBudget()
        self.count = 0
        self.first = 0
        self.first_lacking: int | None = None
        self.columns: dict[str, Column] = {}
        self.keys: dict[str, DataShape] = {}
        self.data_keys: dict[str, None] = {}
        self.others: DataShape | None = None
        self.items: DataShape | None = None
        self.has_deeper = False
        self.has_uncounted_keys = False

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
        column = self.open_column(name, rows[0])
        before = column.count
        if name == "object":
            column.add([len(value) for value in values], rows)
            self._add_objects(values, rows, before)
        elif name == "array":
            column.add([len(value) for value in values], rows)
            self._add_arrays(values, rows)
        else:
            column.add(values, rows)

    def open_value(self, name: str, row: int) -> Column:
        """Count a value of a type that is added in parts; return its column, which gets its size at its end."""
        if not self.count:
            self.first = row
        self.count += 1
        return self.open_column(name, row)

    def open_key(self, key: str, before: int) -> None:
        """Begin a value of ``key`` that is added in parts, after ``before`` other objects."""
        child = self.keys[key]
        if before and not child.count and child.first_lacking is None:
            child.first_lacking = self.columns["object"].first

    def mark_lacking(self, keys: set[str], row: int) -> None:
        """Store the row of an object that has only ``keys`` for the other keys."""
        for key, child in self.keys.items():
            if key not in keys and child.first_lacking is None:
                child.first_lacking = row

    def forget_members(self) -> None:
        """Forget the members of objects."""
        self.keys, self.data_keys, self.others = {}, {}, None
        self.has_uncounted_keys = False

    def open_column(self, name: str, row: int) -> Column:
        """Return the column of a type, created if it is new."""
        if name not in self.columns:
            self.columns[name] = _make_column(name, row, self.budget)
        return self.columns[name]

    def _add_objects(self, values: Sequence[dict[str, JsonValue]], rows: Sequence[int], before: int) -> None:
        counts = Counter(chain.from_iterable(values))
        if self.depth >= MAX_DEPTH:
            self.has_deeper = self.has_deeper or bool(counts)
            return
        if self._has_data_keys(values, counts):
            self.add_data_keys(counts, values, rows)
            return
        known = self.select_keys(counts)
        for key in known:
            self.add_key(key, counts[key], values, rows, before)
        if before or len(values) > 1:
            for key, child in self.keys.items():
                if key not in counts and child.first_lacking is None:
                    child.first_lacking = rows[0]
        if len(known) < len(counts):
            self.add_data_keys([key for key in counts if key not in self.keys], values, rows)

    def select_keys(self, counts: Counter[str]) -> list[str]:
        """Return the keys that have their own shape, creating shapes within the limits."""
        known = []
        for key in counts:
            if key not in self.keys:
                if len(self.keys) >= MAX_KEYS or self.budget.nodes <= 0:
                    continue
                self.budget.nodes -= 1
                self.keys[key] = DataShape(self.has_rows, self.depth + 1, self.budget)
            known.append(key)
        return known

    def add_key(
        self, key: str, count: int, values: Sequence[dict[str, JsonValue]], rows: Sequence[int], before: int
    ) -> None:
        """Add the values of ``key``, which ``count`` of the objects have, after ``before`` other objects."""
        self.open_key(key, before)
        child = self.keys[key]
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

    def add_data_keys(
        self,
        keys: Sequence[str] | Counter[str],
        values: Sequence[dict[str, JsonValue]],
        rows: Sequence[int],
        first: int = 0,
    ) -> None:
        """Add the values of ``keys`` to one shared shape; the first member of an object has the index ``first``."""
        others = self.open_others(keys)
        key_set = keys if isinstance(keys, Counter) else set(keys)
        inner: list[JsonValue] = []
        places: list[int] = []
        for value, row in zip(values, rows, strict=True):
            for place, (key, item) in enumerate(value.items(), first):
                if key in key_set:
                    inner.append(item)
                    places.append(row if self.has_rows else place)
        others.add(inner, places)

    def open_others(self, keys: Sequence[str] | Counter[str]) -> "DataShape":
        """Return the shared shape of keys that are data, created if it is new, after counting ``keys``."""
        if self.others is None:
            self.others = DataShape(True, self.depth + 1, self.budget)
        if len(self.data_keys) < MAX_DATA_KEYS:
            self.data_keys.update(dict.fromkeys(keys))
        else:
            self.has_uncounted_keys = True
        return self.others

    def open_items(self) -> "DataShape":
        """Return the shape of the elements of arrays, created if it is new."""
        if self.items is None:
            self.items = DataShape(True, self.depth + 1, self.budget)
        return self.items

    def _add_arrays(self, values: Sequence[list[JsonValue]], rows: Sequence[int]) -> None:
        flat = list(chain.from_iterable(values))
        if not flat:
            return
        if self.depth >= MAX_DEPTH:
            self.has_deeper = True
            return
        items = self.open_items()
        if self.has_rows:
            places: Sequence[int] = [row for value, row in zip(values, rows, strict=True) for _ in value]
        else:
            places = range(len(flat))
        items.add(flat, places)


def _make_column(name: str, row: int, budget: ValueBudget) -> Column:
    if name == "string":
        return StringColumn(row, budget)
    if name == "boolean":
        return ValueColumn(row, budget)
    return Column(row) if name == "null" else NumberColumn(row, budget)


def _has_similar_rows(values: list[JsonValue]) -> bool:
    """Return whether the values of one object look like the rows of a table."""
    if len(set(map(type, values))) > 1:
        return False
    if type(values[0]) is not dict:
        return True
    counts = Counter(chain.from_iterable(values))
    return sum(counts.values()) * 3 >= len(counts) * len(values)
