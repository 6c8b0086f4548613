"""Lines that a diff removes, each with the line that it adds in its place."""

from collections.abc import Iterable, Iterator
from itertools import chain

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple

WORD = compile_lazily(r"\w+|\W")


class Replacement(NamedTuple):
    """Hold a removed line and the added line in its place, with their numbers and without their marks."""

    old: int
    new: int
    before: str
    after: str

    def find_words(self) -> frozenset[tuple[str, str]] | None:
        """Return the words that differ, each with that in its place; None if they cannot be compared one by one."""
        before, after = WORD.findall(self.before), WORD.findall(self.after)
        if len(before) != len(after):
            return None
        return frozenset(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])


def find_replacements(lines: Iterable[tuple[int, str]]) -> Iterator[Replacement]:
    """Yield the replacements of a unified diff, from runs with as many removed as added lines."""
    removed: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []
    for number, line in chain(lines, ((0, ""),)):
        if line[:1] == "-" and not line.startswith("--- ") and not added:
            removed.append((number, line[1:]))
            continue
        if line[:1] == "+" and not line.startswith("+++ ") and removed:
            added.append((number, line[1:]))
            continue
        if len(removed) == len(added):
            yield from (Replacement(o, n, b, a) for (o, b), (n, a) in zip(removed, added, strict=True))
        removed = [(number, line[1:])] if line[:1] == "-" and not line.startswith("--- ") else []
        added = []
