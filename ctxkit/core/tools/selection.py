"""Select the tool definitions of a request: those above a share of the window are deferred.

The order is that of seed 001, enhancement 5: built-in tools are never deferred, tools of MCP servers are deferred
before those of skills, and the least recently used come first within each group. Two rules keep the prompt cache, which
begins with the tools: what was used or found stays until a compaction, and a turn does not defer little.

A deferred tool that is needed after all costs the cache of the whole request. Between two compactions, that is about
.65 of the window at 1.15 times the price of input; if one is needed every other time, .37 windows. What is saved is the
read of S tokens at a tenth of the price in about ten requests, S, and the compactions that S tokens more space spare: a
cycle fills .3 of the window and writes .5 of it anew at 1.25 times the price, 2 S. So S has to be at least an eighth of
the window, which is about the threshold itself, a tenth.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.tools.catalog import ToolDefinition

_RANKS = {"mcp": 0, "skill": 1, "builtin": 2}
"""The order in which sources are deferred."""
MeasureTools = Callable[[Sequence[Tool]], int]
"""Returns the number of tokens of definitions together."""


class ToolUse(NamedTuple):
    """The use of a tool in a session: a larger ``last`` is more recent.

    ``is_pinned`` marks a tool that was called, or found by a search, since the last compaction.
    """

    last: float = 0.0
    is_pinned: bool = False


class ToolSelection(NamedTuple):
    """The indices of the deferred definitions in order, and the tokens of all, of the others, and of each deferred."""

    deferred: tuple[int, ...]
    total: int
    kept: int
    costs: tuple[int, ...]


def select_tools(
    definitions: Sequence[ToolDefinition],
    measure: MeasureTools,
    most: int | None,
    uses: Mapping[str, ToolUse] | None = None,
    least: int = 0,
) -> ToolSelection:
    """Return which definitions to defer so that the others take at most ``most`` tokens, none if it is None.

    Pinned tools stay; of tools used equally long ago, the largest is deferred first. What cannot be deferred stays,
    even above ``most``. Unless at least ``least`` tokens are saved, nothing is deferred.
    """
    total = measure([definition.tool for definition in definitions])
    if most is None or total <= most:
        return ToolSelection((), total, total, ())
    costs = _measure_each(definitions, measure)
    deferred: list[int] = []
    left = total
    for at in _order_for_deferral(definitions, costs, uses or {}):
        if left <= most:
            break
        deferred.append(at)
        left -= costs[at]
    dropped = frozenset(deferred)
    kept = measure([definition.tool for at, definition in enumerate(definitions) if at not in dropped])
    if total - kept < least:
        return ToolSelection((), total, total, ())
    indices = tuple(sorted(deferred))
    return ToolSelection(indices, total, kept, tuple(costs[at] for at in indices))


def _measure_each(definitions: Sequence[ToolDefinition], measure: MeasureTools) -> list[int]:
    """Return the tokens that each definition adds to a request that has others."""
    first = measure((definitions[0].tool,))
    base = 2 * first - measure((definitions[0].tool, definitions[0].tool))
    return [measure((definition.tool,)) - base for definition in definitions]


def _order_for_deferral(
    definitions: Sequence[ToolDefinition], costs: Sequence[int], uses: Mapping[str, ToolUse]
) -> list[int]:
    """Return the indices of the definitions that may be deferred, the first to be deferred first."""

    def rank(at: int) -> tuple[int, float, int, int]:
        """Return the place of a definition in the order of deferral."""
        definition = definitions[at]
        return _RANKS[definition.source], find_use(definition).last, -costs[at], -at

    def find_use(definition: ToolDefinition) -> ToolUse:
        """Return the use of a tool in the session."""
        return uses.get(definition.tool.name, ToolUse())

    listed = enumerate(definitions)
    return sorted((at for at, item in listed if item.is_deferrable and not find_use(item).is_pinned), key=rank)


def format_note(number: int) -> str:
    """Return the note that tells a model of deferred tools, "" for none (seed 001, enhancement 5)."""
    return f"[{number} tools deferred to save context. Use tool_search to find them.]" if number else ""
