"""ctxkit run."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import click

from ctxkit import supply
from ctxkit.core.admission import Admission
from ctxkit.core.admit import admit
from ctxkit.core.exit import Exit
from ctxkit.core.label import title_of
from ctxkit.core.shell import joined
from ctxkit.core.terms import Engines, Terms
from ctxkit.core.trouble import BadSettings, Misuse, Trouble
from ctxkit.edge import options, out, progress, report, say, settings
from ctxkit.edge.child import CANNOT_RUN, NOT_FOUND, Child
from ctxkit.edge.ranges import AGE
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings


@click.command("run", context_settings={"allow_interspersed_args": False})
@options.gate
@click.option("--timeout", type=AGE, metavar="S", help="Stop CMD after S seconds, or as in 5m; 0 is never.")
@options.as_json
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(asked: Request, timeout: float | None, as_json: bool, argv: tuple[str, ...]) -> Exit | int:
    """Run a command and gate its output, keeping its status.

    What CMD writes to stdout and stderr is gated as one text, in order. The
    status is CMD's: 128+n after signal n, 126 or 127 when it cannot be started,
    124 when --timeout stops it. A map of a failed command's output begins with
    that status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    if not argv[0]:
        raise Misuse("the command is an empty word")
    title = title_of(joined(argv), 80)
    gate = _prepared(asked, title, exact=as_json)
    try:
        child = Child(argv, timeout)
    except FileNotFoundError:
        say.error(f"{argv[0]}: command not found")
        return NOT_FOUND
    except OSError as error:
        say.error(f"{argv[0]}: {error.strerror}")
        return CANNOT_RUN
    output = progress.watched(child.output(), title)
    admission = None
    try:
        if gate is not None:
            admission = admit(output, gate.terms._replace(preface=child.ending), gate.engines)
        _deliver(admission, output, gate, as_json, argv, child)
    except BrokenPipeError:
        raise
    except Exception as error:  # the command has run, and its status still stands
        if gate is not None and gate.terms.strict and admission is None:
            raise
        say.error(f"{'stdout' if admission else 'output'}: {getattr(error, 'strerror', None) or error}")
    return child.status()


class Gate(NamedTuple):
    """Hold what the output of a command is gated with."""

    chosen: Settings
    terms: Terms
    engines: Engines
    events_file: str


def _prepared(asked: Request, title: str, *, exact: bool) -> Gate | None:
    """Return what to gate with, None with a warning where that fails on our side: the command runs all the same."""
    strict = asked.strict
    try:
        chosen = settings.load_for_filter(strict=strict, session=asked.session)
        strict = strict or chosen["strict"]
        asked, account = supply.seated(asked, chosen, unknown="assume")
        events_file = asked.events or chosen["events"]
        terms = asked.terms(chosen, title)
        terms = terms._replace(exact=exact or bool(events_file) or say.is_verbose())
        return Gate(chosen, terms, supply.engines(chosen, store=not asked.no_store, account=account), events_file)
    except Exception as error:
        if strict or isinstance(error, Misuse | BadSettings) or (asked.tokenizer and isinstance(error, Trouble)):
            raise
        say.warn(f"the output passes unchanged: {error}")
        return None


def _deliver(
    admission: Admission | None,
    output: Iterable[bytes],
    gate: Gate | None,
    as_json: bool,
    argv: tuple[str, ...],
    child: Child,
) -> None:
    """Write what goes in, or the output as it is where nobody could decide, and report the command with it."""

    def more() -> dict[str, object]:
        """Return the command and its status, once it has ended."""
        return {"command": [title_of(word, 10_000) for word in argv], "exit": child.status()}

    if gate is None or admission is None:
        _pass(output, as_json, more)
        return
    report.deliver(
        admission,
        gate.terms,
        as_json=as_json,
        events_file=gate.events_file,
        more=more,
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
