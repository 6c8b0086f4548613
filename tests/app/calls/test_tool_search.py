"""A search returns as many definitions as fit."""

import json

import pytest

from ctxkit.app.calls.conditions import CallContext
from ctxkit.app.calls.tool_search import MATCHES, search_tools
from ctxkit.core.calls.function_call import CallError
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolSet


def context(window: int) -> CallContext:
    tools = [{"name": f"build_{number}", "description": "build " + "x" * 300, "input_schema": {}} for number in range(9)]
    catalog = read_catalog(json.dumps(tools).encode(), "tools")
    return CallContext(CliRequest(window=window, tokenizer="bytes/3"), settings.load(), tools=ToolSet([catalog]))


def test_the_best_definitions_are_returned() -> None:
    """Seed 001: "Returns matching names + descriptions + schemas"."""
    result = search_tools({"query": "build"}, context(100_000))
    assert len(json.loads(result.content)) == MATCHES == len(result.facts["matches"])


def test_fewer_definitions_are_returned_if_the_window_is_small() -> None:
    assert 0 < len(json.loads(search_tools({"query": "build"}, context(512)).content)) < MATCHES


def test_no_definition_may_fit() -> None:
    with pytest.raises(CallError, match="no definition fits"):
        search_tools({"query": "build"}, context(64))
