"""Read the system prompt and the tools of a turn; a part that fails falls back to its plain form, with a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, session_log
from ctxkit.core.tokens.budget import threshold_of
from ctxkit.core.turn.request import SystemPrompt
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.compact.services import TokenCounter
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.prompt import PromptSection
    from ctxkit.core.tools.builtin import DefinitionShape
    from ctxkit.edge.request import Call
    from ctxkit.edge.tool_files import ToolSet

SEARCH = "tool_search"
"""The built-in tool that finds deferred tools."""
MESSAGE_BREAKPOINTS = 1
"""Cache breakpoints of a request to Anthropic that the conversation needs."""


DEFINITION_SHAPES: dict[str, DefinitionShape] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "responses": "responses",
}
"""The shape of tool definitions by the provider of a request."""


class TurnPrompt(NamedTuple):
    """The system prompt of a turn, the texts of its skills, and its sections that change every turn."""

    system: SystemPrompt = SystemPrompt("")
    skills: tuple[str, ...] = ()
    volatile: str = ""


class TurnTools(NamedTuple):
    """The JSON text of the tools of a turn, "" without any, and the names of the deferred ones."""

    text: str = ""
    deferred: tuple[str, ...] = ()


def read_prompt(sections: Sequence[PromptSection], provider: str, call: Call, counter: TokenCounter) -> TurnPrompt:
    """Return the prompt of sections; if it cannot be built, return them one after another."""
    if not sections:
        return TurnPrompt()
    try:
        return _build_prompt(sections, provider, call, counter)
    except Exception as error:
        if call.is_strict:
            raise
        say.warn(f"the system prompt is plain text, without cache breakpoints: {_describe(error)}")
        return TurnPrompt(SystemPrompt("\n".join(section.content for section in sections)))


def _build_prompt(sections: Sequence[PromptSection], provider: str, call: Call, counter: TokenCounter) -> TurnPrompt:
    from ctxkit.core.prompt import MAX_BREAKPOINTS, build_prompt, choose_breakpoints, find_cache_minimum, gate_sections
    from ctxkit.edge.prompts import warn_of_section

    request, settings = call
    services = engines.gate_services(settings, store=not request.no_store)
    gated = list(gate_sections(sections, request.gate_policy(settings, "prompt"), services))
    for section, result, _ in gated:
        warn_of_section(section, result)
    prompt = build_prompt(item.section for item in gated)
    skills = tuple(item.section.content for item in gated if item.section.kind == "skills")
    if provider != "anthropic":
        return TurnPrompt(SystemPrompt(prompt.static_text), skills, prompt.volatile_text)
    minimum = find_cache_minimum(request.model_name(settings), provider)
    points = choose_breakpoints(prompt, counter.count_text, minimum, MAX_BREAKPOINTS - MESSAGE_BREAKPOINTS)
    return TurnPrompt(SystemPrompt(prompt.static_text, prompt, points), skills, prompt.volatile_text)


def find_max_tokens(call: Call, reserve: int) -> int:
    """Return the most tokens of an answer: the reserve, at most what the model writes."""
    known = call.request.known_model(call.settings)
    return min(reserve, known.max_output) if known and known.max_output else reserve


def read_tools(tools: ToolSet | None, provider: str, call: Call, count_options: CountOptions) -> TurnTools:
    """Return the tools that stay below the deferral threshold; if that cannot be decided, return all of them.

    Without tool_search, a model cannot find a deferred tool: none is deferred.
    """
    if tools is None or not tools.definitions:
        return TurnTools()
    try:
        deferred = _defer_tools(tools, call, count_options)
    except Exception as error:
        if call.is_strict:
            raise
        say.warn(f"no tools are deferred: {_describe(error)}")
        deferred = frozenset()
    names = tuple(tools.definitions[at].tool.name for at in sorted(deferred))
    return TurnTools(_write_tools(tools, deferred, DEFINITION_SHAPES[provider]), names)


def _defer_tools(tools: ToolSet, call: Call, count_options: CountOptions) -> frozenset[int]:
    from ctxkit.core.tools.catalog import DefinitionCounter, find_shape, select_tools

    request, settings = call
    most = threshold_of(settings["tool_deferral_threshold"], request.budget(settings).effective)
    uses = session_log.tool_uses(settings).find(request.session or "")
    counter = DefinitionCounter(count_options, find_shape(tools.definitions[0]))
    selection = select_tools(tools.definitions, counter.measure, most, uses, most or 0)
    if selection.deferred and all(definition.tool.name != SEARCH for definition in tools.definitions):
        say.warn(f"the definitions take {selection.total:,} tokens, and stay: a model needs tool_search to find others")
        return frozenset()
    return frozenset(selection.deferred)


def _write_tools(tools: ToolSet, deferred: frozenset[int], shape: DefinitionShape) -> str:
    """Return the definitions in the shape of the provider; those that have it already keep their text."""
    from ctxkit.core.session.history import join_json_line
    from ctxkit.core.tools.builtin import dump_tool, join_definitions
    from ctxkit.core.tools.catalog import find_shape

    owners = [(catalog, definition) for catalog in tools.catalogs for definition in catalog.definitions]
    texts = [
        join_json_line(catalog.get_text(definition))
        if find_shape(definition) in (shape, "unknown")
        else dump_tool(definition.tool, shape)
        for at, (catalog, definition) in enumerate(owners)
        if at not in deferred
    ]
    return join_definitions(texts, shape) if texts else ""


def _describe(error: Exception) -> str:
    from ctxkit.edge.compaction import describe_error

    return describe_error(error)
