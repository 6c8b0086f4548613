"""Run the selection of tool definitions, from reading to writing."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.count.conversation import method_of
from ctxkit.core.count.options import CountOptions
from ctxkit.core.errors import Exit
from ctxkit.core.tools.catalog import DefinitionCounter, find_shape
from ctxkit.core.tools.selection import ToolSelection, ToolUse, format_note, select_tools
from ctxkit.edge import atomic_file, out, say
from ctxkit.edge.tool_files import ToolSet


class SelectionRequest(NamedTuple):
    """The most tokens that definitions may take, the uses of tools in the session, and where the result goes.

    ``most`` is None if the window is unknown: nothing is deferred then.
    """

    most: int | None
    uses: Mapping[str, ToolUse]
    note: str | None
    as_json: bool


def write_selection(tools: ToolSet, selection_request: SelectionRequest, count_options: CountOptions) -> Exit:
    """Write the selected definitions, and the note for the model."""
    definitions, most = tools.definitions, selection_request.most
    counter = DefinitionCounter(count_options, find_shape(definitions[0]) if definitions else "")
    selection = select_tools(definitions, counter.measure, most, selection_request.uses)
    content = _dump_without(tools, selection.deferred)
    _write_note(selection_request.note, [definitions[at].tool.name for at in selection.deferred])
    if selection_request.as_json:
        amount = counter.count(
            [definition.tool for at, definition in enumerate(definitions) if at not in selection.deferred]
        )
        method = method_of(amount, count_options)
        out.write_json({**_describe(tools, selection, most), "method": method, **out.make_content_member(content)})
    else:
        out.write((content,))
    _warn(tools, selection, most)
    return Exit.DONE


def write_unchanged(tools: ToolSet, note: str | None) -> Exit:
    """Write all definitions without counting them, and an empty note."""
    _write_note(note, [])
    out.write((_dump_without(tools, ()),))
    return Exit.DONE


def _dump_without(tools: ToolSet, deferred: Sequence[int]) -> bytes:
    return tools.write_without(frozenset(deferred)).encode("utf-8", "surrogateescape")


def _write_note(file: str | None, names: list[str]) -> None:
    if file is not None:
        atomic_file.write(file, _format_note(names).encode("utf-8", "replace"))


def _warn(tools: ToolSet, selection: ToolSelection, most: int | None) -> None:
    """Warn if the threshold is exceeded, or if a model cannot find the deferred tools."""
    if most is not None and selection.kept > most:
        say.warn(f"the definitions take {selection.kept:,} tokens of {most:,}: built-in tools are never deferred")
    if selection.deferred and all(definition.tool.name != "tool_search" for definition in tools.definitions):
        say.warn("no tool_search is defined, so a model cannot find deferred tools: see ctxkit tools builtin")


def _format_note(names: list[str]) -> str:
    return f"{format_note(len(names))}\nDeferred: {', '.join(names)}\n" if names else ""


def _describe(tools: ToolSet, selection: ToolSelection, most: int | None) -> dict[str, Any]:
    definitions = tools.definitions
    deferred = [
        {"name": definitions[at].tool.name, "source": definitions[at].source, "tokens": cost}
        for at, cost in zip(selection.deferred, selection.costs, strict=True)
    ]
    return {
        "tools": len(definitions) - len(deferred),
        "tokens": selection.kept,
        "tokens_before": selection.total,
        "threshold": most,
        "note": format_note(len(deferred)) or None,
        "deferred": deferred,
    }
