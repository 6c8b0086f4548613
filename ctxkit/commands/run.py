"""ctxkit run."""

import click

from ctxkit.app.run.gated_command import CommandLine, run_gated
from ctxkit.core.errors import Exit
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import options
from ctxkit.edge.child import KILL_AFTER
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import DURATION, option
from ctxkit.edge.request import CliRequest


class RunLimits(NamedTuple):
    """The seconds after which a command is stopped, and those after which it is killed then."""

    timeout: float | None
    kill_after: float | None


@click.command("run", cls=Verb, context_settings={"allow_interspersed_args": False})
@options.add_gate_options
@option("--events-full", is_flag=True, help="Also log the command line, with secrets masked.")
@option("--timeout", type=DURATION, metavar="DURATION", help="Stop CMD after this time, such as 30s; 0 is never.")
@option("--kill-after", type=DURATION, metavar="DURATION", help="Then kill CMD after this time.  [default: 5s]")
@options.json_option
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
@options.collect_values(RunLimits, "limits")
def command(
    request: CliRequest, limits: RunLimits, events_full: bool, as_json: bool, argv: tuple[str, ...]
) -> Exit | int:
    """Run a command, gate its output, and keep its exit status.

    Stdout and stderr of CMD are gated as one text, in order. The exit status is that of
    CMD: 128+n after signal n, 126 or 127 if CMD cannot start, and 124 after --timeout.
    After --timeout, or a second SIGINT or SIGTERM, CMD and its process group have
    --kill-after seconds to end. If CMD fails, a map of its output begins with the status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    kill_seconds = KILL_AFTER if limits.kill_after is None else limits.kill_after
    command_line = CommandLine(argv, timeout=limits.timeout, kill_after=kill_seconds, events_full=events_full)
    return run_gated(request, command_line, as_json=as_json)
