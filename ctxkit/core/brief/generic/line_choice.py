"""The lines that a map quotes: those that an agent most likely needs for the tokens that they take."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from heapq import heapify, heappop, heappush

from ctxkit.core.brief.generic.candidates import list_candidates
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup
from ctxkit.core.brief.generic.line_cut import cut_line
from ctxkit.core.brief.generic.line_order import find_ordered_forms
from ctxkit.core.brief.generic.line_rating import rate_lines
from ctxkit.core.tokens.vocabulary import Tokenizer

MIN_CANDIDATES, MAX_CANDIDATES = 300, 1_200
"""Minimum and maximum number of lines that are rated."""
CANDIDATES_PER_TOKEN = 8
"""Number of lines that are rated for each token of the room."""
SCANNED = 3_000
"""Number of lines that fill the room if all candidates are chosen."""
MIN_WIDTH, MAX_WIDTH, WIDTH_DIVISOR = 80, 400, 6
"""Number of characters of a line that are quoted at least and at most, and their share of the room, as a divisor."""
TOKEN_POWER = 1.2
"""Power of the tokens of a line by which its probability is divided: above 1, since a short line leaves space for more
lines of a lower rank. Chosen by cross-validation."""
REPEATED = 0.5
"""Factor of the worth of a line for each line of its form that is quoted already. Chosen by cross-validation."""
MOST_REPEATS = 2
"""Number of times that the same text is quoted."""
SEPARATOR_TOKENS, PLACE_TOKENS = 1, 4
"""Tokens of a line break, and of the marks around a line number besides its digits."""


class LineChoice:
    """Choose lines in the order of their use, until their text takes ``room`` tokens.

    ``order`` holds (number, text) in that order. ``groups`` are the headings of the text. Lines that are ``quoted``
    already are not chosen, and their forms count as shown. The first and the last line come first. ``shorten`` leaves
    out of a line what a map does not quote.
    """

    def __init__(
        self,
        forms: LineForms,
        count: Tokenizer,
        room: int,
        groups: Iterable[HeadingGroup],
        quoted: Collection[int] = (),
        shorten: Callable[[str], str] = str,
    ) -> None:
        self.order: list[tuple[int, str]] = []
        self._forms = forms
        self._count = count
        self._room = room
        self._shorten = shorten
        self._width = min(max(room // WIDTH_DIVISOR, MIN_WIDTH), MAX_WIDTH)
        self._chosen = set(quoted)
        self._shown = Counter(forms.form_of(number) for number in quoted)
        self._texts: dict[int, str] = {}
        self._costs: dict[str, int] = {}
        self._repeats = Counter[str]()
        self._ordered = find_ordered_forms(forms)
        self._used = 0
        most = min(max(room * CANDIDATES_PER_TOKEN, MIN_CANDIDATES), MAX_CANDIDATES)
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
        return heap[0][0] * REPEATED ** self._shown[form] if heap else 0.0

    def _rate(self, number: int) -> float:
        """Return the worth of a line for its tokens if its form is new."""
        return float(self._rates[number] / self._cost(number) ** TOKEN_POWER)

    def _is_known(self, number: int) -> bool:
        """Return whether a line is one of many numbers in order, or its text is repeated too often."""
        form = self._forms.form_of(number)
        is_ordered = number > 1 and form in self._ordered and self._forms.form_of(number - 1) == form
        return is_ordered or self._repeats[self._text(number)] >= MOST_REPEATS

    def _cost(self, number: int) -> int:
        """Return the tokens of a line, with its number if no line beside it is chosen."""
        text = self._text(number)
        if text not in self._costs:
            self._costs[text] = self._count(text) + SEPARATOR_TOKENS
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
        for number in range(1, min(self._forms.total, SCANNED) + 1):
            if self._used >= self._room:
                return
            if number not in self._chosen and self._forms.form_of(number) and not self._is_known(number):
                self._add(number)
