import asyncio

import pytest

from ctxkit.engines.proxy.upstream import Upstream, UpstreamError, drop_hop_headers
from tests.proxies import find_port, run_model


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
