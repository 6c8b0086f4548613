"""Read files of tool definitions, which options name, and write what is selected in the same shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.count.amount import CountOptions
from ctxkit.core.errors import Exit, MalformedInputError
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tools.builtin import BUILTIN_NAMES
from ctxkit.edge import atomic_file, out, say, source
from ctxkit.edge.option_types import renamed_option
from ctxkit.edge.options import Command

if TYPE_CHECKING:
    from ctxkit.core.tools.catalog import ToolCatalog, ToolDefinition, ToolSelection, ToolSource, ToolUse

LARGEST = 16 << 20
"""Maximum bytes of a file of definitions; the definitions of 117 tools of a real server are 300 KB."""


class ToolFiles(NamedTuple):
    """The files of definitions by their source; ``files`` name no source."""

    files: tuple[str, ...] = ()
    builtin: tuple[str, ...] = ()
    skill: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all files; without any, definitions come from stdin."""
        return self.builtin + self.files + self.skill + self.mcp

    def read(self) -> ToolSet:
        """Return the definitions of all files in order: built-in ones, others, skills, MCP servers; or of stdin.

        Raise MalformedInputError for a file that is too large or has no definitions.
        """
        groups: list[tuple[tuple[str, ...], ToolSource | None]] = [
            (self.builtin, "builtin"),
            (self.files, None),
            (self.skill, "skill"),
            (self.mcp, "mcp"),
        ]
        pairs = [(name, kind) for names, kind in groups for name in names] or [("-", None)]
        return ToolSet([_read_file(name, kind) for name, kind in pairs])


class ToolSet(NamedTuple):
    """The catalogs of several files, whose definitions are numbered together."""

    catalogs: Sequence[ToolCatalog]

    @property
    def definitions(self) -> list[ToolDefinition]:
        """Return all definitions in order."""
        return [definition for catalog in self.catalogs for definition in catalog.definitions]

    def write_without(self, dropped: Collection[int]) -> str:
        """Return the definitions without some: one file in its own bytes, several files as one array."""
        if len(self.catalogs) == 1:
            return self.catalogs[0].write_without(dropped)
        return self.write_only(at for at in range(len(self.definitions)) if at not in dropped)

    def write_only(self, indices: Iterable[int]) -> str:
        """Return an array of some definitions, each in its own bytes; raise MalformedInputError for mixed shapes."""
        from ctxkit.core.tools.catalog import find_shape

        owners = [(catalog, definition) for catalog in self.catalogs for definition in catalog.definitions]
        pairs = [owners[at] for at in indices]
        shapes = {find_shape(definition): None for _, definition in pairs}
        if len(shapes) > 1:
            raise MalformedInputError(
                f"the definitions have the shapes of several providers: {', '.join(shapes)}",
                hint="select from each file on its own",
            )
        texts = ",\n".join(catalog.get_text(definition) for catalog, definition in pairs)
        if not pairs:
            return "[]\n"
        return f'[{{"functionDeclarations": [\n{texts}\n]}}]\n' if "gemini" in shapes else f"[\n{texts}\n]\n"


def _read_file(name: str, kind: ToolSource | None) -> ToolCatalog:
    from ctxkit.core.tools.catalog import read_catalog

    stream = PeekableStream(source.chunks(name))
    data = stream.peek(LARGEST + 1)
    if len(data) > LARGEST:
        source.drain(stream.drain())
        raise MalformedInputError(f"{source.name_of(name)}: larger than {LARGEST >> 20} MB", hint="split the file")
    return read_catalog(data, source.name_of(name), kind, BUILTIN_NAMES)


def dump_definitions(definitions: object) -> str:
    """Return definitions as JSON for people and programs: two blanks of indentation."""
    from json import dumps

    return f"{dumps(definitions, indent=2, ensure_ascii=False)}\n"


def _make_source_option(name: str, help_text: str) -> Callable[[Command], Command]:
    """Return the option that names files of one source."""
    return renamed_option(
        f"--{name}-tools", name, multiple=True, metavar="F", renamed_from=(f"--{name}",), help=help_text
    )


_SOURCES = (
    _make_source_option("builtin", "Read definitions of built-in tools from F."),
    _make_source_option("skill", "Read definitions of skills from F."),
    _make_source_option("mcp", "Read definitions of MCP servers from F."),
)


def add_source_options(command: Command) -> Command:
    """Add the options for files by their source; the command gets all files as its argument ``tool_files``."""

    @wraps(command)
    def run_command(
        files: tuple[str, ...], builtin: tuple[str, ...], skill: tuple[str, ...], mcp: tuple[str, ...], **values: Any
    ) -> Any:
        """Call the command with its files collected."""
        return command(tool_files=ToolFiles(files, builtin, skill, mcp), **values)

    added: Command = run_command
    for decorate in reversed(_SOURCES):
        added = decorate(added)
    return added


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
    from ctxkit.core.count.conversation import method_of
    from ctxkit.core.tools.catalog import DefinitionCounter, find_shape, select_tools

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
    from ctxkit.core.tools.catalog import format_note

    return f"{format_note(len(names))}\nDeferred: {', '.join(names)}\n" if names else ""


def _describe(tools: ToolSet, selection: ToolSelection, most: int | None) -> dict[str, Any]:
    from ctxkit.core.tools.catalog import format_note

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
