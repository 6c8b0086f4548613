"""Select the tool definitions of a request: those above a share of the window are deferred.

The rules are those of seed 001, enhancement 5: built-in tools are never deferred, tools of MCP servers are deferred
before those of skills, and the least recently used come first within each group.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.chat.model.record import Record
from ctxkit.core.tools.catalog import ToolDefinition

_RANKS = {"mcp": 0, "skill": 1, "builtin": 2}
"""The order in which sources are deferred."""
MeasureTools = Callable[[Sequence[Tool]], int]
"""Returns the number of tokens of definitions together."""


class ToolUse(NamedTuple):
    """The use of a tool in a session: a larger ``last`` is more recent; a search ``is_promoted`` it for the turn."""

    last: float = 0.0
    is_promoted: bool = False


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
) -> ToolSelection:
    """Return which definitions to defer so that the others take at most ``most`` tokens, none if it is None.

    Tools that a search promoted are deferred last; of tools used equally long ago, the largest is deferred first. What
    cannot be deferred stays, even above ``most``.
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

    def rank(at: int) -> tuple[bool, int, float, int, int]:
        """Return the place of a definition in the order of deferral."""
        definition = definitions[at]
        use = uses.get(definition.tool.name, ToolUse())
        return use.is_promoted, _RANKS[definition.source], use.last, -costs[at], -at

    return sorted((at for at, definition in enumerate(definitions) if definition.is_deferrable), key=rank)


def find_tool_calls(records: Iterable[Record]) -> tuple[list[str], bool]:
    """Return the names of the called tools in order, and whether the messages end the turn of earlier ones.

    A turn ends when the user writes; the results of tools, and what programs write for the user, do not end it.
    """
    names: list[str] = []
    is_end = False
    for record in records:
        names += [call.name for call in record.calls if call.name]
        is_end = is_end or (record.role == "user" and not record.results and not record.automatic)
    return names, is_end


def format_note(number: int) -> str:
    """Return the note that tells a model of deferred tools, "" for none (seed 001, enhancement 5)."""
    return f"[{number} tools deferred to save context. Use tool_search to find them.]" if number else ""
