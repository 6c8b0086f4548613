"""Any server with OpenAI's interface may summarize."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from ctxkit.core.trouble import IOFailed
from ctxkit.engines.summarizers import endpoint


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), None))
        self.answer(200, {"data": [{"id": "small", "meta": {"n_ctx": 4096}}, {"id": "other"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        self.answer(*self.server.reply)

    def answer(self, status, value):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.seen = []
        made.reply = (200, {"choices": [{"message": {"role": "assistant", "content": "# Context"}}]})
        made.address = f"http://127.0.0.1:{made.server_port}/v1"
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def test_the_first_listed_model_is_asked_once(server):
    voice = endpoint.voice(server.address, {})
    assert voice.ask("the prompt") == "# Context"
    assert voice.room == 4096 - endpoint.ANSWER
    path, headers, body = server.seen[-1]
    assert path == "/v1/chat/completions"
    assert body["model"] == "small"
    assert body["messages"] == [{"role": "user", "content": "the prompt"}]
    assert (body["temperature"], body["stream"]) == (0, False)
    assert "Authorization" not in headers


@pytest.mark.parametrize("end", ["#mine,room=900", "/chat/completions#mine,room=900", "/#mine,room=900"])
def test_an_address_may_name_the_model_and_its_room(server, end):
    voice = endpoint.voice(server.address + end, {})
    assert voice.ask("x") == "# Context"
    assert voice.room == 900
    assert [path for path, _, _ in server.seen] == ["/v1/chat/completions"]
    assert server.seen[-1][2]["model"] == "mine"


def test_keys_go_where_they_belong(server):
    keys = {"OPENAI_API_KEY": "theirs"}
    endpoint.voice(f"{server.address}#m", keys).ask("x")
    assert "Authorization" not in server.seen[-1][1]
    endpoint.voice(f"{server.address}#m", {**keys, "CTXKIT_API_KEY": "ours"}).ask("x")
    assert server.seen[-1][1]["Authorization"] == "Bearer ours"


@pytest.mark.parametrize(
    ("reply", "match"),
    [
        ((400, {"error": {"message": "context too long"}}), "status 400: .*context too long"),
        ((200, {"choices": []}), "gave no answer"),
        ((200, b"<html>"), "is not JSON"),
    ],
)
def test_what_goes_wrong_is_told(server, reply, match):
    server.reply = reply
    with pytest.raises(IOFailed, match=match):
        endpoint.voice(f"{server.address}#m", {}).ask("x")


def test_an_empty_answer_is_an_answer(server):
    server.reply = (200, {"choices": [{"message": {"content": None}}]})
    assert endpoint.voice(f"{server.address}#m", {}).ask("x") == ""


def test_a_server_that_is_not_there():
    with pytest.raises(IOFailed, match="refused"):
        endpoint.voice("http://127.0.0.1:9/v1", {})
