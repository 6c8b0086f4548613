"""Traits of the lines of a text that say how likely an agent needs them: form, place, neighbours and words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log2

from ctxkit.core.brief.generic.forms import COLON, RULE, TITLE, TROUBLE_SHIFT, LineForms
from ctxkit.core.brief.generic.headings import TITLED, HeadingGroup
from ctxkit.core.brief.generic.line_columns import LineColumns
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import strip_escapes

READ_WIDTH = 240
"""Number of characters of a line that are measured."""
_LONG, _SHORT = 150, 12
"""Number of characters above which a line is long, and below which it is short."""
_WORDS = {
    "success": "passed passing ok success successful successfully succeeded skipped xfailed pending",
    "failure": "failed failing failure failures error errors warning warnings fatal broken",
    "result": "done finished complete completed elapsed took ran result results exit status returned duration time",
    "negation": "not no none never without",
    "advice": "required requires expected actual got instead must should cannot unable missing invalid because caused"
    " reason hint help note suggest suggested suggestion recommend recommended deprecated unused duplicate duplicates"
    " duplicated conflict conflicts differ differs different changed removed added upgrade vulnerable vulnerability"
    " vulnerabilities critical severe high danger dangerous unsafe leak leaks leaked lost denied refused killed timeout"
    " expired slow slowest",
}
_WORD_GROUPS = {name: frozenset(words.split()) for name, words in _WORDS.items()}
"""Words that state a result or a reason in the output of any program."""
_PATTERNS = {
    "items": r"(?<![\d,])\d[\d,]*+\s+[a-z]{3}",
    "decimal": r"\d\.\d",
    "percent": r"\d\s?%",
    "unit": r"\d\s?(?:ms|s|sec|seconds|KB|kB|MB|GB|KiB|MiB|GiB|bytes|B|us|ns|m)\b",
    "equals value": r"\A\s*+\w[\w .-]{0,50}=>?\s*\S",
    "key value": r"\A\s*+[\w.(][\w .()/-]{1,40}:\s",
    "path": r"(?<![\w./@+-])[\w.@+-]*+/[\w.@+-]",
    "place": r"\.\w{1,5}:\d",
    "url": r"\w://\S",
    "hash": r"\b(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[0-9a-f]{7,64}\b",
    "date": r"\d{4}-\d\d-\d\d",
    "quotation": r"[\"'`][^\"'`]{1,60}[\"'`]",
    "arrow": r"->|=>|\u2192|<-",
    "capitals": r"\b[A-Z]{3,60}\b",
    "tag": r"\A\s*+(?:\[[^\]]{1,30}\]|<[^>]{1,30}>)",
    "code": r"\A\s*+(?:def|class|return|if|for|while|import|from|fn|let|const|var)\b",
}
PATTERNS = {name: compile_lazily(text) for name, text in _PATTERNS.items()}
_NEEDED = {
    "percent": "%",
    "equals value": "=",
    "key value": ":",
    "path": "/",
    "place": ":",
    "url": "://",
    "date": "-",
    "decimal": ".",
}
"""What a text contains if the pattern of that name occurs in it: quicker to look for than the pattern."""
_NUMERIC = frozenset(("items", "decimal", "percent", "unit", "place", "hash", "date"))
"""Names of patterns that contain a digit."""
_WORD = compile_lazily(r"[^\W\d_]{2,40}+")
_COLUMN = compile_lazily(r"(?<=\S)(?:\s{2,}|\s?\|\s?)(?=\S)")
_ENDINGS = {":": "ends in colon", ";": "ends in brace", "{": "ends in brace", "}": "ends in brace"}
REACH = 30
"""Number of lines before and after a line that are read."""
NEAR = 8
"""Number of lines with text before and after a line whose shapes are compared."""
_LONG_RUN = 5
"""Minimum number of lines of one shape that follow a line that differs from the line before it."""


class LineSurroundings:
    """Measure the surroundings of lines of a text; ``groups`` are its headings.

    The time for a line does not depend on the number of lines.
    """

    def __init__(self, forms: LineForms, groups: Iterable[HeadingGroup]) -> None:
        self._shapes = forms.shapes
        self._headings = {number: _describe_heading(group) for group in groups for number in group.numbers}
        self._changes: dict[tuple[int, int, bool, float, bool], Mapping[str, float]] = {}

    def list_parts(
        self, number: int, form: int, above: Sequence[int], below: Sequence[int]
    ) -> list[Mapping[str, float]]:
        """Return the traits of line ``number``, which is not blank, in parts; lines with an equal part share it.

        ``form`` is its form, ``above`` and ``below`` are those of the lines within REACH, the nearest first. A trait
        that the line lacks has no key or is 0.
        """
        shapes = self._shapes
        shape = shapes[form]
        before, after = [shapes[each] for each in above if each], [shapes[each] for each in below if each]
        parts = [self._measure_shapes(shape, before, after)]
        return [*parts, self._headings[number]] if number in self._headings else parts

    def _measure_shapes(self, shape: int, above: list[int], below: list[int]) -> Mapping[str, float]:
        """Return the lengths of the runs beside a line, and how much the shapes after it differ from those before."""
        run_above, run_below = _count_run(above), _count_run(below)
        difference, is_odd = -1.0, False
        if above and below:
            before, after = set(above[:NEAR]), set(below[:NEAR])
            difference = 1 - len(before & after) / len(before | after)
            is_odd = above[0] == below[0] != shape
        begins = run_below >= _LONG_RUN and (not above or above[0] != shape)
        key = run_above, run_below, begins, difference, is_odd
        if key not in self._changes:
            self._changes[key] = _describe_shapes(*key)
        return self._changes[key]


_NEIGHBOUR = 3
"""Number of lines in which the line before or after a line is looked for, past blank lines."""
_BLOCK = 20
"""Number of lines of a block, before and after a line, that are counted."""
_LAST_LINES = 5
"""Number of lines at the end of a text that are its last."""
_HEADER_WORDS = 3
"""Minimum number of words of the header of a table."""
_COUNTED_FORMS = 20_000
"""Number of forms whose words are counted."""
_TROUBLE = ("", "mention", "warning", "error", "summary")
"""Names of the traits of lines that state trouble, by severity."""
Traits = Mapping[str, float]
"""The values of traits by their names, from 0 to about 15 each."""


class LineTraits:
    """Measure the lines ``numbers`` of a text: ``measure`` returns the traits of a line.

    ``groups`` are the headings of the text. A trait that a line lacks has no key. The time for a line does not depend
    on the number of lines.
    """

    def __init__(self, forms: LineForms, numbers: Iterable[int], groups: Iterable[HeadingGroup]) -> None:
        self._forms = forms
        self._columns = LineColumns(forms, numbers)
        self._surroundings = LineSurroundings(forms, groups)
        self._texts: dict[int, Traits] = {}
        self._blocks: dict[tuple[int, int], Traits] = {}
        self._neighbours: dict[tuple[int, ...], Traits] = {}
        self._recurrences: dict[tuple[int, ...], Traits] = {}
        self._depths = [len(text) - len(text.lstrip()) for text in forms.texts]
        self._form_words: dict[int, set[str]] = {}
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
        if form <= _COUNTED_FORMS:
            count, words = forms.counts[form], list_words(forms.texts[form])
            self._form_words[form] = words
            if count == 1:
                self._words.update(words)
                return
            for word in words:
                self._words[word] += count

    def measure(self, number: int) -> dict[str, float]:
        """Return the traits of line ``number``, which is not blank."""
        return {name: value for part in self.list_parts(number) for name, value in part.items()}

    def list_parts(self, number: int) -> list[Traits]:
        """Return the traits of line ``number``, which is not blank, in parts; lines with an equal part share it."""
        forms = self._forms
        form = forms.form_of(number)
        text = self._texts.get(form)
        if text is None:
            text = self._texts[form] = self._measure_form(number, form)
        above, below = forms.list_before(number, REACH), forms.list_after(number, REACH)
        return [
            text,
            self._measure_place(number),
            self._measure_block(above[:_BLOCK], below[:_BLOCK]),
            self._measure_neighbours(number, form, _find_text(above), _find_text(below)),
            self._measure_recurrence(number, form),
            self._columns.measure(number),
            *self._surroundings.list_parts(number, form, above, below),
        ]

    def _measure_form(self, number: int, form: int) -> Traits:
        """Return the traits that lines of one form share: those of the text of the first one measured."""
        text = self._forms.lines.at(number)
        text = text if text.isprintable() else strip_escapes(text.replace("\t", "    "))
        traits = measure_text(text) if text.strip() else {}
        return traits | self._measure_words(form)

    def _measure_words(self, form: int) -> dict[str, float]:
        """Return how rare the words of a form are in the text."""
        words = self._form_words[form] if form <= _COUNTED_FORMS else list_words(self._forms.texts[form])
        counts = sorted([self._words.get(word, 1) for word in words])
        if not counts:
            return {}
        total = self._forms.total
        return {
            "unique words": log2(1 + counts.count(1)),
            "unique word share": counts.count(1) / len(counts),
            "rarest word": log2(1 + counts[0]),
            "word rarity": sum(log2(max(total / count, 1.0)) for count in counts) / len(counts) / 10,
        }

    def _measure_place(self, number: int) -> Traits:
        total = self._forms.total
        return {
            "head distance": log2(1 + number),
            "tail distance": log2(2 + total - number),
            "last lines": float(number > total - _LAST_LINES),
        }

    def _measure_block(self, above: Sequence[int], below: Sequence[int]) -> Traits:
        """Return how many lines stand between a line and the next blank ones, by the forms of the lines near it."""
        key = _count_block(above), _count_block(below)
        if key not in self._blocks:
            before, after = key
            self._blocks[key] = {
                "after blank": float(not before),
                "before blank": float(not after),
                "block before": log2(1 + before),
                "block after": log2(1 + after),
            }
        return self._blocks[key]

    def _measure_neighbours(self, number: int, form: int, before: int, after: int) -> Traits:
        """Return how a line is indented, which lines stand around it, and whether they have its shape.

        ``before`` and ``after`` say how far away the next lines are that are not blank, 0 if none is near.
        """
        forms, depths = self._forms, self._depths
        above = forms.form_of(number - before) if before else 0
        below = forms.form_of(number + after) if after else 0
        shape, depth = forms.shapes[form], depths[form]
        key = _Neighbourhood(
            forms.flags_of(number),
            forms.flags_of(number - before) if before else 0,
            forms.flags_of(number + after) if after else 0,
            depth,
            depths[above] if above else depth,
            depths[below] if below else depth,
            forms.shapes[above] != shape,
            forms.shapes[below] != shape,
            below > 0 and self._is_header(form, below),
            above > 0 and self._is_header(above, form),
        )
        if key not in self._neighbours:
            self._neighbours[key] = _describe_neighbours(key) | self._measure_trouble(key.flags)
        return self._neighbours[key]

    def _is_header(self, form: int, below: int) -> bool:
        """Return whether a form without a number has the words of a table's header, and the form below it a number."""
        texts = self._forms.texts
        return "0" not in texts[form] and "0" in texts[below] and len(texts[form].split()) >= _HEADER_WORDS

    def _measure_trouble(self, flags: int) -> dict[str, float]:
        severity = flags >> TROUBLE_SHIFT
        if not severity:
            return {}
        return {_TROUBLE[severity]: 1.0, "lines of trouble": log2(1 + self._severities[severity])}

    def _measure_recurrence(self, number: int, form: int) -> Traits:
        """Return how often the form and the shape of a line come back."""
        forms, shape = self._forms, self._forms.shapes[form]
        count, alike = forms.counts[form], forms.shape_counts[shape]
        of_form = count, forms.firsts[form] == number, forms.lasts[form] == number
        of_shape = alike, self._first_shapes[shape] == number, self._last_shapes[shape] == number
        key = (*of_form, *of_shape)
        if key not in self._recurrences:
            self._recurrences[key] = {
                **_describe_recurrence("form", *of_form),
                **_describe_recurrence("shape", *of_shape),
                "shape share": alike / max(forms.total - forms.counts[0], 1),
            }
        return self._recurrences[key]


