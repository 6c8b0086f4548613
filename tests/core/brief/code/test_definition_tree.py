"""Definitions inside each other, and what a map that is short of room leaves out."""

from ctxkit.core.brief.code.definition_tree import INNER_RANK, build_tree
from ctxkit.core.brief.document import Definition


def one(name, kind, start, end, depth):
    return Definition(name, kind, start, end, depth, name)


FOUND = [
    one("MAX", "macro", 1, 1, 0),
    one("Store", "class", 3, 20, 0),
    one("get", "method", 4, 9, 1),
    one("inner", "function", 5, 7, 2),
    one("main", "function", 22, 30, 0),
]


def test_what_functions_hold_comes_last() -> None:
    macro, store, main = build_tree(FOUND)
    assert [node.rank for node in (macro, store, main)] == [0, 0, 0]
    assert 0 < store.children[0].rank < INNER_RANK <= store.children[0].children[0].rank
