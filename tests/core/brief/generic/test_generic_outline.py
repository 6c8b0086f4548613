from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.generic_outline import make_generic_outline
from ctxkit.core.brief.render import render_outline
from ctxkit.core.text.lines import lines_from_bytes
from tests.example_counts import count_examples

ROWS = st.lists(
    st.sampled_from(["== part", "row 1", "row 22", "", "error: bad", "  indented", "x" * 900, "漢字", "name:"]), max_size=120
)


def document_of(rows, target):
    content = lines_from_bytes("\n".join(rows).encode())
    return InputDocument(content, content.read, lambda text: len(text) // 3, target)


@settings(max_examples=count_examples(50), deadline=None)
@given(ROWS, st.integers(110, 900))
def test_the_outline_fits_the_target_less_the_frame(rows, target: int) -> None:
    document = document_of(rows, target)
    text = render_outline(make_generic_outline(document, "text"), lambda _, body, __: body, None)
    assert document.count(text) <= target - document.frame_tokens or "\n" not in text


def test_the_target_is_used() -> None:
    rows = [f"word{chr(97 + number % 26)} is at {number}, and {'so' * (number % 7)}" for number in range(3_000)]
    document = document_of(rows, 1_000)
    text = render_outline(make_generic_outline(document, "text"), lambda _, body, __: body, None)
    assert document.count(text) > 800


def test_the_example_is_about_the_first_error() -> None:
    rows = ["fine"] * 300
    rows[200] = "error: it broke"
    assert make_generic_outline(document_of(rows, 500), "text").example == (191, 241)


def test_a_small_map_of_a_short_text_has_fewer_headings_and_more_lines() -> None:
    rows = [row for number in range(480) for row in (f"== part {'abcdef'[number % 6] * 9}{number} ==", f"row {number}", "x y", "z")]
    few = make_generic_outline(document_of(rows[:100], 400), "text").sections[0]
    many = make_generic_outline(document_of(rows, 400), "text").sections[0]
    assert sum(entry.dense for entry in few.entries) < sum(entry.dense for entry in many.entries)
