"""The events of a call: what it read or changed, and its result."""

import json
from pathlib import Path

from ctxkit.app.calls.events import describe_page, record_call
from ctxkit.core.calls.function_call import CallResult, FunctionCall
from ctxkit.edge import settings
from ctxkit.edge.request import Call, CliRequest

TOKENS = {"tokens": 3, "method": "exact"}


def test_stored_content_is_brought_back_and_a_file_passes() -> None:
    name, facts = describe_page(b"one\ntwo", "log", "f" * 12, "read_result", TOKENS)
    assert (name, facts["bytes"], facts["lines"], facts["before_tokens"], facts["after_tokens"]) == (
        *("cache_get", 7, 2),
        *(0, 3),
    )
    name, facts = describe_page(b"one\ntwo", "log", "", "read_file", TOKENS)
    assert (name, facts["result"], facts["before_tokens"], facts["after_tokens"]) == ("gate", "raw", 3, 3)


def test_a_call_is_an_event_after_those_of_what_it_did(tmp_path: Path) -> None:
    request = CliRequest(window=4096, tokenizer="bytes/3", session="s", events=str(tmp_path / "log"))
    result = CallResult(b"six by", is_error=True, events=(("cache_get", {"name": "x"}),))
    record_call(result, FunctionCall("read_result", {}, "c9"), Call(request, settings.load()))
    read, call = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert (read["event"], read["call"], read["session"]) == ("cache_get", "c9", "s")
    assert (call["event"], call["name"], call["is_error"], call["after_tokens"]) == ("call", "read_result", True, 2)
