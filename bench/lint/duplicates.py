"""Planting what is said twice, what only looks so, and what no agent reads twice."""

from collections.abc import Callable

from bench.lint.desk import Desk
from bench.lint.edits import nearly, negate, otherwise, shape
from bench.lint.pool import Saying

TWICE = ("DUP001", "DUP002", "DUP003", "DUP004", "DUP005", "DUP007", "DUP009")
"""Rules that call two places copies of one statement."""
COPIED = (*TWICE, "DUP006")
"""Rules that may report equal statements of two files: where files mirror each other, one finding tells of all."""
FRAMES = (
    ("Move finished {} drafts to `{}/review`", "marketing research sales support legal finance"),
    ("The {} helper writes its results to `out/{}.md`", "writer editor critic planner tester scout"),
    ("On {} the digest for the {} team is sent at nine", "Monday Tuesday Wednesday Thursday Friday Saturday"),
    ("Screenshots of the {} page go to the {} folder", "login checkout profile settings landing pricing"),
    ("Run the {} suite with `pytest tests/{}`", "unit contract smoke storage worker browser"),
)
"""Rows that are told apart by a name alone, as lists have them."""
OPPOSITE = (("## Do", "## Don't"), ("## Always", "## Never"), ("## Allowed", "## Forbidden"))
"""Headings that ask for what is below them, and that forbid it."""


def bullet(text: str) -> list[str]:
    """Return a statement as a bullet."""
    return [f"- {text}"]


def _fresh(desk: Desk) -> Saying:
    saying = desk.pool.any()
    desk.add_paths(saying.paths)
    return saying


def exact_across(desk: Desk) -> None:
    """Plant a statement in two files that are loaded together."""
    if (pair := desk.company()) is not None:
        plant, saying = desk.plant("exact", "across files", COPIED), _fresh(desk)
        for copy, path in enumerate(pair):
            desk.put(path, bullet(saying.text), plant, copy)


def exact_within(desk: Desk) -> None:
    """Plant a statement twice in one file."""
    plant, saying = desk.plant("exact", "in one file", TWICE), _fresh(desk)
    path = desk.chance.choice(desk.documents())
    for copy in range(2):
        desk.put(path, bullet(saying.text), plant, copy)


def format_only(desk: Desk) -> None:
    """Plant a statement twice, in another dress the second time."""
    saying = _fresh(desk)
    name, lines = shape(saying, desk.chance)
    plant = desk.plant("format", name, COPIED)
    pair = desk.company() or [desk.chance.choice(desk.documents())] * 2
    desk.put(pair[0], bullet(saying.text), plant)
    desk.put(pair[1], lines, plant, 1)


def near(edits: int) -> Callable[[Desk], None]:
    """Return a planter of a statement and its like, so many small edits away."""

    def plant(desk: Desk) -> None:
        for _ in range(8):
            saying = _fresh(desk)
            if (edited := nearly(saying, desk.chance, edits)) is not None:
                break
        else:
            return
        plant = desk.plant("near", f"{edits} edit{'s' * (edits > 1)}: {edited[0]}", TWICE)
        pair = desk.company() if desk.chance.random() < 0.8 else None
        pair = pair or [desk.chance.choice(desk.documents())] * 2
        desk.put(pair[0], bullet(saying.text), plant)
        desk.put(pair[1], bullet(edited[1]), plant, 1)

    return plant


def meaning(desk: Desk) -> None:
    """Plant two statements that say the same in other words."""
    if (pair := desk.company()) is not None:
        plant = desk.plant("meaning", "other words", TWICE)
        for copy, (path, text) in enumerate(zip(pair, desk.pool.draw_paraphrases(), strict=True)):
            desk.put(path, bullet(text), plant, copy)


def triple(desk: Desk) -> None:
    """Plant a statement in three files, or in two and one of them twice."""
    paths = desk.company(3)
    if paths is None and (pair := desk.company()) is not None:
        paths = [*pair, pair[0]]
    if paths is not None:
        plant, saying = desk.plant("triple", "three places", TWICE), _fresh(desk)
        for copy, path in enumerate(paths):
            desk.put(path, bullet(saying.text), plant, copy)


