"""Statements that others hold as a whole: a sentence of a longer one, an address under another label."""

import re
from collections.abc import Iterator, Mapping

from ctxkit.core.lint.frame import label, value
from ctxkit.core.lint.likeness import opposed
from ctxkit.core.lint.normal import letters, normal
from ctxkit.core.lint.unit import Unit

SAYS = 4
"""Words that a sentence of a statement has more than, for it to be looked for elsewhere."""
TURNED = "\0"
"""What marks a key of statements that stand below a title which turns it round."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|(?<!\s)\s+\|\s+")


def parts(same: Mapping[str, list[Unit]]) -> Iterator[tuple[str, str]]:
    """Yield statements with those that are a whole sentence of them."""
    for key, units in same.items():
        unit = units[0]
        if unit.sort in ("code", "row") or key.endswith(TURNED):
            continue
        pieces = _SENTENCE.split(unit.text)
        for piece in pieces if len(pieces) > 1 else ():
            said = normal(piece)
            if said != key and said in same and letters(said) > SAYS and same[said][0].sort != "code":
                yield said, key


def values(same: Mapping[str, list[Unit]], forms: frozenset[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield statements that give the same address, path or name under two labels, with the first that does."""
    first: dict[str, str] = {}
    for key, units in same.items():
        given = value(units[0]) if not key.endswith(TURNED) else ""
        other = first.setdefault(given, key) if given else key
        if other == key or opposed(other.split(), key.split()):
            continue
        if any((one[0].path, label(one[0])) not in forms for one in (units, same[other])):
            yield other, key
