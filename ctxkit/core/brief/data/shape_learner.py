"""Learn the shape of JSON values in parts, because some are too large to decode as a whole."""

from collections import Counter
from collections.abc import Callable, Iterator

from ctxkit.core.brief.data.shape import MAX_DEPTH, STORED_VALUES, DataShape, ShapeBudget
from ctxkit.core.text.json_index import LargeValue
from ctxkit.core.text.json_indexer import BATCH
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import decode_value, skip_blanks

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
