"""What hosts offer of a model, as far as the registries know."""

from typing import NamedTuple

from ctxkit.core.models.host_limits import HOST_LIMITS


class HostLimits(NamedTuple):
    """Say who offers a model with one window and one longest answer, in tokens (0: not said).

    ``hosts`` are pairs of a host and the registry that says so.
    """

    window: int
    max_output: int
    hosts: tuple[tuple[str, str], ...]


def find_host_limits(name: str) -> list[HostLimits]:
    """Return what hosts offer of the model that the table has under ``name``, the smallest window first."""
    at = HOST_LIMITS.find(f"\n{name} ")
    if at < 0:
        return []
    line = HOST_LIMITS[at + 1 : HOST_LIMITS.find("\n", at + 1)]
    return [_parse_host_limits(said) for said in line.split(" ")[1:]]


def _parse_host_limits(entry: str) -> HostLimits:
    sizes, _, hosts = entry.partition("=")
    window, _, output = sizes.partition("/")
    pairs = (host.rpartition("@") for host in hosts.split(","))
    return HostLimits(int(window), int(output), tuple((host, registry) for host, _, registry in pairs))
