"""How much slower the processor is now than when nothing else runs: another load on its cores, or a slower one."""

from time import process_time

TURNS = 2_000_000
REFERENCE = 0.068
"""CPU seconds of the turns on the machine for which the limits were set, an AMD EPYC without other load."""


def measure_slowdown() -> float:
    """Return by how much a fixed piece of work takes longer than on the quiet machine of the limits, at least 1."""
    started = process_time()
    total = 0
    for turn in range(TURNS):
        total += turn
    return max(1.0, (process_time() - started) / REFERENCE)
