import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.ref import parse_prefix, shorten_ref

REF = "3f9a2c81d0b4" + "0" * 52


def test_a_ref_is_shown_as_twelve_digits() -> None:
    assert shorten_ref(REF) == "3f9a2c81d0b4"


@pytest.mark.parametrize("text", ["3f9a2c", "3F9A2C", REF, REF.upper(), shorten_ref(REF)])
def test_a_prefix_of_at_least_six_digits_is_taken_in_any_letter_case(text) -> None:
    assert parse_prefix(text) == text.lower()


@pytest.mark.parametrize(
    "text", ["", "3f9a2", REF + "0", "../../etc/passwd", "3f9a2g", "3f/9a2c", "3f9a2c\n", " 3f9a2c", "３f９a２c１"]
)
def test_what_cannot_be_a_ref_is_none(text: str) -> None:
    assert parse_prefix(text) is None


@given(st.text(max_size=70))
def test_a_prefix_never_names_a_path(text: str) -> None:
    prefix = parse_prefix(text)
    assert prefix is None or (set(prefix) <= set("0123456789abcdef") and 6 <= len(prefix) <= 64)
