"""Calls of the added tools, answered in this process."""

from pathlib import Path

import pytest

from ctxkit.app.mcp_wrap.tool_answers import OfferedTools, answer_tool_call
from ctxkit.app.services.stores import open_store
from ctxkit.core.mcp.tool_list import READ_RESULT, TOOL_SEARCH
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolSet

REQUEST = CliRequest(window=9_000, tokenizer="bytes/3")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.mark.parametrize("host", [None, "codex"])
def test_a_part_of_a_stored_result_is_read(host: str | None) -> None:
    ref = store_content(open_store(settings.load()), iter([b"first\nsecond\n"]), Label("x"))
    answer = answer_tool_call("read_result", {"ref_id": ref, "lines": "2"}, OfferedTools((READ_RESULT,), REQUEST, host))
    assert answer == ("second\n", False)


def test_deferred_tools_are_searched() -> None:
    tools = ToolSet([read_catalog(b'[{"name": "send_mail", "description": "Send a letter", "inputSchema": {}}]', "x", "mcp")])
    text, is_error = answer_tool_call("tool_search", {"query": "letters"}, OfferedTools((TOOL_SEARCH,), REQUEST, None, tools))
    assert ('"send_mail"' in text, is_error) == (True, False)


def test_a_wrong_call_is_an_error_for_the_model() -> None:
    assert answer_tool_call("read_result", {"ref_id": "abcdef"}, OfferedTools((READ_RESULT,), REQUEST)).is_error
    assert answer_tool_call("tool_search", {"query": "x"}, OfferedTools((READ_RESULT,), REQUEST)).is_error
    assert answer_tool_call("tool_search", {"query": "x"}, OfferedTools((TOOL_SEARCH,), REQUEST)).is_error
