import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.remainder import RESERVES, TITLE, WHOLE_KINDS, fill_remainder, reserve_tokens
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import render_within
from ctxkit.core.text.lines import lines_from_bytes


def words(text):
    return len(text.split())


def add_frame(outline, body, quoted):
    return f"{outline.kind}: {quoted} quoted\n{body}\n"


def fill(rows, target, kind="table", quoted=(), name=""):
    lines = lines_from_bytes("\n".join(rows).encode())
    document = InputDocument(lines, lines.read, words, target, name=name)
    entries = (Entry("all", 1, len(rows)), *(quote(number, rows[number - 1]) for number in quoted))
    before = render_within([Outline(kind, (Section("", entries),), is_run=kind == "pytest")], add_frame, words, target)
    return before, fill_remainder(document, before, add_frame)


ROWS = [f"plain {letter} row" for letter in "abcdefghijklmnopqrstuvwxyz"]


def test_lines_that_are_not_quoted_fill_what_is_left_of_the_target() -> None:
    before, filled = fill(ROWS, 200, quoted=(1, 2))
    assert f"## {TITLE}" in filled.text
    assert "  plain z row" in filled.text
    assert filled.text.count("plain a row") == 1
    assert before.find_quoted_lines() == {1, 2}


def test_lines_without_a_letter_are_not_added() -> None:
    _, filled = fill([*ROWS, "{", "  +36", "}"], 200)
    assert filled.find_quoted_lines() == set(range(1, 27))


def test_a_map_of_data_is_filled_too() -> None:
    _, filled = fill(ROWS, 200, kind="json")
    assert "  plain z row" in filled.text


@pytest.mark.parametrize("kind", sorted(WHOLE_KINDS))
def test_a_map_that_chooses_lines_itself_or_has_none_is_left_as_it_is(kind: str) -> None:
    before, filled = fill(ROWS, 200, kind=kind)
    assert filled is before
    assert reserve_tokens(kind, 2_000) == 0


def test_a_map_that_leaves_little_is_not_filled() -> None:
    before, filled = fill(ROWS, 36)
    assert filled is before


def test_kinds_that_say_more_of_the_form_leave_a_share_to_lines_which_shrinks_as_the_target_grows() -> None:
    assert reserve_tokens("table", 600) == 180
    assert reserve_tokens("table", 4_000) == 320
    assert (reserve_tokens("diagnostics", 600), reserve_tokens("diagnostics", 2_000)) == (240, 280)
    assert (reserve_tokens("json", 600), reserve_tokens("json", 2_000)) == (90, 300)
    assert reserve_tokens("table", 300) == reserve_tokens("json", 300) == 0


def test_lines_that_only_say_that_a_test_has_passed_are_not_added() -> None:
    rows = [*(f"test_{at} PASSED" for at in range(9)), "=== RUN TestA", "....F. [ 9%]", "  \u2713 adds", "ok 1 - a"]
    rows += ["test b ... ok", "not ok 2 - c", "GET /a 200 OK but slow", "a log line"]
    _, filled = fill(rows, 100, kind="pytest")
    assert filled.find_quoted_lines() == {15, 16, 17}
    _, filled = fill(rows, 100, kind="table")
    assert len(filled.find_quoted_lines()) > 9


def test_a_line_that_a_diff_replaces_is_not_added() -> None:
    rows = ["@@ -1 +1 @@", "-an old line", "+a new line", " same", "-a removed line", " same again"]
    assert fill(rows, 100, kind="diff")[1].find_quoted_lines() == {3, 4, 5, 6}


@given(
    st.lists(st.sampled_from(["a 1", "b two", "", "error: x", "  y", "----"]), min_size=1, max_size=60),
    st.integers(90, 400),
)
def test_the_target_holds_each_quoted_line_is_there_and_the_rest_stays(rows: list[str], target: int) -> None:
    before, filled = fill(rows, target)
    assert words(filled.text) <= target
    assert filled.text.split("\n")[1] == before.text.split("\n")[1]
    assert fill(rows, target)[1].text == filled.text
    for section in filled.outline.sections[1:]:
        for entry in section.entries:
            if entry.verbatim:
                quoted = [row.strip() for row in entry.label.split("\n")]
                assert quoted == [row.strip() for row in rows[entry.start - 1 : entry.end]]


def test_lines_that_a_complete_section_states_are_not_added() -> None:
    lines = lines_from_bytes("\n".join(ROWS).encode())
    document = InputDocument(lines, lines.read, words, 200)
    runs = (Entry("a to m", 1, 13), Entry("n to y", 14, 25, children=(Entry("n to x", 14, 24),)))
    for complete, expected in ((True, {25, 26}), (False, set(range(1, 27)))):
        outline = Outline("table", (Section("All rows", runs, complete=complete),))
        filled = fill_remainder(document, render_within([outline], add_frame, words, 200), add_frame)
        assert filled.find_quoted_lines() == expected


def test_a_line_that_the_entry_of_a_range_shows_is_not_added() -> None:
    rows = ["== the first part", *(f"row {chr(97 + at)}" for at in range(20))]
    document = InputDocument(lines_from_bytes("\n".join(rows).encode()), lambda _, __: b"", words, 60)
    outline = Outline("table", (Section("", (Entry("part 1: == the first part", 1, 21),)),))
    rendering = render_within([outline], add_frame, words, 60)
    assert rendering is not None
    text = fill_remainder(document, rendering, add_frame).text
    assert TITLE in text
    assert text.count("== the first part") == 1


def test_a_line_whose_text_the_map_has_elsewhere_is_not_added() -> None:
    rows = ["commit 1", "Choose lines by a model", *(f"row {chr(97 + at)}" for at in range(20))]
    document = InputDocument(lines_from_bytes("\n".join(rows).encode()), lambda _, __: b"", words, 60)
    outline = Outline("history", (Section("Events", (Entry("Choose lines by a model", 1, 22, dense=True),)),))
    rendering = render_within([outline], add_frame, words, 60)
    assert rendering is not None
    text = fill_remainder(document, rendering, add_frame).text
    assert TITLE in text
    assert text.count("Choose lines by a model") == 1


@pytest.mark.parametrize("kind", [*RESERVES, "json"])
def test_a_larger_target_never_leaves_fewer_tokens_to_lines(kind: str) -> None:
    reserves = [reserve_tokens(kind, target) for target in range(100, 9_000, 50)]
    assert reserves == sorted(reserves)
