"""Selection of the lines that a map quotes: streams of candidates that share the target."""

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from ctxkit.core.brief.generic.forms import INDENTED, RULE, LineForms
from ctxkit.core.brief.generic.line_cut import cut_line
from ctxkit.core.brief.generic.line_order import find_ordered_numbers
from ctxkit.core.tokens.tokenizer import Tokenizer

ALWAYS, ZONE = 4, 25
"""Number of first and last lines that are always quoted, and number that are quoted unless the line before is alike."""
SCANNED = 3_000
"""Number of lines that the streams of head and tail look at."""
LIMITS = (1, 2, 6, 1 << 30)
"""How often a form may be shown, from pass to pass."""
MAX_CANDIDATES = 4_000
"""Maximum number of candidates of a stream."""
MIN_GAP = 8
"""Number of lines between two chosen ones from which the gap is opened."""
MIN_WIDTH = 80
"""Number of characters of a line that are quoted in any case."""
WIDTH_DIVISOR = 5
"""Share of the room, as a divisor, that the characters of a wider line may be as many as."""
WIDTHS = {"head": 400, "tail": 400, "trouble": 300, "rare": 200, "stride": 100}
WEIGHTS = {"head": 26.0, "tail": 26.0, "trouble": 18.0, "rare": 18.0, "stride": 12.0}
SMALL_WEIGHTS = {"head": 22.0, "tail": 22.0, "trouble": 24.0, "rare": 26.0, "stride": 4.0}
"""Share of each stream in the tokens of a generic map, and of a small one: its ends are short."""


