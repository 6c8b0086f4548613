"""Commands that are killed at every system call that writes: strace does it, where it may trace."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from subprocess import DEVNULL, run

from bench.faults.checks import Known, faults_of, list_known
from bench.faults.home import Home, remove
from bench.faults.kills import home_for, verdict
from bench.faults.verbs import Call, calls, template
from bench.figure import Figure
from bench.place import Place

WRITING = (
    "write", "pwrite64", "writev", "openat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir",
    "mkdirat", "link", "linkat", "symlink", "symlinkat", "fsync", "fdatasync", "ftruncate", "chmod", "fchmod",
    "fchmodat", "utimensat",
)  # fmt: skip
LINE = re.compile(r"(\d+) +(\w+)\((.*)")
MAKING = ("O_CREAT", "O_WRONLY", "O_TRUNC", "O_RDWR")
"""What stands in an openat that may change something."""
EACH, QUICK = 60, 3
"""Calls of each verb that are struck, spread over all of them where there are more."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many kills at a system call left something behind that must not be."""
    reason = _missing()
    if reason:
        yield Figure("faults", "a kill at every writing system call", "skipped", notes=(reason,))
        return
    start = template(place)
    notes: Counter[str] = Counter()
    total = struck = 0
    for call in calls(place):
        home = home_for(place, start, call)
        result = list_known(call, home)
        remove(home)
        points = list(_points(place, start, call))
        for name, ordinal in _some(points, QUICK if place.quick else EACH):
            hit, faults = _strike(place, start, result, name, ordinal)
            total, struck = total + 1, struck + hit
            notes.update(f"{call.name}, at {name}: {fault}" for fault in faults)
    yield verdict(f"{total:,} kills at writing system calls of {len(calls(place))} calls", f"{struck:,} struck", notes)


def _missing() -> str:
    """Return why nothing can be traced here, empty where it can."""
    if shutil.which("strace") is None:
        return "there is no strace"
    done = run(["strace", "-qq", "-o", "/dev/null", "true"], stdout=DEVNULL, stderr=DEVNULL, check=False)
    return "" if done.returncode == 0 else "ptrace is not allowed"


def _points(place: Place, start: Home, call: Call) -> Iterator[tuple[str, int]]:
    """Yield each writing system call of a call by its name and its number among those of that name, in order."""
    home = home_for(place, start, call)
    trace = home.path("tmp", "trace")
    before = ("strace", "-f", "-qq", "-o", trace, "-e", f"trace={','.join(f'?{name}' for name in WRITING)}")
    home.run(call.argv, call.data, before=before)
    numbers: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[str, int]] = set()
    with open(trace, encoding="utf-8", errors="replace") as file:
        for match in filter(None, map(LINE.match, file)):
            process, name, rest = match.groups()
            numbers[process, name] += 1
            point = (name, numbers[process, name])
            if point not in seen and (name != "openat" or any(flag in rest for flag in MAKING)):
                seen.add(point)
                yield point
    remove(home)


def _some(points: list[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """Return the points, or so many of them that are spread over all."""
    if len(points) <= most:
        return points
    return [points[at * len(points) // most] for at in range(most)]


def _strike(place: Place, start: Home, item: Known, name: str, ordinal: int) -> tuple[bool, list[str]]:
    """Kill a call as it makes a system call; return whether it came to that, and what is wrong then."""
    home = home_for(place, start, item.call)
    try:
        inject = f"inject={name}:signal=KILL:when={ordinal}"
        ended = home.run(
            item.call.argv,
            item.call.data,
            before=("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject),
        )
        return ended.status not in item.call.statuses, list(faults_of(item, home, ended))
    finally:
        remove(home)
