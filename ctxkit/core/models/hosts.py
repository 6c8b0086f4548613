"""Look up the limits that hosts set for a model, according to the registries."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.models.host_limits import HOST_LIMITS, HOST_NAMES


class HostLimits(NamedTuple):
    """Hosts that offer a model with the same window and output limit, in tokens (0: unknown).

    ``hosts`` are pairs of a host and the registry that lists it.
    """

    window: int
    max_output: int
    hosts: tuple[tuple[str, str], ...]


def find_host_limits(name: str) -> list[HostLimits]:
    """Return the limits of the hosts of a model of the table, the smallest window first."""
    at = HOST_LIMITS.find(f"\n{name} ")
    if at < 0:
        return []
    line = HOST_LIMITS[at + 1 : HOST_LIMITS.find("\n", at + 1)]
    names = HOST_NAMES.strip().split("\n")
    return [_parse_host_limits(word, names) for word in line.split(" ")[1:]]


def _parse_host_limits(entry: str, names: Sequence[str]) -> HostLimits:
    sizes, _, numbers = entry.partition("=")
    window, _, output = sizes.partition("/")
    pairs = (names[int(number)].rpartition("@") for number in numbers.split(","))
    return HostLimits(int(window), int(output), tuple((host, registry) for host, _, registry in pairs))
