"""How much work comparing statements may take, so that text made to be slow is not."""

MAX_LOOKUPS = 1_000_000
"""Statements that are looked up by a shared word, and those for each statement: 0.3 s a million."""
LOOKUPS_PER_STATEMENT = 20
MAX_COMPARISONS = 8_000
"""Pairs that are compared closely, 0.1 ms each: the largest of 25 real workspaces has 195 among 1,217 statements."""
COMPARISONS_PER_STATEMENT = 0.125
"""Pairs more for each statement."""
CHARACTERS = 2_000
"""Characters of two statements that take as long to compare as a pair of short ones."""
WORDS, ORDERED, ALIGNED = 6, 400, 20_000
"""Characters of a word on average, words whose order is compared, and pairs of words that take as long."""


class Effort:
    """Count the work on some statements, up to a bound."""

    def __init__(self, statements: int) -> None:
        self._lookups = MAX_LOOKUPS + LOOKUPS_PER_STATEMENT * statements
        self._comparisons = MAX_COMPARISONS + COMPARISONS_PER_STATEMENT * statements
        self.exhausted = False

    def allow_lookups(self, count: int) -> bool:
        """Return whether so many statements may be looked up."""
        self._lookups -= count
        self.exhausted = self.exhausted or self._lookups < 0
        return not self.exhausted

    def allow_comparison(self, first: str, second: str) -> bool:
        """Return whether two statements may be compared; long ones take more of what is left."""
        words = min(len(first) // WORDS, ORDERED) * min(len(second) // WORDS, ORDERED)
        self._comparisons -= 1 + words // ALIGNED + (len(first) + len(second)) // CHARACTERS
        self.exhausted = self.exhausted or self._comparisons < 0
        return not self.exhausted


EXHAUSTED_MESSAGE = (
    "too many statements are alike to compare all of them: near duplicates and contradictions may be missing, "
    "exact copies are not"
)
"""What a user is told of work that was left."""
