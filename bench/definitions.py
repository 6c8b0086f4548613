"""The suite ``source``: what bench/source.py measures, as figures of the one table."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import mean

from bench.figure import Figure
from bench.place import Place

SUITE = "source"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "source.py")


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many definitions maps of Python source lead to, beside the best of head and tail."""
    if place.quick:
        yield Figure(SUITE, "definitions", "skipped", notes=("a quick run leaves it out",))
        return
    process = subprocess.run([sys.executable, SCRIPT, "--json"], stdout=subprocess.PIPE, check=False)
    found = json.loads(process.stdout)
    for row in (row for row in found["rows"] if row["strategy"] == "map"):
        others = [o for o in found["rows"] if o["budget"] == row["budget"] and o["strategy"] != "map"]
        best = max(mean(other["tops"]) for other in others)
        tops, everything = mean(row["tops"]), mean(row["everything"])
        figure = f"{tops:.1%} of classes and functions, {everything:.1%} of all / {best:.1%} by head or tail"
        yield Figure(SUITE, f"definitions found at {row['budget']:,} tokens", figure, tops / best)
    wrong = found["wrong"]
    yield Figure(SUITE, "maps over the target, or with a wrong range", str(len(wrong)), None, "0", not wrong, wrong)
