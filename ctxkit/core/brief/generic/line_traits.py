"""Traits of the lines of a text that say how likely an agent needs them: form, place, neighbours and words."""

from collections import Counter
from collections.abc import Iterable
from math import log2

from ctxkit.core.brief.generic.forms import COLON, RULE, TITLE, TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup
from ctxkit.core.brief.generic.line_columns import LineColumns
from ctxkit.core.brief.generic.line_surroundings import LineSurroundings
from ctxkit.core.brief.generic.text_traits import list_words, measure_text
from ctxkit.core.text.ansi import strip_escapes

NEIGHBOUR = 3
"""Number of lines in which the line before or after a line is looked for, past blank lines."""
BLOCK = 20
"""Number of lines of a block, before and after a line, that are counted."""
LAST_LINES = 5
"""Number of lines at the end of a text that are its last."""
HEADER_WORDS = 3
"""Minimum number of words of the header of a table."""
COUNTED_FORMS = 20_000
"""Number of forms whose words are counted."""
TROUBLE = ("", "mention", "warning", "error", "summary")
"""Names of the traits of lines that state trouble, by severity."""


class LineTraits:
    """Measure the lines ``numbers`` of a text: ``measure`` returns the traits of a line, from 0 to about 15 each.

    ``groups`` are the headings of the text. A trait that a line lacks has no key. The time for a line does not depend
    on the number of lines.
    """

    def __init__(self, forms: LineForms, numbers: Iterable[int], groups: Iterable[HeadingGroup]) -> None:
        self._forms = forms
        self._columns = LineColumns(forms, numbers)
        self._surroundings = LineSurroundings(forms, groups)
        self._texts: dict[int, dict[str, float]] = {}
        self._words = Counter[str]()
        self._first_shapes: dict[int, int] = {}
        self._last_shapes: dict[int, int] = {}
        for form in range(1, len(forms.counts)):
            self._add_form(form)
        self._severities = Counter(severity for _, severity in forms.iter_trouble())

    def _add_form(self, form: int) -> None:
        forms, shape = self._forms, self._forms.shapes[form]
        self._first_shapes.setdefault(shape, forms.firsts[form])
        self._last_shapes[shape] = max(self._last_shapes.get(shape, 0), forms.lasts[form])
        if form <= COUNTED_FORMS:
            count = forms.counts[form]
            for word in list_words(forms.texts[form]):
                self._words[word] += count

    def measure(self, number: int) -> dict[str, float]:
        """Return the traits of line ``number``, which is not blank."""
        form = self._forms.form_of(number)
        text = self._texts.get(form)
        if text is None:
            text = self._texts[form] = self._measure_form(number, form)
        before, after = self._find_neighbour(number, -1), self._find_neighbour(number, 1)
        traits = text | self._measure_place(number) | self._measure_neighbours(number, before, after)
        traits |= self._measure_recurrence(number, form) | self._measure_run(form, before, after)
        return traits | self._columns.measure(number) | self._surroundings.measure(number)

    def _measure_form(self, number: int, form: int) -> dict[str, float]:
        """Return the traits that lines of one form share: those of the text of the first one measured."""
        text = self._forms.lines.at(number)
        text = text if text.isprintable() else strip_escapes(text.replace("\t", "    "))
        traits = measure_text(text) if text.strip() else {}
        return traits | self._measure_words(form)

    def _measure_words(self, form: int) -> dict[str, float]:
        """Return how rare the words of a form are in the text."""
        counts = sorted(self._words.get(word, 1) for word in list_words(self._forms.texts[form]))
        if not counts:
            return {}
        total = self._forms.total
        return {
            "unique words": log2(1 + counts.count(1)),
            "unique word share": counts.count(1) / len(counts),
            "rarest word": log2(1 + counts[0]),
            "word rarity": sum(log2(max(total / count, 1.0)) for count in counts) / len(counts) / 10,
        }

    def _find_neighbour(self, number: int, step: int) -> int:
        """Return the next line that is not blank in a direction, 0 if none is near."""
        for other in range(number + step, number + step * (NEIGHBOUR + 1), step):
            if not 1 <= other <= self._forms.total:
                return 0
            if self._forms.form_of(other):
                return other
        return 0

    def _measure_place(self, number: int) -> dict[str, float]:
        total = self._forms.total
        return {
            "head distance": log2(1 + number),
            "tail distance": log2(2 + total - number),
            "after blank": float(number == 1 or not self._forms.form_of(number - 1)),
            "before blank": float(number == total or not self._forms.form_of(number + 1)),
            "block before": log2(1 + self._count_block(number, -1)),
            "block after": log2(1 + self._count_block(number, 1)),
            "last lines": float(number > total - LAST_LINES),
        }

    def _count_block(self, number: int, step: int) -> int:
        """Return how many lines stand between a line and the next blank one in a direction, at most BLOCK."""
        end = number + step * (BLOCK + 1)
        rows = range(number + step, max(end, 0) if step < 0 else min(end, self._forms.total + 1), step)
        return next((place for place, row in enumerate(rows) if not self._forms.form_of(row)), len(rows))

    def _measure_run(self, form: int, before: int, after: int) -> dict[str, float]:
        """Return whether a line begins or ends a run of lines of its shape, and whether it is or follows a header."""
        above, below = (self._forms.form_of(number) if number else 0 for number in (before, after))
        shape, shape_above, shape_below = (self._forms.shapes[key] for key in (form, above, below))
        begins, ends = shape_above != shape, shape_below != shape
        return {
            "first of run": float(begins and not ends),
            "last of run": float(ends and not begins),
            "single in run": float(begins and ends),
            "header": float(bool(below) and ends and self._is_header(form, below)),
            "after header": float(bool(above) and self._is_header(above, form)),
        }

    def _is_header(self, form: int, below: int) -> bool:
        """Return whether a form without a number has the words of a table's header, and the form below it a number."""
        texts = self._forms.texts
        return "0" not in texts[form] and len(texts[form].split()) >= HEADER_WORDS and "0" in texts[below]

    def _measure_neighbours(self, number: int, before: int, after: int) -> dict[str, float]:
        """Return how a line is indented, and which lines stand around it."""
        forms = self._forms
        flags, above, below = (forms.flags_of(each) if each else 0 for each in (number, before, after))
        depth = self._measure_depth(number)
        outer = self._measure_depth(before) if before else depth
        inner = self._measure_depth(after) if after else depth
        severity = flags >> TROUBLE_SHIFT
        traits = {
            "ruler": float(flags & RULE > 0),
            "title": float(flags & TITLE > 0),
            "colon": float(flags & COLON > 0),
            "after ruler": float(above & RULE > 0),
            "before ruler": float(below & RULE > 0),
            "after title": float(above & (TITLE | COLON) > 0),
            "margin": float(depth == 0),
            "depth": log2(1 + depth),
            "deeper": float(depth > outer),
            "shallower": float(depth < outer),
            "opens": float(inner > depth),
            "after trouble": float(above >> TROUBLE_SHIFT >= 2),
        }
        if severity:
            traits[TROUBLE[severity]] = 1.0
            traits["lines of trouble"] = log2(1 + self._severities[severity])
        return traits

    def _measure_depth(self, number: int) -> int:
        text = self._forms.texts[self._forms.form_of(number)]
        return len(text) - len(text.lstrip())

    def _measure_recurrence(self, number: int, form: int) -> dict[str, float]:
        """Return how often the form and the shape of a line come back."""
        forms, shape = self._forms, self._forms.shapes[form]
        count, alike = forms.counts[form], forms.shape_counts[shape]
        return {
            "form count": log2(1 + count),
            "single form": float(count == 1),
            "first of form": float(count > 1 and forms.firsts[form] == number),
            "last of form": float(count > 1 and forms.lasts[form] == number),
            "shape count": log2(1 + alike),
            "shape share": alike / max(forms.total - forms.counts[0], 1),
            "single shape": float(alike == 1),
            "first of shape": float(alike > 1 and self._first_shapes[shape] == number),
            "last of shape": float(alike > 1 and self._last_shapes[shape] == number),
        }
