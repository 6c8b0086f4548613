import pytest

from ctxkit.core.proxy.upstream_window import (
    MODELS,
    PROPS,
    QUESTIONS,
    RUNNING,
    SHOW,
    Question,
    UpstreamFacts,
    read_facts,
)
from ctxkit.core.text.json_value import JsonValue


@pytest.mark.parametrize(
    ("question", "answer", "window"),
    [
        (PROPS, {"default_generation_settings": {"n_ctx": 16384}, "total_slots": 1}, 16384),
        (PROPS, {"default_generation_settings": {}}, 0),
        (MODELS, {"data": [{"id": "m", "max_model_len": 32768}, {"id": "n", "max_model_len": 1}]}, 32768),
        (MODELS, {"data": [{"id": "only", "max_model_len": 8192}]}, 8192),
        (MODELS, {"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2}]}, 0),
        (MODELS, {"data": [{"id": "m", "meta": {"n_ctx_train": 131072}}]}, 0),
        (MODELS, {"data": [{"id": "m", "context_length": 65536}]}, 65536),
        (RUNNING, {"models": [{"name": "m", "context_length": 4096}]}, 4096),
        (RUNNING, {"models": [{"name": "other", "context_length": 4096}]}, 0),
        (SHOW, {"parameters": "stop    \"</s>\"\nnum_ctx                        8192\n", "model_info": {"llama.context_length": 131072}}, 8192),
        (SHOW, {"model_info": {"llama.context_length": 131072}}, 0),
        (PROPS, [], 0),
        (MODELS, None, 0),
    ],
)  # fmt: skip
def test_windows_are_those_that_are_served(question: Question, answer: JsonValue, window: int) -> None:
    assert read_facts(question, answer, "m").window == window


def test_a_server_of_llama_names_its_file() -> None:
    answer = {"default_generation_settings": {"n_ctx": 512}, "model_path": "/m/x.gguf"}
    assert read_facts(PROPS, answer, "") == UpstreamFacts(512, "/m/x.gguf")


def test_each_api_has_its_questions() -> None:
    assert set(QUESTIONS) == {"openai", "responses", "anthropic", "gemini", "ollama"}
    assert [question.is_posted for question in QUESTIONS["ollama"]] == [False, True]
