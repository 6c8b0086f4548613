"""A long text as its beginning and its end."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.store.shortened_text import shorten_text
from ctxkit.core.text.retrieval_hint import PRESETS
from tests.core.compact.sizes import COUNT
from tests.example_counts import count_examples

REF = "3f9a2c81d0b4" + "0" * 52


def test_both_ends_stay_and_the_gap_is_named_by_its_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 1001))
    made = shorten_text(text, 200, COUNT, REF)
    assert COUNT(made) <= 200
    assert made.startswith("line 1\nline 2\n")
    assert made.endswith("line 1000\n")
    first, last = map(int, re.search(r"cache get 3f9a2c81d0b40000 --lines (\d+):(\d+)\]", made).groups())
    gone = "".join(f"line {number}\n" for number in range(first, last + 1))
    above, below = made.split(re.search(r"\[[^\]]+\]\n", made)[0])
    assert above + gone + below == text
    assert f"[{len(gone):,} bytes are left out here (lines {first}-{last});" in made


def test_one_line_is_named_by_its_bytes() -> None:
    text = "word " * 5000
    made = shorten_text(text, 150, COUNT, REF)
    first, last = map(int, re.search(r"--bytes (\d+):(\d+)\]", made).groups())
    above, below = re.split(r"\n\[[^\]]+\]\n", made)
    assert above + text[first - 1 : last] + below == text


def test_the_gap_names_the_tool_of_the_hint() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 1001))
    made = shorten_text(text, 200, COUNT, REF, PRESETS["read_result"])
    assert re.search(r'to read them: read_result with ref_id="3f9a2c81d0b40000" and lines="\d+:\d+"\]', made)
    assert "cache get" not in made
    assert "/ref/3f9a2c81d0b40000?lines=1:1]" in shorten_text("word " * 5000, 150, COUNT, REF, "curl x/ref/{ref}?lines={start}:{end}")


def test_what_cannot_be_made_that_small_is_left() -> None:
    assert shorten_text("word " * 500, 5, COUNT, REF) is None


def test_without_a_ref_nothing_is_promised() -> None:
    assert "stored nowhere]" in shorten_text("word " * 500, 100, COUNT, "")


@given(text=st.text(st.sampled_from("ab \n界🙂"), min_size=300, max_size=3000), most=st.integers(40, 300))
@settings(max_examples=count_examples(40), deadline=None)
def test_it_is_never_larger_than_asked(text: str, most: int) -> None:
    made = shorten_text(text, most, COUNT, REF)
    assert made is None or COUNT(made) <= most
