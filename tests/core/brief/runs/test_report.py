from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry
from ctxkit.core.brief.render import render_outline
from ctxkit.core.brief.runs.failure_entries import FailureLine
from ctxkit.core.brief.runs.failures import FIRST, FailedTest, FailureDetail
from ctxkit.core.brief.runs.report import Report, ReportContent
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