def _count_block(forms: Sequence[int]) -> int:
    """Return how many forms stand before the first one of a blank line."""
    return forms.index(0) if 0 in forms else len(forms)


def _find_text(forms: Sequence[int]) -> int:
    """Return the place, from 1, of the first form near a line that is not that of a blank line, 0 if none is near."""
    for place, form in enumerate(forms[:_NEIGHBOUR], 1):
        if form:
            return place
    return 0


class _Neighbourhood(NamedTuple):
    """Hold what distinguishes a line from those around it: their flags, and their depths of indentation.

    The line ``begins`` or ``ends`` a run of lines of its shape; it is or has a header of a table.
    """

    flags: int
    above: int
    below: int
    depth: int
    outer: int
    inner: int
    begins: bool
    ends: bool
    is_header: bool
    has_header: bool


def _describe_neighbours(line: _Neighbourhood) -> dict[str, float]:
    """Return the traits of a line between two others."""
    return {
        "ruler": float(line.flags & RULE > 0),
        "title": float(line.flags & TITLE > 0),
        "colon": float(line.flags & COLON > 0),
        "after ruler": float(line.above & RULE > 0),
        "before ruler": float(line.below & RULE > 0),
        "after title": float(line.above & (TITLE | COLON) > 0),
        "after trouble": float(line.above >> TROUBLE_SHIFT >= 2),
        "margin": float(line.depth == 0),
        "depth": log2(1 + line.depth),
        "deeper": float(line.depth > line.outer),
        "shallower": float(line.depth < line.outer),
        "opens": float(line.inner > line.depth),
        "first of run": float(line.begins and not line.ends),
        "last of run": float(line.ends and not line.begins),
        "single in run": float(line.begins and line.ends),
        "header": float(line.ends and line.is_header),
        "after header": float(line.has_header),
    }


