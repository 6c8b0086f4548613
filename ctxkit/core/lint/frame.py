"""Statements that are alike because they are filled-in forms, not because they say the same."""

import re
from collections import Counter
from collections.abc import Iterable

from ctxkit.core.lint.likeness import Likeness
from ctxkit.core.lint.normal import LONG, normal, plain
from ctxkit.core.lint.traits import TITLE, canonical_of
from ctxkit.core.lint.unit import Unit

_LABEL = re.compile(r"([^:：\n|.!?]{1,40}?)\s*[:：](?=\s)\s*|(?:\*\*|__)([^*_\n]{1,40})(?:\*\*|__)\s*(?:[-–—:]\s+)?")
_NUMBERED = re.compile(r"\W*([^\W\d]+)[ \t]+#?(\d{1,3}|[A-Z])\b(?![%.]\d)")
_ENTRY = re.compile(r"\d{1,3}[.)]\s|[-*+]\s+`?--?\w")
"""A numbered step, or an option that is explained."""
FORMS = 3
"""Statements of a document that begin with one label before it counts as the name of a field."""
CERTAIN, FULLER = 0.93, 0.88
"""How alike two items of one list must be when a word is put for another, and when only one of them says more."""


def label(unit: Unit) -> str:
    """Return the normalised label that a statement begins with ("Impact: ..."), or an empty text."""
    found = _LABEL.match(unit.text.lstrip("-*+•> \t0123456789.)|#"))
    return normal(found[1] or found[2] or "") if found else ""


def fields(units: Iterable[Unit]) -> frozenset[tuple[str, str]]:
    """Return the (path, label) pairs that are fields of a form."""
    counted = Counter((unit.path, label(unit)) for unit in units)
    return frozenset(key for key, times in counted.items() if key[1] and times >= FORMS)


def value(unit: Unit) -> str:
    """Return the one long word behind the label that a statement begins with, such as an address; else nothing."""
    name = label(unit)
    *before, last = unit.normal.split() or [""]
    long = name and len(last) >= LONG and not last.isalpha()
    if long and " ".join(before) in (name, f"{name} https", f"{name} http"):
        return last
    return ""


def siblings(one: Unit, two: Unit, likeness: Likeness) -> bool:
    """Say whether two statements are items of one list, or of parallel places, that differ in what they are about."""
    both = bool(likeness.left and likeness.right)
    if one.path == two.path and one.list and one.list == two.list:
        if one.sort == "row":
            return True
        return bool(likeness.left | likeness.right) and likeness.score < (CERTAIN if both else FULLER)
    if one.path == two.path and (likeness.left or likeness.right) and _framed(one, two):
        return True
    return both and bool(likeness.left & about(one)) and bool(likeness.right & about(two))


def _framed(one: Unit, two: Unit) -> bool:
    """Say whether two statements stand under titles that name two of a kind: Sweep 3 and Sweep 5."""
    titles = [one.section[-1:], two.section[-1:]]
    left, right = (normal(" ".join(title)).split() for title in titles)
    if not left or not right or left == right:
        return False
    numbered = _NUMBERED.match(titles[0][0]), _NUMBERED.match(titles[1][0])
    if numbered[0] and numbered[1]:
        return numbered[0][1] == numbered[1][1] and numbered[0][2] != numbered[1][2]
    return len(one.section) == len(two.section) and left[:2] == right[:2] and len(left) > 2 < len(right)


def parallel(one: Unit, two: Unit) -> bool:
    """Say whether two statements of a file are steps of two procedures, or entries of two tables.

    What they say belongs to either: the parameters of two commands, the rows of two endpoints.
    """
    if one.path != two.path or not one.list or not two.list or one.list == two.list:
        return False
    return one.sort == two.sort == "row" or bool(_ENTRY.match(one.text) and _ENTRY.match(two.text))


def about(unit: Unit) -> frozenset[str]:
    """Return the words of the titles above a statement, and of the path of its file."""
    place = " ".join((*unit.section, unit.under[:TITLE], re.sub(r"[/._-]", " ", unit.path)))
    return frozenset(word for token in normal(plain(place)).split() if (word := canonical_of(token)))
