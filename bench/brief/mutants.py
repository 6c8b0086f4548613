"""Small faults planted in source code, the same ones each time."""

import random
import re
from collections.abc import Iterator

SWAPS = (
    (r"(?<![=!<>])==(?!=)", "!="), (r"===", "!=="), (r" < ", " >= "), (r" > ", " <= "), (r" <= ", " > "),
    (r" \+ 1\b", " + 2"), (r" - 1\b", " - 2"), (r"\bTrue\b", "False"), (r"\btrue\b", "false"), (r"\bFalse\b", "True"),
    (r"\bfalse\b", "true"), (r" and ", " or "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"\bis None\b", "is not None"), (r"\bif not ", "if "), (r"\bstrip\(\)", "lstrip()"), (r"\[0\]", "[-1]"),
    (r"(['\"])(-|_| |, )\1", r"\1#\1"),
)
"""What a fault turns into what: the usual operators of mutation testing."""
SKIP = re.compile(r"\s*(?:#|//|/?\*|import |from |use |\"\"\"|require\b)")
"""Lines that hold no code to break."""


def mutants(text: str, seed: int) -> Iterator[str]:
    """Yield versions of ``text`` in each of which one operator differs, in an order that ``seed`` decides."""
    rows = text.split("\n")
    places = [
        (number, start, end, item)
        for number, row in enumerate(rows)
        if not SKIP.match(row)
        for pattern, entry in SWAPS
        for match in re.finditer(pattern, row)
        for start, end, item in ((*match.span(), match.expand(entry)),)
    ]
    random.Random(seed).shuffle(places)
    for number, start, end, item in places:
        row = rows[number]
        yield "\n".join([*rows[:number], row[:start] + item + row[end:], *rows[number + 1 :]])
