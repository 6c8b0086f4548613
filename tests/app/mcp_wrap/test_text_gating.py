"""The gate of the texts of results."""

from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.mcp_wrap.text_gating import OfferedTools, WrapContext, answer_tool_call, mask_line, open_text_gate
from ctxkit.app.services.stores import open_store
from ctxkit.core.mcp.tools import READ_RESULT, TOOL_SEARCH
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolSet
from tests.mcp_server import make_text

KEY = "ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"
REQUEST = CliRequest(window=200_000, tokenizer="bytes/3")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


def make_context(host: str | None = None, **options: Any) -> WrapContext:
    return WrapContext(REQUEST._replace(**options), settings.load(), host)


@pytest.mark.parametrize(
    ("options", "host", "tokens"),
    [
        ({}, None, 25_000),
        ({"limit": 900}, None, 900),
        ({"limit": 900}, "codex", 900),
        ({}, "codex", 2_500),
        ({"window": 9_000}, None, 7_200),
        ({"redact": True}, None, -1),
        ({"session": "s"}, None, -1),
        ({"events": "x"}, None, -1),
        ({"used": 5}, None, -1),
    ],
)
def test_a_small_line_passes_unread(options: dict[str, Any], host: str | None, tokens: int) -> None:
    context = make_context(host, **options)
    free = context.count_free_tokens()
    assert free == tokens
    line = b"x" * max(tokens, 1)
    assert context.passes(line, free) == (tokens > 0)
    assert not context.passes(line + b"x" * 3 * max(tokens, 1), free)


@pytest.mark.slow
def test_a_long_text_becomes_a_map_with_its_hint() -> None:
    gate, fits, mask = open_text_gate(make_context(), "dump", "other")
    assert mask is None
    assert gate("short\n") == "short\n"
    assert fits("short\n")
    text = gate(make_text(20_000))
    assert text.startswith("more than result_cap, 25,000 tokens\n# dump (20,000 lines")
    assert 'To read a part: other(ref_id="' in text
    assert not fits(make_text(20_000))
    assert 'Use the "read_result" tool with ref_id="' in open_text_gate(make_context(limit=200), "d", "read_result").gate(make_text(90))


def test_nothing_is_replaced_where_the_settings_say_that_nothing_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    truncated = open_text_gate(make_context(no_store=True), "dump", "read_result").gate(make_text(20_000))
    assert len(truncated) < 40_000
    assert "row 19999 of a long table" in truncated
    monkeypatch.setenv("CTXKIT_NEVER_STORE", "dump")
    assert open_text_gate(make_context(), "dump", "read_result").fits(make_text(20_000))
    assert not make_context(no_store=True).has_store
    monkeypatch.setenv("CTXKIT_STORE", "false")
    assert open_text_gate(make_context(), "dump", "read_result").gate(make_text(20_000)) == make_text(20_000)


def test_secrets_are_masked_in_texts_and_in_lines_that_are_no_messages() -> None:
    context = make_context(redact=True)
    assert (context.masks, context.is_closed, make_context().is_closed) == (True, True, False)
    mask = open_text_gate(context, "dump", "read_result").mask
    assert mask is not None
    assert KEY not in mask(f"token {KEY}\n")
    assert mask("no key \ud800\n") == "no key \ud800\n"
    assert KEY.encode() not in mask_line(f"not json, token {KEY}\n".encode(), context)


REQUEST_TOOL_ANSWERS = CliRequest(window=9_000, tokenizer="bytes/3")


@pytest.mark.parametrize("host", [None, "codex"])
def test_a_part_of_a_stored_result_is_read(host: str | None) -> None:
    ref = store_content(open_store(settings.load()), iter([b"first\nsecond\n"]), Label("x"))
    answer = answer_tool_call("read_result", {"ref_id": ref, "lines": "2"}, OfferedTools((READ_RESULT,), REQUEST_TOOL_ANSWERS, host))
    assert answer == ("second\n", False)


def test_deferred_tools_are_searched() -> None:
    tools = ToolSet([read_catalog(b'[{"name": "send_mail", "description": "Send a letter", "inputSchema": {}}]', "x", "mcp")])
    text, is_error = answer_tool_call("tool_search", {"query": "letters"}, OfferedTools((TOOL_SEARCH,), REQUEST_TOOL_ANSWERS, None, tools))
    assert ('"send_mail"' in text, is_error) == (True, False)


def test_a_wrong_call_is_an_error_for_the_model() -> None:
    assert answer_tool_call("read_result", {"ref_id": "abcdef"}, OfferedTools((READ_RESULT,), REQUEST_TOOL_ANSWERS)).is_error
    assert answer_tool_call("tool_search", {"query": "x"}, OfferedTools((READ_RESULT,), REQUEST_TOOL_ANSWERS)).is_error
    assert answer_tool_call("tool_search", {"query": "x"}, OfferedTools((TOOL_SEARCH,), REQUEST_TOOL_ANSWERS)).is_error
