"""Labels of files and ranges."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.builds.build_log import (
    MAX_CODES,
    MAX_PATHS,
    PASSED_TITLE,
    RANGE_LINES,
    BuildLog,
    Chunk,
    CodeGroup,
    OutputRange,
    join_chunks,
    join_ranges,
    merge_ranges,
    name_output,
    shorten_names,
    split_parts,
)
from ctxkit.core.brief.builds.findings import BuildEvent, BuildFinding
from ctxkit.core.text.lines import lines_from_bytes


def finding(number, path="a.c", code="E1", severity="error"):
    return BuildFinding(path, severity, code, f"message {code}", number, f"{path}:{number}: {code}", number, number)


def test_ranges_are_short_enough_for_one_look() -> None:
    tally = BuildLog()
    for number in range(1, 1_001):
        tally.add(finding(number, path=f"{number % 3}.c"))
    ranges = [chunk for chunks in tally.files.values() for chunk in chunks]
    assert all(chunk.end - chunk.start < RANGE_LINES for chunk in [*ranges, *tally.windows])
    assert sum(chunk.paths.total() for chunk in ranges) == sum(c.paths.total() for c in tally.windows) == 1_000


def test_codes_are_counted_and_the_first_is_kept() -> None:
    tally = BuildLog()
    for number, code in enumerate(("E1", "E2", "E1", "E1"), 1):
        tally.add(finding(number, code=code))
    tally.add(finding(9, code="W1", severity="warning"))
    assert {(g.code, g.count, g.first.number) for g in tally.groups.values()} == {
        ("E1", 3, 1),
        ("E2", 1, 2),
        ("W1", 1, 9),
    }
    assert (tally.errors, tally.warnings, tally.first.number) == (4, 1, 1)


def test_what_is_kept_is_bounded() -> None:
    tally = BuildLog()
    for number in range(1, 3 * MAX_CODES):
        tally.add(finding(number, code=f"E{number}"))
    assert len(tally.groups) == MAX_CODES + 1
    assert sum(group.count for group in tally.groups.values()) == 3 * MAX_CODES - 1


def test_closing_lines_of_the_same_words_are_counted() -> None:
    tally = BuildLog()
    for number in range(1, 6):
        tally.add(BuildEvent("closing", number, f"make: *** [Makefile:{number}: x{number}.o] Error 1"))
    assert len(tally.closings) <= 5
    assert sum(one.count for one in tally.closings.values()) == 5


def test_lines_skipped_together_count_as_those_taken_one_by_one() -> None:
    rows = [f"words of line {'that failed ' if number % 70 == 0 else ''}here" for number in range(1, 500)]
    one, many = BuildLog(), BuildLog()
    for number, row in enumerate(rows, 1):
        one.add(BuildEvent("other", number, row))
    many.add_skipped(1, rows[:130])
    many.add_skipped(131, rows[130:])
    assert many.others == one.others
    assert len(many.others) == 5


def test_passed_checks_form_one_range_of_any_length() -> None:
    log = BuildLog()
    for number in range(1, 501):
        log.add(BuildEvent("passed", number, "PASSED for resource: a"))
    assert [(other.title, other.start, other.end) for other in log.others] == [(PASSED_TITLE, 1, 500)]


def test_the_example_of_a_code_is_the_finding_furthest_above_its_limit() -> None:
    log = BuildLog()
    for number, measure in enumerate((20, 50, 31), 1):
        message = f"Function 'f' has a complexity of {measure}. Maximum allowed is 15"
        log.add(BuildFinding("a.js", "error", "complexity", message, number, message, number, number))
    assert [group.example.number for group in log.groups.values()] == [2]


def test_a_message_that_comes_after_the_lines_below_it_begins_their_range() -> None:
    log = BuildLog()
    for number in (2, 3, 1):
        log.add(BuildEvent("other", number, "words"))
    assert [(other.start, other.end, other.lines) for other in log.others] == [(1, 3, 3)]


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


paths = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), unique=True, max_size=8)


@given(paths)
def test_short_names_are_unique_ends_of_their_paths(names) -> None:
    short = shorten_names({name: [] for name in names})
    assert len(set(short.values())) == len(names)
    assert all(path.endswith(name) for path, name in short.items())


@given(st.lists(st.integers(1, RANGE_LINES), min_size=1, max_size=20))
def test_neighbours_are_merged_up_to_the_length_of_a_range(heights: list[int]) -> None:
    ranges, line = [], 1
    for height in heights:
        ranges.append(OutputRange(f"step {line}", line, line + height - 1))
        line += height
    merged = list(merge_ranges(ranges, lines_from_bytes(b"")))
    assert (merged[0].start, merged[-1].end) == (1, line - 1)
    assert all(part.end - part.start < RANGE_LINES for part in merged)


def test_a_long_step_is_split_into_parts() -> None:
    parts = list(split_parts([OutputRange("make", 1, 3 * RANGE_LINES)], []))
    assert [part.title for part in parts] == ["make", "make (part 2 of 3)", "make (part 3 of 3)"]
    assert (parts[0].start, parts[-1].end) == (1, 3 * RANGE_LINES)


def test_one_range_stays_as_it_is() -> None:
    single = OutputRange("a", 1, 2)
    lines = lines_from_bytes(b"a\nb\ndone with c\nd\n")
    assert join_ranges([single], lines) is single
    joined = join_ranges([single, OutputRange("", 3, 4)], lines)
    assert (joined.title, joined.end) == ("a to done with c ... (2 parts)", 4)


def test_many_ranges_of_one_file_that_follow_each_other_are_one() -> None:
    few, many = (
        [Chunk(start, start + 9, Counter(path)) for start in range(at, at + 10 * count, 10)]
        for path, at, count in (("a", 1, 6), ("b", 61, 7))
    )
    last = Chunk(131, 140, Counter("a"))
    joined = join_chunks([*few, *many, last])
    assert joined == [*few, Chunk(61, 130, Counter(b=7)), last]


def test_other_output_is_named_by_its_first_words() -> None:
    lines = lines_from_bytes(b"----\n\nlinking a.o with b.o\nlinking c.o\n\n---\n")
    assert name_output(lines, 1, 4) == "linking a.o with b.o ..."
    assert name_output(lines, 5, 6) == "other output"
