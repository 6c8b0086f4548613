"""Headings: lines at the left margin that come back and divide a text into sections."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from ctxkit.core.brief.generic.forms import BLANK, BRANCH, COLON, INDENTED, RULE, TITLE, LineForms
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.severity import ERROR_LEVELS, NORMAL_LEVELS, WARNING_LEVELS

RULED, TITLED, COLONED, ISOLATED, PARAGRAPH, MARGIN, NESTED = range(7)
"""Classes of headings: beside a rule, marked by punctuation, ending in a colon, between blank lines, above indented
lines, and inside an indented text. The class of the last grows with the indentation."""
_NONE = -1
"""Class of a line that is no heading."""
DEEPEST = NESTED + 12
"""Class of headings inside indented text that lines are compared with at most."""
MAX_ISOLATED, ISOLATED_WIDTH = 30, 60
"""Maximum number of headings between blank lines, which are sentences if they are many, and of their characters."""
ENOUGH, MAX_WEAK = 8, 60
"""Number of headings from which the weakest classes are not added, and from which no class is added."""
SPARSE = 100
"""Number of lines for each title from which titles may follow each other: those above them are of a higher level."""
_MARK = compile_lazily(r"\s*([^\w\s]{1,3})[^\w\s]*")
_NAME = compile_lazily(r"\W{0,3}[^\W\d_][\w-]*(?: \(?[\w./-]+\)?){0,7}\Z")
_CODE_CHANGE = compile_lazily(r"\+\+|\+ ?[^\s\w]|[+-].*\{\Z")
"""Pattern of a line of code in a diff, which is no heading; ``- name:`` is an item of a list, ``+ ls`` a command."""
_DRAWN = compile_lazily(r"\s*[\u2502\u2503\u2551].*[\u2502\u2503\u2551]")
"""Pattern of a row of a drawn table."""
_NO_NAME = compile_lazily(rf"\W?0 0\b|\W*(?:{'|'.join((*NORMAL_LEVELS, *WARNING_LEVELS, *ERROR_LEVELS))})\W*\Z")
"""Pattern of a line that begins with a date and a time, or is a level and nothing else."""
_WORD = compile_lazily(r"[^\W_]")
_FIRST_WORD = compile_lazily(r"\s*([^\W\d][\w-]*:?)")


@dataclass(slots=True)
class HeadingGroup:
    """Collect headings of one class that begin alike; ``adjacent`` counts those directly below another.

    ``ends`` are lines of the same shape that are not listed, because there are enough headings: sections end at them.
    """

    kind: int
    numbers: list[int] = field(default_factory=list)
    adjacent: int = 0
    ends: list[int] = field(default_factory=list)


def find_headings(forms: LineForms, deepest: int = MARGIN) -> list[HeadingGroup]:
    """Return the groups of headings up to the class ``deepest`` that divide the text, the clearest first."""
    if forms.total > len(forms.flags):
        return []
    groups = [group for group in _pool_by_shape(_collect(forms), forms) if _divides(group, forms)]
    groups.sort(key=lambda group: (group.kind, len(group.numbers)))
    accepted: list[HeadingGroup] = []
    shapes: dict[int, HeadingGroup] = {}
    total = 0
    for group in groups:
        if group.kind > deepest or (group.kind == ISOLATED and len(group.numbers) > MAX_ISOLATED):
            continue
        weak = group.kind >= PARAGRAPH or (group.kind != ISOLATED and total + len(group.numbers) > MAX_WEAK)
        shape = _find_shape(group, forms)
        if total >= ENOUGH and weak:
            if shape in shapes:
                shapes[shape].ends += group.numbers
            continue
        accepted.append(group)
        shapes.setdefault(shape, group)
        total += len(group.numbers)
    return accepted


def _find_shape(group: HeadingGroup, forms: LineForms) -> int:
    """Return the shape of the first heading of a group."""
    return forms.shapes[forms.form_of(group.numbers[0])]


def _divides(group: HeadingGroup, forms: LineForms) -> bool:
    """Return whether the lines of a group stand apart from each other."""
    size = len(group.numbers)
    least = 1 if group.kind <= ISOLATED else 2
    is_apart = group.adjacent * 5 <= size * 2 or (group.kind == TITLED and size * SPARSE <= forms.total)
    return size >= least and size * 3 <= forms.total and is_apart


def _collect(forms: LineForms) -> dict[str, HeadingGroup]:
    groups: dict[str, HeadingGroup] = {}
    flags = forms.flags
    has_margin = _has_margin(flags)
    before, last_key = BLANK, ""
    for number, (flag, after) in enumerate(zip(flags, flags[1:] + bytes((BLANK,)), strict=False), 1):
        if flag & (BLANK | RULE):
            before = flag
            continue
        if not (flag | before | after):  # one of many lines of text
            last_key = ""
            continue
        kind = _classify(flag, before, after)
        if kind == _NONE:
            last_key, before = "", flag
            continue
        text = forms.texts[forms.form_of(number)]
        if kind == NESTED:
            kind = _classify_nested(text, forms.texts[forms.form_of(number + 1)])
        key = ""
        if kind != _NONE and (kind != MARGIN or has_margin) and _names_section(kind, text):
            key = _make_key(kind, text) + ("\n" if before & after & BLANK else "")
            group = groups.setdefault(key, HeadingGroup(kind))
            group.kind = min(group.kind, kind)
            group.numbers.append(number)
            group.adjacent += key == last_key
        last_key = key
        before = flag
    return groups


def _has_margin(flags: bytearray) -> bool:
    """Return whether so many lines are indented that those at the margin stand out."""
    return sum(map(flags.count, [flag for flag in range(256) if flag & INDENTED])) * 5 >= len(flags) * 2


def _names_section(kind: int, text: str) -> bool:
    """Return whether a line of a class of headings has a name, and is no time, level, drawn row or line of code."""
    if _DRAWN.match(text) or _NO_NAME.match(text):
        return False
    if kind > TITLED and (_CODE_CHANGE.match(text) or not _WORD.search(text)):
        return False
    return kind != ISOLATED or _is_name(text)


def _pool_by_shape(groups: Mapping[str, HeadingGroup], forms: LineForms) -> Iterator[HeadingGroup]:
    """Yield the groups; join those of one line above indented lines whose lines have one shape: ``a {``, ``b {``."""
    pools: dict[int, HeadingGroup] = {}
    for group in groups.values():
        if group.kind not in (PARAGRAPH, MARGIN) or len(group.numbers) > 1:
            yield group
            continue
        pool = pools.setdefault(forms.shapes[forms.form_of(group.numbers[0])], HeadingGroup(group.kind))
        pool.kind = min(pool.kind, group.kind)
        pool.numbers += group.numbers
    yield from pools.values()


@lru_cache(maxsize=4_096)
def _classify(flag: int, before: int, after: int) -> int:
    """Return the class of a line as a heading; it is NESTED if its text has to be compared with the next line."""
    if flag & INDENTED:
        return _classify_indented(flag, before, after)
    if after & RULE and before & (BLANK | RULE):
        return RULED
    if flag & TITLE:
        return TITLED
    if flag & COLON:
        return _NONE if after & BLANK and not before & BLANK else COLONED  # the last line of a block is no heading
    if before & after & BLANK:
        return ISOLATED
    if after & INDENTED:
        return PARAGRAPH if before & BLANK else MARGIN
    return _NONE


def _classify_indented(flag: int, before: int, after: int) -> int:
    if flag & TITLE:
        return TITLED
    if flag & COLON and before & after & BLANK:
        return COLONED
    return NESTED if (flag & COLON or before & BLANK) and not after & (BLANK | RULE) else _NONE


def _classify_nested(form: str, after: str) -> int:
    """Return the class of an indented line that ends in a colon, -1 if the next line is not indented more."""
    depth = len(form) - len(form.lstrip())
    return NESTED + depth if len(after) - len(after.lstrip()) > depth else -1


def _is_name(form: str) -> bool:
    """Return whether a form is a short phrase, neither a sentence nor data."""
    if len(form) > ISOLATED_WIDTH or form[-1] in ".,;!?}])>" or not (" " in form or form[0].isupper()):
        return False
    return _NAME.match(form) is not None


def _make_key(kind: int, form: str) -> str:
    if kind <= TITLED and (mark := _MARK.match(form)):
        return "branch" if BRANCH.match(form) else mark[1]
    if kind == RULED:
        return "="
    if kind in (COLONED, ISOLATED):
        return ":" if kind == COLONED else "isolated"
    if kind >= NESTED:
        return f"nested {kind}"
    word = _FIRST_WORD.match(form)
    return f"margin {word[1] if word else ''}"


@dataclass(frozen=True, slots=True)
class TextSection:
    """Hold the line of a heading, the last line of its section, and how odd it is among its neighbours."""

    start: int
    end: int
    oddness: float


def make_text_sections(groups: Sequence[HeadingGroup], forms: LineForms) -> list[TextSection]:
    """Return the sections that the headings of all groups begin, in order."""
    starts = sorted({number for group in groups for number in group.numbers})
    ends = sorted({number for group in groups for number in group.ends}.difference(starts))
    stops = sorted([*starts, *ends, forms.total + 1])
    sizes = [stops[bisect_right(stops, start)] - start for start in starts]
    typical = sorted(sizes)[len(sizes) // 2] if sizes else 1
    coloned = {number for group in groups if group.kind == COLONED for number in group.numbers}
    alike: dict[int, int] = {}
    for start in starts:
        shape = forms.shapes[forms.form_of(start)]
        alike[shape] = alike.get(shape, 0) + 1
    shares = (alike[forms.shapes[forms.form_of(start)]] / len(starts) for start in starts)
    return [
        TextSection(start, _find_end(start, start + size - 1, forms, coloned), _rate_oddness(size, typical, share))
        for start, size, share in zip(starts, sizes, shares, strict=True)
    ]


def _find_end(start: int, end: int, forms: LineForms, coloned: Collection[int]) -> int:
    """Return the last line below a heading: of a list below a colon, the last before a blank line and other text."""
    if start not in coloned or start == end or forms.flags_of(start + 1) & BLANK:
        return end
    blank = next((number for number in range(start + 2, end) if forms.flags_of(number) & BLANK), end)
    after = next((number for number in range(blank, end + 1) if not forms.flags_of(number) & BLANK), end)
    return end if blank == end or forms.flags_of(after) & INDENTED else blank - 1


def _rate_oddness(size: int, typical: int, share: float) -> float:
    ratio = size / max(typical, 1)
    return max(ratio, 1 / ratio) - 1 + (2.0 if share < 0.1 else 0.0)
