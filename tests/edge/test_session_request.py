import pytest

from ctxkit.core.errors import UsageError
from ctxkit.core.session.ledger import Session
from ctxkit.edge.request import CliRequest
from ctxkit.edge.session_request import apply_session, create_session
from ctxkit.edge.settings import Setting, Settings


def under(**values) -> Settings:
    return Settings([{key: Setting(value, "test") for key, value in values.items()}])


def test_a_session_begins_with_what_holds_at_its_first_use() -> None:
    asked = CliRequest(model="opus", window=1000, used=7, tokenizer="qwen3")
    assert create_session(asked, "s", under(max_output_tokens=100)) == Session("s", 1000, 100, "opus", "qwen3", 7)
    assert create_session(CliRequest(), "s", under(model="opus")) == Session("s", 200_000, 40_000, "opus")
    with pytest.raises(UsageError, match="the window is not known"):
        create_session(CliRequest(), "s", under())


SESSION = Session("s", 1000, 100, "qwen3-30b", "", 30, reserved=12)


@pytest.mark.parametrize(
    ("asked", "values", "budget", "tokenizer"),
    [
        (CliRequest(), {}, (1000, 100), "qwen3"),
        (CliRequest(), {"model": "opus", "window": 5000, "reserve": "10%"}, (1000, 100), "qwen3"),
        (CliRequest(model="qwen3-30b"), {}, (1000, 100), "qwen3"),
        (CliRequest(model="qwen/qwen3-30b"), {}, (1000, 100), "qwen3"),
        (CliRequest(reserve="5"), {}, (1000, 5), "qwen3"),
        (CliRequest(window=500), {"reserve": "10%"}, (500, 50), "qwen3"),
        (CliRequest(model="opus"), {}, (200_000, 40_000), "claude-4-7"),
        (CliRequest(model="unheard-of"), {}, (1000, 100), "estimate"),
        (CliRequest(tokenizer="o200k"), {}, (1000, 100), "o200k"),
    ],
)
def test_inside_a_session_its_own_window_holds_where_no_option_says_otherwise(asked, values, budget, tokenizer: str) -> None:
    settings = under(**values)
    inside = apply_session(asked, SESSION, settings)
    found = inside.budget(settings)
    assert (found.window, found.reserve) == budget
    assert (found.used, inside.session) == (42, "s")
    assert inside.vocabulary(settings).name == tokenizer
    assert inside.gate_policy(settings, "stdin").label.session == "s"


def test_another_model_has_the_window_that_the_settings_give_it() -> None:
    settings = under(**{"models.opus.window": 64_000})
    assert settings.lookup_for_model("opus", "window").value == 64_000
    assert apply_session(CliRequest(model="opus"), SESSION, settings).window == 64_000
    assert apply_session(CliRequest(model="opus", window=500), SESSION, settings).window == 500


def test_the_tokenizer_of_a_session_is_its_own_unless_another_model_is_named() -> None:
    session = SESSION._replace(tokenizer="llama2")
    assert apply_session(CliRequest(), session, under()).vocabulary(under(tokenizer="o200k")).name == "llama2"
    assert apply_session(CliRequest(model="opus"), session, under()).vocabulary(under()).name == "claude-4-7"


def test_a_session_whose_window_nobody_knew_takes_the_one_that_is_known_by_now() -> None:
    began = create_session(CliRequest().assume_window(under()), "s", under())
    assert (began.window, began.reserve) == (0, 0)
    inside = apply_session(CliRequest(), began, under())
    assert (inside.window, inside.assumed) == (32_768, True)
    inside = apply_session(CliRequest(model="opus"), began, under())
    assert (inside.budget(under()).window, inside.assumed) == (200_000, False)
    inside = apply_session(CliRequest(), began, under(window=5000))
    assert (inside.budget(under(window=5000)).window, inside.assumed) == (5000, False)
