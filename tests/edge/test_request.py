import shlex

import pytest

from ctxkit.core.errors import SettingsError, UsageError
from ctxkit.core.text.retrieval_hint import PRESETS
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Setting, Settings


def under(**values) -> Settings:
    return Settings([{key: Setting(value, "test") for key, value in values.items()}])


@pytest.mark.parametrize(
    ("asked", "values", "available"),
    [
        (CliRequest(model="nanbeige4.1-3b"), {}, 3_277),
        (CliRequest(model="qwen3-30b"), {}, 26_214),
        (CliRequest(model="opus"), {}, 160_000),
        (CliRequest(), {"model": "opus"}, 160_000),
        (CliRequest(window=1000), {}, 800),
        (CliRequest(window=1000, model="opus"), {}, 800),
        (CliRequest(), {"window": 1000, "model": "opus"}, 800),
        (CliRequest(window=500), {"window": 1000}, 400),
        (CliRequest(), {"context_budget": 1000}, 800),
        (CliRequest(window=1000, reserve="100"), {}, 900),
        (CliRequest(window=1000, reserve="0"), {}, 1000),
        (CliRequest(window=1000), {"reserve": "10%"}, 900),
        (CliRequest(window=1000), {"max_output_tokens": 300}, 700),
        (CliRequest(window=1000, reserve="5%"), {"reserve": "10%", "max_output_tokens": 300}, 950),
        (CliRequest(window=1000, used=300), {}, 500),
        (CliRequest(window=1000, used=3000), {}, 0),
    ],
)
def test_the_budget_is_what_flags_then_settings_then_the_model_say(asked, values, available: int) -> None:
    assert asked.budget(under(**values)).available == available


def test_triggers_and_cap_come_from_the_settings() -> None:
    budget = CliRequest(window=1000).budget(under(compact_trigger=0.5, hard_block=0.6, briefing_cap=100))
    assert (budget.compact_trigger, budget.hard_block, budget.briefing_cap) == (0.5, 0.6, 100)


def test_without_model_and_window_the_hint_names_both_ways_out() -> None:
    with pytest.raises(UsageError, match="the window is not known") as raised:
        CliRequest().budget(under())
    assert "--model" in raised.value.hint
    assert "CTXKIT_MODEL" in raised.value.hint
    assert raised.value.status == 2


def test_an_unknown_model_suggests_the_nearest_unless_a_window_is_given() -> None:
    with pytest.raises(UsageError, match="unknown model: gpt-4oo") as raised:
        CliRequest(model="gpt-4oo").budget(under())
    assert "gpt-4o" in raised.value.hint
    assert CliRequest(model="gpt-4oo", window=1000).budget(under()).available == 800


@pytest.mark.parametrize("reserve", ["all", "-1", "100%", "5000", "inf%", "nan%", "20 percent", "%"])
def test_a_reserve_that_is_none_is_misuse(reserve: str) -> None:
    with pytest.raises(UsageError, match="--reserve") as raised:
        CliRequest(window=1000, reserve=reserve).budget(under())
    assert raised.value.hint


@pytest.mark.parametrize(
    ("asked", "values", "name"),
    [
        (CliRequest(model="qwen3-30b"), {}, "qwen3"),
        (CliRequest(model="opus"), {}, "claude-4-7"),
        (CliRequest(), {}, "estimate"),
        (CliRequest(model="unheard-of"), {}, "estimate"),
        (CliRequest(model="opus", tokenizer="o200k_base"), {}, "o200k"),
        (CliRequest(model="opus"), {"tokenizer": "bytes/3"}, "bytes/3"),
    ],
)
def test_the_vocabulary_is_the_named_one_then_the_models_then_an_estimate(asked, values, name: str) -> None:
    assert asked.vocabulary(under(**values)).name == name


def test_an_unknown_tokenizer_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="unknown tokenizer: nothing") as raised:
        CliRequest(tokenizer="nothing").vocabulary(under())
    assert "qwen3" in raised.value.hint


def test_a_map_has_the_target_of_a_window_that_is_named_else_the_default() -> None:
    assert CliRequest().briefing_target(under(), 1234) == 1234
    assert CliRequest(window=1000).briefing_target(under(), 1234) == 400
    assert CliRequest().briefing_target(under(model="nanbeige4.1-3b"), 1234) == 1638


def test_a_flag_then_a_setting_then_the_commands_own_default_is_the_hint() -> None:
    chosen = under(hint="sed")
    assert CliRequest(hint="read_file").resolve_hint(chosen, "ctxkit", "t").template == PRESETS["read_file"]
    assert CliRequest().resolve_hint(chosen, "ctxkit", "t").template == PRESETS["sed"]
    assert CliRequest().resolve_hint(under(), "read_file", "t").template == PRESETS["read_file"]
    assert CliRequest(hint="at {start}").resolve_hint(under(), "ctxkit", "t") == ("at {start}", "", "", "t")


@pytest.mark.parametrize("hint", ["nonsense", "{file}"])
def test_a_hint_that_is_none_is_misuse(hint: str) -> None:
    with pytest.raises(UsageError, match="--hint"):
        CliRequest(hint=hint).resolve_hint(under(), "ctxkit", "t")


