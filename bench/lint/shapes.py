"""Planting breaches of form: of the flat memory, of what a loader reads of it, and of the template of CONTEXT.md."""

import random
from collections.abc import Callable

from bench.lint.desk import Desk
from bench.lint.pool import Pool
from bench.lint.sheet import Sheet
from bench.lint.workspaces import document

STORY = (
    "Over the last weeks the team moved the importer to the new queue. It took three attempts; the second failed.",
    "At first the printer was in the cellar, and nobody used it. Since it stands in the hall, everybody does.",
    "The owner mentioned a preference for mornings; later the plan changed, and afternoons were fine as well.",
)
RELATIVE = (
    "- Yesterday the export failed twice", "- Last week the team agreed on the new queue",
    "- The certificate expires tomorrow",
    "- The review is due next Monday",
)  # fmt: skip
CITIES = ("Lisbon", "Oslo", "Kyiv", "Quito", "Perth", "Osaka", "Leeds", "Turin", "Basel", "Accra", "Hanoi", "Lagos")


def story(desk: Desk) -> None:
    """Tell a story in the memory, where bullets belong."""
    plant = desk.plant("form", "memory: prose", ("MEM001",))
    plant.whole_file = True
    desk.sheets["MEMORY.md"].end([desk.once(STORY)], (plant.name, 0))


def nest(desk: Desk) -> None:
    """Nest bullets in the memory."""
    plant = desk.plant("form", "memory: nested", ("MEM001",))
    plant.whole_file = True
    rows = ["- Rooms of the office", "  - the large one seats twelve", "    - and has a screen"]
    desk.sheets["MEMORY.md"].end(rows, (plant.name, 0))


def relative(desk: Desk) -> None:
    """Put down a date in the memory that is right for one day only."""
    plant = desk.plant("dates", "relative", ("MEM003",))
    desk.put("MEMORY.md", [desk.once(RELATIVE)], plant)


def context(desk: Desk) -> None:
    """Break the template of CONTEXT.md in one way, keep to it, or leave garbage in it."""
    sheet = desk.sheets["CONTEXT.md"]
    kind = desk.chance.choice((*BREACHES, "kept", "thinking", "truncation"))
    if kind in GARBAGE:
        code, lines = GARBAGE[kind]
        plant = desk.plant("hygiene", kind, (code,))
        first, _ = _part(sheet, "Facts")
        sheet.rows[first + 1 : first + 1] = [(line, (plant.name, 0)) for line in lines]
        return
    if kind == "kept":
        plant = desk.plant("unform", "context: kept", quiet=("CTX",))
    else:
        code, change = BREACHES[kind]
        plant = desk.plant("form", f"context: {kind}", (code,))
        change(desk, sheet)
    plant.whole_file = True
    sheet.rows = [(row, tag or (plant.name, 0)) for row, tag in sheet.rows]


def _part(sheet: Sheet, name: str) -> tuple[int, int]:
    """Return where a section begins, and where the next one does."""
    first = next(n for n, (row, _) in enumerate(sheet.rows) if row == f"## {name}")
    ends = (n for n, (row, _) in enumerate(sheet.rows) if n > first and row.startswith("## "))
    return first, next(ends, len(sheet.rows))


def _missing(desk: Desk, sheet: Sheet) -> None:
    first, end = _part(sheet, desk.chance.choice(("Decisions", "Facts", "Errors")))
    del sheet.rows[first:end]


def _extra(desk: Desk, sheet: Sheet) -> None:
    sheet.end([f"## {desk.chance.choice(('Notes', 'Background', 'Ideas'))}", "- Something else"], None)


def _misorder(desk: Desk, sheet: Sheet) -> None:
    first, end = _part(sheet, "Errors")
    part = sheet.rows[first:end]
    del sheet.rows[first:end]
    place, _ = _part(sheet, desk.chance.choice(("Task", "Decisions", "Facts")))
    sheet.rows[place:place] = [*part, ("", None)]


def _many(desk: Desk, sheet: Sheet) -> None:
    first, _ = _part(sheet, desk.chance.choice(("Decisions", "Facts")))
    rows = [(f"- {desk.pool.take('en').text}", None) for _ in range(desk.chance.choice((9, 12)))]
    sheet.rows[first + 1 : first + 1] = rows


def _empty(desk: Desk, sheet: Sheet) -> None:
    first, end = _part(sheet, desk.chance.choice(("Decisions", "Facts", "Errors")))
    sheet.rows[first + 1 : end] = [("", None)]


def _prose(desk: Desk, sheet: Sheet) -> None:
    first, end = _part(sheet, desk.chance.choice(("Decisions", "Facts", "Errors")))
    sheet.rows[first + 1 : end] = [(desk.once(STORY), None), ("", None)]


GARBAGE = {
    "thinking": ("HYG001", ["<thinking>", "The user wants facts. I will list what I know.", "</thinking>"]),
    "truncation": ("HYG004", ["- The log names four hosts [truncated at 12 KB]"]),
}
BREACHES: dict[str, tuple[str, Callable[[Desk, Sheet], None]]] = {
    "missing section": ("CTX001", _missing), "extra section": ("CTX001", _extra), "misordered": ("CTX001", _misorder),
    "too many bullets": ("CTX002", _many), "empty section": ("CTX003", _empty), "no bullets": ("CTX004", _prose),
}  # fmt: skip


def large(seed: int) -> Desk:
    """Return a small workspace whose memory is too long for its loaders, or nearly so."""
    chance = random.Random(f"large {seed}")
    desk = Desk(f"made-large-{seed}", chance, Pool(chance), {}, is_synthetic=False)
    desk.sheets["AGENTS.md"], desk.sheets["SOUL.md"] = document(desk, "AGENTS.md"), document(desk, "SOUL.md")
    rows, over = chance.choice(((260, True), (215, True), (150, False), (185, False)))
    family, kind, rule = "form" if over else "unform", f"memory: {rows} lines", ("MEM002",)
    plant = desk.plant(family, kind, rule) if over else desk.plant(family, kind, quiet=rule)
    plant.whole_file = True
    numbers = [(chance.choice(CITIES), chance.randrange(10**6), chance.randrange(10**6)) for _ in range(rows)]
    lines = [f"- In {city} room {room} keeps box {box}" for city, room, box in numbers]
    desk.sheets["MEMORY.md"] = Sheet([("# Memory", None), ("", None), *((line, (plant.name, 0)) for line in lines)])
    return desk


PLANTERS: tuple[tuple[Callable[[Desk], None], int], ...] = ((context, 1), (relative, 1))
"""What is planted in a workspace, and how often."""
MADE_ONLY: tuple[Callable[[Desk], None], ...] = (story, nest)
"""What is planted in made workspaces alone, one of them in every second: the memories of real ones have prose
already."""
