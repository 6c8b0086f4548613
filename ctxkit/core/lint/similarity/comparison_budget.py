"""Limit the work of comparing statements, so that hostile text cannot slow it down."""

MAX_LOOKUPS = 100_000
"""Maximum number of lookups by a shared word, and additional lookups per statement: 0.3 s per million."""
LOOKUPS_PER_STATEMENT = 4
MAX_COMPARISONS = 1_500
"""Maximum number of compared pairs, 0.1 ms each: the largest of 50 real workspaces has 195, and 5,735 lookups."""
COMPARISONS_PER_STATEMENT = 0.0625
"""Additional pairs per statement."""
CHARACTERS = 2_000
"""Characters of two statements that take as long to compare as a pair of short ones."""
WORDS, ORDERED, ALIGNED = 6, 400, 20_000
"""Mean characters of a word, maximum words in order, and pairs of words that take as long as a comparison."""


class Effort:
    """Counts the work on statements up to a limit."""

    def __init__(self, statements: int) -> None:
        self._lookups = MAX_LOOKUPS + LOOKUPS_PER_STATEMENT * statements
        self._comparisons = MAX_COMPARISONS + COMPARISONS_PER_STATEMENT * statements
        self.exhausted = False

    def allow_lookups(self, count: int) -> bool:
        """Return whether ``count`` more statements may be looked up."""
        self._lookups -= count
        self.exhausted = self.exhausted or self._lookups < 0
        return not self.exhausted

    def allow_comparison(self, first: str, second: str) -> bool:
        """Return whether two statements may be compared; long statements use more of the limit."""
        words = min(len(first) // WORDS, ORDERED) * min(len(second) // WORDS, ORDERED)
        self._comparisons -= 1 + words // ALIGNED + (len(first) + len(second)) // CHARACTERS
        self.exhausted = self.exhausted or self._comparisons < 0
        return not self.exhausted


EXHAUSTED_MESSAGE = (
    "too many statements are alike to compare all of them: near duplicates and contradictions may be missing, "
    "exact copies are not"
)
"""Message for the user if the limit is reached."""