def _describe_recurrence(what: str, count: int, is_first: bool, is_last: bool) -> dict[str, float]:
    """Return the traits of a line whose form or shape occurs ``count`` times."""
    return {
        f"{what} count": log2(1 + count),
        f"single {what}": float(count == 1),
        f"first of {what}": float(count > 1 and is_first),
        f"last of {what}": float(count > 1 and is_last),
    }


def list_words(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return set(_WORD.findall(text.lower()))


def measure_text(text: str) -> dict[str, float]:
    """Return the traits of a line that is not blank, from 0 to about 3 each; a trait that it lacks has no key."""
    text = text[:READ_WIDTH].rstrip() or text.strip()[:READ_WIDTH]
    words = list_words(text)
    traits = {name: 1.0 for name, group in _WORD_GROUPS.items() if not words.isdisjoint(group)}
    has_digit = any(map(str.isdecimal, text))
    for name, pattern in PATTERNS.items():
        if _NEEDED.get(name, "") in text and (has_digit or name not in _NUMERIC) and pattern.search(text):
            traits[name] = 1.0
    if len(_COLUMN.findall(text)) > 1:
        traits["columns"] = 1.0
    traits |= _measure_characters(text.strip())
    traits["word count"] = log2(1 + len(words))
    return traits


def _measure_characters(text: str) -> dict[str, float]:
    """Return the length of a text and its shares of digits, letters, capitals and punctuation."""
    size = len(text)
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    capitals = sum(map(str.isupper, text)) / max(letters, 1)
    first = text[0]
    traits = {
        "length": log2(1 + size) / 3,
        "digit share": digits / size,
        "capital share": capitals,
        "mark share": 1 - sum(map(str.isalnum, text)) / size - text.count(" ") / size,
        "long": float(size > _LONG),
        "short": float(size < _SHORT),
        "number": float(digits > 0),
        "no word": float(letters < 2),
        "begins with capital": float(first.isupper()),
        "begins with small letter": float(first.islower()),
        "begins with digit": float(first.isdigit()),
    }
    if text[-1] in _ENDINGS:
        traits[_ENDINGS[text[-1]]] = 1.0
    return traits


def _describe_heading(group: HeadingGroup) -> dict[str, float]:
    return {
        "heading": 1.0,
        "heading count": log2(1 + len(group.numbers)),
        "strong heading": float(group.kind <= TITLED),
    }


def _describe_shapes(run_above: int, run_below: int, begins: bool, difference: float, is_odd: bool) -> dict[str, float]:
    """Return the traits of a line between two runs; ``difference`` is below 0 if it is the first or the last line."""
    traits = {
        "run above": log2(1 + run_above),
        "run below": log2(1 + run_below),
        "before long run": float(begins),
    }
    if difference >= 0:
        traits |= {
            "shape change": difference,
            "new shapes": float(difference == 1),
            "odd between": float(is_odd),
        }
    return traits


def _count_run(shapes: list[int]) -> int:
    """Return how many shapes are the same as the first."""
    for place, shape in enumerate(shapes):
        if shape != shapes[0]:
            return place
    return len(shapes)
