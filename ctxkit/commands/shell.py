"""ctxkit shell."""

import os

import click

from ctxkit.app.run.gated_command import (
    CommandLine,
    add_pipe_notes,
    gate_wrapped,
    record_disabled,
    replace_process,
    run_gated,
)
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.hosts.wrap_script import find_command, is_disabled
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import bypass, options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest


class ShellOptions(NamedTuple):
    """The script of a shell, how it starts, and the host whose limits apply; ``reads`` is the shell of a host."""

    script: str | None
    login: bool
    prints: bool
    host: str | None
    reads: tuple[str, int] | None


@click.command("shell", cls=Verb, context_settings={"allow_interspersed_args": False})
@options.add_gate_options
@option("-c", "script", metavar="SCRIPT", help="Run SCRIPT instead of a file.")
@option("-l", "--login", is_flag=True, help="Start the shell as a login shell.")
@option("--print", "prints", is_flag=True, help="Print SCRIPT with notes on its pipelines, and do not run it.")
@options.host_option
@option(
    "--reads",
    nargs=2,
    type=(str, int),
    metavar="DIR PID",
    hidden=True,
    help="Gate what the shell PID of a host prints; its script and its status are in DIR.",
)
@click.argument("args", metavar="[ARG]...", nargs=-1)
@options.collect_values(ShellOptions, "shell_options")
def command(request: CliRequest, shell_options: ShellOptions, args: tuple[str, ...]) -> Exit | int:
    """Run a shell, and gate the output of its script.

    The shell is the one in SHELL, else bash, else sh. Its stdout and stderr are gated as one
    text, as ctxkit run does, and its exit status is kept. Editors, pagers and other programs
    that need a terminal keep it, and so does a shell without a script.

    If a member of a pipeline fails before tail, head or grep at its end, a line says so: see
    man ctxkit-shell, and --print.

    \b
    $ ctxkit shell --model qwen3-30b -c 'seq 3 | tail -n 1'
    $ SHELL=bash ctxkit shell --print -c 'make test | tail -3'
    """
    script, login, prints, host, reads = shell_options
    if reads is not None and host is not None:  # core/hosts/wrap_script.py
        gate_wrapped(request, *reads, PROFILES[host])
        return Exit.DONE
    command_words = [] if script is None else ["-c", script]
    argv = (os.environ.get("SHELL") or _find_shell(), *(["-l"] if login else []), *command_words, *args)
    if prints:
        return _print_script(argv, script)
    if script is None and not args:
        return replace_process(argv)
    typed = find_command(script) if script else ""
    if _runs_ungated(typed, request):
        return replace_process(argv)
    return run_gated(request, CommandLine(argv, typed, host=PROFILES[host] if host else None))


def _runs_ungated(typed: str, request: CliRequest) -> bool:
    """Return whether a command is not gated, as its user says or because it needs the terminal; record the former."""
    if bypass.is_disabled():
        return True
    if is_disabled(typed):
        record_disabled(request, typed)
        return True
    return _is_interactive(typed)


def _print_script(argv: tuple[str, ...], script: str | None) -> Exit:
    """Print the script that the shell would run."""
    if script is None:
        raise UsageError("--print needs -c SCRIPT")
    noted = add_pipe_notes(argv, settings.load_for_filter())
    out.write((os.fsencode(noted[argv.index("-c") + 1]),))
    return Exit.DONE


def _find_shell() -> str:
    """Return bash, in whose language agents write their scripts, or sh where there is none."""
    import shutil

    return "bash" if shutil.which("bash") else "sh"


def _is_interactive(script: str) -> bool:
    from ctxkit.app.services.engines import parse_script
    from ctxkit.core.hosts.wrap_script import is_interactive

    return is_interactive(script, parse_script)
