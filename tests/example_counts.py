"""How many examples of a property are tried."""

from hypothesis import settings

QUICK = 20
"""Maximum number of examples of a property in make test; make test-long tries all."""


def count_examples(thorough: int) -> int:
    """Return the number of examples of a property that tries ``thorough`` ones in make test-long."""
    return min(thorough, QUICK) if settings.default.max_examples <= QUICK else thorough
