from ctxkit.core.brief.runs.pytest_markers import find_markers
from ctxkit.core.brief.runs.sessions import build_run
from ctxkit.core.text import lines


def ruled(text, fill):
    left = (78 - len(text)) // 2
    return f"{fill * left} {text} {fill * (78 - left - len(text))}"


def run(*rows):
    held = lines.lines_from_bytes("\n".join(rows).encode())
    return build_run(find_markers(held)[0], held.total)


LOG = (
    ruled("test session starts", "="),
    ruled("FAILURES", "="),
    ruled("test_a", "_"),
    "E   assert 0",
    ruled("Captured stdout call", "-"),
    "printed",
    ruled("test_b", "_"),
    "E   assert 1",
    ruled("short test summary info", "="),
    "FAILED a.py::test_a",
    ruled("2 failed in 0.10s", "="),
)


def test_blocks_end_where_the_next_begins() -> None:
    found = run(*LOG)
    assert [(block.title, block.start, block.end) for block in found.blocks] == [("test_a", 3, 6), ("test_b", 7, 8)]
    assert [(part.title, part.start, part.end) for part in found.blocks[0].parts] == [("Captured stdout call", 5, 6)]
    assert [verdict.number for verdict in found.summaries] == [11]
    assert found.is_closed


def test_a_log_without_its_end_is_not_closed() -> None:
    found = run(*LOG[:8])
    assert not found.is_closed
    assert [(block.title, block.end) for block in found.blocks] == [("test_a", 6), ("test_b", 8)]


def test_a_run_in_captured_output_is_not_a_run() -> None:
    inner = (
        ruled("test session starts", "="),
        ruled("FAILURES", "="),
        ruled("test_c", "_"),
        ruled("1 failed in 1s", "="),
    )
    found = run(*LOG[:6], *inner, *LOG[6:])
    assert [(block.title, block.start, block.end) for block in found.blocks] == [("test_a", 3, 10), ("test_b", 11, 12)]
    assert [verdict.number for verdict in found.summaries] == [15]


def test_rules_of_another_width_are_what_a_test_printed() -> None:
    found = run(*LOG[:6], "=== done ===", "___ odd ___", "= 3 passed in 0.10s =", *LOG[6:])
    assert [block.title for block in found.blocks] == ["test_a", "test_b"]
    assert [verdict.number for verdict in found.summaries] == [14]
