from ctxkit.core.brief.outline import Entry
from ctxkit.core.brief.runs.failure_entries import (
    CROWDED_WIDTH,
    FailureLine,
    get_full_name,
    is_cut,
    make_dense_entry,
    nest_around_message,
    nest_by_group,
    pack_failures,
    place_failure,
    place_line,
    quote_failure_line,
    rank_first,
)
from ctxkit.core.brief.runs.failures import FIRST, LONG_BLOCK, FailedTest, FailureDetail


def make_failure(at: int, group: str = "", size: int = 10) -> FailedTest:
    start = at * size + 1
    return FailedTest(f"{group}::case_{at}", start, start + size - 1, group, f"case_{at}", message=start + size // 2)


def test_a_name_shares_its_line_in_a_dense_entry() -> None:
    entry = make_dense_entry(make_failure(2, "t"), "case_2")
    assert (entry.label, entry.start, entry.end, entry.dense) == ("case_2", 21, 30, True)


def test_the_place_of_a_long_block_is_around_its_message() -> None:
    assert place_failure(make_failure(0)) == (1, 10, "case_0")
    start, end, _ = place_failure(make_failure(0, size=10 * LONG_BLOCK))
    assert start == 1 + 5 * LONG_BLOCK - LONG_BLOCK // 2
    assert end - start == LONG_BLOCK - 1


def test_failures_are_packed_below_their_groups_if_these_are_few() -> None:
    one_group = pack_failures([make_failure(at, "t.x") for at in range(8)])
    assert [(entry.label, entry.start, entry.end) for entry in one_group] == [("t.x", 1, 80)]
    assert one_group[0].children
    many_groups = pack_failures([make_failure(at, f"t{at}.x") for at in range(8)])
    assert not any(entry.children for entry in many_groups)


def test_entries_are_nested_by_group_if_that_saves_lines() -> None:
    (group,) = nest_by_group([make_failure(0, "t"), make_failure(1, "t")], make_dense_entry)
    assert (group.label, group.start, group.end, len(group.children)) == ("t", 1, 20, 2)
    apart = nest_by_group([make_failure(0, "t"), make_failure(1, "u")], make_dense_entry)
    assert [entry.label for entry in apart] == ["t::case_0", "u::case_1"]


def test_a_full_name_has_the_file_of_a_test_once() -> None:
    assert get_full_name(make_failure(0, "t")) == "t::case_0"
    assert get_full_name(FailedTest("box > keeps", 1, 2, "box.js", "keeps")) == "box.js: keeps"
    assert get_full_name(FailedTest("box", 1, 2)) == "box"


def test_details_of_a_long_block_are_below_the_part_with_the_message() -> None:
    failure = make_failure(0, size=10 * LONG_BLOCK)
    inside, outside = Entry("in", failure.message, failure.message), Entry("out", 2, 2)
    first, part = nest_around_message(failure, [inside, outside])
    assert (first, part.label, part.children) == (outside, "what case_0 says", (inside,))


def test_a_crowded_form_quotes_the_name_alone() -> None:
    line = FailureLine(7, "FAILED t::a - why", "FAILED t::a")
    assert [quote_failure_line(line, form).label for form in ("name", "dense")] == ["FAILED t::a - why", "FAILED t::a"]
    assert place_line(line) == (7, 7, "FAILED t::a")


def test_an_entry_with_its_children_gets_the_first_rank() -> None:
    entry = rank_first(Entry("a", 1, 9, 5, children=(Entry("b", 2, 2, 7),)))
    assert (entry.rank, entry.children[0].rank) == (0, 0)


def test_only_a_long_quoted_line_is_cut() -> None:
    long_line = "x" * (CROWDED_WIDTH + 1)
    for label, verbatim, expected in (("short", True, False), (long_line, True, True), (long_line, False, False)):
        assert is_cut(FailureDetail(FIRST, 0, Entry(label, 1, 1, verbatim=verbatim))) is expected
