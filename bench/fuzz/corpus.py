"""The seeds: small inputs of many formats, made for this purpose, that mutation starts from."""

import os
from functools import cache

FOLDER = os.path.join(os.path.dirname(__file__), "seeds")


@cache
def seeds(*beginnings: str) -> tuple[bytes, ...]:
    """Return the seeds whose names begin so, in the order of their names."""
    return tuple(seed_named(name) for name in sorted(os.listdir(FOLDER)) if name.startswith(beginnings))


@cache
def seed_named(name: str) -> bytes:
    """Return one seed."""
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()
