"""The recorded outputs: what their facts say stands in them, and maps of source code are scored by lines and names."""

import pytest

from bench.brief.facts import Fact, FreshCase, make_pattern, read_cases, states
from bench.brief.fresh import FOLDER, RECORDED, compare_questions
from bench.brief.log import _list_facts
from bench.brief.nav import SourceFile, read_files, score
from bench.doors import text_of


def find_unstated(case: FreshCase) -> list[str]:
    """Return the facts of a case that its input does not state, but for counts, which no output states of itself."""
    text = text_of(case.data)
    return [str(fact) for fact in case.facts if fact.pattern and fact.question != "code" and not states(text, fact.pattern)]


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_facts_of_recorded_outputs_stand_in_them(name: str) -> None:
    cases = list(read_cases(FOLDER / f"{name}.tar.xz"))
    assert len(cases) > 30
    assert [(case.name, lost) for case in cases if (lost := find_unstated(case))] == []


@pytest.mark.slow
def test_what_source_files_define_stands_on_its_line() -> None:
    shares = []
    for file in read_files():
        rows = text_of(file.data).split("\n")
        shares.append(sum(name in rows[line - 1] for line, name in file.questions) / len(file.questions))
    assert len(shares) == 80
    assert min(shares) > 0.9


def test_a_map_is_scored_by_lines_with_names() -> None:
    file = SourceFile("a.py", b"def a(): 1\n\ndef b(): 2\n" + b"\n" * 50, "python", [(1, "a"), (3, "b")], [(1, "a"), (3, "b")])
    assert score("- Line 1: def a()\n- 3 c", file, 60) == (0.5, 0.5, 1.0, 1.0)


def test_a_log_is_asked_for_what_is_rare_and_for_the_first_error() -> None:
    rows = [{"EventId": id_, "Level": level} for id_, level in (("E1", "INFO"), ("E1", "INFO"), ("E1", "INFO"), ("E2", "ERROR"))]
    rare, error = _list_facts(["a 1", "a 2", "a 3", "broken  pipe"], rows)
    assert (rare.line, rare.pattern, error.pattern) == (4, r"broken\s+pipe", r"broken\s+pipe")


def test_shares_are_means_over_outputs() -> None:
    data = "".join(f"row {at} {'x' * 40}\n" for at in range(400)).encode()
    case = FreshCase("c", data, tuple(Fact("end", make_pattern(f"row {at} xx"), None, None) for at in (0, 399)))
    shown, speed = compare_questions("s", "n", [case], (300,))
    assert shown.what == "n: end, at 300"
    assert "head 0.500, tail 0.500, head+tail 1.000; 2 facts of 1 outputs" in shown.figure
    assert speed.figure.endswith("MB/s of CPU")