class Selection:
    """Choose lines in the order of their use, until their text takes ``room`` tokens.

    ``order`` holds (number, text) in that order. Each stream has a share of the tokens; what it does not use, the other
    streams do. Lines that are ``quoted`` already are not chosen, and their forms count as shown.
    """

    def __init__(
        self,
        forms: LineForms,
        count: Tokenizer,
        room: int,
        quoted: Collection[int] = (),
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        self.forms = forms
        self.count = count
        self.room = room
        self.order: list[tuple[int, str]] = []
        self.numbers: list[int] = sorted(quoted)
        self.chosen: set[int] = set(quoted)
        self.shown: Counter[int] = Counter(forms.form_of(number) for number in quoted)
        self._texts: dict[int, str] = {}
        self._repeated: set[int] = set()
        self._ordered = find_ordered_numbers(forms)
        self._weights = weights
        self._spent = dict.fromkeys(weights, 0.0)
        self.used = 0
        for limit in LIMITS:
            if self.used >= room:
                break
            self._run(limit)
        self._fill_gaps()

    def _fill_gaps(self) -> None:
        """Choose the lines in order that no stream has chosen: there is space for all, or for the first of them."""
        for number in range(1, min(self.forms.total, SCANNED) + 1):
            if self.used >= self.room:
                return
            if self._is_new(number, 1 << 30):
                self._add(number, min(MIN_WIDTH, self.room))

    def _run(self, limit: int) -> None:
        streams: dict[str, Iterator[int]] = {
            "head": self._iter_head(limit),
            "tail": self._iter_tail(limit),
            "trouble": self._iter_trouble(limit),
            "rare": self._iter_rare(limit),
            "stride": self._iter_stride(limit),
        }
        while streams and self.used < self.room:
            name = min(streams, key=lambda key: self._spent[key] / self._weights[key])
            number = next(streams[name], 0)
            if not number:
                del streams[name]
                continue
            self._spent[name] += self._add(number, min(WIDTHS[name], max(self.room // WIDTH_DIVISOR, MIN_WIDTH)))

    def _add(self, number: int, width: int) -> int:
        text = cut_line(self.forms.lines.at(number), width)
        form = self.forms.form_of(number)
        if self.shown[form] >= LIMITS[1] and self._texts.get(form) == text:
            self._repeated.add(number)
            return 0
        self._texts[form] = text
        near = number - 1 in self.chosen or number + 1 in self.chosen
        cost = self.count(text) + (1 if near else 5)
        self.order.append((number, text))
        self.chosen.add(number)
        insort(self.numbers, number)
        self.shown[form] += 1
        self.used += cost
        return cost

    def _is_new(self, number: int, limit: int) -> bool:
        form = self.forms.form_of(number)
        if form == self._ordered and self.forms.form_of(number - 1) == form:
            limit = LIMITS[0]
        return form != 0 and self.shown[form] < limit and number not in self.chosen and number not in self._repeated

    def _is_near(self, number: int, distance: int, neighbour: int) -> bool:
        """Return whether a line is so near to an end of the text that it is quoted even if its form is known."""
        if distance > ZONE or not self._is_new(number, 1 << 30):
            return False
        return distance <= ALWAYS or self.forms.form_of(number) != self.forms.form_of(neighbour)

    def _iter_head(self, limit: int) -> Iterator[int]:
        for number in range(1, min(self.forms.total, SCANNED) + 1):
            if self._is_new(number, limit) or self._is_near(number, number, number - 1):
                yield number

    def _iter_tail(self, limit: int) -> Iterator[int]:
        total = self.forms.total
        for number in range(total, max(total - SCANNED, 0), -1):
            if self._is_new(number, limit) or self._is_near(number, total + 1 - number, number + 1):
                yield number

    def _iter_trouble(self, limit: int) -> Iterator[int]:
        groups: dict[int, list[int]] = {}
        for number, severity in self.forms.iter_trouble():
            rows = groups.setdefault(severity, [])
            if len(rows) < MAX_CANDIDATES:
                rows.append(number)
        for severity in sorted(groups, reverse=True):
            if severity == 1 and limit > 2:
                continue
            for number in groups[severity]:
                if self._is_new(number, min(limit, 2)):
                    yield number

    def _iter_rare(self, limit: int) -> Iterator[int]:
        if limit > 1:
            return
        forms = self.forms
        sizes = [forms.shape_counts[shape] for shape in forms.shapes]
        ids = sorted(range(1, len(forms.counts)), key=lambda form: (sizes[form], forms.counts[form]))
        seen: Counter[int] = Counter()
        keyed = []
        for form in ids[: 4 * MAX_CANDIDATES]:
            shape = forms.shapes[form]
            seen[shape] += 1
            keyed.append((forms.shape_counts[shape] * seen[shape], forms.counts[form], forms.firsts[form]))
        keyed.sort()
        for _, _, first in keyed[:MAX_CANDIDATES]:
            if self._is_new(first, limit) and not self.forms.flags_of(first) & RULE:
                yield first

    def _iter_stride(self, limit: int) -> Iterator[int]:
        exhausted: set[tuple[int, int]] = set()
        while True:
            edges = [0, *self.numbers, self.forms.total + 1]
            gaps = [pair for pair in pairwise(edges) if pair[1] - pair[0] > MIN_GAP and pair not in exhausted]
            for a, b in sorted(gaps, key=lambda pair: pair[0] - pair[1]):
                number = self._pick_inside(a + 1, b - 1, limit)
                if number:
                    before = len(self.numbers)
                    yield number
                    if len(self.numbers) > before:
                        break
                exhausted.add((a, b))
            else:
                return

    def _pick_inside(self, start: int, end: int, limit: int) -> int:
        middle = (start + end) // 2
        reach = max((end - start) // 6, 4)
        best, best_score = 0, (9, 0)
        for number in range(max(start, middle - min(reach, 40)), min(end, middle + min(reach, 40)) + 1):
            form = self.forms.texts[self.forms.form_of(number)]
            if not self._is_new(number, limit) or not any(map(str.isalnum, form)):
                continue
            flags = self.forms.flags_of(number)
            score = ((flags & INDENTED != 0) + 2 * (flags & RULE != 0), abs(number - middle))
            if score < best_score:
                best, best_score = number, score
        return best
