"""ctxkit run."""

import click

from ctxkit import supply
from ctxkit.core.account import Account
from ctxkit.core.admission import Admission
from ctxkit.core.admit import admit
from ctxkit.core.exit import Exit
from ctxkit.core.label import title_of
from ctxkit.core.shell import joined
from ctxkit.core.terms import Terms
from ctxkit.core.trouble import IOFailed
from ctxkit.edge import options, progress, report, say, settings
from ctxkit.edge.child import CANNOT_RUN, KILL_AFTER, NOT_FOUND, Child
from ctxkit.edge.ranges import AGE
from ctxkit.edge.request import Request


@click.command("run", context_settings={"allow_interspersed_args": False})
@options.gate
@click.option("--timeout", type=AGE, metavar="S", help="Stop CMD after S seconds, or as in 5m; 0 is never.")
@click.option("--kill-after", type=AGE, metavar="S", help="Kill CMD S seconds after asking it to end.  [default: 5]")
@options.as_json
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    asked: Request, timeout: float | None, kill_after: float | None, as_json: bool, argv: tuple[str, ...]
) -> Exit | int:
    """Run a command and gate its output, keeping its status.

    What CMD writes to stdout and stderr is gated as one text, in order. The
    status is CMD's: 128+n after signal n, 126 or 127 when it cannot be started,
    124 when --timeout stops it. After --timeout, or a second SIGINT or SIGTERM,
    CMD and its process group have --kill-after seconds to end. A map of a failed command's output begins with
    that status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    chosen = settings.load()
    title = title_of(joined(argv), 80)
    asked, account = supply.seated(asked, chosen)
    terms = asked.terms(chosen, title)
    if not argv[0]:  # which the search along PATH would take for the directories themselves
        say.error("'': command not found")
        return NOT_FOUND
    try:
        child = Child(argv, timeout, KILL_AFTER if kill_after is None else kill_after)
    except FileNotFoundError:
        say.error(f"{argv[0]}: command not found")
        return NOT_FOUND
    except OSError as error:
        say.error(f"{argv[0]}: {error.strerror}")
        return CANNOT_RUN
    terms = terms._replace(preface=child.ending)
    output = progress.watched(child.output(), title)
    admission = admit(output, terms, supply.engines(chosen, store=not asked.no_store, account=account))
    try:
        _deliver(admission, terms, as_json, asked.events or chosen["events"], argv, child, account)
    except (OSError, IOFailed) as error:
        if isinstance(error, BrokenPipeError):
            raise
        say.error(f"stdout: {getattr(error, 'strerror', None) or error}")  # the command's status still stands
    supply.tidy(chosen, admission.ref)
    return child.status()


def _deliver(
    admission: Admission,
    terms: Terms,
    as_json: bool,
    events_file: str,
    argv: tuple[str, ...],
    child: Child,
    account: Account | None,
) -> None:
    """Write what goes in, and report the command with it."""

    def more() -> dict[str, object]:
        return {"command": [title_of(word, 10_000) for word in argv], "exit": child.status()}

    report.deliver(admission, terms, as_json=as_json, events_file=events_file, more=more, account=account)
