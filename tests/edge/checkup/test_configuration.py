import pytest

from ctxkit.edge.checkup.configuration import _format_value, checks
from ctxkit.edge.settings import Setting, Settings


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("redis://user:secret@host:6379/0", "redis://user:***@host:6379/0"),
        ("rediss://:secret@host", "rediss://:***@host"),
        ("https://host:8080/a@b", "https://host:8080/a@b"),
        (True, "true"),
        ("", "-"),
        (0, "-"),
        (0.95, "0.95"),
    ],
)
def test_a_value_is_shown_as_it_is_written_and_a_password_is_not(value, shown: str) -> None:
    assert _format_value(value) == shown


def test_without_model_or_window_nothing_is_in_force_and_that_is_no_fault() -> None:
    (found,) = (check for check in checks(Settings([]), [], {}) if check.name == "in use")
    assert (found.state, found.value) == ("absent", "no model and no window")


def test_a_name_that_is_another_spelling_is_shown_with_what_it_means() -> None:
    settings = Settings([{"model": Setting("qwen3:8b", "CTXKIT_MODEL")}])
    (found,) = (check for check in checks(settings, [], {}) if check.name == "in use")
    assert found.value.startswith("model qwen3:8b (qwen3-8b), window 40,960, ")
