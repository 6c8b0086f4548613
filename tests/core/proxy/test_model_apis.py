import pytest

from ctxkit.core.proxy.model_apis import APIS, find_api, has_state_at_provider, read_model, read_ollama_window


@pytest.mark.parametrize(
    ("path", "name", "counts_only"),
    [
        ("/v1/chat/completions", "openai", False),
        ("/chat/completions/", "openai", False),
        ("/api/v1/responses", "responses", False),
        ("/v1/messages", "anthropic", False),
        ("/v1/messages/count_tokens", "anthropic", True),
        ("/v1beta/models/gemini-3-pro:generateContent", "gemini", False),
        ("/v1beta/models/gemini-3-pro:streamGenerateContent", "gemini", False),
        ("/api/chat", "ollama", False),
    ],
)
def test_requests_are_known_by_the_end_of_their_path(path: str, name: str, counts_only: bool) -> None:
    api = find_api("POST", path)
    assert api is not None
    assert (api.name, api.counts_only) == (name, counts_only)
    assert find_api("GET", path) is None


@pytest.mark.parametrize(
    "path",
    [
        "/v1/completions", "/v1/models", "/v1/responses/resp_1/cancel", "/v1/chat/completions/1/messages/x", "/v1/messages/batches",
        "/v1beta/models/m:countTokens", "/api/generate", "/",
    ],
)  # fmt: skip
def test_other_paths_are_not_read(path: str) -> None:
    assert find_api("POST", path) is None


def test_the_model_stands_in_the_request_or_in_the_path() -> None:
    openai, gemini = APIS[0], find_api("POST", "/v1beta/models/g:generateContent")
    assert gemini is not None
    assert read_model(openai, "/v1/chat/completions", {"model": "m"}) == "m"
    assert read_model(openai, "/v1/chat/completions", {"model": 3}) == ""
    assert read_model(gemini, "/v1beta/models/gemini-3-pro:generateContent", {}) == "gemini-3-pro"


@pytest.mark.parametrize(
    ("request_value", "expected"),
    [({"store": True}, True), ({"store": False}, False), ({}, False), ({"previous_response_id": "r"}, True), ({"previous_response_id": None}, False)],
)
def test_only_responses_have_state_at_the_provider(request_value, expected: bool) -> None:
    responses = find_api("POST", "/v1/responses")
    assert responses is not None
    assert has_state_at_provider(responses, request_value) is expected
    assert has_state_at_provider(APIS[0], request_value) is False


@pytest.mark.parametrize(("options", "window"), [({"num_ctx": 8192}, 8192), ({"num_ctx": True}, 0), ({"num_ctx": "8k"}, 0), (None, 0)])
def test_a_request_to_ollama_names_its_window(options, window: int) -> None:
    ollama = find_api("POST", "/api/chat")
    assert ollama is not None
    assert read_ollama_window(ollama, {"options": options}) == window
    assert read_ollama_window(APIS[0], {"options": options}) == 0
