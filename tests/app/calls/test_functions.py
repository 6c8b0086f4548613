"""Each defined function has an answer, and whatever fails becomes a result."""

from importlib import import_module

import pytest

from ctxkit.app.calls.functions import FUNCTIONS, ISOLATED, CallContext, answer_call, record_result
from ctxkit.core.errors import InputOutputError
from ctxkit.core.mcp.tools import list_tools
from ctxkit.core.tools.builtin import BUILTIN_NAMES, CallError, FunctionCall, make_text_result
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest

CONTEXT = CallContext(CliRequest(window=4096), settings.load())


def test_exactly_the_defined_functions_are_answered() -> None:
    assert set(FUNCTIONS) == BUILTIN_NAMES | {tool.name for tool in list_tools(has_session=True)}
    assert ISOLATED < BUILTIN_NAMES
    for module, function in FUNCTIONS.values():
        assert callable(getattr(import_module(f"ctxkit.app.calls.{module}"), function))


@pytest.mark.parametrize("error", [InputOutputError("the disk is full"), OSError(5, "Input/output error")])
def test_what_fails_is_a_result(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("ctxkit.app.calls.reading.read_file", fail)
    result = answer_call(FunctionCall("read_file", {"path": "a"}), CONTEXT)
    assert result.is_error
    assert result.content.startswith(b"error: read_file failed: ")


def test_without_a_session_nothing_is_recorded() -> None:
    record_result(make_text_result("a"), FunctionCall("list_context", {}), CONTEXT)


def test_a_call_without_a_session_cannot_edit() -> None:
    with pytest.raises(CallError, match="there is no session"):
        CallContext(CliRequest(), settings.load()).require_session()


@pytest.mark.parametrize("no_store", [True, False])
def test_an_option_turns_the_store_off(no_store: bool) -> None:
    assert CallContext(CliRequest(no_store=no_store), settings.load()).call.stores is not no_store
