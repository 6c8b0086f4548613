from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.clip import clip_line, clip_middle, join_parts


@given(st.text(st.sampled_from("ab \n"), max_size=300), st.integers(12, 80))
def test_parts_are_the_ends_of_a_text(text: str, limit: int) -> None:
    parts = clip_middle(text, limit)
    assert text.startswith(parts[0])
    assert text.endswith(parts[-1]) or text.rstrip().endswith(parts[-1].rstrip())
    assert len(parts) == 1 or sum(map(len, parts)) <= limit + 1


def test_the_mark_counts_what_is_left_out() -> None:
    text = "one two three four"
    assert join_parts(text, clip_middle(text, 12)) == "one two [... 7 characters ...] four"
    assert clip_line("a\n b", 10) == "a b"
