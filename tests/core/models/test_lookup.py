import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.models.lookup import MODELS, find_model, find_similar_names
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.example_counts import count_examples


@pytest.mark.parametrize(
    ("name", "window"),
    [("nanbeige4.1-3b", 4_096), ("qwen3-30b-a3b", 32_768), ("haiku", 200_000), ("sonnet", 200_000), ("opus", 200_000)],
)
def test_the_models_of_the_table_have_their_windows(name: str, window: int) -> None:
    assert find_model(name).window == window


@pytest.mark.parametrize("name", ["qwen3-30b", "Qwen3-30B-A3B", "qwen/qwen3-30b-a3b", "openrouter/Qwen/QWEN3-30B"])
def test_letter_case_prefix_and_alias_do_not_matter(name: str) -> None:
    assert find_model(name) == MODELS["qwen3-30b-a3b"]


@pytest.mark.parametrize(
    ("name", "window"),
    [("claude-opus-4-8[1m]", 1_000_000), ("claude-sonnet-4-5[1m]", 1_000_000), ("sonnet[1m]", 1_000_000)],
)
def test_a_mark_for_a_long_window_counts(name: str, window: int) -> None:
    assert find_model(name).window == window


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("gpt-5.1-codex-max-xhigh", "gpt-5.1-codex-max"),
        ("gpt-5-high", "gpt-5"),
        ("claude-opus-4-8-thinking", "claude-opus-4-8"),
        ("opusplan", "opus"),
        ("gemini/gemini-2.5-pro-exp-03-25", "gemini-2.5-pro"),
    ],
)
def test_how_a_model_is_offered_does_not_matter(name: str, base: str) -> None:
    assert find_model(name) == find_model(base)
    assert find_model(base) is not None


@pytest.mark.parametrize("name", ["nobody-has-this-high", "nobody-has-this[1m]", "thinking", "-high", "[1m]"])
def test_an_offer_of_nobody_is_unknown(name: str) -> None:
    assert find_model(name) is None


SPELLED = [
    ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
    ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
    ("claude-4.5-sonnet", "claude-sonnet-4-5"),
    ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
    ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ("openai/gpt-4o-2024-08-06", "gpt-4o"),
    ("ft:gpt-4o-mini-2024-07-18:acme::1", "gpt-4o-mini"),
    ("databricks-gpt-5", "gpt-5"),
    ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
    ("gpt-35-turbo", "gpt-3.5-turbo"),
    ("gpt-oss:20b", "gpt-oss-20b"),
    ("llama3.1:8b-instruct-q4_K_M", "llama-3.1-8b-instruct"),
    ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b-instruct"),
    ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama-3.1-8b-instruct"),
    ("qwen3:30b", "qwen3-30b-a3b"),
    ("qwen3:235b", "qwen3-235b-a22b"),
    ("qwen3-coder:30b", "qwen3-coder-30b-a3b-instruct"),
    ("Qwen3-30B-A3B-Q4_K_M.gguf", "qwen3-30b-a3b"),
    ("Qwen/Qwen3-30B-A3B-Instruct-2507-GGUF", "qwen3-30b-a3b-instruct-2507"),
    ("deepseek.v3-v1:0", "deepseek-v3"),
    ("gemma3:27b", "gemma-3-27b-it"),
    ("deepseek-r1:671b", "deepseek-r1"),
    ("vertex_ai/meta/llama-3.3-70b-instruct-maas", "llama-3.3-70b-instruct"),
]


@pytest.mark.parametrize(("spelled", "name"), SPELLED)
def test_a_model_is_known_as_registries_hosts_and_files_spell_it(spelled: str, name: str) -> None:
    assert find_model(spelled).name == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", " ", "gpt", "unheard-of", ">", "qwen3", "llama", "gguf", "3", "128000", "o200k", "seed"),
        *("qwen3-31b", "qwen3-30b-a4b", "claude-opus-9", "gpt-4.2", "llama-3.1-9b", "gpt-4o-micro"),
        *("deepseek-r1:8b", "gpt-35-turbo-instruct", "gpt-35-turbo-2031-01-01", "anthropic.claude-3-opus-20240229-v1:0:28k", "qwen3-8b-abliterated", "gpt-5-2031-01-01"),
    ],
)
def test_a_model_that_is_not_certain_is_none(name) -> None:
    assert find_model(name) is None


