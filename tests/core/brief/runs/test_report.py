import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry
from ctxkit.core.brief.render import render_outline
from ctxkit.core.brief.runs.failures import FIRST, LONG_BLOCK, FailedTest, FailureDetail
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.report import (
    CROWDED_WIDTH,
    FailureLine,
    Report,
    ReportContent,
    get_full_name,
    is_cut,
    make_dense_entry,
    nest_around_message,
    nest_by_group,
    pack_failures,
    place_failure,
    place_line,
    quote_ending,
    quote_failure_line,
    quote_notes,
    quote_summaries,
    rank_first,
)
from ctxkit.core.text import lines


def document(target, total=10_000):
    data = b"x\n" * total
    return InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda text: len(text) // 3, target, "log")


def failure(at, name, group="", size=10, says="it broke"):
    start = at * size + 1
    one = FailedTest(f"{group}::{name}" if group else name, start, start + size - 1, group, name, message=start + 1)
    one.details.append(FailureDetail(FIRST, 0, Entry(f"{says} {name}", start + 1, start + 1, verbatim=True)))
    return one


def first(found, target):
    made = Report(document(target), found).build_outlines()
    return render_outline(made[0], lambda _, body, __: body, None)


def found(broken, **rest):
    return ReportContent("some", [Entry("9 failed", 9_999, 9_999, verbatim=True)], broken, **rest)


def test_where_there_is_room_names_are_full_with_messages_below() -> None:
    text = first(found([failure(0, "a", "t.x"), failure(1, "b", "t.x")]), 2_000)
    assert text == (
        "- 9999: 9 failed\n\n## Failures\n- Lines 1-10: t.x::a\n  - 2: it broke a\n- Lines 11-20: t.x::b\n  - 12: it broke b"
    )


def test_where_there_is_less_names_stand_below_their_group() -> None:
    group = "tests/a/quite/long/path/to/a/module/test_of_something.x"
    text = first(found([failure(at, f"case_{at}", group) for at in range(30)]), 900)
    assert text.count(group) == 1
    assert "- Lines 1-300: " + group + "\n  - Lines 1-10: case_0\n    - 2: it broke case_0" in text


def test_where_names_crowd_the_map_several_share_a_range() -> None:
    text = first(found([failure(at, f"check_of_{at}", "t.x") for at in range(300)]), 1_500)
    assert "## Failures, several to a range\n- Lines 1-3000: t.x\n  - Lines 1-120: check_of_{0, 1, 2, 3," in text
    assert all(f" {at}" in text or f"{{{at}" in text for at in range(300))


def test_long_blocks_keep_numbers_of_their_own() -> None:
    text = first(found([failure(at, f"case number {at}", size=130) for at in range(60)]), 700)
    assert (
        "## Failures, each to the line before the next, the last to 7800\n- 1 case number 0, 131 case number 1," in text
    )


def test_names_without_blocks_are_quoted_or_packed() -> None:
    few = [FailureLine(at, f"FAILED t.x::case_{at} - why", f"FAILED t.x::case_{at}") for at in range(1, 4)]
    assert "- 1: FAILED t.x::case_1 - why\n" in first(found([], failure_lines=few), 2_000)
    many = [FailureLine(at, f"FAILED t.x::case_{at} - why", f"FAILED t.x::case_{at}") for at in range(1, 200)]
    made = Report(document(700), found([], failure_lines=many)).build_outlines()[-1]
    text = render_outline(made, lambda _, body, __: body, None)
    assert "- Lines 1-199: FAILED t.x\n  - Lines 1-24: case_{1, 2, 3," in text


def test_one_message_of_many_failures_is_told_once() -> None:
    broken = [failure(at, f"a_rather_long_name_of_a_case_{at}") for at in range(120)]
    for one in broken[1:]:
        one.similar_line, one.is_identical, one.details = 2, True, []
    assert "- 120 failures say\n  - 2: it broke a_rather_long_name_of_a_case_0" in first(found(broken), 900)


def test_a_log_that_is_crowded_asks_for_a_lean_frame() -> None:
    assert not Report(document(2_000), found([failure(0, "a")])).build_outlines()[0].urgent
    many = found([failure(at, f"check_of_{at}") for at in range(300)])
    assert Report(document(1_000), many).build_outlines()[-1].urgent


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


def test_of_many_verdicts_the_first_and_the_last_are_quoted() -> None:
    marks = [Marker(at, "verdict", f"v{at}") for at in range(1, 21)]
    assert [(entry.start, entry.end) for entry in quote_summaries(marks, closed=True)] == [
        *((at, at) for at in (1, 2, 3)),
        (4, 16),
        *((at, at) for at in (17, 18, 19, 20)),
    ]
    assert [entry.start for entry in quote_notes(marks)] == [1, 2, 3, 18, 19, 20]


@pytest.mark.parametrize(("text", "rows"), [("a\nb\n\n\n", ["a", "b"]), ("\n\na\n", ["a"]), ("", [])])
def test_the_end_is_told_without_blank_lines_around(text: str, rows) -> None:
    assert [entry.label for entry in quote_ending(lines.lines_from_bytes(text.encode()), 3)] == rows
