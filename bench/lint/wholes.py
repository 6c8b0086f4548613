"""Planting statements that repeat only a part of another, and those that something else depends on."""

from collections.abc import Sequence

from bench.lint.desk import Desk
from bench.lint.duplicates import TWICE

SIGNS = (("✅ ", "❌ "), ("[x] ", "[ ] "), ("C++: ", "C#: "), ("✔ ", "✘ "))
"""Signs in front of a statement that make two different ones of it."""


def _text(desk: Desk) -> str:
    saying = desk.pool.take()
    desk.add_paths(saying.paths)
    return saying.text


def _pair(desk: Desk) -> Sequence[str]:
    pair = desk.company() or [desk.chance.choice(desk.documents())] * 2
    return [path if path != "MEMORY.md" or desk.chance.random() < 0.5 else pair[0] for path in pair]


def longer(desk: Desk) -> None:
    """Plant a bullet, and a longer line of which it is one sentence."""
    first, second, third = (_text(desk) for _ in range(3))
    parts = [f"{first}.", f"{second}."] if desk.chance.random() < 0.6 else [f"{first}.", f"{second}.", f"{third}."]
    desk.chance.shuffle(parts)
    pair, plant = _pair(desk), desk.plant("part", "a sentence of a longer line", TWICE)
    desk.put(pair[0], [f"- {first}{desk.chance.choice(('', '.'))}"], plant)
    line = " ".join(parts)
    desk.put(pair[1], [f"- {line}" if desk.chance.random() < 0.7 else line], plant, 1)


def pointer(desk: Desk) -> None:
    """Plant a rule, and a shorter one in another file that points to it."""
    pair = _pair(desk)
    if pair[0] != pair[1]:
        rule, plant = f"{_text(desk)}, in one short sentence", desk.plant("part", "a pointer", TWICE)
        desk.put(pair[0], [f"- {rule}"], plant)
        words = rule.removesuffix(", in one short sentence")
        desk.put(pair[1], [f"- {words} (see {pair[0].rsplit('/', 1)[-1]})"], plant, 1)


def introduce(desk: Desk) -> None:
    """Plant a sentence twice, once in front of a block of code or a table."""
    text, pair = _text(desk), _pair(desk)
    plant = desk.plant("part", "an introduction", TWICE)
    command = f"run-{desk.chance.randrange(10_000)}"
    table = ["| a | b |", "| - | - |", f"| {command} | b |"]
    block = ["```bash", command, "```"] if desk.chance.random() < 0.7 else table
    gap = [""] if desk.chance.random() < 0.6 else []
    desk.put(pair[0], [f"- {text}"], plant)
    desk.put(pair[1], [f"{text}{desk.chance.choice(('.', ':', ' as follows.'))}", *gap, *block], plant, 1)


def empty(desk: Desk) -> None:
    """Plant a section of which every bullet stands elsewhere too."""
    pair = _pair(desk)
    if "MEMORY.md" not in pair:
        rows = [f"- {_text(desk)}" for _ in range(desk.chance.choice((1, 2, 3)))]
        plant = desk.plant("part", "an emptied section", TWICE)
        head = desk.chance.choice(("##", "###"))
        desk.sheets[pair[1]].section([f"{head} Reminders {len(desk.plants)}", "", *rows], (plant.name, 1), desk.chance)
        for row in rows:
            desk.put(pair[0], [row], plant)


def sign_value(desk: Desk) -> None:
    """Plant a statement twice with signs that make two different ones of it."""
    text, pair = _text(desk), _pair(desk)
    plant = desk.plant("part", "another sign", quiet=TWICE)
    for copy, (path, sign) in enumerate(zip(pair, desk.chance.choice(SIGNS), strict=True)):
        desk.put(path, [f"- {sign}{text}"], plant, copy)


def halves(desk: Desk) -> None:
    """Plant two lines of several sentences of which they share one."""
    shared, first, second = (_text(desk) for _ in range(3))
    pair, plant = _pair(desk), desk.plant("part", "a shared sentence", TWICE)
    desk.put(pair[0], [f"- {shared}. {first}."], plant)
    desk.put(pair[1], [f"- {second}. {shared}."], plant, 1)


PLANTERS = (longer, pointer, introduce, empty, sign_value, halves)
