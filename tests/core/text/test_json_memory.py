"""The estimate is at least what the parsed values need."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.json_memory import ALWAYS_FITS, estimate_memory, fits_memory

values = st.recursive(
    st.none() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=30,
)


def measure(value):
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(map(measure, value.values()))
    return size + sum(map(measure, value)) if isinstance(value, list) else size


@given(st.lists(values, min_size=1))
def test_bytes_and_text_have_the_same_estimate(value) -> None:
    text = json.dumps(value)
    assert estimate_memory(text) == estimate_memory(text.encode())


@pytest.mark.parametrize("value", [[[]] * 1_000, [{"a": 1}] * 1_000, ["ab"] * 1_000, list(range(1_000))])
def test_the_estimate_is_not_far_below_the_size_of_the_values(value) -> None:
    parsed = json.loads(json.dumps(value))
    assert measure(parsed) <= 1.3 * estimate_memory(json.dumps(value))


def test_a_short_text_always_fits() -> None:
    assert fits_memory("[],", 0)
    assert fits_memory("[" * ALWAYS_FITS, 0)
    assert not fits_memory("[," * ALWAYS_FITS, 1_000)
    assert fits_memory(b" " * (ALWAYS_FITS + 1), 2 * ALWAYS_FITS)
