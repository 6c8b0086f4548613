import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.proxy.model_apis import (
    APIS,
    MODELS,
    PROPS,
    QUESTIONS,
    RUNNING,
    SHOW,
    Boundary,
    Question,
    UpstreamFacts,
    find_api,
    find_replacement,
    has_state_at_provider,
    hash_messages,
    hash_prefixes,
    is_context_error,
    make_error,
    make_size_error,
    read_facts,
    read_model,
    read_ollama_window,
    read_window_limit,
    remove_cache_marks,
    replace_prefix,
)
from ctxkit.core.text.json_value import JsonValue


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


TOO_LONG = [
    (b'{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}', 8192),
    (b'{"object":"error","message":"This model\'s maximum context length is 16384 tokens. However, you requested 122946 tokens"}', 16384),
    (b'{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}', 0),
    (b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}', 200000),
    (b'{"error":{"message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"}}', 0),
    (b'{"error":{"message":"Requested tokens (2285) exceed context window of 2048"}}', 2048),
    (b'{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}', 1048576),
]  # fmt: skip


@pytest.mark.parametrize(("body", "window"), TOO_LONG)
def test_errors_of_a_full_window_are_known_with_the_window_that_they_name(body: bytes, window: int) -> None:
    assert is_context_error(400, body)
    assert not is_context_error(200, body)
    assert read_window_limit(body) == window


@pytest.mark.parametrize("body", [b"", b'{"error": "rate limit exceeded"}', b'{"error": {"message": "maximum of 4 blocks"}}', b"\xff" * 100])
def test_other_errors_are_others(body: bytes) -> None:
    assert not is_context_error(400, body)
    assert read_window_limit(body) == 0


@pytest.mark.parametrize("api", ["openai", "responses", "anthropic", "gemini", "ollama", ""])
def test_errors_name_the_size_and_the_window(api: str) -> None:
    error = make_size_error(api, 5000, 4096)
    assert "5000" in str(error)
    assert "4096" in str(error)
    assert api == "ollama" or is_context_error(400, str(error).encode())


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("anthropic", {"type": "error", "error": {"type": "c", "message": "m"}}),
        ("gemini", {"error": {"code": 502, "message": "m", "status": "c"}}),
        ("ollama", {"error": "m"}),
        ("openai", {"error": {"message": "m", "type": "server_error", "param": None, "code": "c"}}),
    ],
)
def test_each_api_has_its_form(api: str, expected: JsonValue) -> None:
    assert make_error(api, 502, "m", "c") == expected


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


TEXTS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8)


def read(texts: list[str], indent: int | None = None) -> Transcript:
    messages = [{"role": "user", "content": text} for text in texts]
    data = json.dumps({"model": "m", "messages": messages, "last": 1}, indent=indent).encode()
    return parse_transcript(data, "x", get_format("openai"))


def contents(transcript: Transcript) -> list[str]:
    return [record.value["content"] for record in transcript.records]


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_what_is_found_is_what_is_replaced(before: list[str], after: list[str], least: int) -> None:
    least = min(least, len(before))
    transcript = read(before, indent=2)
    replacement = find_replacement(transcript, read(after, indent=2), least)
    assert replacement.covered >= least
    replaced = replace_prefix(transcript, replacement)
    assert contents(replaced) == after
    tail = transcript.text[transcript.records[replacement.covered].start :] if replacement.covered < len(before) else "]"
    assert replaced.text.endswith(tail.partition("]")[2] if tail == "]" else tail)
    assert replaced.text.startswith(transcript.text[: transcript.inner[0]])


def test_as_little_as_possible_is_covered() -> None:
    assert find_replacement(read(["a", "b", "c", "d"]), read(["x", "c", "d"]), 0).covered == 2


def test_marks_of_the_prompt_cache_are_not_kept() -> None:
    marked = [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]
    after = parse_transcript(json.dumps({"messages": marked}).encode(), "x", get_format("anthropic"))
    entries = find_replacement(read(["z"]), after, 1).entries
    assert json.loads(entries[0]) == {"role": "user", "content": [{"type": "text", "text": "a"}]}


def test_all_messages_may_be_replaced() -> None:
    text = replace_prefix(read(["a", "b"]), Boundary(2, ('{"role":"user","content":"s"}',))).text
    assert text == '{"model": "m", "messages": [{"role":"user","content":"s"}], "last": 1}'


MARK = {"type": "ephemeral"}


def dump(value) -> bytes:
    return json.dumps(value).encode()


def name(messages) -> list[str]:
    return hash_prefixes("openai", hash_messages(messages, dump))


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_prefixes_have_the_same_name_exactly_if_they_are_equal(first: list[int], second: list[int]) -> None:
    left, right = name(first), name(second)
    for length in range(1, min(len(first), len(second)) + 1):
        assert (left[length - 1] == right[length - 1]) == (first[:length] == second[:length])


def test_marks_of_the_prompt_cache_do_not_change_a_name() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x", "cache_control": MARK}]}
    marked = {"role": "user", "content": [result, {"type": "text", "text": "y", "cache_control": MARK}], "cache_control": MARK}
    plain = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}, {"type": "text", "text": "y"}],
    }
    assert remove_cache_marks(marked) == plain
    assert name([marked]) == name([plain])
    assert remove_cache_marks(plain) == plain


def test_messages_without_marks_have_the_same_name_if_they_are_not_searched() -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "text", "text": "y"}]}]
    assert hash_messages(messages, dump, may_have_marks=False) == hash_messages(messages, dump)


def test_arguments_that_look_like_marks_count() -> None:
    calls = [{"role": "assistant", "content": [{"type": "tool_use", "input": {"cache_control": value}}]} for value in (1, 2)]
    assert name(calls[:1]) != name(calls[1:])


def test_apis_have_names_of_their_own() -> None:
    digests = hash_messages([1, 2], dump)
    assert hash_prefixes("openai", digests) != hash_prefixes("anthropic", digests)
