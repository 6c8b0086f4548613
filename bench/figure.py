"""One line of the table: what was measured, against what, and whether that is good enough."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

HEADINGS = ("suite", "what", "figure", "ratio", "target", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """Hold one measurement.

    ``ratio`` is against the floor or peer that ``figure`` names. ``ok`` is None where a figure is only
    reported. ``notes`` are the inputs that failed, or what else a reader must know. ``error`` marks a
    measurement that could not be made although it should have been.
    """

    suite: str
    what: str
    figure: str
    ratio: float | None = None
    target: str = ""
    ok: bool | None = None
    notes: Sequence[str] = ()
    error: bool = False

    @property
    def verdict(self) -> str:
        """Return the last word of the line."""
        if self.error:
            return "ERROR"
        return {True: "ok", False: "MISS", None: ""}[self.ok]

    def row(self) -> tuple[str, ...]:
        """Return the cells of the line."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} x"
        return (self.suite, self.what, self.figure, ratio, self.target, self.verdict)

    def as_json(self) -> dict[str, Any]:
        """Return the figure as a JSON object."""
        return asdict(self)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as one table, and below it the notes."""
    rows = [HEADINGS, *(figure.row() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    return "\n".join([*lines, *_notes(figures)])


def _notes(figures: Iterable[Figure]) -> list[str]:
    noted: list[str] = []
    for figure in figures:
        if figure.notes:
            noted += ["", f"{figure.suite}: {figure.what}", *(f"  {note}" for note in figure.notes)]
    return noted


def mb(size: float) -> str:
    """Return a size in MB of a million bytes."""
    return f"{size / 1e6:,.0f} MB" if size >= 5e6 else f"{size / 1e6:.1f} MB"


def ms(seconds: float) -> str:
    """Return a time in milliseconds."""
    return f"{seconds * 1000:,.0f} ms"
