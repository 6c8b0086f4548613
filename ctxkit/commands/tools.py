"""ctxkit tools and its verbs."""

import click

from ctxkit.app.services import engines, session_log, sessions, workers
from ctxkit.core.errors import Exit, NotStoredError, UsageError
from ctxkit.core.tokens.budget import threshold_of
from ctxkit.core.tools.builtin import BUILTIN_NAMES, SHAPES, DefinitionShape, list_builtin
from ctxkit.core.tools.search import make_tool_text, rank_tools
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.option_types import SHARE_OR_ZERO, option, renamed_option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import (
    SelectionRequest,
    ToolFiles,
    ToolSet,
    add_source_options,
    dump_definitions,
    write_selection,
    write_unchanged,
)
from ctxkit.registry import TOOLS

command = CommandGroup(
    TOOLS,
    name="tools",
    help="""Select, search and provide tool definitions.

Definitions take up the window in every request. tools select defers those that take more
than a tenth of it, and tools search finds the deferred ones.

\b
$ ctxkit tools builtin --to openai | ctxkit tools search 'read a result' --json
""",
)


@command.command("select", cls=Verb)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@add_source_options
@option(
    "--threshold",
    type=SHARE_OR_ZERO,
    metavar="SHARE",
    help="Defer definitions above this share of the effective window.  [default: 0.1]",
)
@renamed_option(
    "--note-file",
    metavar="FILE",
    renamed_from=("--note",),
    help="Write the note for the model, and the names of deferred tools, to FILE.",
)
@options.add_window_options
@options.json_option
def select_tools(
    tool_files: ToolFiles, threshold: float | None, note_file: str | None, request: CliRequest, as_json: bool
) -> Exit:
    """Defer the tool definitions that take too much of the window.

    FILE or stdin contains definitions of any provider: an array, a request, an answer of an
    MCP server to tools/list, or JSON lines. If they fit, they pass byte for byte. Otherwise
    the least recently used tools of MCP servers are left out first, then those of skills.
    Built-in tools stay. The others keep their shape and their bytes.

    \b
    $ ctxkit tools builtin | ctxkit tools select --model qwen3-30b
    $ ctxkit tools builtin | ctxkit tools select --window 4096 --json
    """
    config = settings.load_for_filter(strict=request.strict, session=request.session)
    request, reservation = sessions.open_session(request, config, create_missing=False, unknown_window="pass")
    preloaded = 0 if tool_files.names else source.preload("-")

    def select() -> Exit:
        """Read the definitions and write the selected ones."""
        tools = tool_files.read()
        if request.assumed and not as_json:
            return write_unchanged(tools, note_file)
        share = config["tool_deferral_threshold"] if threshold is None else threshold
        uses = session_log.tool_uses(config).find(reservation.name) if reservation else {}
        most = None if request.assumed else threshold_of(share, request.budget(config).effective)
        selection_request = SelectionRequest(most, uses, note_file, as_json)
        count_options = engines.make_count_options(request, config)
        return write_selection(tools, selection_request, count_options)

    return workers.run_in_worker(select, preloaded)


@command.command("search", cls=Verb)
@click.argument("query")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@add_source_options
@renamed_option(
    "--max-results",
    type=options.positive_count,
    default=5,
    metavar="N",
    renamed_from=("--limit",),
    help="Print at most N results.  [default: 5]",
)
@option("--session", metavar="SESSION", help="Promote the tools for the current turn of this session (CTXKIT_SESSION).")
@options.json_option
def search_tools(query: str, tool_files: ToolFiles, max_results: int, session: str | None, as_json: bool) -> Exit:
    """Find tools by what they do, and print their definitions.

    The words of QUERY are compared with the names, descriptions and parameters of all
    definitions in FILE or stdin. The output is an array of the best ones in their own
    bytes. The exit status is 1 if nothing matches.

    \b
    $ ctxkit tools builtin | ctxkit tools search 'free some space'
    """
    config = settings.load()
    name = CliRequest(session=session).session_name(config)
    if name and sessions.ledger(config).find(name) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    preloaded = 0 if tool_files.names else source.preload("-")

    def search() -> Exit:
        """Read the definitions and print the best ones."""
        return _print_matches(query, tool_files.read(), max_results, name, as_json)

    return workers.run_in_worker(search, preloaded)


def _print_matches(query: str, tools: ToolSet, max_results: int, session: str, as_json: bool) -> Exit:
    definitions = tools.definitions
    index = engines.tool_index([make_tool_text(definition.tool) for definition in definitions])
    matches = rank_tools(query, index.score, max_results)
    content = tools.write_only(match.number for match in matches).encode("utf-8", "surrogateescape")
    names = [definitions[match.number].tool.name for match in matches]
    if session:
        session_log.tool_uses(settings.load()).pin(session, names)
    if as_json:
        scores = [{"name": name, "score": round(match.score, 3)} for name, match in zip(names, matches, strict=True)]
        facts = {"query": query, "searched": len(definitions), "matches": scores}
        out.write_json({**facts, **out.make_content_member(content)})
    else:
        out.write((content,))
    return Exit.DONE if matches else Exit.NO


@command.command("builtin", cls=Verb)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@renamed_option(
    "--to",
    "shape",
    type=click.Choice(SHAPES),
    default="openai",
    show_default=True,
    renamed_from=("--format",),
    help="API of the request.",
)
def print_builtin(names: tuple[str, ...], shape: DefinitionShape) -> Exit:
    """Print the definitions of the tools that ctxkit offers to a model.

    The output is a JSON array for the tools of a request. NAME selects some of them.

    \b
    $ ctxkit tools builtin read_result tool_search --to anthropic
    """
    for name in names:
        if name not in BUILTIN_NAMES:
            raise UsageError(f"unknown tool: {name}", hint=f"one of {', '.join(sorted(BUILTIN_NAMES))}")
    out.write_text(dump_definitions(list_builtin(shape, names)))
    return Exit.DONE
