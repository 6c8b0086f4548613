from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import SettingsError, UsageError
from ctxkit.edge import option_values
from ctxkit.edge.option_values import parse_reserve
from ctxkit.edge.settings import Setting, Settings


@pytest.mark.parametrize(("name", "other_name", "same"), [
    ("no-such-model", "no-such-model", True),
    ("opus", "claude-opus-4-8", False),
    ("opus", "OPUS", True),
    ("no-such-model", "opus", False),
])  # fmt: skip
def test_models_are_the_same_by_any_of_their_names(name, other_name, same):
    assert option_values.is_same_model(name, other_name) is same


def test_a_bad_setting_is_reported_with_its_source_and_has_no_value():
    errors = []
    settings = Settings([{}])
    settings.blame = errors.append
    setting = Setting("{file}", "ctxkit.toml:3")
    assert option_values.read_setting(settings, setting, option_values.read_hint) is None
    (error,) = errors
    assert isinstance(error, SettingsError)
    assert str(error).startswith("ctxkit.toml:3: ")
    assert "--hint" not in str(error)


@pytest.mark.parametrize(("reserve", "size", "tokens"), [("100", 1000, 100), ("20%", 1000, 200), ("5000", 1000, None)])
def test_a_reserve_is_tokens_or_a_share_of_the_window(reserve, size, tokens):
    if tokens is None:
        with pytest.raises(UsageError, match="--reserve"):
            option_values.parse_option_reserve(reserve, size)
        assert option_values.parse_assumed_reserve(reserve, size) == size // 5
    else:
        assert option_values.parse_option_reserve(reserve, size) == tokens


@pytest.mark.parametrize("content_type", ["", None])
def test_no_type_is_the_empty_one(content_type):
    assert option_values.check_content_type(content_type) == ""
    assert option_values.check_content_type("json") == "json"
    with pytest.raises(UsageError, match="unknown type: jsno"):
        option_values.check_content_type("jsno")


@pytest.mark.parametrize(
    ("text", "window", "tokens"),
    [("4096", 8192, 4096), ("20%", 4096, 819), ("0", 10, 0), ("0%", 10, 0), ("12.5%", 1000, 125), ("99%", 100, 99)],
)
def test_a_reserve_is_parsed_as_tokens_or_a_share(text: str, window: int, tokens: int) -> None:
    assert parse_reserve(text, window) == tokens


@pytest.mark.parametrize(
    "text", ["", "x", "20 percent", "-1", "-5%", "1000", "100%", "1e3", "nan%", "inf%", "1e400%", "%"]
)
def test_what_is_no_reserve_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_reserve(text, 1000)


@given(st.text(max_size=8), st.integers(1, 10**6))
def test_any_text_is_a_reserve_that_leaves_a_window_or_a_value_error(text: str, window: int) -> None:
    with suppress(ValueError):
        assert 0 <= parse_reserve(text, window) < window
