"""The program that speaks to a server at a URL, and command lines that name none."""

import json
import sys

import pytest

from ctxkit.app.mcp_wrap.http_server import reach_server
from ctxkit.core.errors import MissingDependencyError, UsageError

KEY = "k3y-that-nobody-sees"
URL = "https://example.com/mcp"


def test_the_program_reads_the_address_and_the_headers_from_stdin() -> None:
    server = reach_server(URL, ["X-One: a: b ", "x-two:2"], ["Authorization=KEY"], {"KEY": f"Bearer {KEY}\n"})
    assert server.argv == (sys.executable, "-P", "-m", "ctxkit.engines.mcp_http.bridge")
    headers = [["X-One", "a: b"], ["x-two", "2"], ["Authorization", f"Bearer {KEY}"]]
    assert json.loads(server.first) == {"url": URL, "headers": headers, "quiet": False}
    assert server.first.endswith(b"\n")


@pytest.mark.parametrize("url", ["http://h", "https://h:8443/a?b=c#d", "HTTPS://H/", "http://[::1]:8000/mcp", "http://localhost:8000/mcp"])
def test_an_address_of_http_is_one(url: str) -> None:
    assert json.loads(reach_server(url, [], [], {}).first)["url"] == url


@pytest.mark.parametrize("url", ["", "example.com/mcp", "ftp://h/", "http://", "http:///mcp", "http://h:x/", "http://h:99999/", "ws://h", "http://h/a b", "http://h/\n", "http://[::1/", f"http://user:{KEY}@h/", f"http://{KEY}@h/"])
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as failed:
        reach_server(url, [], [], {})
    assert str(failed.value).startswith("--url: ")
    assert KEY not in str(failed.value)


@pytest.mark.parametrize(
    ("headers", "variables", "message"),
    [
        ([KEY], [], "--header: it has no colon"),
        ([f": {KEY}"], [], "--header: the name of a header has letters"),
        ([f"a b: {KEY}"], [], "--header: the name of a header has letters"),
        ([f"X: {KEY}\r\nHost: evil"], [], "--header: the value of X is empty, or has characters"),
        ([f"X: {KEY}é"], [], "--header: the value of X is empty, or has characters"),
        (["X:  "], [], "--header: the value of X is empty, or has characters"),
        ([f"Mcp-Session-Id: {KEY}"], [], "--header: the header Mcp-Session-Id is ctxkit's own"),
        ([f"mcp-param-x: {KEY}"], [], "--header: the header mcp-param-x is ctxkit's own"),
        ([f"Host: {KEY}"], [], "--header: the header Host is ctxkit's own"),
        ([f"X: {KEY}", "x: 2"], [], "the header x has several values"),
        ([], [KEY], "--header-env: it names no variable"),
        ([], [f"X: {KEY}"], "--header-env: it names no variable"),
        ([], ["X="], "--header-env: it names no variable"),
        ([], [f"X={KEY}"], "--header-env: the variable for X is not set"),
        ([], ["X=EMPTY"], "--header-env: the variable for X is not set"),
        ([], ["X=LINES"], "--header-env: the value of X is empty, or has characters"),
    ],
)
def test_a_header_that_is_none_is_refused_without_its_value(headers: list[str], variables: list[str], message: str) -> None:
    with pytest.raises(UsageError) as failed:
        reach_server(URL, headers, variables, {"EMPTY": "", "LINES": f"{KEY}\n{KEY}"})
    assert str(failed.value).startswith(message)
    assert KEY not in str(failed.value) + failed.value.hint


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxkit.app.mcp_wrap.http_server.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as failed:
        reach_server(URL, [], [], {})
    assert str(failed.value) == "mcp wrap --url needs httpx2"
    assert "install" in failed.value.hint
    assert "httpx2" in failed.value.hint
