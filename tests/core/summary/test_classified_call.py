"""Calls are classified once, in their order."""

from ctxkit.core.summary.call_kind import classify_call
from ctxkit.core.summary.classified_call import classify_calls
from ctxkit.core.summary.outcome import read_outcome
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.compact.sizes import session


def test_each_call_comes_with_its_kind_and_its_outcome() -> None:
    transcript = session("openai", 4)
    calls = find_tool_calls(transcript.records)
    classified = classify_calls(calls)
    assert [item.call for item in classified] == list(calls)
    for item in classified:
        assert item.kind == classify_call(item.call)
        assert item.outcome == read_outcome(item.call, item.kind)
    assert classify_calls(()) == ()
