"""Each format of a registry or server gives the stated figures, and no others."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.models.registry_data import LONGEST_NAME, ModelEntry, compare_models, format_change, read_registry

MODELS_DEV = {
    "openai": {
        "id": "openai",
        "models": {
            "gpt-9": {"id": "gpt-9", "limit": {"context": 400_000, "output": 128_000}, "cost": {"input": 1.25}},
            "gpt-8": {"id": "gpt-8", "limit": {"context": 128_000, "output": 4_096}, "cost": {"input": 2}},
        },
    },
    "azure": {
        "id": "azure",
        "models": {
            "gpt-9": {"id": "gpt-9", "limit": {"context": 272_000, "output": 128_000}},
            "gpt-8": {"id": "gpt-8", "limit": {"context": 128_000, "output": 16_384}, "cost": {"input": 2}},
        },
    },
}
LITELLM = {
    "sample_spec": {"max_input_tokens": "max input tokens", "litellm_provider": "one of the providers"},
    "gpt-9": {
        "litellm_provider": "openai", "max_tokens": 128_000, "max_input_tokens": 272_000, "max_output_tokens": 128_000,
        "input_cost_per_token": 1.25e-06,
    },
    "dall-e-3": {"litellm_provider": "openai", "mode": "image_generation"},
}  # fmt: skip
OPENROUTER = {
    "data": [
        {
            "id": "qwen/qwen9", "context_length": 262_144, "pricing": {"prompt": "0.0000002", "completion": "0.0000008"},
            "top_provider": {"context_length": 262_144, "max_completion_tokens": 65_536},
        }
    ]
}  # fmt: skip
LLAMA = {
    "object": "list",
    "models": [{"name": "tiny.gguf", "model": "tiny.gguf"}],
    "data": [{"id": "tiny.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 2048}}],
}
VLLM = {"object": "list", "data": [{"id": "facebook/opt-125m", "owned_by": "vllm", "max_model_len": 2048}]}
PROPERTIES = {"default_generation_settings": {"n_ctx": 8192}, "model_path": "/models/tiny.gguf"}
RUNNING = {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 4096, "size": 5}]}
GEMINI = {"models": [{"name": "models/gemini-9", "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}]}


@pytest.mark.parametrize(
    ("value", "name", "entries"),
    [
        (
            MODELS_DEV,
            "models.dev",
            {
                ("openai/gpt-9", 400_000, 128_000, 1.25), ("azure/gpt-9", 272_000, 128_000, 0),
                ("openai/gpt-8", 128_000, 4_096, 2), ("azure/gpt-8", 128_000, 16_384, 2), ("gpt-8", 128_000, 0, 2),
            },
        ),
        (LITELLM, "litellm", {("gpt-9", 272_000, 128_000, 1.25)}),
        (OPENROUTER, "list", {("qwen/qwen9", 262_144, 65_536, 0.2)}),
        (LLAMA, "list", {("tiny.gguf", 2048, 0, 0)}),
        (VLLM, "list", {("facebook/opt-125m", 2048, 0, 0)}),
        (PROPERTIES, "llama.cpp", {("tiny.gguf", 8192, 0, 0)}),
        (RUNNING, "list", {("qwen3:8b", 4096, 0, 0)}),
        (GEMINI, "list", {("gemini-9", 1_048_576, 65_536, 0)}),
    ],
)  # fmt: skip
def test_each_format_gives_its_figures(value: object, name: str, entries: set[tuple[Any, ...]]) -> None:
    registry = read_registry(value)
    assert registry is not None
    assert registry.format == name
    assert {tuple(entry) for entry in registry.models.values()} == entries


@pytest.mark.parametrize(
    "row",
    [
        {"id": "m"},
        {"id": "m", "context_length": None},
        {"id": "m", "context_length": True},
        {"id": "m", "context_length": "4096"},
        {"id": "m", "context_length": -1},
        {"id": "m", "context_length": 1e300},
        {"id": "", "context_length": 4096},
        {"id": 7, "context_length": 4096},
        {"id": "m\nn", "context_length": 4096},
        {"id": "m" * (LONGEST_NAME + 1), "context_length": 4096},
    ],
)
def test_an_entry_without_a_window_or_a_usable_name_is_skipped(row: dict[str, Any]) -> None:
    registry = read_registry([row, {"id": "good", "context_length": 4096}])
    assert registry is not None
    assert (dict(registry.models), registry.skipped) == ({"good": ModelEntry("good", 4096)}, 1)


@pytest.mark.parametrize("value", [None, 1, "text", {}, {"data": 1}, [1], {"a": {"b": 1}}, {"error": "no"}])
def test_other_json_is_no_registry(value: object) -> None:
    assert read_registry(value) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["data", "models", "id", "limit", "context", "context_length", "meta", "pricing", "prompt"])
        | st.text(), inner,
    ),
)  # fmt: skip


@pytest.mark.slow
@given(JSON)
def test_any_json_gives_usable_entries_only(value: object) -> None:
    registry = read_registry(value)
    for name, entry in registry.models.items() if registry else ():
        assert name == entry.name
        assert name.isprintable()
        assert entry.window > 0
        assert entry.max_output >= 0
        assert 0 <= entry.input_price < 1e6


OLD, NEW = ModelEntry("b", 4096, 512, 0.5), ModelEntry("b", 8192)


def test_changes_are_sorted_and_show_the_figures_that_they_replace() -> None:
    same, added = ModelEntry("c", 1), ModelEntry("a", 200_000, 64_000, 3.0)
    changes = compare_models({"b": OLD, "c": same, "gone": same}, {"c": same, "b": NEW, "a": added})
    assert [format_change(change) for change in changes] == [
        "+ a  200,000, 64,000 out, $3",
        "~ b  4,096, 512 out, $0.5 -> 8,192",
        "  c  1",
    ]
    assert [change.state for change in changes] == ["added", "changed", "unchanged"]
