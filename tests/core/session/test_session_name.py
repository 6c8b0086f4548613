"""Which names a session may have."""

import pytest

from ctxkit.core.errors import UsageError
from ctxkit.core.session.session_name import check_session_name


@pytest.mark.parametrize("name", ["s", "0", "_x", ":a", "build-42", "a.b:c_d-e", "A" * 128, "20261121T141254Z-0d5c7c32"])
def test_a_name_is_letters_digits_and_four_signs(name: str) -> None:
    assert check_session_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".x", "-x", "a/b", "../a", "a b", "a\n", "a\0b", "ä", "\u0663", "a" * 129, "a\\b", "~"]
)
def test_any_other_name_is_a_slip_with_a_hint(name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a session") as raised:
        check_session_name(name)
    assert "letters, digits" in raised.value.hint
