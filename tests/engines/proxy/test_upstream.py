import asyncio
from pathlib import Path

import pytest

from ctxkit.core.proxy.model_apis import UpstreamFacts, find_api
from ctxkit.engines.proxy.upstream import RequestPlan, Upstream, UpstreamError, WindowFinder, drop_hop_headers
from ctxkit.engines.server.request import CallFiles
from tests.proxies import Handler, ModelServer, SentRequest, find_port, run_model


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("http://h:1", "/v1/x", "http://h:1/v1/x"),
        ("http://h:1/v1", "/v1/x", "http://h:1/v1/x"),
        ("http://h:1/v1/", "/x", "http://h:1/v1/x"),
        ("http://h:1/v1", "/v1x", "http://h:1/v1/v1x"),
        ("http://user:password@h/api/v1", "/models", "http://h/api/v1/models"),
    ],
)
def test_the_path_of_the_upstream_comes_first_once(base: str, path: str, url: str) -> None:
    assert Upstream(base, 1).make_url(path, "") == url
    assert Upstream(base, 1).make_url(path, "a=1") == f"{url}?a=1"


def test_headers_of_one_connection_end_there() -> None:
    headers = [(b"Connection", b"close, X-Mine"), (b"x-mine", b"1"), (b"Transfer-Encoding", b"chunked"), (b"TE", b"t"), (b"x-id", b"2")]
    assert drop_hop_headers(headers) == [(b"x-id", b"2")]


def test_only_this_machine_is_local() -> None:
    assert Upstream("http://127.0.0.1:8080/v1", 1).is_local
    assert Upstream("http://[::1]:8080", 1).is_local
    assert not Upstream("https://api.example.com/v1", 1).is_local


def test_questions_are_asked_below_the_path_of_the_upstream() -> None:
    with run_model(lambda handler, request: handler.send(200, {"path": request.path})) as model:

        async def ask() -> list[bytes]:
            upstream = Upstream(f"{model.url}/api/v1", 5)
            answers = [await upstream.ask(path, None, []) for path in ("/v1/models", "/props")]
            await upstream.close()
            return answers

        assert asyncio.run(ask()) == [b'{"path": "/api/v1/models"}', b'{"path": "/props"}']


def test_a_question_without_an_answer_is_empty_and_a_request_an_error() -> None:
    async def ask() -> bytes:
        upstream = Upstream(f"http://127.0.0.1:{find_port()}", 5)
        answer = await upstream.ask("/props", b"{}", [])
        with pytest.raises(UpstreamError) as failed:
            await upstream.send("GET", upstream.make_url("/x", ""), [], None)
        assert failed.value.status == 502
        return answer

    assert asyncio.run(ask()) == b""


def find(model: ModelServer, path: str, body: bytes = b'{"model": "m"}', times: int = 1) -> list[UpstreamFacts]:
    """Return what a finder says of the model of a request, several times."""

    async def run() -> list[UpstreamFacts]:
        upstream = Upstream(model.url, 5)
        finder = WindowFinder(upstream)
        files = CallFiles(is_small=True)
        files.write_body(body)
        headers = [(b"authorization", b"Bearer k"), (b"x-other", b"1")]
        plan = RequestPlan(find_api("POST", path), path, "POST", "", headers)
        facts = [await finder.find(plan, files) for _ in range(times)]
        files.close()
        await upstream.close()
        return facts

    return asyncio.run(run())


def answer_by(answers: dict[str, object]):
    def answer(handler: Handler, request: SentRequest) -> None:
        handler.send(*((200, answers[request.path]) if request.path in answers else (404, {})))

    return answer


@pytest.mark.parametrize(
    ("path", "answers", "window"),
    [
        ("/v1/chat/completions", {"/props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096),
        ("/v1/chat/completions", {"/v1/models": {"data": [{"id": "m", "max_model_len": 8192}]}}, 8192),
        ("/v1/messages", {"/props": b"not JSON", "/v1/models": {"data": [{"id": "m", "max_model_len": 8192}]}}, 8192),
        ("/api/chat", {"/api/ps": {"models": []}, "/api/show": {"parameters": "num_ctx 2048"}}, 2048),
        ("/api/chat", {}, 0),
        ("/v1beta/models/g:generateContent", {"/props": {"default_generation_settings": {"n_ctx": 1}}}, 0),
    ],
)
def test_the_first_answer_with_a_window_counts(path: str, answers: dict[str, object], window: int) -> None:
    with run_model(answer_by(answers)) as model:
        assert [facts.window for facts in find(model, path, times=2)] == [window, window]
        paths = [request.path for request in model.requests]
        assert len(paths) == len(set(paths))


def test_the_key_is_sent_and_nothing_else_of_the_client() -> None:
    with run_model(answer_by({})) as model:
        find(model, "/v1/chat/completions")
        assert {request.headers["authorization"] for request in model.requests} == {"Bearer k"}
        assert all("x-other" not in request.headers for request in model.requests)


def test_weights_are_those_of_a_file_on_this_machine(tmp_path: Path) -> None:
    weights = tmp_path / "m.gguf"
    weights.write_bytes(b"GGUF")
    for path, expected in ((str(weights), str(weights)), (str(tmp_path / "no.gguf"), ""), ("/etc/passwd", "")):
        answers: dict[str, object] = {"/props": {"default_generation_settings": {"n_ctx": 64}, "model_path": path}}
        with run_model(answer_by(answers)) as model:
            assert find(model, "/v1/chat/completions") == [UpstreamFacts(64, expected)]


def test_what_is_not_json_names_no_model() -> None:
    with run_model(answer_by({"/v1/models": {"data": [{"id": "only", "max_model_len": 9}]}})) as model:
        assert find(model, "/v1/chat/completions", b"{")[0].window == 9
