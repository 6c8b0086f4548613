"""Statements that are copied one after another, as one stretch of lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ctxkit.core.lint.finding import Place
from ctxkit.core.lint.twins import Clash, Group
from ctxkit.core.lint.unit import Unit

Together = Callable[[str, str], bool]
"""Say whether two paths are ever in a window together."""
STRETCH = 3
"""Statements in a row that make a copied stretch."""
MANY = 6
"""Places of a statement in which a stretch of two places is looked for."""
LEAST = 0.7
"""How alike two statements that differ must be for them to be the drifted part of a copy."""


class Link(NamedTuple):
    """Hold statements that stand for each other in two or more places: the same, nearly, or drifted apart."""

    units: tuple[Unit, ...]
    score: float
    drifted: bool


class Run(NamedTuple):
    """Hold links that follow each other in every place; the first ``known`` statements are part of another run too."""

    links: tuple[Link, ...]
    known: int = 0

    @property
    def places(self) -> tuple[Place, ...]:
        """Return the lines of each copy, in the order of the units of a link."""
        first, last = self.links[0].units, self.links[-1].units
        return tuple(Place(a.path, a.line, max(a.end_line, b.end_line)) for a, b in zip(first, last, strict=True))

    @property
    def score(self) -> float:
        """Return how alike the least alike statements are."""
        return min(link.score for link in self.links)

    @property
    def mean(self) -> float:
        """Return how alike the statements are on the whole."""
        return sum(link.score for link in self.links) / len(self.links)

    @property
    def drifted(self) -> tuple[Link, ...]:
        """Return the links whose statements no longer say the same."""
        return tuple(link for link in self.links if link.drifted)


def runs(
    groups: Iterable[Group], clashes: Iterable[Clash], order: Mapping[Unit, int], together: Together
) -> Iterator[Run]:
    """Yield the runs that groups form, in order; a clash is part of one where it stands between two links of it.

    ``order`` numbers all statements, and names them in that order. Where those of a group stand in more places
    than the ones before and behind them do, the places that go on are part of the run, and the others make a
    run with them that is about the others alone.
    """
    links = [Link(group.units, group.score, False) for group in groups]
    taken = {unit for link in links for unit in link.units}
    links += [
        Link(tuple(sorted((clash.one, clash.two), key=order.__getitem__)), clash.likeness.score, True)
        for clash in clashes
        if clash.likeness.score >= LEAST and clash.one not in taken and clash.two not in taken
    ]
    links.sort(key=lambda link: ([order[unit] for unit in link.units], link.drifted))
    weaver = _Weaver(links, order, together)
    for link in links:
        yield from weaver.of(link)


class _Weaver:
    """Join links to runs; no statement is in two, but for the one that stays where others are copies of it."""

    def __init__(self, links: Sequence[Link], order: Mapping[Unit, int], together: Together) -> None:
        self.order, self.units, self.together = order, tuple(order), together
        self.held: dict[Unit, Link] = {}
        for link in links:
            for unit in link.units:
                self.held.setdefault(unit, link)
        self.used: set[Unit] = set()

    def of(self, link: Link) -> Iterator[Run]:
        """Yield the run that a link is part of, and what is left of the link."""
        open_ = tuple(unit for unit in link.units if unit not in self.used)
        if len(open_) == len(link.units):
            run = self._longest(link)
            self.used.update(unit for one in run for unit in one.units)
            yield from _trimmed(run)
            open_ = tuple(unit for unit in open_ if unit not in self.used)
        if open_:
            homes = {unit.path for unit in open_}
            used = (unit for unit in link.units if unit in self.used)
            kept = [unit for unit in used if any(self.together(unit.path, home) for home in homes)]
            if kept or len(open_) > 1:
                yield Run((_part(link, (*kept, *open_)),), len(kept))
        self.used.update(open_)

    def _longest(self, link: Link) -> Sequence[Link]:
        """Return the run that covers most: in all places of a link, or in two of them where it goes on there."""
        whole = self._along(link, link.units)
        pairs = combinations(link.units[:MANY], 2) if len(link.units) > 2 else ()
        found = [run for pair in pairs if len(run := self._along(link, pair)) >= STRETCH]
        return max([whole, *found], key=lambda run: len(run) * (len(run[0].units) - 1))

    def _along(self, link: Link, units: tuple[Unit, ...]) -> Sequence[Link]:
        """Return the links before and behind some statements of one that are linked in the same places."""
        run = [_part(link, units)]
        while following := self._beside(run[-1].units, 1):
            run.append(following)
        while before := self._beside(run[0].units, -1):
            run.insert(0, before)
        return run

    def _beside(self, units: tuple[Unit, ...], step: int) -> Link | None:
        """Return what stands right behind some statements (or before), if that is linked in every place."""
        places = [self.order[unit] + step for unit in units]
        if min(places) < 0 or max(places) >= len(self.units):
            return None
        beside = tuple(self.units[place] for place in places)
        if any(a.path != b.path or b in self.used for a, b in zip(units, beside, strict=True)):
            return None
        link = self.held.get(beside[0])
        if link is None or link is self.held.get(units[0]) or len(set(beside) | set(units)) < 2 * len(units):
            return None  # one statement again and again is no stretch, and following it takes squared time
        return _part(link, beside) if all(self.held.get(unit) is link for unit in beside) else None


def _part(link: Link, units: tuple[Unit, ...]) -> Link:
    """Return a link of some of its statements."""
    same = not link.drifted and len({unit.normal for unit in units}) == 1
    return link._replace(units=units, score=1.0 if same else link.score)


def _trimmed(run: Sequence[Link]) -> Iterator[Run]:
    """Yield a run without what drifted at its ends; a clash by itself is none."""
    same = [index for index, link in enumerate(run) if not link.drifted]
    if same:
        yield Run(tuple(run[same[0] : same[-1] + 1]))
