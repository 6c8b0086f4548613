import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.text_traits import READ_WIDTH, list_words, measure_text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3 passed", "success"),
        ("the build failed", "failure"),
        ("finished in 3 s", "result"),
        ("not here", "negation"),
        ("this is deprecated", "advice"),
        ("found 12 files", "items"),
        ("used 40 %", "percent"),
        ("took 40 ms", "unit"),
        ("  name = value", "equals value"),
        ("see src/a.py", "path"),
        ("at a.py:12", "place"),
        ("https://example.org", "url"),
        ("commit 3f9a2c8", "hash"),
        ("on 2024-05-06", "date"),
        ("cannot load 'x.so'", "quotation"),
        ("a -> b", "arrow"),
        ("an HTTP header", "capitals"),
        ("[info] begin", "tag"),
        ("  def f(x)", "code"),
        ("a  b  c", "columns"),
        ("Files:", "ends in colon"),
        ("int main() {", "ends in brace"),
    ],
)
def test_a_trait_is_present_in_a_line_that_has_it_and_absent_elsewhere(text: str, name: str) -> None:
    assert measure_text(text)[name] == 1.0
    assert name not in measure_text("plain words")


def test_shares_of_characters_are_counted_over_the_text_without_its_indentation() -> None:
    traits = measure_text("   ab 12!C")
    assert traits["digit share"] == pytest.approx(2 / 7)
    assert traits["capital share"] == pytest.approx(1 / 3)
    assert traits["mark share"] == pytest.approx(1 / 7)
    assert traits["length"] == pytest.approx(1.0)
    assert traits["begins with small letter"] == 1.0
    assert traits["word count"] == 1.0


def test_a_line_with_a_very_wide_indentation_has_the_traits_of_its_text() -> None:
    assert measure_text(" " * 300 + "error: 12")["failure"] == 1.0


def test_words_inside_words_do_not_count() -> None:
    assert "failure" not in measure_text("failedness of errorless things")
    assert list_words("The end, THE end2") == {"the", "end"}


@given(st.text(min_size=1).filter(str.strip))
def test_every_trait_is_a_finite_number(text: str) -> None:
    assert all(math.isfinite(value) for value in measure_text(text.strip()).values())


@pytest.mark.parametrize("unit", ["a", "1,", ".", "a/", "[", "'", "a ", "0x", "f0", "= ", "\u2022 ", "::"])
def test_a_line_is_measured_in_time_that_its_length_does_not_change(unit: str) -> None:
    assert measure_text(unit * READ_WIDTH) == measure_text((unit * READ_WIDTH)[:READ_WIDTH] + "tail" * 1_000_000)
    began = time.process_time()
    for _ in range(50):
        measure_text(unit * READ_WIDTH)
    assert time.process_time() - began < 1
