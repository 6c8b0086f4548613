"""Commands that are killed at a random moment: 1,000 over all verbs that write."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from bench.faults.checks import Known, faults_of, list_known
from bench.faults.home import Home, copy_of, new_home, remove
from bench.faults.verbs import FILES, Call, age, calls, template
from bench.figure import Figure
from bench.place import Place

KILLS, QUICK = 1000, 24


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many kills left something behind that must not be."""
    random, start = Random(place.seed), template(place)
    every = calls(place)
    table = {call.name: _list_known(place, start, call) for call in every}
    total, struck = QUICK if place.quick else KILLS, 0
    notes: Counter[str] = Counter()
    for number in range(total):
        call = every[number % len(every)]
        ended, faults = kill(place, start, table[call.name], random.uniform(0, table[call.name].wall * 1.1))
        struck += ended
        notes.update(f"{call.name}: {fault}" for fault in faults)
    yield verdict(f"{total:,} random kills of {len(every)} calls", f"{struck:,} struck", notes)


def _list_known(place: Place, start: Home, call: Call) -> Known:
    home = home_for(place, start, call)
    try:
        return list_known(call, home)
    finally:
        remove(home)


def home_for(place: Place, start: Home, call: Call) -> Home:
    """Return a home in which a call can be made: an empty one where it is to be the first."""
    if call.fresh:
        return new_home(place, FILES)
    home = copy_of(start, place)
    age(home)
    return home


def kill(place: Place, start: Home, item: Known, seconds: float, before: Sequence[str] = ()) -> tuple[bool, list[str]]:
    """Make a call and kill it after some seconds; return whether it was still there, and what is wrong then."""
    home = home_for(place, start, item.call)
    try:
        ended = home.run(item.call.argv, item.call.data, before=before, kill_after=max(seconds, 0.001))
        return ended.status < 0, list(faults_of(item, home, ended))
    finally:
        remove(home)


def verdict(what: str, figure: str, notes: "Counter[str]") -> Figure:
    """Return the figure of a part: how many faults there were, and the different ones with how often."""
    faults = [f"{count} x {note}" for note, count in sorted(notes.items())]
    return Figure("faults", what, f"{figure}, {sum(notes.values())} faults", None, "0 faults", not notes, faults)
