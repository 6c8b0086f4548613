import pytest

from ctxkit.core.errors import UnknownNameError
from ctxkit.edge.model_facts import ModelFact, explain_source, find_model_facts, list_model_facts
from ctxkit.edge.settings import Setting, Settings

NOTHING = Settings([])
OURS = Settings(
    [
        {
            "models.my-qwen.window": Setting(40_960, "a.toml:2"),
            "models.my-qwen.tokenizer": Setting("qwen3", "a.toml:3"),
            "models.qwen3-8b.window": Setting(8_192, "a.toml:5"),
        }
    ]
)


def test_the_table_gives_the_figures_of_a_model_that_no_setting_names() -> None:
    found = find_model_facts("Qwen/Qwen3-30B-A3B", NOTHING)
    assert found.name == "qwen3-30b-a3b"
    assert found.window == ModelFact(32_768, "ctxkit's own table")
    assert found.max_output == ModelFact(0, "not known")
    assert found.tokenizer == ModelFact("qwen3", "by the model's family")


def test_settings_come_before_the_table_figure_by_figure() -> None:
    found = find_model_facts("qwen3-8b", OURS)
    assert found.window == ModelFact(8_192, "a.toml:5")
    assert found.max_output.value == 32_768
    assert find_model_facts("my-qwen", OURS).tokenizer == ModelFact("qwen3", "a.toml:3")
    assert find_model_facts("my-qwen", OURS).max_output == ModelFact(0, "not known")


def test_everything_is_the_table_and_what_the_settings_describe_each_once() -> None:
    names = [one.name for one in list_model_facts(OURS)]
    assert names == sorted(names, key=str.lower)
    assert names.count("qwen3-8b") == names.count("my-qwen") == 1


def test_an_unknown_model_is_told_with_the_nearest_of_the_settings_and_the_table() -> None:
    with pytest.raises(UnknownNameError) as raised:
        find_model_facts("my-qwen2", OURS)
    assert str(raised.value) == "unknown model: my-qwen2"
    assert raised.value.hint.startswith("did you mean my-qwen")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("models.dev+litellm:openai", "openai, by models.dev (2026-05-21) and litellm (2026-11-12)"),
        ("litellm:xai", "xai, by litellm (2026-11-12)"),
        ("hosts:5/7", "5 of 7 hosts, by models.dev (2026-05-21) and litellm (2026-11-12)"),
        ("https://huggingface.co/Qwen/Qwen3-8B", "https://huggingface.co/Qwen/Qwen3-8B"),
        ("seed", "ctxkit's own table"),
        ("", "not known"),
    ],
)
def test_a_source_is_said_in_words(source: str, words: str) -> None:
    assert explain_source(source) == words
