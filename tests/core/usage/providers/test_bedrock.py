import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.finder import find_answers
from ctxkit.core.usage.providers import bedrock

USAGE = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 122, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 7}
FOUND = Usage(10, 100, 7, 0, 5)
MESSAGE = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "ls", "input": {}}}]}


def test_a_response_is_read() -> None:
    [answer] = find_answers([{"output": {"message": MESSAGE}, "stopReason": "tool_use", "usage": USAGE}])
    assert (answer.source, answer.usage, answer.stop, answer.calls) == ("bedrock", FOUND, Stop("tool", "tool_use"), True)


def test_the_events_of_a_stream_are_one_answer() -> None:
    events = [{"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "end_turn"}}, {"metadata": {"usage": USAGE}}]
    [answer] = find_answers(events)
    assert (answer.usage, answer.final_stop) == (FOUND, Stop("end", "end_turn"))


@pytest.mark.parametrize("value", [{}, {"usage": {"input_tokens": 1}}, {"stopReason": "end_turn"}, {"metadata": {"usage": {"inputTokens": 0}}}])
def test_anything_else_is_not_read(value) -> None:
    assert bedrock.read(value) is None
