import pytest

from ctxkit.core.proxy.proxy_errors import is_context_error, make_error, make_size_error, read_window_limit
from ctxkit.core.text.json_value import JsonValue

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