def test_an_unknown_type_suggests_the_nearest() -> None:
    assert CliRequest().resolve_content_type() == ""
    assert CliRequest(content_type="text").resolve_content_type() == "text"
    with pytest.raises(UsageError, match="unknown type: txet") as raised:
        CliRequest(content_type="txet").resolve_content_type()
    assert "text" in raised.value.hint


def test_terms_carry_everything_that_was_asked_for() -> None:
    terms = CliRequest(window=1000, limit=70, name="my log", content_type="text", strict=True).gate_policy(under(), "stdin")
    assert (terms.title, terms.limit, terms.content_type, terms.strict, terms.target) == ("my log", 70, "text", True, 70)
    assert terms.hint.name == "my log"
    assert CliRequest(window=1000).gate_policy(under(strict=True), "stdin").strict
    assert CliRequest(window=1000).gate_policy(under(), "stdin").title == "stdin"


@pytest.mark.parametrize("name", ["two\nlines", "# x (1 line): a map\n", "\x1b[31mred", "bad\udcff", "x" * 5000])
def test_a_name_is_one_printable_line_of_text(name: str) -> None:
    title = CliRequest(window=1000, name=name).gate_policy(under(), "stdin").title
    assert title.isprintable()
    assert len(title) <= 200
    title.encode()


def test_the_flags_of_the_window_are_repeated_as_they_were_typed() -> None:
    asked = CliRequest(model="my model", reserve="10%", used=5, tokenizer="bytes/3")
    words = shlex.split(asked.window_flags())
    assert words == ["--model", "my model", "--reserve", "10%", "--used", "5", "--tokenizer", "bytes/3"]
    assert CliRequest().window_flags() == ""


def seated(name="", **values) -> Settings:
    return under(**values, session=name)


def test_a_call_is_in_the_session_that_is_named_if_any() -> None:
    assert CliRequest().session_name(seated()) == ""
    assert CliRequest(session="s").session_name(seated()) == "s"
    assert CliRequest().session_name(seated("t")) == "t"
    assert CliRequest(session="s").session_name(seated("t")) == "s"


def test_a_bad_name_is_blamed_on_where_it_stands() -> None:
    with pytest.raises(UsageError, match="not the name of a session"):
        CliRequest(session="a/b").session_name(seated())
    with pytest.raises(UsageError, match="not the name of a session"):
        CliRequest(session="").session_name(seated("t"))
    with pytest.raises(SettingsError, match="test: 'a/b' is not the name of a session"):
        CliRequest().session_name(seated("a/b"))


@pytest.mark.parametrize("used", [0, 5])
def test_used_does_not_go_with_a_session(used: int) -> None:
    with pytest.raises(UsageError, match="--used cannot be combined with session s") as raised:
        CliRequest(used=used).session_name(seated("s"))
    assert raised.value.hint.endswith(f"ctxkit session reset s --used {used}")


@pytest.mark.parametrize(
    ("name", "window"),
    [("", 32_768), ("unheard-of", 32_768), ("house:7b", 8_192), ("models/house.Q4_K_M.gguf", 8_192)],
)
def test_where_nobody_knows_the_window_a_usual_one_is_assumed(name: str, window: int) -> None:
    asked = CliRequest(model=name or None).assume_window(under())
    budget = asked.budget(under())
    assert (asked.assumed, budget.window, budget.assumed, asked.model) == (True, window, True, name or None)
    with pytest.raises(UsageError, match=f"unknown model: {name}" if name else "the window is not known"):
        asked.require_window(under())


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        (CliRequest(window=1000), {}),
        (CliRequest(model="opus"), {}),
        (CliRequest(model="unheard-of"), {"window": 1000}),
        (CliRequest(), {"context_budget": 1000}),
    ],
)
def test_a_window_that_is_known_is_not_assumed(asked, values) -> None:
    assert asked.assume_window(under(**values)) is asked
    assert not asked.budget(under(**values)).assumed
    asked.require_window(under(**values))


@pytest.mark.parametrize(
    ("asked", "values", "reserve"),
    [
        (CliRequest(reserve="40000"), {}, 6_554),
        (CliRequest(), {"max_output_tokens": 64_000}, 6_554),
        (CliRequest(reserve="50%"), {}, 16_384),
        (CliRequest(reserve="100"), {"max_output_tokens": 64_000}, 100),
    ],
)
def test_a_reserve_larger_than_an_assumed_window_is_no_mistake(asked, values, reserve: int) -> None:
    assert asked.assume_window(under(**values)).budget(under(**values)).reserve == reserve


@pytest.mark.parametrize("reserve", ["x", "-1", "100%", ""])
def test_a_reserve_that_is_none_is_misuse_in_an_assumed_window_too(reserve: str) -> None:
    asked = CliRequest(reserve=reserve).assume_window(under())
    if reserve:
        with pytest.raises(UsageError, match="--reserve"):
            asked.budget(under())
    else:
        assert asked.budget(under()).reserve == 6_554
