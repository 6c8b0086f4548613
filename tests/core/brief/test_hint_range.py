import pytest

from ctxkit.core.brief.hint_range import offer_unquoted_range
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import Rendering, render_outline


def offer(entries: tuple[Entry, ...], example: tuple[int, int] | None, target: int = 1_000) -> str:
    outline = Outline("x", (Section("", entries),), example=example)

    def add_frame(outline: Outline, body: str, quoted: int) -> str:
        return f"{body}\n{outline.example}"

    rendering = Rendering(render_outline(outline, add_frame, None), outline)
    return offer_unquoted_range(rendering, add_frame, len, target).text.rpartition("\n")[2]


QUOTES = tuple(quote(number, f"line {number}") for number in range(1, 11))


def test_a_range_that_the_map_quotes_gives_way_to_one_that_it_does_not() -> None:
    assert offer((*QUOTES, Entry("b", 40, 200, rank=2), Entry("a", 300, 330, rank=1)), (1, 10)) == "(300, 330)"
    assert offer((*QUOTES, Entry("b", 40, 200, rank=2)), (1, 10)) == "(40, 159)"


@pytest.mark.parametrize("example", [(5, 60), (11, 30)])
def test_a_range_with_lines_that_are_not_quoted_stays(example: tuple[int, int]) -> None:
    assert offer((*QUOTES, Entry("b", 40, 200)), example) == str(example)


def test_the_range_stays_if_there_is_no_better_one_or_no_room() -> None:
    assert offer(QUOTES, (1, 10)) == "(1, 10)"
    assert offer((*QUOTES, Entry("b", 40, 200)), (1, 10), target=20) == "(1, 10)"
    assert offer((*QUOTES, Entry("b", 40, 200)), None) == "None"
