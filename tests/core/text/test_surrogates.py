from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.surrogates import SURROGATE, replace_surrogates


@given(st.text(st.characters()))
def test_only_half_pairs_are_replaced(text: str) -> None:
    found = replace_surrogates(text)
    assert len(found) == len(text)
    assert not SURROGATE.search(found)
    assert all(new == old or (new == "\ufffd" and SURROGATE.match(old)) for new, old in zip(found, text, strict=True))
