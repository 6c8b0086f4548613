"""Look up what is offered of a model: its price, the limits of hosts, and how long a prompt stays in a cache."""

from collections.abc import Sequence
from typing import NamedTuple


class ModelPrice(NamedTuple):
    """The price of a million input tokens in US dollars, its registry, and the day of the registry's figures."""

    amount: float
    source: str
    as_of: str


def find_price(name: str) -> ModelPrice | None:
    """Return the price of the model with a name in any spelling, None if the table has none."""
    from ctxkit.core.models.lookup import find_model
    from ctxkit.core.models.model_table import DATES
    from ctxkit.core.models.price_table import PRICES

    model = find_model(name) if name else None
    at = PRICES.find(f"\n{model.name} ") if model else -1
    if at < 0:
        return None
    _, amount, source = PRICES[at + 1 : PRICES.find("\n", at + 1)].split(" ")
    return ModelPrice(float(amount), source, DATES[source])


class HostLimits(NamedTuple):
    """Hosts that offer a model with the same window and output limit, in tokens (0: unknown).

    ``hosts`` are pairs of a host and the registry that lists it.
    """

    window: int
    max_output: int
    hosts: tuple[tuple[str, str], ...]


def find_host_limits(name: str) -> list[HostLimits]:
    """Return the limits of the hosts of a model of the table, the smallest window first."""
    from ctxkit.core.models.host_limits import HOST_LIMITS, HOST_NAMES

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


SHORT_CACHE, LONG_CACHE = 300, 3600
"""Seconds after its last use for which Anthropic keeps a prompt in one of its two caches; it reports writes apart:
platform.claude.com/docs/en/build-with-claude/prompt-caching."""


def find_cache_seconds(short_write: int, long_write: int) -> int:
    """Return for how many seconds a prompt stays in the cache after a request that wrote tokens, 0 if that is unknown.

    Reads do not show it: OpenAI keeps what it reads for minutes or for a day.
    """
    if long_write:
        return LONG_CACHE
    return SHORT_CACHE if short_write else 0
