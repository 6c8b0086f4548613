"""Rows of the table: a share of a whole, and whether it is good enough."""

from collections.abc import Sequence

from bench.figure import Figure

SUITE = "lint"


def share(counts: tuple[int, int]) -> float:
    """Return a part of a whole, 1 of nothing."""
    return counts[0] / counts[1] if counts[1] else 1.0


def describe(counts: tuple[int, int]) -> str:
    """Return a part of a whole, for people."""
    return f"{share(counts):.3f} ({counts[0]}/{counts[1]})" if counts[1] else "none"


def at_least(what: str, counts: tuple[int, int], least: float | None = None, notes: Sequence[str] = ()) -> Figure:
    """Return a row of a share that should be at least so much; no verdict where there was nothing."""
    target = "" if least is None else f">= {least}"
    ok = None if least is None or not counts[1] else share(counts) >= least
    return Figure(SUITE, what, describe(counts), target=target, ok=ok, notes=notes)


def at_most(what: str, counts: tuple[int, int], most: float | None, notes: Sequence[str] = ()) -> Figure:
    """Return a row of a share that should be at most so much; no verdict where there was nothing."""
    target = "" if most is None else f"<= {most}"
    ok = None if most is None or not counts[1] else share(counts) <= most
    return Figure(SUITE, what, describe(counts), target=target, ok=ok, notes=notes)
