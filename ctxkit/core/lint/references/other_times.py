"""Recognize lines that speak of another version or another tool than the one in use."""

import re

from ctxkit.core.lazy_pattern import compile_lazily

_EXCUSED = compile_lazily(
    r"\b(?:not|no longer|never|instead of|rather than|from|migrat\w*|upgrad\w*|drop\w*|legacy|older|before|until|since"
    r"|vs\.?|unlike|deprecated|removed|compat\w*|was|were|e\.g|example|only if|when|if|introduced|new in|added in"
    r"|prior|breaking|do not|don'?t|avoid|targets?|target)\b|n'?t\b|→|->",
    re.IGNORECASE,
)
"""Words of a line that tells of another version than the one in use."""


def speaks_of_another(line: str) -> bool:
    """Return whether a line tells of another version or another tool than the one in use."""
    return _EXCUSED.search(line) is not None
