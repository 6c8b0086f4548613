"""Account for the tokens that maps kept out of a host's session."""

from collections.abc import Iterable

from ctxkit.core.named_tuple import NamedTuple

CHARS_PER_TOKEN = 4
"""Characters of a token in the limits of hosts, which cut output by characters."""


class KeptTokens(NamedTuple):
    """What maps kept out of a session in tokens, and how many parts were read back."""

    tokens: int
    reads: int


def format_map_line(original: int, entered: int, limit: int) -> str:
    """Return the line for a map: the tokens that the host itself would have let in, less those of the map."""
    return f"map {min(original, limit) - entered}\n"


def format_read_line(size: int) -> str:
    """Return the line for a part of ``size`` bytes that was read back."""
    return f"read {-(-size // CHARS_PER_TOKEN)}\n"


def sum_lines(lines: Iterable[str]) -> KeptTokens:
    """Return the sum of lines; those that are torn do not count."""
    tokens = reads = 0
    for line in lines:
        kind, _, number = line.rstrip("\n").partition(" ")
        if not line.endswith("\n") or not number.removeprefix("-").isdecimal():
            continue
        tokens += int(number) if kind == "map" else -int(number) if kind == "read" else 0
        reads += kind == "read"
    return KeptTokens(tokens, reads)
