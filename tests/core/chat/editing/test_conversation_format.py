"""What each format must offer to readers."""

import pytest

from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.format_registry import get_format


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_format_says_who_receives_it_and_whether_it_branches(name) -> None:
    reader = get_format(name)
    assert isinstance(reader.LINEAR, bool)
    assert reader.PROVIDER in ("", "openai", "anthropic", "gemini", "google")
    for value in (None, 1, "text", [], {}, {"a": 1}):
        assert not reader.is_format_of(value)
