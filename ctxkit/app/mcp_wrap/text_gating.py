"""Gate the text of a result that a server returns to a host."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.app.calls.functions import ISOLATED, CallContext, answer_call, record_result
from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import CtxkitError
from ctxkit.core.gate.decision import GatePolicy, GateServices
from ctxkit.core.gate.gate_content import check_fit, gate_content
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.mcp.protocol import ToolAnswer
from ctxkit.core.mcp.tools import TextGate
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import token_bound
from ctxkit.core.tools.builtin import BuiltinTool, FunctionCall, make_error_result
from ctxkit.edge import bypass, events, report, say, settings
from ctxkit.edge.host_session import apply_host_limits, cap_briefing, cap_result
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.edge.tool_files import ToolSet

_READ_CALL = '{name}(ref_id="{{ref}}", lines="{{start}}:{{end}}")'
"""The hint of a map, for a tool read_result with another name."""


class WrapContext(NamedTuple):
    """The options and settings of the command, and the host whose limits apply."""

    request: CliRequest
    settings: Settings
    host: str | None = None

    @property
    def has_store(self) -> bool:
        """Return whether results are stored, so that their parts can be read."""
        return bool(self.settings["store"]) and not self.request.no_store

    @property
    def masks(self) -> bool:
        """Return whether secrets are masked."""
        return self.request.redaction(self.settings).on

    @property
    def is_closed(self) -> bool:
        """Return whether a result that cannot be processed must not pass."""
        return self.masks or self.request.strict or bool(self.settings["strict"] or self.settings["never_store"])

    @property
    def events_file(self) -> str:
        """Return the file of events, "" for none."""
        return str(self.request.events or self.settings["events"] or "")

    def apply_limits(self) -> CliRequest:
        """Return the request with the limits of the host."""
        if self.host is None:
            return self.request
        return apply_host_limits(self.request, self.settings, PROFILES[self.host])

    def count_free_tokens(self) -> int:
        """Return the most tokens of a result that certainly passes without being read; negative if none does."""
        request = self.apply_limits()
        is_counted = self.masks or self.events_file or request.used or say.is_verbose()
        if is_counted or request.session_name(self.settings):
            return -1
        request = cap_result(request.assume_window(self.settings), self.settings)
        return request.budget(self.settings).allowance(request.limit)

    def passes(self, line: bytes, free_tokens: int) -> bool:
        """Return whether a line certainly passes: JSON is never shorter than the texts in it."""
        return len(line) <= free_tokens and token_bound(line, self.request.vocabulary(self.settings)) <= free_tokens


def open_text_gate(context: WrapContext, tool: str, read_name: str) -> TextGate:
    """Return what gates the texts of a tool's result, and tells the model to read the rest with ``read_name``."""
    mask = _make_mask(context) if context.masks else None
    settings = context.settings
    if not settings["store"] or bypass.find_bypass(settings, (tool,), engines.parse_script):
        return TextGate(lambda text: text, lambda _: True, mask)
    request, reservation = sessions.open_session(context.apply_limits(), settings, unknown_window="assume")
    limit, request = request.limit, cap_result(request, settings)
    note = f"more than result_cap, {request.limit:,} tokens" if request.limit != limit else ""
    hint = "read_result" if read_name == "read_result" else _READ_CALL.format(name=read_name)
    policy = request.gate_policy(settings, tool, lambda: note)
    policy = policy._replace(
        hint=request.resolve_hint(settings, hint, tool),
        label=policy.label._replace(tool=tool),
        exact=bool(context.events_file) or say.is_verbose(),
        screen=True,
    )
    if context.host is not None:
        policy = cap_briefing(policy, PROFILES[context.host])
    services = engines.gate_services(settings, store=context.has_store, reservation=reservation)

    def gate(text: str) -> str:
        """Return the text, or a map of it."""
        return _gate_text(text, policy, services, request, context)

    def fits(text: str) -> bool:
        """Return whether the text would pass."""
        return check_fit(iter([_encode(text)]), policy, services).fits

    return TextGate(gate, fits, mask)


def _gate_text(
    text: str, policy: GatePolicy, services: GateServices, request: CliRequest, context: WrapContext
) -> str:
    gate_result = gate_content(iter([_encode(text)]), policy, services)
    gate_result = sessions.replace_repeated(gate_result, policy, services, request, context.settings)
    if gate_result.warning and gate_result.result != "refused":
        say.warn(gate_result.warning)
    content = CountedContent(gate_result.content)
    shown = b"".join(content).decode("utf-8", "surrogatepass")
    gate_result = gate_result._replace(content=content)
    if services.reservation is not None:
        services.reservation.record(report.make_entry(gate_result, policy, content.size))
    if context.events_file:
        facts = {"tool": policy.label.tool}
        events.record_decision(
            context.events_file, gate_result, policy, request.describe_call(context.settings), facts
        )
    engines.tidy_store(context.settings, gate_result.ref or gate_result.stored_ref)
    return text if gate_result.result == "refused" else shown


def _make_mask(context: WrapContext) -> Callable[[str], str]:
    redaction = context.request.redaction(context.settings)

    def mask(text: str) -> str:
        """Return the text without secrets."""
        return b"".join(redaction.apply([_encode(text)])).decode("utf-8", "surrogatepass")

    return mask


def mask_line(line: bytes, context: WrapContext) -> bytes:
    """Return a line that cannot be read as a message, without secrets."""
    return b"".join(context.request.redaction(context.settings).apply([line]))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


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
