from collections.abc import Set

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.statement_groups import build_groups
from tests.core.lint.places import workspace

NAMES = ("a", "b", "c", "d")
TEXT = "".join(f"- statement {name} of the file\n" for name in NAMES)


def read_name(unit: Unit) -> str:
    return unit.text.partition("statement ")[2][:1]


def list_groups(
    edges: dict[tuple[str, str], float], conflicting: Set[tuple[str, str]] = frozenset(), copies: str = ""
) -> list[tuple[list[str], float]]:
    """Return the groups of the statements a to d of a file by their names; a file beside it has some of them, too."""
    copied_lines = [line for line in TEXT.splitlines(keepends=True) if line[12] in copies]
    made = workspace({"AGENTS.md": TEXT, "CLAUDE.md": "".join(["@AGENTS.md\n\n", *copied_lines])})
    units = [unit for document in made.documents for unit in document.units if read_name(unit)]
    same = {name: [unit for unit in units if read_name(unit) == name] for name in NAMES}
    groups = build_groups(same, edges, conflicting, LoadSetIndex(made))
    return [([read_name(unit) for unit in group.units], group.score) for group in groups]


def test_similar_statements_are_a_group_with_the_lowest_similarity() -> None:
    assert list_groups({("a", "b"): 0.9, ("b", "c"): 0.8, ("a", "c"): 0.7}) == [(["a", "b", "c"], 0.8)]


def test_a_statement_similar_to_less_than_half_of_a_group_stays_out() -> None:
    assert list_groups({("a", "b"): 0.99, ("b", "c"): 0.98, ("a", "c"): 0.97, ("c", "d"): 0.96}) == [(["a", "b", "c"], 0.98)]


def test_statements_that_conflict_are_in_no_group() -> None:
    assert list_groups({("a", "b"): 0.9}) == [(["a", "b"], 0.9)]
    assert list_groups({("a", "b"): 0.9}, {("b", "a")}) == []


def test_a_statement_less_similar_to_exact_copies_is_a_group_of_its_own_with_them() -> None:
    assert list_groups({}, copies="a") == [(["a", "a"], 1.0)]
    assert list_groups({("a", "b"): 0.4}, copies="a") == [(["a", "a"], 1.0), (["a", "a", "b"], 0.4)]
