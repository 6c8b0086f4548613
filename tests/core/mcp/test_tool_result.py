"""Results with maps in place of long texts."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.editing import patch_text
from ctxkit.core.mcp.tool_result import TextGate, change_result

LONG = "word " * 30
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///x", "text": LONG + "key"}}
GATE = TextGate(lambda text: text if len(text) <= 100 else "map", lambda text: len(text) <= 100)
MASKS = GATE._replace(mask=lambda text: text.replace("key", "***"))


def text(value: str, **rest: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **rest}


def change(result: dict[str, Any], output: str | None = "", gate: TextGate = GATE) -> dict[str, Any]:
    patches = change_result(("result",), result, output, gate)
    return json.loads(patch_text(json.dumps({"id": 1, "result": result}), 0, patches))["result"]


def test_only_long_texts_change() -> None:
    blocks = [text("short"), IMAGE, text(LONG, annotations={"priority": 1}), RESOURCE, "odd", {"type": "text", "text": 5}]
    changed = change({"content": blocks, "_meta": {"a": 1}})
    assert changed == {"content": [*blocks[:2], text("map", annotations={"priority": 1}), *blocks[3:]], "_meta": {"a": 1}}


@pytest.mark.parametrize("result", [{"content": [text(LONG)], "isError": True}, {"content": None}, {}, {"task": {"taskId": "t"}}])
def test_errors_and_other_results_stay(result: dict[str, Any]) -> None:
    assert change(result) == result
    assert change(result, None) == result


def test_many_texts_that_are_too_long_together_become_one_map() -> None:
    blocks = [text("x" * 60), IMAGE, text("y" * 60), text("z")]
    assert change({"content": blocks})["content"] == [text("map"), IMAGE]
    assert change({"content": [text("x" * 40), text("y" * 40)]})["content"] == [text("x" * 40), text("y" * 40)]


ROWS = {"rows": ["word " * 9] * 5}


@pytest.mark.parametrize(
    ("structured", "content", "output", "expected"),
    [
        (ROWS, json.dumps(ROWS, indent=2), None, ...),
        (ROWS, json.dumps(ROWS, indent=2), "", ROWS),
        (ROWS, json.dumps(ROWS, indent=2), "result", ROWS),
        (ROWS, LONG, None, ROWS),
        (ROWS, "short", None, ROWS),
        ({"result": LONG}, LONG, "result", {"result": "map"}),
        ({"result": LONG}, LONG, "other", {"result": LONG}),
        ({"result": LONG}, LONG, "", {"result": LONG}),
        ({"result": LONG}, LONG, None, ...),
        (LONG, LONG, None, ...),
        ({"result": None}, LONG, "result", {"result": None}),
        ({"result": "short"}, "short", "result", {"result": "short"}),
    ],
)
def test_a_structured_result_stays_valid(structured: Any, content: str, output: str | None, expected: Any) -> None:
    changed = change({"content": [text(content)], "structuredContent": structured}, output)
    assert changed.get("structuredContent", ...) == expected


def test_a_member_of_a_result_with_one_map_of_all_texts_is_that_map() -> None:
    blocks = [text("x" * 60), text(LONG)]
    changed = change({"content": blocks, "structuredContent": {"result": LONG}}, "result")
    assert changed == {"content": [text("x" * 60), text("map")], "structuredContent": {"result": "map"}}


def test_secrets_are_masked_wherever_a_model_may_read_them() -> None:
    result = {"content": [text("a key"), RESOURCE, IMAGE], "structuredContent": {"a": ["key"]}, "isError": True}
    changed = change(result, "", MASKS)
    assert changed["content"][0]["text"] == "a ***"
    assert changed["content"][1]["resource"]["text"] == LONG + "***"
    assert changed["content"][2] == IMAGE
    assert changed["structuredContent"] == {"a": ["***"]}
    assert change({**result, "isError": False}, None, MASKS)["content"][0]["text"] == "a ***"


def test_a_structured_result_that_cannot_be_masked_does_not_pass() -> None:
    broken = GATE._replace(mask=lambda text: text.replace("key", '"'))
    with pytest.raises(ValueError):
        change({"content": [], "structuredContent": {"a": "key"}}, "", broken)


VALUES = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2))
BLOCKS = st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "text": st.text(max_size=120) | VALUES}) | VALUES, max_size=4)


@given(st.fixed_dictionaries({"content": BLOCKS | VALUES}, optional={"structuredContent": VALUES, "isError": VALUES}), st.none() | st.text(max_size=3))
def test_a_result_whose_texts_fit_stays(result: dict[str, Any], output: str | None) -> None:
    passes = TextGate(lambda text: text, lambda _: True)
    assert change_result((), result, output, passes) == []
    assert isinstance(change(result, output, MASKS), dict)
