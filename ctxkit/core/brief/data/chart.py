"""The map of values that have places: shape, what is odd with its lines, and where the parts are."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ctxkit.core.brief.data.dataset import Parts, outlines
from ctxkit.core.brief.data.extents import Extents
from ctxkit.core.brief.data.ground import Ground, Member
from ctxkit.core.brief.data.interfaces import Interface
from ctxkit.core.brief.data.literals import step_of
from ctxkit.core.brief.data.oddities import Oddity, oddities
from ctxkit.core.brief.data.shape import Shape
from ctxkit.core.brief.data.static_analysis import Analysis
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.positions import Places


class Chart:
    """Learn the shape of one value, or of several that stand one after the other and are the rows then."""

    def __init__(
        self, places: Ground, roots: Sequence[Member], values: Sequence[Any], *, by_bytes: bool = False
    ) -> None:
        self.many = len(values) > 1
        self.root = Shape(self.many)
        self.values = values
        self.root.add(values, range(len(values)))
        self.extents = Extents(places, roots, self.root, by_bytes=by_bytes)

    def outlines(self, kind: str, summary: Sequence[Entry], target: int) -> list[Outline]:
        """Return maps of fewer and fewer entries, from what ``target`` tokens can hold at most."""
        found = oddities(self.root)[: max(target // 20, 8)]
        odd = [self._odd(oddity) for oddity in found]
        parts = Parts("Where", "parts", self.extents.entries, self.extents.place)
        made = outlines(kind, summary, odd, self.root, parts, target)
        is_json = isinstance(self.extents.places, Places)
        path = self.extents.path(max(target // 60, 4)) if self.extents.by_bytes and is_json else ""
        return [
            self._with_findings(self._with_operations(replace(one, path=path), most), most // 3)
            for one, most in zip(made, (target // 16 * 5**turn // 6**turn for turn in range(len(made))), strict=True)
        ]

    def _with_operations(self, one: Outline, most: int) -> Outline:
        """Put what an OpenAPI description offers before where its parts are."""
        if not self._interface.paths:
            return one
        return replace(one, sections=(*one.sections[:-1], self._interface.section(most), one.sections[-1]))

    def _with_findings(self, one: Outline, most: int) -> Outline:
        """Put what a linter or scanner found before the shape."""
        if self._analysis is None or not self._analysis.found:
            return one
        return replace(one, sections=(one.sections[0], self._analysis.section(most), *one.sections[1:]))

    @cached_property
    def _analysis(self) -> Analysis | None:
        is_json = isinstance(self.extents.places, Places)
        return Analysis(self.extents, self.values[0]) if is_json and not self.many else None

    @cached_property
    def _interface(self) -> Interface:
        return Interface(self.extents, self.extents.roots[0])

    def _odd(self, oddity: Oddity) -> Entry:
        """Return an entry about one oddity, at the lines it is on."""
        spot, row = oddity.spot, oddity.row
        text = f"{spot.path or 'the element'} {oddity.text}"
        steps: list[str | int | None] = list(spot.steps)
        if self.many:
            roots = self.extents.roots[row : row + 1]
            text += f" (here in document {row}{self._before(oddity)})"
        else:
            roots = self.extents.roots
            first = steps.index(None)
            steps[first] = row
            text += f" (here {self._here(roots[0], steps[: first + 1])}{self._before(oddity)})"
        found = next((self.extents.places.find(root, steps, oddity.test) for root in roots), None)
        return self.extents.entry(found, text, 10) if found else Entry(text, rank=10)

    def _before(self, oddity: Oddity) -> str:
        return "" if oddity.earlier is None else f", first in [{oddity.earlier}]"

    def _here(self, root: Member, steps: Sequence[str | int | None]) -> str:
        """Name the row that the last of ``steps`` numbers."""
        found = self.extents.places.find(root, steps)
        before = "".join(step_of(step) for step in steps[:-1] if isinstance(step, str))
        return before + (f"[{steps[-1]}]" if found is None or found.key is None else step_of(found.key))
