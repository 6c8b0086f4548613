"""ctxkit tools search."""

import click

from ctxkit.app.services import engines, session_log, sessions, workers
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.tools.search import make_tool_text, rank_tools
from ctxkit.edge import options, out, settings, source, tool_files
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option, renamed_option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolFiles, ToolSet


@click.command("search", cls=Verb)
@click.argument("query")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@tool_files.add_source_options
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
def command(query: str, tool_files: ToolFiles, max_results: int, session: str | None, as_json: bool) -> Exit:
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
