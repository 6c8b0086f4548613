"""The names of temporary files are recognized, and those of the user are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.system.temporary_names import is_temporary, process_of, temporary_name


@given(st.integers(1, 2**31 - 1), st.integers(0, 2**64 - 1))
def test_a_name_says_which_process_writes_it(process: int, random: int) -> None:
    name = temporary_name(process, f"{random:016x}")
    assert is_temporary(name)
    assert process_of(name) == process


@pytest.mark.parametrize("name", [".ctxkit-notes.md", ".ctxkit.toml", "ctxkit-1-0123456789abcdef", ".ctxkit-1-xyz", "a.md"])
def test_other_names_are_those_of_the_user(name: str) -> None:
    assert not is_temporary(name)
    assert process_of(name) == 0


def test_the_form_of_earlier_versions_has_no_process() -> None:
    assert is_temporary(".ctxkit-a1b2c3d4")
    assert process_of(".ctxkit-a1b2c3d4") == 0