def test_what_a_dated_release_changed_is_not_guessed() -> None:
    assert find_model("qwen-plus").window == find_model("qwen-plus-2025-01-25").window == 129_024
    assert find_model("qwen-plus-2025-07-28").window == 997_952
    assert find_model("qwen-plus-2031-01-01") is None
    assert find_model("gpt-3.5-turbo-instruct").window == 4_096
    assert find_model("gpt-3.5-turbo").window == 16_385


def test_every_model_is_found_by_its_name_and_its_figures_make_sense() -> None:
    for name, model in MODELS.items():
        assert find_model(name) == find_model(name.upper()) == find_model(f"host/{name}") == model, name
        assert 0 <= model.max_output <= model.window, name
        assert model.window >= 1_024, name
        assert find_vocabulary(model.tokenizer), name
        assert model.source, name


def test_the_table_is_a_mapping() -> None:
    assert len(MODELS) == len(list(MODELS)) == len(set(MODELS)) > 500
    assert next(iter(MODELS.values())).name == next(iter(MODELS))
    with pytest.raises(KeyError):
        MODELS["unheard-of"]


@pytest.mark.parametrize(
    ("name", "day"), [("gpt-4o", "2026-11-12"), ("qwen3-8b", ""), ("qwen3-30b-a3b", ""), ("o1-mini", "2026-05-21")]
)
def test_a_figure_has_the_day_of_its_registry(name: str, day: str) -> None:
    assert find_model(name).as_of == day


@pytest.mark.parametrize(
    ("name", "tokenizer"),
    [
        *(("gpt2", "r50k"), ("text-davinci-003", "p50k"), ("davinci-002", "cl100k")),
        *(("gpt-4", "cl100k"), ("gpt-4o", "o200k"), ("o3-mini", "o200k"), ("gpt-oss-120b", "o200k")),
        *(("qwen2.5-7b-instruct", "qwen3"), ("qwen3.5-27b", "estimate"), ("qwen3.8-max", "estimate")),
        *(("deepseek-r1", "deepseek_v3"), ("deepseek-r1-distill-llama-8b", "llama3"), ("deepseek-v4-pro", "estimate")),
        *(("llama-3.2-1b-instruct", "llama3"), ("llama-2-7b-chat", "llama2"), ("claude-opus-5", "claude-4-7")),
        *(("glm-4.6", "glm4"), ("glm-5", "estimate"), ("glm-4.7-flash", "estimate"), ("kimi-k3", "estimate")),
        *(("phi-4", "phi4"), ("phi-4-mini-instruct", "o200k"), ("phi-3-mini-4k-instruct", "llama2")),
    ],
)
def test_a_family_names_its_vocabulary(name, tokenizer) -> None:
    assert find_model(name).tokenizer == tokenizer


@pytest.mark.slow
def test_a_name_that_is_almost_right_finds_its_nearest() -> None:
    assert find_similar_names("qwen3-30")[0] == "qwen3-30b-a3b"
    assert find_similar_names("gpt-4")[0].startswith("gpt-4")
    assert "opus" in find_similar_names("anthropic/opsu")
    assert "claude-opus-4-5" in find_similar_names("claude-opus-4-55")
    assert find_similar_names("") == []
    assert find_similar_names("zzzzzzzzz") == []


@pytest.mark.slow
@given(st.text(max_size=40))
@settings(max_examples=count_examples(30), deadline=None)
def test_no_text_breaks_the_search(name: str) -> None:
    model = find_model(name)
    assert model is None or MODELS[model.name] == model
    assert len(find_similar_names(name)) <= 3
