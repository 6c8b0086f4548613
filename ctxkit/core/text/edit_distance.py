"""Compare words by the number of edits between them."""


def is_within_edits(first: str, second: str, most: int) -> bool:
    """Return whether at most ``most`` inserted, removed or replaced letters turn one word into the other."""
    if abs(len(first) - len(second)) > most:
        return False
    row = list(range(len(second) + 1))
    for number, letter in enumerate(first, 1):
        previous, row = row, [number]
        for at, other in enumerate(second):
            row.append(min(previous[at] + (letter != other), previous[at + 1] + 1, row[at] + 1))
    return row[-1] <= most
