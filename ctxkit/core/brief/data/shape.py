"""Describe the shape of JSON values: keys with their types and counts, learned value by value."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from ctxkit.core.brief.data.columns import UNLIMITED, Column, NumberColumn, StringColumn, ValueBudget, ValueColumn
from ctxkit.core.text.json_index import LargeValue
from ctxkit.core.text.json_indexer import BATCH
from ctxkit.core.text.json_value import JsonValue, LargeArray, LargeObject, LargeString
from ctxkit.core.text.positions import decode_value, skip_blanks

_MAX_NODES = 4_000
"""Maximum number of paths; later paths are merged into their parents."""
MAX_DEPTH = 40
"""Maximum number of levels."""
MAX_KEYS = 256
"""Maximum number of keys of one object."""
STORED_VALUES = 400_000
"""Maximum number of values that all columns of a large dataset together store, to find repeated ones."""
_MAX_DATA_KEYS = 100_000
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
        self.nodes = _MAX_NODES


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
        if len(self.data_keys) < _MAX_DATA_KEYS:
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


TYPES = {"{": "object", "[": "array", '"': "string"}


class _OpenValue:
    """Hold a large value that is open, and its shape, or None if it is not learned now.

    ``is_table`` is None as long as it is unknown whether the keys of an object are data. ``before`` is the number of
    objects before it.
    """

    def __init__(self, value: LargeValue, shape: DataShape | None, row: int) -> None:
        self.value = value
        self.shape = shape
        self.row = row
        self.before = 0
        self.is_table: bool | None = False
        self.keys: set[str] = set()
        self.undecided: DataShape | None = None
        self.nodes_left = shape.budget.nodes if shape else 0


class ShapeLearner:
    """Learn the shape of the values that a JSON index reads.

    Whether the keys of a large object are data is known at its end. Until then they are taken for field names. If that
    was wrong, the members are read again.
    """

    def __init__(self, read: Callable[[int, int], bytes], *, has_rows: bool = False) -> None:
        self.shape = DataShape(has_rows, budget=ShapeBudget(STORED_VALUES))
        self._read = read
        self._stack: list[_OpenValue] = []
        self._is_replay = False

    def learn_again(self, root: LargeValue) -> None:
        """Learn all documents of an index."""
        self._is_replay = True
        self._replay(root)

    def open_value(self, parent: LargeValue, number: int, value: LargeValue) -> None:
        """Begin the member ``number`` of ``parent``, which is large."""
        shape, row = self._find_shape(parent, number, value)
        frame = _OpenValue(value, shape, row)
        self._stack.append(frame)
        if shape is None:
            return
        if value.string is not None:
            shape.add([value.string], [row])
            return
        column = shape.open_value(TYPES[value.kind], row)
        frame.before = column.count
        if value.kind == "{":
            frame.is_table = self._decide(shape, value)

    def _decide(self, shape: DataShape, value: LargeValue) -> bool | None:
        """Return whether the keys of an object are data, or None if that is not known yet."""
        if shape.others is not None or shape.keys:
            return not shape.keys
        return value.is_table if self._is_replay else None

    def _find_shape(self, parent: LargeValue, number: int, value: LargeValue) -> tuple[DataShape | None, int]:
        """Return the shape and the row of a member."""
        if not parent.kind:
            return self.shape, number
        outer = self._stack[-1]
        shape = outer.shape
        if shape is None:
            return None, 0
        if shape.depth >= MAX_DEPTH:
            shape.has_deeper = True
            return None, 0
        row = outer.row if shape.has_rows else number
        if value.key is None:
            return shape.open_items(), row
        if not outer.is_table and value.key in shape.select_keys(Counter((value.key,))):
            outer.keys.add(value.key)
            shape.open_key(value.key, outer.before)
            return shape.keys[value.key], outer.row
        return shape.open_others((value.key,)), row

    def add_elements(self, parent: LargeValue, number: int, values: list[JsonValue]) -> None:
        """Add elements of an array, or documents, from index ``number`` on."""
        if not parent.kind:
            self.shape.add(values, range(number, number + len(values)))
            return
        outer = self._stack[-1]
        shape = outer.shape
        if shape is None:
            return
        if shape.depth >= MAX_DEPTH:
            shape.has_deeper = True
        elif shape.has_rows:
            shape.open_items().add(values, [outer.row] * len(values))
        else:
            shape.open_items().add(values, range(number, number + len(values)))

    def add_members(self, parent: LargeValue, number: int, values: dict[str, JsonValue]) -> None:
        """Add members of an object from index ``number`` on."""
        outer = self._stack[-1]
        shape = outer.shape
        if shape is None:
            return
        if shape.depth >= MAX_DEPTH:
            shape.has_deeper = True
            return
        if outer.is_table:
            shape.add_data_keys(Counter(values), [values], [outer.row], number)
            return
        known = shape.select_keys(Counter(values))
        outer.keys.update(known)
        for key in known:
            shape.add_key(key, 1, [values], [outer.row], outer.before)
        if len(known) < len(values):
            others = [key for key in values if key not in shape.keys]
            shape.add_data_keys(others, [values], [outer.row], number)
        members = parent.members
        if outer.is_table is None and members and members.have_similar_rows(parent.count):
            outer.undecided, outer.shape = shape, None  # its keys are probably data, so it is read again at its end

    def close_value(self, value: LargeValue) -> None:
        """End a large value."""
        frame = self._stack[-1]
        if frame.is_table is None:
            self._settle(frame)
        self._stack.pop()
        shape = frame.shape
        if shape is None or value.string is not None:
            return
        shape.columns[TYPES[value.kind]].add([value.count], [frame.row])
        if value.kind == "{" and frame.before and not frame.is_table:
            shape.mark_lacking(frame.keys, frame.row)

    def _settle(self, frame: _OpenValue) -> None:
        """Learn an object again if its keys were taken for field names and are data, or if learning has stopped."""
        value = frame.value
        shape = frame.shape or frame.undecided
        if shape is None:
            return
        if frame.shape is not None and not value.is_table:
            frame.is_table = False
            return
        shape.forget_members()
        shape.budget.nodes = frame.nodes_left
        frame.shape, frame.is_table = shape, value.is_table
        self._is_replay, before = True, self._is_replay
        self._replay(value)
        self._is_replay = before

    def _replay(self, value: LargeValue) -> None:
        """Read the members of a large value again."""
        for number, large, data in self._read_runs(value):
            if large is not None:
                self.open_value(value, number, large)
                if large.string is None:
                    self._replay(large)
                self.close_value(large)
            elif value.kind == "{":
                self.add_members(value, number, decode_value("{" + _strip_comma(data) + "}", 0)[0])
            elif value.kind:
                self.add_elements(value, number, decode_value("[" + _strip_comma(data) + "]", 0)[0])
            else:
                self.add_elements(value, number, list(_decode_documents(data)))

    def _read_runs(self, value: LargeValue) -> Iterator[tuple[int, LargeValue | None, str]]:
        """Yield the number of the first member of each run, and either a large value or the text of several members."""
        run = 0
        while run < len(value.numbers):
            number = value.numbers[run]
            large = value.large.get(number)
            first, start = run, value.offsets[run]
            run += 1
            if large is not None:
                yield number, large, ""
                continue
            while run < len(value.numbers) and value.numbers[run] not in value.large:
                if value.run_end(run) - start > BATCH:
                    break
                run += 1
            count = sum(map(value.run_count, range(first, run)))
            if count:
                data = self._read(start, value.run_end(run - 1) - start)
                yield number, None, data.decode("utf-8", "surrogateescape")


def _strip_comma(text: str) -> str:
    return text.rstrip(" \t\r\n").removesuffix(",")


def _decode_documents(text: str) -> Iterator[JsonValue]:
    position = skip_blanks(text, 0)
    while position < len(text):
        value, position = decode_value(text, position)
        yield value
        position = skip_blanks(text, position)
