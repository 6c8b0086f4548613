"""Parts of Gemini contents, in either spelling of their members."""

import pytest

from ctxkit.core.chat.formats.gemini_parts import read_gemini_parts, read_part_call, read_part_result
from ctxkit.core.chat.model.message import MessagePart

CALL = {"name": "ls", "args": {"path": "."}, "id": "7"}


@pytest.mark.parametrize(
    ("part", "read"),
    [
        ({"text": "So."}, MessagePart("text", "So.")),
        ({"text": "Hm.", "thought": True}, MessagePart("thinking", "Hm.")),
        ({"functionCall": CALL}, MessagePart("call", '{"path":"."}', "ls")),
        ({"function_call": CALL}, MessagePart("call", '{"path":"."}', "ls")),
        ({"functionResponse": {"name": "ls", "response": {"output": "a"}}}, MessagePart("result", '{"output":"a"}', "ls")),
        ({"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}, MessagePart("other", encrypted_size=4, media="audio")),
        ({"file_data": {"mime_type": "image/png", "file_uri": "x"}}, MessagePart("image")),
        ({"executableCode": {"code": "1"}}, MessagePart("other", '{"executableCode":{"code":"1"}}')),
    ],
)
def test_a_part_is_read_as_what_it_is(part, read) -> None:
    assert list(read_gemini_parts({"parts": [part, {"thoughtSignature": "s"}, "no object"]})) == [read]


@pytest.mark.parametrize("key", ["functionCall", "function_call"])
def test_the_place_of_a_call_leads_to_its_arguments(key: str) -> None:
    part = {key: CALL}
    (call,) = read_part_call(part, ("parts", 0))
    assert (call.id, call.name, call.arguments, call.unit) == ("7", "ls", {"path": "."}, ("parts", 0))
    assert call.place == ("parts", 0, key, "args")
    assert list(read_part_call({"text": "no call"}, ())) == []


@pytest.mark.parametrize(
    ("response", "text", "place", "failed"),
    [
        ({"output": "a"}, "a", ("response", "output"), False),
        ({"error": "no"}, "no", ("response", "error"), True),
        ({"a": "1", "b": 2}, '{"a":"1","b":2}', ("response",), False),
        ({"list": [1]}, '{"list":[1]}', ("response",), False),
    ],
)
def test_the_result_is_the_only_text_or_the_whole_response(response, text: str, place, failed: bool) -> None:
    (result,) = read_part_result({"functionResponse": {"name": "ls", "response": response}}, ())
    assert (result.text, result.place[1:], result.failed, result.name) == (text, place, failed, "ls")
