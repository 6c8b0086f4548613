"""Choose the lines of a map: candidates, their cut texts, and the order in which they enter."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby, islice, pairwise

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup
from ctxkit.core.brief.generic.line_rating import rate_lines
from ctxkit.core.brief.outline import MARK_LENGTH
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import PHRASES, rate_severity
from ctxkit.core.tokens.vocabulary import Tokenizer

END_SHARE, _TROUBLE_SHARE, RARE_SHARE = 10, 20, 30
"""Percentage of the candidates from each end of a long text, by severity of trouble, and of the rarest forms."""
_SAMPLED_FORMS = 16
"""Number of forms for each candidate that are sorted by their rarity."""
_REASON_SHARE = 60
"""Percentage of the width for the reason."""
READ_WIDTH = 4_000
"""Number of characters in which a reason is sought."""
SUBJECT_WIDTH = 16
"""Number of characters that precede a reason at least, if there are so many: they say what it is about."""
_REASON = compile_lazily(rf"(?<![\w/.-])(?i:{PHRASES})(?![\w/-])")
_EDGES = "\"'`{}[]|\n"
"""Characters that enclose the text of a message in a line of data."""
LEAST_LINES, MAX_LINES = 12, 1_000_000
"""Minimum and maximum number of lines whose order is stated."""
BLOCK_LINES = 20_000
"""Number of lines that are compared at a time; the last line of a block is the first of the next one."""
_MANY_NUMBERS = 50
"""Number of lines of a form from which an order replaces most of them."""
_MAX_COLUMNS = 12
"""Maximum number of columns that are compared."""
_MAX_ORDER_WIDTH = 500
"""Maximum number of characters of a line that are compared."""
DIGITS = compile_lazily(r"(\d{1,15})")
_NUMBER = compile_lazily(r"[-+]?\d{1,15}(?:\.\d{1,9})?")


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


_MIN_CANDIDATES, _MAX_CANDIDATES = 300, 1_200
"""Minimum and maximum number of lines that are rated."""
_CANDIDATES_PER_TOKEN = 8
"""Number of lines that are rated for each token of the room."""
_SCANNED = 3_000
"""Number of lines that fill the room if all candidates are chosen."""
_MIN_WIDTH, _MAX_WIDTH, _WIDTH_DIVISOR = 80, 400, 6
"""Number of characters of a line that are quoted at least and at most, and their share of the room, as a divisor."""
_TOKEN_POWER = 1.2
"""Power of the tokens of a line by which its probability is divided: above 1, since a short line leaves space for more
lines of a lower rank. Chosen by cross-validation."""
_REPEATED = 0.5
"""Factor of the worth of a line for each line of its form that is quoted already. Chosen by cross-validation."""
_MOST_REPEATS = 2
"""Number of times that the same text is quoted."""
_SEPARATOR_TOKENS, PLACE_TOKENS = 1, 4
"""Tokens of a line break, and of the marks around a line number besides its digits."""


class TokenBudget(NamedTuple):
    """Hold how tokens are counted, and how many of them a text may take."""

    count: Tokenizer
    room: int


class LineChoice:
    """Choose lines in the order of their use, until their text takes the tokens of the ``budget``.

    ``order`` holds (number, text) in that order. ``groups`` are the headings of the text. Lines that are ``quoted``
    already are not chosen, and their forms count as shown. The first and the last line come first. ``shorten`` leaves
    out of a line what a map does not quote.
    """

    def __init__(
        self,
        forms: LineForms,
        budget: TokenBudget,
        groups: Iterable[HeadingGroup],
        quoted: Collection[int] = (),
        shorten: Callable[[str], str] = str,
    ) -> None:
        self.order: list[tuple[int, str]] = []
        self._forms = forms
        self._count, self._room = budget
        self._shorten = shorten
        self._width = min(max(budget.room // _WIDTH_DIVISOR, _MIN_WIDTH), _MAX_WIDTH)
        self._chosen = set(quoted)
        self._shown = Counter(forms.form_of(number) for number in quoted)
        self._texts: dict[int, str] = {}
        self._costs: dict[str, int] = {}
        self._repeats = Counter[str]()
        self._ordered = find_ordered_forms(forms)
        self._used = 0
        most = min(max(budget.room * _CANDIDATES_PER_TOKEN, _MIN_CANDIDATES), _MAX_CANDIDATES)
        self._rates = rate_lines(forms, list_candidates(forms, most), groups)
        self._heaps: dict[int, list[tuple[float, int]]] = {}
        self._best: list[tuple[float, int]] = []
        for number in self._rates:
            self._heaps.setdefault(forms.form_of(number), []).append((-self._rate(number), number))
        self._choose()
        self._fill()

    def _choose(self) -> None:
        """Choose the ends, then always the candidate that is worth most for each token."""
        for heap in self._heaps.values():
            heapify(heap)
        self._best = [(self._rate_form(form), form) for form in self._heaps]
        heapify(self._best)
        for number in sorted({min(self._rates, default=0), max(self._rates, default=0)} - self._chosen - {0}):
            if self._forms.texts[self._forms.form_of(number)] != "0" or not self._is_known(number):
                self._add(number)
        while self._best and self._used < self._room:
            rate, form = heappop(self._best)
            current = self._rate_form(form)
            if rate == current < 0:
                self._add(heappop(self._heaps[form])[1])
                current = self._rate_form(form)
            if current < 0:
                heappush(self._best, (current, form))

    def _rate_form(self, form: int) -> float:
        """Return the negative worth of the best line of a form for each of its tokens, 0 if none is left."""
        heap = self._heaps[form]
        while heap and (heap[0][1] in self._chosen or self._is_known(heap[0][1])):
            heappop(heap)
        return heap[0][0] * _REPEATED ** self._shown[form] if heap else 0.0

    def _rate(self, number: int) -> float:
        """Return the worth of a line for its tokens if its form is new."""
        return float(self._rates[number] / self._cost(number) ** _TOKEN_POWER)

    def _is_known(self, number: int) -> bool:
        """Return whether a line is one of many numbers in order, or its text is repeated too often."""
        form = self._forms.form_of(number)
        is_ordered = number > 1 and form in self._ordered and self._forms.form_of(number - 1) == form
        return is_ordered or self._repeats[self._text(number)] >= _MOST_REPEATS

    def _cost(self, number: int) -> int:
        """Return the tokens of a line, with its number if no line beside it is chosen."""
        text = self._text(number)
        if text not in self._costs:
            self._costs[text] = self._count(text) + _SEPARATOR_TOKENS
        is_beside = number - 1 in self._chosen or number + 1 in self._chosen
        return self._costs[text] + (0 if is_beside else PLACE_TOKENS + len(str(number)))

    def _text(self, number: int) -> str:
        if number not in self._texts:
            self._texts[number] = cut_line(self._shorten(self._forms.lines.at(number)), self._width)
        return self._texts[number]

    def _add(self, number: int) -> None:
        """Choose a line; the lines beside it become cheaper."""
        text = self._text(number)
        self._used += self._cost(number)
        self.order.append((number, text))
        self._chosen.add(number)
        self._repeats[text] += 1
        self._shown[self._forms.form_of(number)] += 1
        for beside in (number - 1, number + 1):
            if beside in self._rates and beside not in self._chosen:
                form = self._forms.form_of(beside)
                heappush(self._heaps[form], (-self._rate(beside), beside))
                heappush(self._best, (self._rate_form(form), form))

    def _fill(self) -> None:
        """Choose the first lines that are not candidates while there is room."""
        for number in range(1, min(self._forms.total, _SCANNED) + 1):
            if self._used >= self._room:
                return
            if number not in self._chosen and self._forms.form_of(number) and not self._is_known(number):
                self._add(number)


def list_candidates(forms: LineForms, most: int) -> list[int]:
    """Return the numbers of at most ``most`` lines that are not blank, in order."""
    total = forms.total
    if total <= most:
        numbers = set(range(1, total + 1))
    else:
        end = most * END_SHARE // 100
        numbers = {*range(1, end + 1), *range(total + 1 - end, total + 1)}
        numbers.update(_iter_trouble(forms, most * _TROUBLE_SHARE // 100))
        numbers.update(islice(_iter_rare(forms, most), most * RARE_SHARE // 100))
        left = most - len(numbers)
        numbers.update(1 + total * place // left for place in range(left))
    return sorted(number for number in numbers if forms.form_of(number))


def _iter_trouble(forms: LineForms, most: int) -> Iterator[int]:
    """Yield the first lines that state trouble, the most severe first."""
    groups: dict[int, list[int]] = {}
    for number, severity in forms.iter_trouble():
        group = groups.setdefault(severity, [])
        if len(group) < most:
            group.append(number)
    yield from islice((number for severity in sorted(groups, reverse=True) for number in groups[severity]), most)


def _iter_rare(forms: LineForms, most: int) -> Iterator[int]:
    """Yield the first line of each form, those of rare shapes first; of each shape, the rarest form first."""
    sizes = [forms.shape_counts[shape] for shape in forms.shapes]
    ids = sorted(range(1, len(forms.counts)), key=lambda form: (sizes[form], forms.counts[form]))
    places = Counter[int]()
    keys = []
    for form in ids[: most * _SAMPLED_FORMS]:
        places[forms.shapes[form]] += 1
        keys.append((sizes[form] * places[forms.shapes[form]], forms.counts[form], forms.firsts[form]))
    return (first for _, _, first in sorted(keys))


def cut_line(text: str, width: int) -> str:
    """Return a line cut to about ``width`` characters, without an indentation that takes half of them.

    Each mark ``[+N chars]`` stands for N characters that are left out.
    """
    text = text if text.isprintable() else strip_escapes(text)
    text = text.rstrip()
    if len(text) > width and text[: width // 2].isspace():
        text = text.lstrip()
    if len(text) <= width + MARK_LENGTH:
        return text
    size = width * _REASON_SHARE // 100
    start, end = _find_reason(text, width, size) if rate_severity(text) else (0, 0)
    head = text[: width - size].rstrip() if end else text[:width].rstrip()
    if not end:
        return f"{head} [+{len(text) - len(head)} chars]"
    part = f"{head} [+{start - len(head)} chars] {text[start:end]}"
    return part if end == len(text) else f"{part} [+{len(text) - end} chars]"


def _find_reason(text: str, width: int, size: int) -> tuple[int, int]:
    """Return the start and end of the message of ``size`` characters that states a reason, (0, 0) if there is none."""
    match = _REASON.search(text, width * 2 // 3, READ_WIDTH)
    if match is None:
        return 0, 0
    after = min(len(text) - match.end(), size // 2)
    start = max(match.end() + after - size, width - size + MARK_LENGTH)
    last = match.start() - SUBJECT_WIDTH  # a quotation mark directly before "not found" ends what was not found
    edges = [place + 1 for place in (text.rfind(edge, start, last) for edge in _EDGES) if place >= 0]
    start = max(edges) if edges else text.find(" ", start, max(last, start)) + 1 or start
    start += len(text[start : match.start()]) - len(text[start : match.start()].lstrip(" :,;"))
    end = min(start + size, len(text))
    return (start, end if len(text) - end > MARK_LENGTH else len(text)) if match.end() <= end else (0, 0)


def find_ordered_forms(forms: LineForms) -> frozenset[int]:
    """Return the forms of many lines of which an order states nearly all.

    They are lines with nothing but a number that rises or falls in all their long runs, and lines in which only one
    number changes, by the same step from line to line.
    """
    masked = {form for form, text in enumerate(forms.texts) if "0" in text and forms.counts[form] >= _MANY_NUMBERS}
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
        order = _order_only_number(texts) if all(len(text) <= _MAX_ORDER_WIDTH for text in texts) else None
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
    if any(len(text) > _MAX_ORDER_WIDTH for text in texts) or len(set(texts)) * 2 < len(texts):
        return None
    is_sorted = all(before <= after for before, after in pairwise(texts))
    return (
        _order_column([text.split() for text in texts])
        or _order_only_number(texts)
        or (Order("sorted") if is_sorted else None)
    )


def _order_column(rows: Sequence[Sequence[str]]) -> Order | None:
    """Return the order of the first column that has one, if all rows have the same few columns."""
    width = len(rows[0])
    if width > _MAX_COLUMNS or any(len(row) != width for row in rows):
        return None
    for column in range(width):
        name = f"column {column + 1} " if width > 1 else ""
        if order := _order_cells([row[column] for row in rows], name):
            return order
    return None


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
    if not all(map(_NUMBER.fullmatch, cells)):
        return None
    values = [float(cell) for cell in cells]
    steps = {after - before for before, after in pairwise(values)}
    if steps == {0.0} or (min(steps) < 0 < max(steps)):
        return None
    step = min(steps) if len(steps) == 1 else 0.0
    return Order("rises" if max(steps) > 0 else "falls", name, cells[0], cells[-1], step)
