"""ctxkit proxy: a real proxy between a real client and a real, small model server."""

import gzip
import http.client
import itertools
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.proxies import COMPLETION, Handler, ModelServer, RunningProxy, SentRequest, find_port, run_proxy
from tests.servers import make_user, receive, wait_until

WINDOW = 4096
FITTING = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "unknown": {"a": [1.10, 30**20]}}


@pytest.fixture(scope="module")
def proxy(ctxkit: str, user: dict[str, str], model: ModelServer) -> Iterator[RunningProxy]:
    with run_proxy(ctxkit, user, model.url, "--window", str(WINDOW), "--tokenizer", "qwen3") as running:
        yield running


def make_turns(count: int, size: int = 900, start: int = 0) -> list[dict[str, Any]]:
    """Return a conversation of calls and results in the format of Chat Completions."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "Never delete files. Find the bug in parser.py, and fix it."},
    ]
    for number in range(start, start + count):
        arguments = json.dumps({"command": f"cat src/file_{number}.py"})
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
        text = "\n".join(f"def function_{number}_{line}(value): return value * {line}" for line in range(size // 50))
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": text})
    return messages


def test_what_fits_passes_byte_for_byte(proxy: RunningProxy, sent: ModelServer) -> None:
    body = json.dumps(FITTING, indent=3).encode().replace(b'"m"', b'"\\u006d"')
    headers = {"authorization": "Bearer secret-key", "x-other": "1", "content-type": "application/json"}
    reply = proxy.ask("/v1/chat/completions?beta=a%20b", body, headers)
    (request,) = sent.requests
    assert (reply.status, json.loads(reply.body)) == (200, COMPLETION)
    assert (request.body, request.path) == (body, "/v1/chat/completions?beta=a%20b")
    assert {name: request.headers[name] for name in headers} == headers
    assert request.headers["host"] == sent.url.removeprefix("http://")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/models", b""),
        ("DELETE", "/v1/files/f%2F1", b""),
        ("POST", "/v1/embeddings", b'{"input": "x"}'),
        ("POST", "/v1/chat/completions", b"not JSON"),
        ("POST", "/v1/chat/completions", b'{"messages": "none"}'),
        ("POST", "/v1/chat/completions", b"[1, 2]"),
        ("POST", "/v1/chat/completions", b""),
        ("PUT", "/anything", bytes(range(256)) * 100),
    ],
)
def test_what_is_not_understood_passes_byte_for_byte(
    proxy: RunningProxy, sent: ModelServer, method: str, path: str, body: bytes
) -> None:
    def answer(handler: Handler, request: SentRequest) -> None:
        handler.send(418, b"\x00raw\xff", {"x-upstream": "yes", "content-type": "image/x"})

    sent.answer = answer
    reply = proxy.ask(path, body, method=method)
    (request,) = sent.requests
    assert (request.method, request.path, request.body) == (method, path, body)
    assert (reply.status, reply.body, reply.headers["x-upstream"]) == (418, b"\x00raw\xff", "yes")


def test_compressed_answers_that_are_not_read_stay_compressed(proxy: RunningProxy, sent: ModelServer) -> None:
    packed = gzip.compress(b"hello")
    sent.answer = lambda handler, _: handler.send(200, packed, {"content-encoding": "gzip"})
    reply = proxy.ask("/v1/models", b"", {"accept-encoding": "gzip"}, "GET")
    assert (reply.body, reply.headers["content-encoding"]) == (packed, "gzip")
    assert sent.requests[0].headers["accept-encoding"] == "gzip"


def test_a_websocket_is_refused_so_that_the_client_sends_the_request_over_http(proxy: RunningProxy, sent: ModelServer) -> None:
    headers = {"connection": "Upgrade", "upgrade": "WebSocket", "sec-websocket-version": "13", "sec-websocket-key": "AAAA"}
    reply = proxy.ask("/v1/responses", headers=headers, method="GET")
    assert reply.status == 426
    assert "over HTTP" in json.loads(reply.body)["error"]["message"]
    assert sent.requests == []


def test_a_stream_passes_as_it_comes(proxy: RunningProxy, sent: ModelServer) -> None:
    seen = threading.Event()

    def answer(handler: Handler, _: SentRequest) -> None:
        handler.begin_stream()
        handler.send_piece(b'data: {"a": 1}\n\n')
        assert seen.wait(20), "the first piece did not arrive before the second was sent"
        handler.send_piece(b"data: [DONE]\n\n")
        handler.send_piece(b"")

    sent.answer = answer
    with closing(proxy.connect()) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps({**FITTING, "stream": True}))
        response = connection.getresponse()
        first = response.read1(100)
        seen.set()
        rest = response.read()
    assert (first, rest) == (b'data: {"a": 1}\n\n', b"data: [DONE]\n\n")


def test_large_results_become_maps_that_the_shell_of_the_client_can_read(
    proxy: RunningProxy, sent: ModelServer, ctxkit: str, user: dict[str, str]
) -> None:
    lines = [f"line {number} of the log" for number in range(5_000)]
    messages = make_turns(1)
    messages[-1]["content"] = "\n".join(lines)
    proxy.chat({"model": "m", "messages": messages})
    (request,) = sent.requests
    text = request.value["messages"][-1]["content"]
    assert request.value["messages"][:-1] == messages[:-1]
    assert text.startswith("# cat src/file_0.py (5,000 lines")
    assert "To read a part: ctxkit cache get " in text
    ref = text.partition("ctxkit cache get ")[2].split()[0]
    command = [ctxkit, "cache", "get", ref, "--lines", "4000:4001"]
    got = subprocess.run(command, env=user, capture_output=True, text=True, check=True)
    assert got.stdout.splitlines() == lines[3999:4001]
    reply = proxy.ask(f"/ref/{ref}?lines=4000:4001", method="GET")
    assert (reply.status, reply.body.decode()) == (200, got.stdout)
    assert proxy.ask(f"/ref/{ref[:8]}", method="GET").status == 400
    assert proxy.ask(f"/ref/{'0' * 16}", method="GET").status == 404
    assert proxy.ask(f"/ref/{ref}?lines=--help", method="GET").status == 400


@pytest.mark.slow
def test_a_growing_conversation_stays_below_the_window_and_keeps_its_prefix(
    ctxkit: str, user: dict[str, str], sent: ModelServer
) -> None:
    arguments = ("--window", str(WINDOW), "--tokenizer", "qwen3")
    with run_proxy(ctxkit, user, sent.url, *arguments) as first:
        for count in range(1, 13):
            assert first.chat({"model": "m", "messages": make_turns(count)}).status == 200
        assert first.end()[0] == 0
    bodies = [request.body for request in sent.requests]
    kept = [len(a) for a, b in itertools.pairwise(bodies) if b.startswith(a.rstrip(b"]}"))]
    assert len(kept) >= 8
    assert all(len(request.value["messages"]) <= 2 + 2 * number for number, request in enumerate(sent.requests, 1))
    assert "Never delete files." in json.dumps(sent.requests[-1].value)
    assert len(bodies[-1]) < len(json.dumps({"model": "m", "messages": make_turns(12)})) / 2
    with run_proxy(ctxkit, user, sent.url, *arguments) as second:  # the boundary outlives the proxy
        second.chat({"model": "m", "messages": make_turns(12)})
    assert sent.requests[-1].body == bodies[-1]


def test_conversations_that_part_keep_their_own_boundaries(proxy: RunningProxy, sent: ModelServer) -> None:
    def send(start: int, name: str) -> bytes:
        proxy.chat({"model": name, "messages": [*make_turns(3), *make_turns(9, start=start)[2:]]})
        return sent.requests[-1].body.replace(name.encode(), b"m")

    first, second = send(100, "mA"), send(200, "mB")
    assert b"file_108" in first
    assert b"file_208" in second
    assert b"file_208" not in first
    assert (send(100, "mA"), send(200, "mB")) == (first, second)


@pytest.mark.parametrize(
    ("path", "member", "status_member"),
    [
        ("/v1/chat/completions", "messages", ("error", "code")),
        ("/v1/messages", "messages", ("error", "type")),
        ("/v1/responses", "input", ("error", "code")),
        ("/v1beta/models/gemini-x:generateContent", "contents", ("error", "status")),
    ],
)
def test_what_can_never_fit_is_refused_in_the_words_of_the_api(
    proxy: RunningProxy, sent: ModelServer, path: str, member: str, status_member: tuple[str, str]
) -> None:
    tools = [{"name": f"tool_{number}", "description": "word " * 200, "input_schema": {"type": "object"}} for number in range(40)]
    part = {"role": "user", "parts": [{"text": "hi"}]} if member == "contents" else {"role": "user", "content": "hi"}
    reply = proxy.chat({"model": "m", "tools": tools, member: [part], "max_tokens": 100}, path)
    error = json.loads(reply.body)
    assert reply.status == 400
    assert str(WINDOW) in error["error"]["message"]
    assert error[status_member[0]][status_member[1]] in ("context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT")
    assert sent.requests == []


@pytest.mark.slow
@pytest.mark.parametrize("member", [{"previous_response_id": "resp_1"}, {"store": True}, {"conversation": "conv_1"}])
def test_state_at_the_provider_passes_with_one_warning(
    ctxkit: str, user: dict[str, str], sent: ModelServer, member: dict[str, Any]
) -> None:
    large = [{"role": "user", "content": f"word {number} " * 2_000} for number in range(4)]
    body = {"model": "m", "input": large, **member}
    with run_proxy(ctxkit, user, sent.url, "--window", "4096") as running:
        for _ in range(2):
            running.chat(body, "/v1/responses")
        _, said = running.end()
    assert [request.value for request in sent.requests] == [body, body]
    assert said.count("state lies at the provider") == 1


def test_the_limit_of_the_answer_is_lowered_to_what_is_left(proxy: RunningProxy, sent: ModelServer) -> None:
    proxy.chat({"model": "m", "messages": make_turns(9), "max_tokens": 32_000, "temperature": 1.10})
    request = sent.requests[-1]
    assert 800 <= request.value["max_tokens"] < WINDOW
    assert b'"temperature": 1.1}' in request.body


def test_the_newest_result_reaches_the_model_beside_a_prompt_above_the_trigger(proxy: RunningProxy, sent: ModelServer) -> None:
    tools = [{"type": "function", "function": {"name": f"t{number}", "description": "word " * 40}} for number in range(36)]
    for count in range(1, 9):
        proxy.chat({"model": "m", "tools": tools, "messages": make_turns(count, size=550)})
        last = sent.requests[-1].value["messages"][-1]
        assert last == make_turns(count, size=550)[-1]
    assert len(sent.requests[-1].value["messages"]) < 2 + 2 * 8


def test_usage_enters_the_ledger_of_the_conversation(
    ctxkit: str, user: dict[str, str], proxy: RunningProxy, sent: ModelServer
) -> None:
    before = list_sessions(ctxkit, user)
    proxy.chat({"model": "m", "messages": [{"role": "user", "content": "a conversation of its own"}]})
    assert wait_until(lambda: len(list_sessions(ctxkit, user)) > len(before))
    (name,) = set(list_sessions(ctxkit, user)) - set(before)
    assert name.startswith("proxy-")
    assert list_sessions(ctxkit, user)[name] == 1239


def list_sessions(ctxkit: str, user: dict[str, str]) -> dict[str, int]:
    """Return the used tokens of sessions by name."""
    got = subprocess.run([ctxkit, "session", "list", "--json"], env=user, capture_output=True, text=True, check=True)
    return {session["session"]: session["used"] for session in map(json.loads, got.stdout.splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        {"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error", "n_ctx": 2048}},
        {"error": {"message": "This model's maximum context length is 2048 tokens.", "code": "context_length_exceeded"}},
        {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 3000 tokens > 2048 maximum"}},
    ],
)
def test_a_context_error_is_followed_by_a_harder_compaction_and_one_retry(
    ctxkit: str, user: dict[str, str], sent: ModelServer, error: Any
) -> None:
    def answer(handler: Handler, request: SentRequest) -> None:
        handler.send(*((200, COMPLETION) if len(sent.requests) > 1 and len(request.body) < 8_000 else (400, error)))

    sent.answer = answer
    with run_proxy(ctxkit, user, sent.url, "--window", "8192", "--tokenizer", "qwen3") as running:
        reply = running.chat({"model": str(error)[:20], "messages": make_turns(14, start=len(str(error)) * 100)})
    first, second = sent.requests
    assert reply.status == 200
    assert len(second.body) < len(first.body) * 0.7


def test_the_second_context_error_is_passed_on(proxy: RunningProxy, sent: ModelServer) -> None:
    error = {"error": {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}}
    sent.answer = lambda handler, _: handler.send(400, error, {"x-id": "7"})
    reply = proxy.chat({"model": "tiny", "messages": make_turns(4, start=7_000)})
    assert (reply.status, json.loads(reply.body), reply.headers["x-id"]) == (400, error, "7")
    assert len(sent.requests) == 2


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_errors_of_the_upstream_are_passed_on(proxy: RunningProxy, sent: ModelServer, status: int) -> None:
    sent.answer = lambda handler, _: handler.send(status, b"why", {"retry-after": "3"})
    reply = proxy.chat(FITTING)
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (status, b"why", "3")
    assert len(sent.requests) == 1


@pytest.mark.slow
def test_an_upstream_that_is_down_is_one_line_and_502(ctxkit: str, user: dict[str, str]) -> None:
    with run_proxy(ctxkit, user, f"http://127.0.0.1:{find_port()}", "--window", "4096") as running:
        reply = running.chat(FITTING)
        anthropic = running.chat(FITTING, "/v1/messages")
        status, said = running.end()
    assert (reply.status, anthropic.status, status) == (502, 502, 0)
    assert "cannot be asked" in json.loads(reply.body)["error"]["message"]
    assert json.loads(anthropic.body)["type"] == "error"
    assert len(said.splitlines()) == 2


@pytest.mark.slow
def test_a_slow_upstream_is_504(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    sent.answer = lambda handler, _: time.sleep(4)
    with run_proxy(ctxkit, user, sent.url, "--window", "4096", "--timeout", "1s") as running:
        reply = running.chat(FITTING)
        _, said = running.end()
    assert reply.status == 504
    assert said.count("\n") == 1
    assert "does not answer in time" in said


@pytest.mark.slow
def test_a_broken_stream_is_cut_and_one_line(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    def answer(handler: Handler, _: SentRequest) -> None:
        handler.begin_stream()
        handler.send_piece(b"data: 1\n\n")
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    sent.answer = answer
    with run_proxy(ctxkit, user, sent.url, "--window", "4096") as running, closing(running.connect()) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps(FITTING))
        response = connection.getresponse()
        with pytest.raises(http.client.IncompleteRead) as cut:
            response.read()
        assert cut.value.partial == b"data: 1\n\n"
        sent.answer = None
        assert running.chat(FITTING).status == 200
        _, said = running.end()
    assert said.count("\n") == 1
    assert "has ended its answer too early" in said


@pytest.mark.slow
def test_a_client_that_leaves_ends_the_request_of_the_upstream(
    ctxkit: str, user: dict[str, str], sent: ModelServer
) -> None:
    ended = threading.Event()

    def answer(handler: Handler, _: SentRequest) -> None:
        handler.begin_stream()
        try:
            for _piece in range(500):
                handler.send_piece(b"data: 1\n\n")
                time.sleep(0.02)
        except OSError:
            ended.set()

    sent.answer = answer
    with run_proxy(ctxkit, user, sent.url, "--window", "4096") as running:
        connection = running.connect()
        connection.request("POST", "/v1/chat/completions", json.dumps(FITTING))
        response = connection.getresponse()
        response.read1(10)
        response.close()
        connection.close()
        assert ended.wait(10)
        sent.answer = None
        assert running.chat(FITTING).status == 200
        assert running.end() == (0, "")


def test_two_clients_at_once(proxy: RunningProxy, sent: ModelServer) -> None:
    bodies = [{"model": "m", "messages": make_turns(8, start=1_000 * number)} for number in range(6)]
    replies: list[int] = []
    threads = [threading.Thread(target=lambda body=body: replies.append(proxy.chat(body).status)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == [200] * 6
    assert len({request.body for request in sent.requests}) == 6


@pytest.mark.slow
def test_a_request_of_100_mb_passes_as_it_came(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 100_000_000}]}).encode()
    with run_proxy(ctxkit, user, sent.url, "--window", "4096") as running:
        assert running.ask("/v1/chat/completions", body).status == 200
        _, said = running.end()
    assert sent.requests[-1].body == body
    assert said.count("\n") == 1
    assert "passes as it came" in said


@pytest.mark.slow
def test_secrets_are_masked_and_failures_are_closed_with_redact(
    ctxkit: str, user: dict[str, str], sent: ModelServer
) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    body = {"model": "m", "messages": [{"role": "user", "content": f"my token is {key}"}]}
    with run_proxy(ctxkit, user, sent.url, "--window", "4096", "--redact") as running:
        assert running.chat(body).status == 200
        assert running.chat({"input": key}, "/v1/embeddings").status == 200
        assert all(key.encode() not in request.body for request in sent.requests)
        assert json.loads(sent.requests[0].body)["messages"][0]["role"] == "user"


@pytest.mark.slow
def test_a_request_that_is_too_large_to_mask_is_not_sent(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    with run_proxy(ctxkit, user, sent.url, "--window", "4096", "--redact") as running:
        reply = running.ask("/v1/chat/completions", b'{"messages": [], "x": "' + b"x" * 70_000_000 + b'"}')
    assert reply.status == 502
    assert sent.requests == []


@pytest.mark.slow
def test_output_of_commands_that_are_never_stored_is_nowhere_on_disk(
    ctxkit: str, tmp_path: Path, sent: ModelServer
) -> None:
    home = {**make_user(tmp_path), "CTXKIT_NEVER_STORE": "cat *"}
    with run_proxy(ctxkit, home, sent.url, "--window", "4096", "--tokenizer", "qwen3") as running:
        for count in (2, 9):
            assert running.chat({"model": "m", "messages": make_turns(count)}).status == 200
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(b"def function_" in data for data in files)


@pytest.mark.slow
def test_a_dry_run_passes_everything_and_logs_what_would_change(
    ctxkit: str, user: dict[str, str], sent: ModelServer
) -> None:
    body = json.dumps({"model": "m", "messages": make_turns(10, start=500)}).encode()
    with run_proxy(ctxkit, user, sent.url, "--window", "4096", "--tokenizer", "qwen3", "--dry-run") as running:
        running.ask("/v1/chat/completions", body)
        running.chat(FITTING)
        _, said = running.end()
    assert sent.requests[0].body == body
    assert "bytes would become" in said
    assert "bytes would pass as they are" in said


@pytest.mark.slow
def test_the_window_of_the_upstream_is_used(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    def answer(handler: Handler, request: SentRequest) -> None:
        answers = {"/props": {"default_generation_settings": {"n_ctx": 4096}}}
        handler.send(*((200, answers[request.path]) if request.path in answers else (200, COMPLETION)))

    sent.answer = answer
    with run_proxy(ctxkit, user, sent.url, "--tokenizer", "qwen3") as running:
        running.chat({"model": "m", "messages": make_turns(20, start=600)}, authorization="Bearer key-of-the-client")
        assert len(sent.posts[-1].body) < 16_000
        assert sent.requests[0].headers["authorization"] == "Bearer key-of-the-client"
    assert len([request for request in sent.requests if request.path == "/props"]) == 1


@pytest.mark.slow
def test_an_unknown_window_passes_with_one_warning(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    body = json.dumps({"model": "nobody-knows", "messages": make_turns(60)}).encode()
    with run_proxy(ctxkit, user, sent.url) as running:
        for _ in range(2):
            running.ask("/v1/chat/completions", body)
        _, said = running.end()
    assert [request.body for request in sent.posts] == [body, body]
    assert said.count("the window of nobody-knows is unknown") == 1


def test_pages_of_browsers_and_other_hosts_are_refused(proxy: RunningProxy, sent: ModelServer) -> None:
    assert proxy.chat(FITTING, origin="http://evil.example").status == 403
    assert proxy.chat(FITTING, host="evil.example:8900").status == 403
    assert proxy.chat(FITTING, host="localhost:8900").status == 200
    assert len(sent.requests) == 1


@pytest.mark.slow
def test_another_address_needs_a_token(ctxkit: str, user: dict[str, str], tmp_path: Path, sent: ModelServer) -> None:
    got = subprocess.run([ctxkit, "proxy", "--upstream", sent.url, "--listen", "0.0.0.0:8999"], env=user, capture_output=True, text=True)
    assert (got.returncode, "open to other machines" in got.stderr) == (2, True)
    token = tmp_path / "token"
    token.write_text("a-token-of-24-characters")
    token.chmod(0o600)
    arguments = ("--listen", "0.0.0.0:PORT", "--token-file", str(token), "--window", "4096")
    with run_proxy(ctxkit, user, sent.url, *arguments) as running:
        assert running.chat(FITTING).status == 401
        assert running.chat(FITTING, **{"x-ctxkit-token": "wrong"}).status == 401
        assert running.ask("/health", method="GET").status == 401
        assert running.chat(FITTING, **{"x-ctxkit-token": "a-token-of-24-characters", "authorization": "Bearer k"}).status == 200
        assert running.chat(FITTING, "/token/a-token-of-24-characters/v1/chat/completions").status == 200
    assert [request.path for request in sent.requests] == ["/v1/chat/completions"] * 2
    assert all("x-ctxkit-token" not in request.headers for request in sent.requests)
    assert sent.requests[0].headers["authorization"] == "Bearer k"


@pytest.mark.slow
def test_keys_are_stored_and_logged_nowhere(ctxkit: str, tmp_path: Path, sent: ModelServer) -> None:
    home = make_user(tmp_path)
    key = "Bearer key-8f3b0a"
    with run_proxy(ctxkit, home, sent.url, "-v", "--window", "4096", "--tokenizer", "qwen3", "--events", str(tmp_path / "e")) as running:
        running.chat({"model": "m", "messages": make_turns(9)}, authorization=key)
        metrics = running.ask("/metrics", method="GET").body
        _, said = running.end()
    assert sent.requests[0].headers["authorization"] == key
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"key-8f3b0a" in data for data in (*files, metrics, said.encode()))


def test_health_and_metrics(proxy: RunningProxy, sent: ModelServer) -> None:
    proxy.chat(FITTING)
    health = json.loads(proxy.ask("/health", method="GET").body)
    assert health["upstream"] == sent.url
    families = {family.name for family in text_string_to_metric_families(proxy.ask("/metrics", method="GET").body.decode())}
    assert {"ctxkit_requests", "ctxkit_proxy_steps", "ctxkit_proxy_tokens", "ctxkit_resident_memory_bytes"} <= families
    assert sent.posts == sent.requests


@pytest.mark.slow
def test_a_base_path_of_the_upstream_is_added_once(ctxkit: str, user: dict[str, str], sent: ModelServer) -> None:
    with run_proxy(ctxkit, user, f"{sent.url}/api/v1", "--window", "4096") as running:
        running.chat(FITTING, "/chat/completions")
        running.chat(FITTING, "/api/v1/chat/completions")
    assert [request.path for request in sent.requests] == ["/api/v1/chat/completions"] * 2


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://x", "http://", "http://x/?q=1"])
def test_wrong_addresses_are_usage_errors(ctxkit: str, user: dict[str, str], url: str) -> None:
    got = subprocess.run([ctxkit, "proxy", "--upstream", url], env=user, capture_output=True, text=True)
    assert got.returncode == 2
    assert "http://127.0.0.1:8080/v1" in got.stderr


def test_a_request_without_a_content_length_is_read_whole(proxy: RunningProxy, sent: ModelServer) -> None:
    with closing(proxy.connect()) as connection:
        reply = receive(connection, "POST", "/v1/chat/completions", iter([b'{"messages": [', b']}']), None)
    assert reply.status == 200
    assert sent.requests[0].body == b'{"messages": []}'
