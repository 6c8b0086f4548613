"""Texts are cut between words."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.clip import clip_strictly, clip_text


def test_clipping_keeps_whole_words_and_most_of_the_length() -> None:
    assert clip_text("one two three", 20) == "one two three"
    assert clip_text("one two three", 9) == "one two"
    assert clip_text("cp: /a/very/long/path/that/goes/on: No such file", 12) == "cp: /a/very/long/path/that/goes/on:"
    assert clip_text("x" * 50, 10) == "x" * 10


@given(st.text(alphabet="ab ", max_size=60), st.integers(1, 40))
def test_a_strict_clip_is_a_beginning_that_is_never_longer(text: str, most: int) -> None:
    clip = clip_strictly(text, most)
    assert text.startswith(clip)
    assert len(clip) <= most
    assert clip == text or clip == text[:most] or text[len(clip)] == " "


def test_a_strict_clip_ends_between_words_if_there_are_several() -> None:
    assert clip_strictly("one two three", 9) == "one two"
    assert clip_strictly("x" * 50, 10) == "x" * 10
