"""What hosts offer of a model, as far as the registries know."""

from typing import NamedTuple

from ctxkit.core.offers import OFFERS


class Offered(NamedTuple):
    """Say who offers a model with one window and one longest answer, in tokens (0: not said).

    ``hosts`` are pairs of a host and the registry that says so.
    """

    window: int
    max_output: int
    hosts: tuple[tuple[str, str], ...]


def offered(name: str) -> list[Offered]:
    """Return what hosts offer of the model that the table has under ``name``, the smallest window first."""
    at = OFFERS.find(f"\n{name} ")
    if at < 0:
        return []
    line = OFFERS[at + 1 : OFFERS.find("\n", at + 1)]
    return [_offered(said) for said in line.split(" ")[1:]]


def _offered(said: str) -> Offered:
    sizes, _, who = said.partition("=")
    window, _, output = sizes.partition("/")
    pairs = (host.rpartition("@") for host in who.split(","))
    return Offered(int(window), int(output), tuple((host, registry) for host, _, registry in pairs))
