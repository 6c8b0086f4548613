"""Answer a call of a tool that ctxkit offers to an agent host."""

from typing import NamedTuple

from ctxkit.app.calls.conditions import CallContext
from ctxkit.app.calls.functions import ISOLATED, answer_call, record_result
from ctxkit.app.services import sessions, workers
from ctxkit.core.calls.function_call import FunctionCall, make_error_result
from ctxkit.core.errors import CtxkitError
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.mcp.protocol import ToolAnswer
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import BuiltinTool
from ctxkit.edge import settings
from ctxkit.edge.host_limits import apply_host_limits, cap_result
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolSet

MAX_MESSAGE = 1 << 20
"""Maximum bytes of a message."""


class OfferedTools(NamedTuple):
    """The tools that ctxkit offers to an agent host, and what their calls are answered under.

    ``tool_set`` are the tools that tool_search searches.
    """

    tools: tuple[BuiltinTool, ...]
    request: CliRequest
    host: str | None = None
    tool_set: ToolSet | None = None


def answer_tool_call(name: str, arguments: dict[str, JsonValue], offered: OfferedTools) -> ToolAnswer:
    """Answer a call under the settings of now; one that parses a conversation runs in a worker process."""
    call = FunctionCall(name, arguments)

    def answer() -> tuple[bytes, bool]:
        """Return the result and whether it is an error."""
        return _answer_call(call, offered)

    try:
        content, is_error = workers.isolate(answer, MAX_MESSAGE) if name in ISOLATED else answer()
    except (CtxkitError, OSError) as error:
        result = make_error_result(f"{name} failed: {error}", "go on without this result")
        content, is_error = result.content, result.is_error
    return ToolAnswer(content.decode("utf-8", "replace"), is_error)


def _answer_call(call: FunctionCall, offered: OfferedTools) -> tuple[bytes, bool]:
    request = offered.request
    config = settings.load_for_filter(strict=request.strict, session=request.session)
    if offered.host is not None:
        request = apply_host_limits(request, config, PROFILES[offered.host])
    request, reservation = sessions.open_session(request, config, create_missing=False, unknown_window="assume")
    request = cap_result(request, config)
    if reservation is not None:
        request = request._replace(session=reservation.name)
    context = CallContext(request, config, reservation, tools=offered.tool_set)
    result = answer_call(call, context, offered.tools)
    record_result(result, call, context)
    return result.content, result.is_error
