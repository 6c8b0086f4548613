"""Measure how much of their beginning two texts have in common."""


def measure_common_prefix(first: str, second: str) -> int:
    """Return the number of characters that two texts begin with in common, by binary search."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
