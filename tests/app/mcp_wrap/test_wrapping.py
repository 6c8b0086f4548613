"""What becomes of each line, without processes."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.mcp_wrap.text_gating import WrapContext
from ctxkit.app.mcp_wrap.wrapping import ServerWrap, WrappedServer, reach_server, wrap_server
from ctxkit.core.errors import MissingDependencyError, UsageError
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest
from ctxkit.edge.server_relay import Job
from tests.mcp_server import make_text

REQUEST = CliRequest(window=200_000, tokenizer="bytes/3")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "dump"}}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


def make_wrap(**options: Any) -> ServerWrap:
    return ServerWrap(WrapContext(REQUEST._replace(**options), settings.load()), text_only=False)


def dump(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def run(job: Job | None) -> Any:
    assert job is not None
    return json.loads(job.finish(job.work()))


def make_result(text: str, id_: object = 1) -> bytes:
    return dump({"jsonrpc": "2.0", "id": id_, "result": {"content": [{"type": "text", "text": text}]}})


LINES = st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"") + b"\n") | st.recursive(
    st.none() | st.integers(0, 3) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "method", "params", "result", "error", "content", "isError"]), inner, max_size=4),
).map(dump)


@given(st.lists(LINES), st.lists(LINES))
def test_lines_without_results_of_tools_pass(client_lines: list[bytes], server_lines: list[bytes]) -> None:
    wrap = make_wrap()
    for line in client_lines:
        assert wrap.take_client_line(line) == (line, None)
    for line in server_lines:
        assert wrap.take_server_line(line) is None


def test_results_are_matched_with_their_requests() -> None:
    wrap = make_wrap()
    long = make_result(make_text(20_000))
    assert wrap.take_server_line(long) is None
    assert wrap.take_client_line(dump(CALL)) == (dump(CALL), None)
    assert wrap.take_server_line(make_result(make_text(20_000), 2)) is None
    assert wrap.take_server_line(dump({"id": 1, "method": "ping"})) is None
    assert "# dump (20,000 lines" in run(wrap.take_server_line(long))["result"]["content"][0]["text"]
    assert wrap.take_server_line(long) is None
    wrap.take_client_line(dump(CALL))
    assert wrap.take_server_line(make_result("short")) is None


def test_a_result_that_cannot_be_changed_passes_unless_it_must_not() -> None:
    long = make_result(make_text(20_000))
    for options in ({}, {"redact": True}, {"strict": True}):
        wrap = make_wrap(**options)
        wrap.take_client_line(dump(CALL))
        job = wrap.take_server_line(long)
        answer = job.finish(None)
        assert (answer == long) == (options == {})
        assert answer == long or json.loads(answer)["error"]["code"] == -32603


def test_a_line_that_is_no_message_is_masked_while_a_result_is_awaited() -> None:
    wrap = make_wrap(redact=True)
    assert wrap.take_server_line(b"{broken\n") is None
    wrap.take_client_line(dump(CALL))
    job = wrap.take_server_line(b"{broken\n")
    assert (job.finish(job.work()), job.finish(None)) == (b"{broken\n", b"")
    plain = make_wrap()
    plain.take_client_line(dump(CALL))
    assert plain.take_server_line(b"{broken\n") is None


def test_the_list_is_known_after_it_has_passed() -> None:
    wrap = make_wrap()
    own = {**CALL, "params": {"name": "ctxkit_read_result", "arguments": {"ref_id": "abcdef"}}}
    assert wrap.take_client_line(dump(own)) == (dump(own), None)
    wrap = make_wrap()
    wrap.take_client_line(dump({"id": 5, "method": "tools/list"}))
    tools = {"tools": [{"name": "read_result", "inputSchema": {"type": "object"}}]}
    listed = run(wrap.take_server_line(dump({"id": 5, "result": tools})))
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["read_result", "ctxkit_read_result"]
    forwarded, job = wrap.take_client_line(dump(own))
    assert forwarded == b""
    assert run(job)["result"]["isError"] is True
    cancelled = dump({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert wrap.take_client_line(dump(own))[0] == b""
    assert wrap.take_client_line(cancelled) == (b"", None)
    assert json.loads(job.finish(None))["error"]["code"] == -32603
    assert wrap.take_client_line(cancelled) == (cancelled, None)


def test_the_result_of_a_task_is_read() -> None:
    wrap = make_wrap(redact=True)
    wrap.take_client_line(dump(CALL))
    begun = dump({"id": 1, "result": {"task": {"taskId": "t", "status": "working"}}})
    job = wrap.take_server_line(begun)
    assert job.finish(job.work()) == begun
    wrap.take_client_line(dump({"id": 2, "method": "tasks/result", "params": {"taskId": "t"}}))
    assert "# dump (20,000 lines" in run(wrap.take_server_line(make_result(make_text(20_000), 2)))["result"]["content"][0]["text"]


def test_a_server_that_is_missing_has_the_status_of_a_shell(capfd: pytest.CaptureFixture[str]) -> None:
    assert wrap_server(WrappedServer(["/nowhere/at/all"]), REQUEST, None, text_only=False) == 127
    assert "command not found" in capfd.readouterr().err


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
    monkeypatch.setattr("ctxkit.app.mcp_wrap.wrapping.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as failed:
        reach_server(URL, [], [], {})
    assert str(failed.value) == "mcp wrap --url needs httpx2"
    assert "install" in failed.value.hint
    assert "httpx2" in failed.value.hint
