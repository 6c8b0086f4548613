"""Files for different agents that are copies of each other."""

from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.trees import MIN_STATEMENTS, find_file_copies
from tests.core.lint.places import workspace

LINES = [f"- Rule about the {word} in this project stands here.\n" for word in ["cache", "store", "parser", "window", "ledger", "index"]]


def copies(files):
    place = workspace(files)
    return [(finding.code, finding.path, finding.score) for finding in find_file_copies(place, LoadSetIndex(place))]


def test_an_equal_file_for_another_agent_is_a_copy() -> None:
    assert copies({".clinerules": "".join(LINES), ".windsurfrules": "".join(LINES)}) == [("DUP005", ".windsurfrules", None)]


def test_a_file_that_has_changed_is_a_drifted_copy() -> None:
    drifted = "".join([*LINES[:-1], "- Another rule about the door stands here now.\n"])
    ((code, path, score),) = copies({".clinerules": "".join(LINES), ".windsurfrules": drifted})
    assert (code, path) == ("DUP006", ".windsurfrules")
    assert 0.6 <= score < 1


def test_few_statements_and_other_directories_are_no_copies() -> None:
    few = "".join(LINES[: MIN_STATEMENTS - 1])
    assert copies({".clinerules": few, ".windsurfrules": few}) == []
    assert copies({".clinerules": "".join(LINES), "web/.windsurfrules": "".join(LINES)}) == []
