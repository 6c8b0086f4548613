"""How many examples of a property are tried: by make test, by CI, and by make test-long."""

from hypothesis import settings

QUICK = 20
"""Maximum number of examples of a property in make test."""
CI = 50
"""The maximum in CI, in which make test and make test-slow try all properties."""
THOROUGH = 1000
"""The number in make test-long, of a property whose examples take little time."""
USUAL = 100
"""The number that hypothesis tries if nothing is set: a property that says another number takes its share of THOROUGH."""


def count_examples(usual: int) -> int:
    """Return the number of examples of a property that tries ``usual`` ones where others try 100."""
    limit = settings.default.max_examples
    return min(usual, limit) if limit <= USUAL else usual * limit // USUAL


def is_thorough() -> bool:
    """Whether this is a run by hand that takes an hour: inputs of tests may be larger in it than in CI."""
    return settings.default.max_examples >= THOROUGH
