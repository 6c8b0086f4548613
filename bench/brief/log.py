"""The suite ``log``: logs asked for the events that occur once or twice, and for the first error.

The facts are the event ids and levels that LogHub publishes beside its logs. They are for research, and so not here:
a checkout of logpai/loghub has to be the folder ``loghub`` of the bench's cache.
"""

import csv
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from glob import glob

from bench.brief.facts import Fact, FreshCase, make_pattern
from bench.brief.fresh import compare_questions
from bench.claims import lines_of
from bench.figure import Figure
from bench.place import Place
from bench.reference import directory

SUITE = "brief log"
TARGETS = (500, 1_000, 2_000)
TUNED = ("Android", "Apache", "BGL", "HDFS", "Hadoop", "Linux", "OpenSSH", "Spark", "Zookeeper")
"""Systems whose logs were looked at while rules were written."""
WORST = ("ERROR", "FATAL", "SEVERE", "CRITICAL", "E", "F", "error", "FAILURE", "err")
"""Levels in LogHub's tables that are errors or worse."""
RARE = 2


def figures(place: Place) -> Iterator[Figure]:
    """Yield what is known of the logs of systems that were tuned on, and of the others."""
    cases = list(read_logs())[:: 4 if place.quick else 1]
    if not cases:
        yield Figure(SUITE, "LogHub", "skipped", notes=(f"{directory()}/loghub is no checkout of logpai/loghub",))
        return
    seen = [case for case in cases if case.name in TUNED]
    yield from compare_questions(SUITE, "tuned on", seen, TARGETS)
    yield from compare_questions(SUITE, "held out", [case for case in cases if case not in seen], TARGETS)


def read_logs() -> Iterator[FreshCase]:
    """Yield the logs of a checkout of LogHub with their facts."""
    for path in sorted(glob(os.path.join(directory(), "loghub", "*", "*_2k.log"))):
        with open(path, "rb") as file:
            data = file.read()
        with open(f"{path}_structured.csv", encoding="utf-8", errors="replace", newline="") as beside:
            rows = list(csv.DictReader(beside))
        lines = lines_of(data.decode("utf-8", "replace"))
        yield FreshCase(os.path.basename(path).removesuffix("_2k.log"), data, tuple(_list_facts(lines, rows)))


def _list_facts(lines: Sequence[str], rows: Sequence[dict[str, str]]) -> Iterator[Fact]:
    places: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, 1):
        places[row["EventId"]].append(number)
    for numbers in places.values():
        if len(numbers) <= RARE:
            yield Fact("rare event", "|".join(make_pattern(lines[at - 1]) for at in numbers), numbers[0], None)
    errors = [number for number, row in enumerate(rows, 1) if row.get("Level") in WORST]
    if errors:
        yield Fact("first error", make_pattern(lines[errors[0] - 1]), None, None)
