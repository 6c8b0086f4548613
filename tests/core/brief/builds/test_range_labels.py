"""Labels of files and ranges."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.builds.build_counts import RANGE_LINES, Chunk, OutputRange
from ctxkit.core.brief.builds.range_labels import (
    join_chunks,
    join_ranges,
    merge_ranges,
    name_output,
    shorten_names,
    split_parts,
)
from ctxkit.core.text.lines import lines_from_bytes

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
