"""ctxkit tools select."""

import click

from ctxkit.app.services import engines, session_log, sessions, workers
from ctxkit.core.errors import Exit
from ctxkit.core.tokens.budget import threshold_of
from ctxkit.edge import options, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import SHARE_OR_ZERO, option, renamed_option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import SelectionRequest, ToolFiles, add_source_options, write_selection, write_unchanged


@click.command("select", cls=Verb)
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
def command(
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
