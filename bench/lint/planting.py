"""Workspaces with plants: made ones and real ones, the same for the same seed."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from bench.lint import duplicates, garbage, references, shapes
from bench.lint.desk import Desk
from bench.lint.workspaces import make_value, real

LATE = ("history", "leave_open", "polarity")
"""Planters that write at the end of a document, after all others."""


def plant_value(desk: Desk) -> Desk:
    """Plant everything in a workspace, each kind as often as it says, in random order."""
    groups: Sequence[Sequence[tuple[Callable[[Desk], None], int]]] = (
        duplicates.PLANTERS, references.PLANTERS, garbage.PLANTERS, shapes.PLANTERS,
    )  # fmt: skip
    all_groups = [planter for group in groups for planter, times in group for _ in range(times)]
    desk.chance.shuffle(all_groups)
    all_groups.sort(key=lambda planter: planter.__name__ in LATE)
    if desk.is_synthetic and desk.chance.random() < 0.5:
        all_groups.append(desk.chance.choice(shapes.MADE_ONLY))
    for planter in all_groups:
        lay(desk, planter)
    return desk


def lay(desk: Desk, planter: Callable[[Desk], None]) -> None:
    """Plant something, unless the pool of statements has run dry."""
    with suppress(IndexError):
        planter(desk)
    standing = {tag[0] for sheet in desk.sheets.values() for _, tag in sheet.rows if tag}
    desk.plants = [plant for plant in desk.plants if plant.name in standing]


def workspaces(root: str, corpora: str | None, many: int, seed: int, reals: int = 100) -> Iterator[tuple[str, Desk]]:
    """Write workspaces under ``root`` and yield their paths: the real ones of the corpora, and so many made ones."""
    makers: list[Callable[[], Desk]] = []
    if corpora:
        makers += list(real(corpora, seed))[:: max(1, 24 // reals)][:reals]
    makers += [lambda number=number: make_value(seed * 1000 + number) for number in range(many)]  # type: ignore[misc]
    for number, make in enumerate(makers):
        desk = plant_value(make())
        path = os.path.join(root, f"workspace-{seed}-{number:03}")
        desk.write(path)
        yield path, desk
    for number in range(max(2, many // 4)):
        desk = shapes.large(seed * 1000 + number)
        path = os.path.join(root, f"large-{seed}-{number:03}")
        desk.write(path)
        yield path, desk
