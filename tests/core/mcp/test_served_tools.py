import json

import pytest

from ctxkit.app.services import engines
from ctxkit.core.calls.arguments import check_arguments
from ctxkit.core.mcp.served_tools import COMPACT_CONTEXT, INSTRUCTIONS, MAX_TOKENS, READ_RESULT, define_tool, list_tools
from ctxkit.core.tools.builtin import TOOLS
from ctxkit.edge.option_values import vocabulary_of


@pytest.mark.parametrize("tokenizer", ["o200k", "qwen3"])
def test_all_that_a_model_reads_takes_few_tokens(tokenizer: str) -> None:
    definitions = [define_tool(tool) for tool in list_tools(has_session=True)]
    assert len(definitions) == 3
    count = engines.load_tokenizer(vocabulary_of(tokenizer))
    assert 200 < count(json.dumps(definitions) + INSTRUCTIONS) <= MAX_TOKENS == 400


def test_a_conversation_is_only_compacted_in_a_session() -> None:
    assert [tool.name for tool in list_tools(has_session=False)] == ["read_result", "search"]
    assert "annotations" not in define_tool(COMPACT_CONTEXT)
    assert define_tool(READ_RESULT)["annotations"] == {"readOnlyHint": True, "openWorldHint": False}


def test_arguments_are_those_of_the_tool_of_the_same_name() -> None:
    for tool in TOOLS:
        for served in list_tools(has_session=True):
            if served.name == tool.name:
                assert (served.parameters.keys(), served.required) == (tool.parameters.keys(), tool.required)
    assert check_arguments(READ_RESULT, {"ref_id": "a"}) == {"ref_id": "a", "offset": 0, "limit": 4096}
