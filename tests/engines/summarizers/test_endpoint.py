"""Any server with OpenAI's interface may summarize."""

import time
from contextlib import suppress

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.summarizers import endpoint
from tests.engines.summarizers.served import Handler, saying, served


@pytest.fixture
def server():
    with served() as made:
        yield made


def test_the_first_listed_model_is_asked_once(server) -> None:
    voice = endpoint.open_chat_model(server.address, {})
    assert voice.ask("the prompt") == "# Context"
    assert voice.prompt_limit == 4096 - endpoint.ANSWER_TOKENS
    path, headers, body = server.seen[-1]
    assert path == "/v1/chat/completions"
    assert body["model"] == "small"
    assert body["messages"] == [{"role": "user", "content": "the prompt"}]
    assert (body["temperature"], body["stream"]) == (0, False)
    assert "Authorization" not in headers


@pytest.mark.parametrize("end", ["#mine,room=900", "/chat/completions#mine,room=900", "/#mine,room=900"])
def test_an_address_may_name_the_model_and_its_room(server, end: str) -> None:
    voice = endpoint.open_chat_model(server.address + end, {})
    assert voice.ask("x") == "# Context"
    assert voice.prompt_limit == 900
    assert [path for path, _, _ in server.seen] == ["/v1/chat/completions"]
    assert server.seen[-1][2]["model"] == "mine"


def test_keys_go_where_they_belong(server) -> None:
    keys = {"OPENAI_API_KEY": "theirs"}
    endpoint.open_chat_model(f"{server.address}#m", keys).ask("x")
    assert "Authorization" not in server.seen[-1][1]
    endpoint.open_chat_model(f"{server.address}#m", {**keys, "CTXKIT_API_KEY": "ours"}).ask("x")
    assert server.seen[-1][1]["Authorization"] == "Bearer ours"


def test_a_key_does_not_follow_a_redirection_to_another_server(server) -> None:
    with served() as other:

        class Moved(Handler):
            def do_GET(self):  # noqa: N802 (http.server's name)
                self.server.seen.append((self.path, dict(self.headers), None))  # type: ignore[attr-defined]
                self.send_response(302)
                self.send_header("Location", f"{other.address}/models")
                self.end_headers()

        server.RequestHandlerClass = Moved
        endpoint.open_chat_model(server.address, {"CTXKIT_API_KEY": "ours"})
        assert server.seen[-1][1]["Authorization"] == "Bearer ours"
        assert [path for path, _, _ in other.seen] == ["/v1/models"]
        assert "Authorization" not in other.seen[-1][1]


@pytest.mark.parametrize(
    ("reply", "match"),
    [
        ((400, {"error": {"message": "context too long"}}), "status 400: .*context too long"),
        ((200, {"choices": []}), "gave no answer"),
        ((200, b"<html>"), "is not JSON"),
    ],
)
def test_what_goes_wrong_is_told(server, reply, match: str) -> None:
    server.call = reply
    with pytest.raises(InputOutputError, match=match):
        endpoint.open_chat_model(f"{server.address}#m", {}).ask("x")


def test_an_empty_answer_is_an_answer(server) -> None:
    server.call = saying(None)
    assert endpoint.open_chat_model(f"{server.address}#m", {}).ask("x") == ""


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(InputOutputError, match="refused"):
        endpoint.open_chat_model("http://127.0.0.1:9/v1", {})


def endless(file):
    with suppress(OSError):
        while True:
            file.write(b" " * 65_536)


def slow(file):
    with suppress(OSError):
        for _ in range(1000):
            file.write(b" ")
            file.flush()
            time.sleep(0.05)


def silent(file):
    time.sleep(2)


@pytest.mark.parametrize(
    ("body", "match"), [(endless, "more than 4,000,000 bytes"), (slow, r"no answer in 0\.3 s"), (silent, r"no answer in 0\.3 s")]
)
def test_an_answer_that_never_ends_is_not_waited_for(server, body, match: str) -> None:
    server.call = (200, body)
    started = time.monotonic()
    with pytest.raises(InputOutputError, match=match):
        endpoint.open_chat_model(f"{server.address}#m", {}, 60 if body is endless else 0.3).ask("x")
    assert time.monotonic() - started < 30
