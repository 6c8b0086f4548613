"""What a schema accepts, a call accepts; anything else is an error with a hint."""

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.calls.arguments import check_arguments
from ctxkit.core.calls.call_result import CallError
from ctxkit.core.tools.builtin import TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}
VALUES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(0, 3) | st.text(max_size=3)
NAMES = sorted({name for tool in TOOLS for name in tool.parameters} | {"other"})


def test_defaults_are_those_of_the_specification() -> None:
    """Seed 001: input { "ref_id": "...", "offset": 0, "limit": 4096 }."""
    assert check_arguments(BY_NAME["read_result"], {"ref_id": "3f9a2c81d0b4"}) == {
        "ref_id": "3f9a2c81d0b4",
        "offset": 0,
        "limit": 4096,
    }


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("read_file", {}, "path is missing"),
        ("read_file", {"path": None}, "path is missing"),
        ("read_file", {"path": "a", "line": 1}, "line is not an argument"),
        ("read_result", {"ref_id": "3f9a2c", "offset": "3"}, "offset is the text 3, not a whole number"),
        ("read_result", {"ref_id": "3f9a2c", "offset": -1}, "offset is -1, less than 0"),
        ("read_result", {"ref_id": 7}, "ref_id is the number 7, not a text"),
        ("read_result", {"ref_id": "3f9a2c", "limit": True}, "limit is true or false"),
        ("edit_context", {"action": "drop"}, "action is drop"),
        ("edit_context", {"action": "list_items", "range": [1, 2]}, "range is a list, not an object"),
        ("edit_context", {"action": "remove_range", "range": {"start": 0, "end": 3}}, "range.start is 0, less than 1"),
        ("edit_context", {"action": "remove_range", "range": {"start": 1}}, "range.end is missing"),
        ("edit_context", {"action": "remove_range", "range": {"from": 1}}, "range.from is not an argument"),
    ],
)
def test_wrong_arguments_are_errors_with_hints(name: str, arguments, message: str) -> None:
    with pytest.raises(CallError) as error:
        check_arguments(BY_NAME[name], arguments)
    assert str(error.value).startswith(message)
    assert error.value.hint


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert check_arguments(BY_NAME["read_result"], {"ref_id": "3f9a2c", "limit": 10.0})["limit"] == 10


@given(
    st.sampled_from(TOOLS),
    st.dictionaries(
        st.sampled_from(NAMES),
        VALUES | st.sampled_from(["list_items", "keep_range"]) | st.dictionaries(st.sampled_from(["start", "end", "x"]), VALUES),
    ),
)
def test_arguments_are_accepted_as_the_schema_says(tool, arguments) -> None:
    stripped = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(stripped.get("range"), dict):
        stripped["range"] = {name: value for name, value in stripped["range"].items() if value is not None}
    known = set(arguments) <= set(tool.parameters) and set(arguments.get("range") or ()) <= {"start", "end"} if isinstance(arguments.get("range"), dict | None) else True
    is_valid = known and jsonschema.Draft202012Validator(tool.schema).is_valid(stripped)
    try:
        check_arguments(tool, arguments)
    except CallError:
        assert not is_valid
    else:
        assert is_valid
