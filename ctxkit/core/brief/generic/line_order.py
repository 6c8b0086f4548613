"""The order of similar lines: sorted text, or a number that rises or falls from line to line."""

from collections.abc import Collection, Sequence
from itertools import groupby, pairwise

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.lines import IndexedLines

LEAST_LINES, MAX_LINES = 12, 1_000_000
"""Minimum and maximum number of lines whose order is stated."""
BLOCK_LINES = 20_000
"""Number of lines that are compared at a time; the last line of a block is the first of the next one."""
MANY_NUMBERS = 50
"""Number of lines of a form from which an order replaces most of them."""
MAX_COLUMNS = 12
"""Maximum number of columns that are compared."""
MAX_WIDTH = 500
"""Maximum number of characters of a line that are compared."""
DIGITS = compile_lazily(r"(\d{1,15})")
NUMBER = compile_lazily(r"[-+]?\d{1,15}(?:\.\d{1,9})?")


class Order(NamedTuple):
    """Hold how lines are ordered: the name of what changes, its first and last values, and the step between lines.

    ``verb`` is ``rises`` or ``falls``, or ``sorted`` for text without such a number. ``step`` is 0 if it varies.
    """

    verb: str
    name: str = ""
    first: str = ""
    last: str = ""
    step: float = 0.0

    def __str__(self) -> str:
        """Return what follows the number of lines: ``, column 2 falls from 9 to 1 by 1 each``."""
        if self.verb == "sorted":
            return ", sorted"
        step = f" by {abs(self.step):g} each" if self.step and self.step.is_integer() else ""
        return f", {self.name}{self.verb} from {self.first} to {self.last}{step}"

    def join(self, later: "Order") -> "Order | None":
        """Return the order of lines of which the last is the first of ``later``, or None if it is another one."""
        if (self.verb, self.name) != (later.verb, later.name):
            return None
        return self._replace(last=later.last, step=self.step if self.step == later.step else 0.0)


def find_ordered_forms(forms: LineForms) -> frozenset[int]:
    """Return the forms of many lines of which an order states nearly all.

    They are lines with nothing but a number that rises or falls in all their long runs, and lines in which only one
    number changes, by the same step from line to line.
    """
    masked = {form for form, text in enumerate(forms.texts) if "0" in text and forms.counts[form] >= MANY_NUMBERS}
    runs = _find_runs(forms, masked) if masked else {}
    return frozenset(form for form, places in runs.items() if _is_ordered(forms, form, places))


def _find_runs(forms: LineForms, masked: Collection[int]) -> dict[int, list[tuple[int, int]]]:
    """Return the first and the last line of each run of two or more lines by form."""
    runs: dict[int, list[tuple[int, int]]] = {form: [] for form in masked}
    start = 0
    for form, group in groupby(forms.ids):
        end = start + sum(1 for _ in group)
        if form in runs and end - start > 1:
            runs[form].append((start + 1, end))
        start = end
    return runs


def _is_ordered(forms: LineForms, form: int, runs: Sequence[tuple[int, int]]) -> bool:
    long = [(start, end) for start, end in runs if end - start >= LEAST_LINES]
    if forms.texts[form] == "0":
        return bool(long) and all(describe_order(forms.lines, start, end) for start, end in long)
    return bool(long) and long == runs and all(_is_counted(forms.lines, start, end) for start, end in long)


def _is_counted(lines: IndexedLines, start: int, end: int) -> bool:
    """Return whether only one number differs between lines, by the same step each."""
    known = 0.0
    for first in (start, *range(start + LEAST_LINES, end, BLOCK_LINES)):
        last = start + LEAST_LINES if first == start else min(first + BLOCK_LINES, end)
        texts = [text for _, text in lines.enumerate_lines(first, last)]
        order = _order_only_number(texts) if all(len(text) <= MAX_WIDTH for text in texts) else None
        if order is None or not order.step or order.step != (known or order.step):
            return False
        known = order.step
    return True


def describe_order_once(forms: LineForms, start: int, end: int) -> str:
    """Return the order of lines as ``describe_order`` does, measured once for a text."""
    key = start, end
    if key not in forms.orders:
        forms.orders[key] = describe_order(forms.lines, start, end)
    return forms.orders[key]


def describe_order(lines: IndexedLines, start: int, end: int) -> str:
    """Return in which order lines are, measured over all of them: ``, sorted``, ``, column 2 falls from 9 to 1``.

    Return an empty string if no order is known, or if there are few or very many lines.
    """
    if not LEAST_LINES <= end - start + 1 <= MAX_LINES:
        return ""
    order: Order | None = None
    for first in range(start, max(end, start + 1), BLOCK_LINES):
        texts = [text for _, text in lines.enumerate_lines(first, min(first + BLOCK_LINES, end))]
        later = _find_order(texts)
        order = order.join(later) if order and later else later
        if order is None:
            return ""
    return str(order)


def _find_order(texts: Sequence[str]) -> Order | None:
    if any(len(text) > MAX_WIDTH for text in texts) or len(set(texts)) * 2 < len(texts):
        return None
    rows = [text.split() for text in texts]
    width = len(rows[0])
    if width <= MAX_COLUMNS and all(len(row) == width for row in rows):
        for column in range(width):
            name = f"column {column + 1} " if width > 1 else ""
            if order := _order_cells([row[column] for row in rows], name):
                return order
    is_sorted = all(before <= after for before, after in pairwise(texts))
    return _order_only_number(texts) or (Order("sorted") if is_sorted else None)


def _order_only_number(texts: Sequence[str]) -> Order | None:
    """Return how the only number that differs between the lines changes."""
    parts = [DIGITS.split(text) for text in texts]
    width = len(parts[0])
    if any(len(row) != width or row[::2] != parts[0][::2] for row in parts):
        return None
    varying = [place for place in range(1, width, 2) if any(row[place] != parts[0][place] for row in parts)]
    return _order_cells([row[varying[0]] for row in parts], "its only varying number ") if len(varying) == 1 else None


def _order_cells(cells: Sequence[str], name: str) -> Order | None:
    """Return how numbers change, None if they do not do so in one direction."""
    if not all(map(NUMBER.fullmatch, cells)):
        return None
    values = [float(cell) for cell in cells]
    steps = {after - before for before, after in pairwise(values)}
    if steps == {0.0} or (min(steps) < 0 < max(steps)):
        return None
    step = min(steps) if len(steps) == 1 else 0.0
    return Order("rises" if max(steps) > 0 else "falls", name, cells[0], cells[-1], step)
