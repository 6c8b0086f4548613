"""ctxkit run."""

import click

from ctxkit import supply
from ctxkit.core.admit import admit
from ctxkit.core.exit import Exit
from ctxkit.core.label import title_of
from ctxkit.core.masking import mask_command
from ctxkit.core.never_store import is_never_stored
from ctxkit.core.shell import joined
from ctxkit.core.trouble import IOFailed, Misuse
from ctxkit.edge import options, progress, say, settings
from ctxkit.edge.child import CANNOT_RUN, NOT_FOUND, Child
from ctxkit.edge.ranges import AGE
from ctxkit.edge.report import deliver
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings


@click.command("run", context_settings={"allow_interspersed_args": False})
@options.gate
@click.option("--events-full", is_flag=True, help="Log the command line too, values of key-like options masked.")
@click.option("--timeout", type=AGE, metavar="S", help="Stop CMD after S seconds, or as in 5m; 0 is never.")
@options.as_json
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    asked: Request, events_full: bool, timeout: float | None, as_json: bool, argv: tuple[str, ...]
) -> Exit | int:
    """Run a command and gate its output, keeping its status.

    What CMD writes to stdout and stderr is gated as one text, in order. The
    status is CMD's: 128+n after signal n, 126 or 127 when it cannot be started,
    124 when --timeout stops it. A map of a failed command's output begins with
    that status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    chosen = settings.load()
    listed = title_of(mask_command(argv), 80)
    asked, account = supply.seated(asked, chosen)
    terms = asked.terms(chosen, title_of(joined(argv), 80), listed=listed)
    if not argv[0]:
        raise Misuse("the command is an empty word")
    try:
        child = Child(argv, timeout)
    except FileNotFoundError:
        say.error(f"{argv[0]}: command not found")
        return NOT_FOUND
    except OSError as error:
        say.error(f"{argv[0]}: {error.strerror}")
        return CANNOT_RUN
    terms = terms._replace(preface=child.ending)
    redaction = asked.redaction(chosen)
    output = redaction.apply(progress.watched(child.output(), listed))
    stores = not asked.no_store and not _never_stored(argv, chosen)
    admission = admit(output, terms, supply.engines(chosen, store=stores, account=account))

    def more() -> dict[str, object]:
        words = [title_of(word, 10_000) for word in argv]
        return {**redaction.facts(), "command": words, "exit": child.status()}

    def logged() -> dict[str, object]:
        words = title_of(mask_command(argv), 10_000) if events_full else title_of(argv[0])
        return {**more(), "name": title_of(asked.name) if asked.name else words, "command": words}

    events = asked.events or chosen["events"]
    try:
        deliver(admission, terms, as_json=as_json, events_file=events, more=more, logged=logged, account=account)
    except (OSError, IOFailed) as error:
        if isinstance(error, BrokenPipeError):
            raise
        say.error(f"stdout: {getattr(error, 'strerror', None) or error}")  # the command's status still stands
    redaction.note()
    supply.tidy(chosen, admission.ref)
    return child.status()


def _never_stored(argv: tuple[str, ...], chosen: Settings) -> bool:
    """Tell whether the setting never_store names the command; -v hears of it."""
    named = is_never_stored(argv, chosen["never_store"])
    if named:
        say.note("never_store names the command: nothing of its output is stored")
    return named