def hard(desk: Desk) -> None:
    """Plant two statements that differ in one thing that matters."""
    for _ in range(8):
        saying = _fresh(desk)
        if (changed := otherwise(saying, desk.chance)) is not None:
            break
    else:
        return
    kind, text = changed
    codes = ("CON001",) if kind in ("negation", "number") else ()
    plant = desk.plant("hard", kind, codes, quiet=TWICE)
    pair = desk.company() or [desk.chance.choice(desk.documents())] * 2
    desk.put(pair[0], bullet(saying.text), plant)
    desk.put(pair[1], bullet(text), plant, 1)


def contrary(desk: Desk) -> None:
    """Plant a statement and its contrary in files that are loaded together."""
    pair = desk.company()
    for _ in range(12):
        saying = _fresh(desk)
        if pair and (text := negate(saying.text)) is not None:
            plant = desk.plant("hard", "negation", ("CON001",), quiet=TWICE)
            desk.put(pair[0], bullet(saying.text), plant)
            desk.put(pair[1], bullet(text), plant, 1)
            return


def siblings(desk: Desk) -> None:
    """Plant a list whose rows share a frame and differ by a name."""
    frame, names = desk.chance.choice(FRAMES)
    rows = [f"- {frame.format(name, name)}" for name in desk.chance.sample(names.split(), 4)]
    plant = desk.plant("hard", "siblings", quiet=TWICE)
    sheet = desk.sheets[desk.chance.choice([path for path in desk.documents() if path != "MEMORY.md"])]
    sheet.section([f"## {frame.split(' ')[0]} by kind {len(desk.plants)}", ""], None, desk.chance)
    place = next(n for n, (row, _) in enumerate(sheet.rows) if row.endswith(f"by kind {len(desk.plants)}"))
    sheet.rows[place + 1 : place + 1] = [("", None), *((row, (plant.name, n)) for n, row in enumerate(rows))]


def polarity(desk: Desk) -> None:
    """Plant one text under a heading that asks for it, and under one that forbids it."""
    if (pair := desk.company()) is not None and "MEMORY.md" not in pair:
        plant, saying = desk.plant("polarity", "opposite headings", quiet=TWICE), _fresh(desk)
        heads = desk.chance.sample(desk.chance.choice(OPPOSITE), 2)
        for copy, (path, head) in enumerate(zip(pair, heads, strict=True)):
            desk.sheets[path].rows += [("", None), (head, None), ("", None), (f"- {saying.text}", (plant.name, copy))]


def apart(desk: Desk) -> None:
    """Plant a statement in two files that no agent loads together."""
    if (pair := desk.strangers()) is not None:
        plant, saying = desk.plant("apart", "not loaded together", quiet=("DUP",)), _fresh(desk)
        for copy, path in enumerate(pair):
            desk.put(path, bullet(saying.text), plant, copy)


def section_copy(desk: Desk) -> None:
    """Plant one section in two files that are loaded together."""
    if (pair := [path for path in desk.company() or () if path != "MEMORY.md"])[1:]:
        rows = [f"- {_fresh(desk).text}" for _ in range(4)]
        plant = desk.plant("section", "copy", ("DUP002", "DUP004", "DUP005"))
        for copy, path in enumerate(pair):
            desk.sheets[path].section(["## Shared rules", "", *rows], (plant.name, copy), desk.chance)


def drift(desk: Desk) -> None:
    """Plant one section in two files, in one of them with another number."""
    if (pair := [path for path in desk.company() or () if path != "MEMORY.md"])[1:]:
        same = [f"- {_fresh(desk).text}" for _ in range(4)]
        saying = desk.pool.take("en", ("n",))
        desk.add_paths(saying.paths)
        other = saying.change_blank("n", desk.chance)
        plant = desk.plant("drifted", "one number", ("DUP006", "CON001"))
        for copy, (path, last) in enumerate(zip(pair, (saying, other), strict=True)):
            lines = ["## Limits and habits", "", *same, f"- {last.text}"]
            desk.sheets[path].section(lines, (plant.name, copy), desk.chance)


PLANTERS: tuple[tuple[Callable[[Desk], None], int], ...] = (
    (exact_across, 3), (exact_within, 2), (format_only, 4), (near(1), 3), (near(2), 3), (meaning, 2), (triple, 2),
    (hard, 4),
    (contrary, 1), (siblings, 1), (polarity, 1), (apart, 2), (section_copy, 1), (drift, 1),
)  # fmt: skip
"""What is planted in a workspace, and how often."""
