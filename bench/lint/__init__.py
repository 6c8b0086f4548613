"""What ``ctxkit dedupe`` finds, misses and breaks: planted items, and fix runs.

The planters and the checks were written apart from the detector, and know it only by its command. Nothing
is tuned on the seeds of a full run; use ``python -m bench.lint --seed 1`` for that.
"""

import os
from collections.abc import Iterator

from bench.figure import Figure
from bench.place import Place
from bench.reference import directory

CLONES = os.environ.get("BENCH_CLONES") or os.path.join(directory(), "clones")
"""Where clones of more repositories to fix are, each as ``owner+name``."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of all parts; a quick run leaves out what needs clones or packages, and takes little of the
    rest."""
    from bench.lint.table import Plan, parts

    yield from parts(place, Plan.of(quick=place.quick, clones=CLONES))
