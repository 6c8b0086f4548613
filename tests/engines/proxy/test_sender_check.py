import pytest

from ctxkit.engines.proxy.sender_check import Sender, check_sender, drop_token
from ctxkit.engines.server.request import RequestError

TOKEN = "a-token-of-24-characters"


@pytest.mark.parametrize("host", ["127.0.0.1:8900", "localhost", "LOCALHOST:1", "[::1]:8900", "[::1]"])
def test_this_machine_may_ask(host: str) -> None:
    assert check_sender(Sender({"host": host}, "/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}, {"host": "127.0.0.1.evil.example:80"}, {"host": "localhost", "origin": "null"}])
def test_other_names_and_pages_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(Sender(headers, "/v1/x"), "")
    assert refused.value.status == 403


def test_the_token_is_in_a_header_or_in_the_path() -> None:
    assert check_sender(Sender({"x-ctxkit-token": TOKEN}, "/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({}, f"/token/{TOKEN}/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({"host": "localhost"}, "/token/any/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("sender", [Sender({"host": "localhost"}, "/x"), Sender({"x-ctxkit-token": "x"}, "/x"), Sender({}, "/token/x/y"), Sender({"authorization": f"Bearer {TOKEN}"}, "/x")])
def test_nothing_else_replaces_the_token(sender: Sender) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(sender, TOKEN)
    assert refused.value.status == 401


def test_a_path_without_a_token_stays() -> None:
    assert drop_token("/v1/token/x") == "/v1/token/x"
    assert drop_token("/token/abc") == ""
