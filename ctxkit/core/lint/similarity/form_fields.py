"""Recognize filled-in forms and parallel entries, whose statements are similar but do not say the same."""

import re
from collections import Counter
from collections.abc import Iterable

from ctxkit.core.lint.document.normal import LONG_TOKEN_LENGTH, normalize_text, strip_markup
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.heading_polarity import MAX_TITLE_LENGTH
from ctxkit.core.lint.similarity.similarity import Similarity
from ctxkit.core.lint.similarity.statement_traits import canonical_of

_LABEL = re.compile(r"([^:：\n|.!?]{1,40}?)\s*[:：](?=\s)\s*|(?:\*\*|__)([^*_\n]{1,40})(?:\*\*|__)\s*(?:[-–—:]\s+)?")
_MARKER = re.compile(r"(?:[-*+•>|#]+[ \t]+|\d{1,4}[.)][ \t]+|[ \t]+)*")
"""Matches the bullet, number, quote mark or bar before a label."""
_NUMBERED = re.compile(r"\W*([^\W\d]+)[ \t]+#?(\d{1,3}|[A-Z])\b(?![%.]\d)")
_ENTRY = re.compile(r"\d{1,3}[.)]\s|[-*+]\s+`?--?\w")
"""Matches a numbered step, or the explanation of an option."""
MIN_FORM_FIELDS = 3
"""Minimum statements of a document with the same label that make it the name of a field."""
REPLACED_SIMILARITY, EXTENDED_SIMILARITY = 0.93, 0.88
"""Minimum similarity of two items of one list if a word is replaced, and if only one has additional words."""


def read_field_label(unit: Unit) -> str:
    """Return the normalized label that a statement begins with ("Impact: ..."), or ""."""
    marker = _MARKER.match(unit.text)
    match = _LABEL.match(unit.text, marker.end() if marker else 0)
    return normalize_text(match[1] or match[2] or "") if match else ""


def find_form_fields(units: Iterable[Unit]) -> frozenset[tuple[str, str]]:
    """Return the (path, label) pairs that are fields of a form."""
    counted = Counter((unit.path, read_field_label(unit)) for unit in units)
    return frozenset(key for key, times in counted.items() if key[1] and times >= MIN_FORM_FIELDS)


def read_field_value(unit: Unit) -> str:
    """Return the only long word after the label of a statement, such as a URL, or ""."""
    name = read_field_label(unit)
    *before, last = unit.normal.split() or [""]
    long = name and len(last) >= LONG_TOKEN_LENGTH and not last.isalpha()
    if long and " ".join(before) in (name, f"{name} https", f"{name} http"):
        return last
    return ""


def is_sibling_pair(first: Unit, second: Unit, similarity: Similarity) -> bool:
    """Return whether two statements are items of a list, or of parallel sections, with different subjects."""
    both = bool(similarity.left and similarity.right)
    if first.path == second.path and first.list and first.list == second.list:
        if first.kind == "row":
            return True
        return bool(similarity.left | similarity.right) and similarity.score < (
            REPLACED_SIMILARITY if both else EXTENDED_SIMILARITY
        )
    if first.path == second.path and (similarity.left or similarity.right) and has_numbered_titles(first, second):
        return True
    return both and bool(similarity.left & context_words(first)) and bool(similarity.right & context_words(second))


def has_numbered_titles(first: Unit, second: Unit) -> bool:
    """Return whether the titles above two statements name two of a kind, such as Sweep 3 and Sweep 5."""
    titles = [first.section[-1:], second.section[-1:]]
    left, right = (normalize_text(" ".join(title)).split() for title in titles)
    if not left or not right or left == right:
        return False
    numbered = _NUMBERED.match(titles[0][0]), _NUMBERED.match(titles[1][0])
    if numbered[0] and numbered[1]:
        return numbered[0][1] == numbered[1][1] and numbered[0][2] != numbered[1][2]
    return len(first.section) == len(second.section) and left[:2] == right[:2] and len(left) > 2 < len(right)


def is_parallel_pair(first: Unit, second: Unit) -> bool:
    """Return whether two statements of a file are steps of two procedures, or entries of two tables.

    Each belongs to its own list: the parameters of two commands, the rows of two endpoints.
    """
    if first.path != second.path or not first.list or not second.list or first.list == second.list:
        return False
    return first.kind == second.kind == "row" or bool(_ENTRY.match(first.text) and _ENTRY.match(second.text))


def context_words(unit: Unit) -> frozenset[str]:
    """Return the words of the titles above a statement and of its path."""
    place = " ".join((*unit.section, unit.intro[:MAX_TITLE_LENGTH], re.sub(r"[/._-]", " ", unit.path)))
    return frozenset(word for token in normalize_text(strip_markup(place)).split() if (word := canonical_of(token)))
