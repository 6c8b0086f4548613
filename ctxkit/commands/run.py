"""ctxkit run."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import click

from ctxkit import supply
from ctxkit.core.admission import UNCOUNTED, Admission
from ctxkit.core.admit import admit
from ctxkit.core.exit import Exit
from ctxkit.core.label import title_of
from ctxkit.core.masking import mask_command
from ctxkit.core.never_store import is_never_stored
from ctxkit.core.shell import joined
from ctxkit.core.terms import Engines, Terms
from ctxkit.core.trouble import BadSettings, Misuse, Trouble
from ctxkit.edge import options, out, progress, report, say, settings
from ctxkit.edge.child import CANNOT_RUN, KILL_AFTER, NOT_FOUND, Child
from ctxkit.edge.ranges import AGE
from ctxkit.edge.redacting import Redaction
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings


@click.command("run", context_settings={"allow_interspersed_args": False})
@options.gate
@click.option("--events-full", is_flag=True, help="Log the command line too, values of key-like options masked.")
@click.option("--timeout", type=AGE, metavar="S", help="Stop CMD after S seconds, or as in 5m; 0 is never.")
@click.option("--kill-after", type=AGE, metavar="S", help="Kill CMD S seconds after asking it to end.  [default: 5]")
@options.as_json
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    asked: Request,
    events_full: bool,
    timeout: float | None,
    kill_after: float | None,
    as_json: bool,
    argv: tuple[str, ...],
) -> Exit | int:
    """Run a command and gate its output, keeping its status.

    What CMD writes to stdout and stderr is gated as one text, in order. The
    status is CMD's: 128+n after signal n, 126 or 127 when it cannot be started,
    124 when --timeout stops it. After --timeout, or a second SIGINT or SIGTERM,
    CMD and its process group have --kill-after seconds to end. A map of a failed
    command's output begins with that status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    redaction, gate = _prepared(asked, argv, exact=as_json)
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
    output = redaction.apply(progress.watched(child.output(), title_of(mask_command(argv), 80)))
    admission = None
    try:
        if gate is not None and gate.passes:
            admission = Admission("raw", UNCOUNTED, output)
        elif gate is not None:
            admission = admit(output, gate.terms._replace(preface=child.ending), gate.engines)
        _deliver(admission, output, gate, redaction, as_json, events_full, argv, child)
        redaction.note()
    except BrokenPipeError:
        raise
    except Exception as error:  # the command has run, and its status still stands
        if gate is not None and gate.terms.strict and admission is None:
            raise
        say.error(f"{'stdout' if admission else 'output'}: {getattr(error, 'strerror', None) or error}")
    return child.status()


class Gate(NamedTuple):
    """Hold what the output of a command is gated with, and whether it passes whatever its size."""

    chosen: Settings
    terms: Terms
    engines: Engines
    events_file: str
    name: str
    passes: bool


def _prepared(asked: Request, argv: tuple[str, ...], *, exact: bool) -> tuple[Redaction, Gate | None]:
    """Return what masks secrets, and what to gate with.

    Where that fails on our side there is a warning and no gate: the command runs all the same.
    """
    strict, redaction = asked.strict, Redaction(on=asked.redact)
    try:
        chosen = settings.load_for_filter(strict=strict, session=asked.session)
        redaction = asked.redaction(chosen)
        strict = strict or chosen["strict"]
        asked, account = supply.seated(asked, chosen, unknown="assume")
        events_file = asked.events or chosen["events"]
        terms = asked.terms(chosen, title_of(joined(argv), 80), listed=title_of(mask_command(argv), 80))
        terms = terms._replace(exact=exact or bool(events_file) or say.is_verbose())
        engines = supply.engines(chosen, store=not asked.no_store, account=account)
        name = title_of(asked.name) if asked.name else ""
        return redaction, Gate(chosen, terms, engines, events_file, name, _is_never_stored(argv, chosen))
    except Exception as error:
        if strict or isinstance(error, Misuse | BadSettings) or (asked.tokenizer and isinstance(error, Trouble)):
            raise
        say.warn(f"the output passes unchanged: {error}")
        return redaction, None


def _is_never_stored(argv: tuple[str, ...], chosen: Settings) -> bool:
    """Tell whether the setting never_store names the command; -v says so."""
    named = is_never_stored(argv, chosen["never_store"])
    if named:
        say.note("never_store names the command: its output passes, and nothing of it is stored")
    return named


def _deliver(
    admission: Admission | None,
    output: Iterable[bytes],
    gate: Gate | None,
    redaction: Redaction,
    as_json: bool,
    events_full: bool,
    argv: tuple[str, ...],
    child: Child,
) -> None:
    """Write what goes in, or the output as it is where nobody could decide, and report the command with it."""

    def more() -> dict[str, object]:
        """Return the command and its status, once it has ended."""
        return {**redaction.facts(), "command": [title_of(word, 10_000) for word in argv], "exit": child.status()}

    def logged() -> dict[str, object]:
        """Return what the event says of the command: its name alone, unless the masked line is asked for."""
        words = title_of(mask_command(argv), 10_000) if events_full else title_of(argv[0])
        return {**more(), "name": (gate.name if gate else "") or words, "command": words}

    if gate is None or admission is None:
        _pass(output, as_json, more)
        return
    report.deliver(
        admission,
        gate.terms,
        as_json=as_json,
        events_file=gate.events_file,
        more=more,
        logged=logged,
        account=gate.engines.account,
        tokenizer=gate.engines.tokenizer,
    )
    supply.tidy(gate.chosen, admission.ref)


def _pass(output: Iterable[bytes], as_json: bool, more: Callable[[], dict[str, object]]) -> None:
    """Write output that nobody can gate as it is."""
    if not as_json:
        out.write(output)
        return
    data = b"".join(output)
    out.write_json({"result": "raw", "tokens": None, "method": None, **more(), **out.content_of(data)})
