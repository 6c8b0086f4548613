"""Texts are cut between words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.clip import (
    clip_strictly,
    clip_text,
    close_command,
    close_message,
    is_wrapped,
    strip_operators,
)


def test_clipping_keeps_whole_words_and_most_of_the_length() -> None:
    assert clip_text("one two three", 20) == "one two three"
    assert clip_text("one two three", 9) == "one two"
    assert clip_text("cp: /a/very/long/path/that/goes/on: No such file", 12) == "cp: /a/very/long/path/that/goes/on:"
    assert clip_text("x" * 50, 10) == "x" * 10


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("src/chat.ts(28,2): error TS2739: Type '{ description", "src/chat.ts(28,2): error TS2739: Type"),
        ("could not find a file provided by \"GTest\" with any of", 'could not find a file provided by "GTest"'),
        ("error: don't stop", "error: don't stop"),
        ("expected 'a', found 'b'", "expected 'a', found 'b'"),
    ],
)
def test_a_message_ends_before_what_more_text_would_close(text: str, closed: str) -> None:
    assert close_message(text) == closed


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("npx tsgo -p tsconfig.json 2>&1 | grep -E", "npx tsgo -p tsconfig.json"),
        ("export A=1 && cd /workspace/x &&", "export A=1 && cd /workspace/x"),
        ("make test", "make test"),
        ("git commit -m 'don\\'t' && make", "git commit -m 'don\\'t' && make"),
        ("python -c 'import re; print(\"a", "python -c 'import re; print(\"a …'"),
        (f"cd /{'a' * 60} && node run.js; echo \"it's", f"cd /{'a' * 60} && node run.js"),
    ],
)
def test_a_command_ends_before_an_unfinished_pipe_and_without_an_operator(text: str, closed: str) -> None:
    assert close_command(text) == closed


def test_a_line_that_the_program_broke_is_known() -> None:
    assert is_wrapped("a package provided by GTest with any of")
    assert not is_wrapped("make: *** [all] Error 2")


@given(st.text(alphabet="ab ", max_size=60), st.integers(1, 40))
def test_a_strict_clip_is_a_beginning_that_is_never_longer(text: str, most: int) -> None:
    clip = clip_strictly(text, most)
    assert text.startswith(clip)
    assert len(clip) <= most
    assert clip == text or clip == text[:most] or text[len(clip)] == " "


def test_a_strict_clip_ends_between_words_if_there_are_several() -> None:
    assert clip_strictly("one two three", 9) == "one two"
    assert clip_strictly("x" * 50, 10) == "x" * 10


def test_operators_at_the_end_of_a_command_are_left_out() -> None:
    assert strip_operators("make && ") == "make"
    assert strip_operators("make || true") == "make || true"
    assert strip_operators("a | b") == "a | b"


def test_a_message_does_not_end_after_an_auxiliary_verb() -> None:
    assert close_message("error: the variable was never read because it did") == "error: the variable was never read"
