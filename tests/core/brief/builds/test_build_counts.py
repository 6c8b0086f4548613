from ctxkit.core.brief.builds.build_counts import MAX_PATHS, RANGE_LINES, Chunk, CodeGroup
from ctxkit.core.brief.builds.findings import BuildFinding


def make_finding(start: int, end: int, message: str = "broken", path: str = "a.c", code: str = "E1") -> BuildFinding:
    return BuildFinding(path, "error", code, message, start, message, start, end)


def test_a_chunk_counts_findings_and_takes_only_the_beginning_of_a_long_one() -> None:
    chunk = Chunk(5, 5)
    chunk.add(make_finding(3, 4))
    chunk.add(make_finding(8, 8 + 10 * RANGE_LINES, path="b.c"))
    assert (chunk.start, chunk.end, chunk.errors) == (3, 8 + RANGE_LINES - 1, 2)
    assert dict(chunk.paths) == {"a.c": 1, "b.c": 1}
    assert dict(chunk.codes) == {"E1": 2}


def test_a_finding_fits_a_chunk_while_its_range_stays_short() -> None:
    chunk = Chunk(1, 1)
    assert chunk.fits_finding(make_finding(RANGE_LINES, RANGE_LINES))
    assert not chunk.fits_finding(make_finding(RANGE_LINES + 1, RANGE_LINES + 1))


def test_the_paths_of_a_chunk_are_bounded() -> None:
    chunk = Chunk(1, 1)
    for number in range(MAX_PATHS + 5):
        chunk.add(make_finding(1, 1, path=f"{number}.c"))
    assert len(chunk.paths) == MAX_PATHS


def test_the_example_of_a_group_is_the_finding_with_the_largest_measure() -> None:
    first = make_finding(1, 1, "Line too long (90 > 80)")
    group = CodeGroup("error", "E1", "Line too long", first)
    assert group.example is first
    worse = make_finding(2, 2, "Line too long (128 > 80)")
    group.add(worse)
    group.add(make_finding(3, 3, "Line too long (100 > 80)"))
    assert (group.count, group.example) == (3, worse)
