"""Finding the most that fits, where more of it is larger."""

from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


def largest(least: int, most: int, make: Callable[[int], Made], fits: Callable[[Made], bool]) -> Made | None:
    """Return what ``make`` gives for the largest size from ``least`` to ``most`` that fits, None when none does.

    The search is binary; what it returns has been put to ``fits``.
    """
    best: Made | None = None
    while least <= most:
        middle = (least + most) // 2
        made = make(middle)
        if fits(made):
            least, best = middle + 1, made
        else:
            most = middle - 1
    return best
