import pytest

from ctxkit.core.models import MODELS, model_of, nearest
from ctxkit.core.vocabulary import vocabulary_of


@pytest.mark.parametrize(
    ("name", "window"),
    [("nanbeige4.1-3b", 4_096), ("qwen3-30b-a3b", 32_768), ("haiku", 200_000), ("sonnet", 200_000), ("opus", 200_000)],
)
def test_the_models_of_the_table_have_their_windows(name, window):
    assert model_of(name).window == window


@pytest.mark.parametrize("name", ["qwen3-30b", "Qwen3-30B-A3B", "qwen/qwen3-30b-a3b", "openrouter/Qwen/QWEN3-30B"])
def test_letter_case_prefix_and_alias_do_not_matter(name):
    assert model_of(name) == MODELS["qwen3-30b-a3b"]


@pytest.mark.parametrize("name", ["", "/", "gpt", "unheard-of"])
def test_an_unknown_model_is_none(name):
    assert model_of(name) is None


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_every_model_has_a_window_and_a_vocabulary_that_there_is(model):
    assert model.window > 0
    assert vocabulary_of(model.tokenizer)


def test_a_name_that_is_almost_right_finds_its_nearest():
    assert "qwen3-30b" in nearest("qwen3-30") or "qwen3-30b-a3b" in nearest("qwen3-30")
    assert nearest("gpt-4")[0].startswith("gpt-4")
    assert "opus" in nearest("anthropic/opsu")
    assert nearest("") == []
    assert nearest("zzzzzzzzz") == []
