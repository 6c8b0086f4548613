from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.duplicate_groups import find_duplicates
from ctxkit.core.lint.similarity.runs import find_runs
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


def test_statements_in_a_row_are_one_run_in_every_place():
    files = {"AGENTS.md": "".join(LINES), "SOUL.md": "# S\n\n" + "".join(LINES[1:4]), "USER.md": "".join(LINES[1:4])}
    assert found(files) == [(["AGENTS.md L2-4", "SOUL.md L3-5", "USER.md L1-3"], 3, 0)]


def test_the_longer_run_of_two_places_goes_before_a_third_place():
    files = {"AGENTS.md": "".join(LINES), "SOUL.md": "".join(LINES), "USER.md": LINES[2]}
    assert found(files) == [
        (["AGENTS.md L1-5", "SOUL.md L1-5"], 5, 0),
        (["AGENTS.md L3", "SOUL.md L3", "USER.md L1"], 1, 2),
    ]


def test_statements_in_another_order_are_runs_of_one():
    assert [run[1] for run in found({"AGENTS.md": "".join(LINES), "SOUL.md": "".join(LINES[::-1])})] == [1] * 5
