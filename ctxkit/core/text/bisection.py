"""Finding the most that fits, where more of it is larger."""

from collections.abc import Callable
from typing import TypeVar

Candidate = TypeVar("Candidate")


def find_largest(
    least: int, most: int, make: Callable[[int], Candidate], fits: Callable[[Candidate], bool]
) -> Candidate | None:
    """Return what ``make`` gives for the largest size from ``least`` to ``most`` that fits, None when none does.

    The search is binary; what it returns has been put to ``fits``.
    """
    best: Candidate | None = None
    while least <= most:
        middle = (least + most) // 2
        candidate = make(middle)
        if fits(candidate):
            least, best = middle + 1, candidate
        else:
            most = middle - 1
    return best
