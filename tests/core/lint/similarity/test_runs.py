import pytest

from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.duplicate_groups import find_duplicates
from ctxkit.core.lint.similarity.runs import _RunBuilder, find_runs
from tests.core.lint.places import workspace

LINES = [f"- Rule {word} tells you how to {word} the thing well.\n" for word in ("bake", "cook", "stir", "chop", "boil")]


def found(files):
    made = workspace(files)
    loads = LoadSetIndex(made)
    result = find_duplicates(made, loads)
    return [
        ([str(place) for place in run.places], len(run.links), run.shared_count)
        for run in find_runs(result.groups, result.conflicts, result.order, loads.has_common_set)
    ]


def test_statements_in_a_row_are_one_run_in_every_place() -> None:
    files = {"AGENTS.md": "".join(LINES), "SOUL.md": "# S\n\n" + "".join(LINES[1:4]), "USER.md": "".join(LINES[1:4])}
    assert found(files) == [(["AGENTS.md L2-4", "SOUL.md L3-5", "USER.md L1-3"], 3, 0)]


def test_the_longer_run_of_two_places_goes_before_a_third_place() -> None:
    files = {"AGENTS.md": "".join(LINES), "SOUL.md": "".join(LINES), "USER.md": LINES[2]}
    assert found(files) == [
        (["AGENTS.md L1-5", "SOUL.md L1-5"], 5, 0),
        (["AGENTS.md L3", "SOUL.md L3", "USER.md L1"], 1, 2),
    ]


def test_statements_in_another_order_are_runs_of_one() -> None:
    assert [run[1] for run in found({"AGENTS.md": "".join(LINES), "SOUL.md": "".join(LINES[::-1])})] == [1] * 5


@pytest.mark.parametrize("count", [400, 401])
def test_statements_that_alternate_are_followed_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    find_neighbours = _RunBuilder._find_neighbours
    monkeypatch.setattr(_RunBuilder, "_find_neighbours", lambda *given: steps.append(given) or find_neighbours(*given))
    lines = ["- Always indent the code with tabs.\n", "- Never indent the code with tabs.\n"]
    assert found({"AGENTS.md": "".join(lines[number % 2] for number in range(count))})
    assert len(steps) < 2 * count  # following each pair of the first six places takes 15 times the steps


def test_the_longest_run_of_two_places_wins_over_those_that_are_as_far_apart() -> None:
    lines = [LINES[number % 2] for number in range(7)]
    assert found({"AGENTS.md": "".join(lines)}) == [
        (["AGENTS.md L1-5", "AGENTS.md L3-7"], 5, 0),
    ]
