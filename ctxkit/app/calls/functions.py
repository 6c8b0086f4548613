"""Answer a call by the name of its function; whatever fails becomes a result that a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines
from ctxkit.core.errors import CtxkitError
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tools.builtin import TOOLS, BuiltinTool, CallError, CallResult, check_arguments, make_error_result

if TYPE_CHECKING:
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.tools.builtin import FunctionCall
    from ctxkit.edge.request import Call, CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.edge.tool_files import ToolSet

    Answer = Callable[[Mapping[str, JsonValue], "CallContext"], CallResult]

FUNCTIONS = {
    "read_result": ("reading", "read_result"),
    "read_file": ("reading", "read_file"),
    "tool_search": ("reading", "search_tools"),
    "compact_context": ("conversation", "compact_context"),
    "list_context": ("conversation", "list_context"),
    "edit_context": ("conversation", "edit_context"),
    "search": ("reading", "search_results"),
}
"""The module and the function that answer each call, loaded on first use."""
ISOLATED = frozenset({"tool_search", "compact_context", "list_context", "edit_context"})
"""Functions that parse a conversation or definitions, and run in a worker process."""


class CallContext(NamedTuple):
    """The conditions of a call; ``call_id`` is "" if it has none."""

    request: CliRequest
    settings: Settings
    reservation: SessionReservation | None = None
    root: str = "."
    tools: ToolSet | None = None
    call_id: str = ""

    @property
    def call(self) -> Call:
        """Return the call of the command that answers."""
        from ctxkit.edge.request import Call

        return Call(self.request, self.settings)

    def require_session(self) -> str:
        """Return the name of the session; raise CallError without one."""
        if self.reservation is None:
            raise CallError(
                "there is no session, so there is no conversation to edit", hint="continue without this function"
            )
        return self.reservation.name


def answer_call(call: FunctionCall, context: CallContext, tools: Sequence[BuiltinTool] = TOOLS) -> CallResult:
    """Return the result of a call of one of the tools; an error is a result too."""
    try:
        tool = next((tool for tool in tools if tool.name == call.name), None)
        if tool is None:
            names = ", ".join(tool.name for tool in tools)
            raise CallError(f"there is no function {call.name[:80]}", hint=f"the functions are {names}")
        arguments = check_arguments(tool, call.arguments)
        module, function = FUNCTIONS[call.name]
        answer: Answer = getattr(import_module(f"ctxkit.app.calls.{module}"), function)
        return answer(arguments, context)
    except CallError as error:
        return error.to_result()
    except (CtxkitError, OSError) as error:
        return make_error_result(f"{call.name} failed: {error}", "go on without this result")


def record_result(result: CallResult, call: FunctionCall, context: CallContext) -> None:
    """Add the tokens of a result to the ledger of the session, if they are not in it."""
    reservation = context.reservation
    if reservation is None or result.is_booked:
        return
    vocabulary = context.request.vocabulary(context.settings)
    try:
        count = count_tokens((result.content,), vocabulary, engines.load_tokenizer(vocabulary))
    except CtxkitError:  # the vocabulary is not installed
        return
    reservation.record(
        LedgerEntry(
            call.name or "call",
            count.tokens,
            count.method,
            "raw",
            reservation.budget.is_tight(count.tokens),
            result.ref,
            call.name,
            call.id,
        )
    )
