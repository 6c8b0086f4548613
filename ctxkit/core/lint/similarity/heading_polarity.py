"""Recognize statements that their heading or introducing line negates, requires or contrasts."""

import re

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.vocabulary import (
    NEGATIVE,
    NEGATIVE_SIGNS,
    NEGATIVE_TITLE,
    POSITIVE_TITLE,
)

MAX_TITLE_LENGTH = 400
"""Maximum characters of an introducing line that are searched for a negation."""


def is_negated_by_heading(unit: Unit) -> bool:
    """Return whether the intro or heading of a statement negates it: a list below "Never:", a section "Don'ts".

    A statement with its own negation is not negated: below "Never:", people write "never push".
    """
    negated = (unit.intro and NEGATIVE_TITLE.match(unit.intro[:MAX_TITLE_LENGTH])) or (
        unit.section and len(unit.section[-1]) < 60 and NEGATIVE_TITLE.match(unit.section[-1])
    )
    return bool(negated) and NEGATIVE.isdisjoint(unit.normal.split()) and not NEGATIVE_SIGNS.search(unit.text)


def is_required_by_heading(unit: Unit) -> bool:
    """Return whether the intro or heading of a statement requires it: a list below "Always:", a section "Do"."""
    return bool(
        (unit.intro and POSITIVE_TITLE.match(unit.intro[:MAX_TITLE_LENGTH]))
        or (unit.section and len(unit.section[-1]) < 60 and POSITIVE_TITLE.match(unit.section[-1]))
    )


_BEFORE = re.compile(r"\W*(?:before|old|original|input|bad|wrong|incorrect|worse|weak|vague)\W*$", re.IGNORECASE)
_AFTER = re.compile(r"\W*(?:after|new|rewritten|output|good|right|correct|better|strong|specific)\W*$", re.IGNORECASE)


def is_result_example(unit: Unit) -> bool:
    """Return whether a statement is the second of two contrasted examples, below a line such as "After:"."""
    return len(unit.intro) < MAX_TITLE_LENGTH and bool(_AFTER.match(unit.intro))


def is_contrast_pair(first: Unit, second: Unit) -> bool:
    """Return whether two statements are contrasted as examples, as below "Before:" and "After:"."""
    if first.path != second.path or first.intro == second.intro:
        return False
    return any(
        is_result_example(after) and len(before.intro) < MAX_TITLE_LENGTH and bool(_BEFORE.match(before.intro))
        for before, after in ((first, second), (second, first))
    )


def has_opposite_polarity(first: Unit, second: Unit) -> bool:
    """Return whether the headings of two statements negate one and require the other."""
    return (is_negated_by_heading(first) and is_required_by_heading(second)) or (
        is_required_by_heading(first) and is_negated_by_heading(second)
    )
