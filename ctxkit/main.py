"""The front door: find the verb, run it; its answer, or its trouble, becomes the exit status."""

import os
import sys

try:
    from collections.abc import Callable, Sequence
    from contextlib import suppress

    import click

    from ctxkit import __version__
    from ctxkit.core.exit import Exit
    from ctxkit.core.trouble import Trouble
    from ctxkit.edge import say
    from ctxkit.edge.menu import Menu, answered
    from ctxkit.registry import GROUPS, VERBS
except KeyboardInterrupt:  # there is nothing yet that could turn it into a status
    os._exit(130)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"ctxkit {__version__}")
        ctx.exit(Exit.DONE)


@click.group(
    cls=Menu,
    package="ctxkit.commands",
    verbs=VERBS,
    name="ctxkit",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def door() -> Exit:
    """Decide what enters a language model's context window.

    \b
    What fits passes untouched. What does not is stored whole, and a short map
    goes in with the command that reads any part back:
      $ seq 3 | ctxkit gate --model qwen3-30b
    """
    return Exit.DONE


def main(args: Sequence[str] | None = None) -> None:
    """Run ctxkit and leave the process with its exit status."""
    _leave(status_of(lambda: _enter(list(sys.argv[1:] if args is None else args))))


def _enter(args: list[str]) -> int:
    """Parse and run; click's own ``main`` would turn a closed pipe into status 1."""
    try:
        with door.make_context("ctxkit", args) as ctx:
            return answered(door.invoke(ctx))
    except click.exceptions.Exit as early:
        return early.exit_code


def status_of(work: Callable[[], int]) -> int:
    """Run a command; return its answer, or the status of what went wrong, said in one line."""
    try:
        answer = work()
        if sys.stdout is not None:
            sys.stdout.flush()
        return answer
    except Trouble as trouble:
        say.error(str(trouble), trouble.hint)
        return int(trouble.status)
    except click.UsageError as error:
        say.error(error.format_message(), f"{' '.join(_verbs(sys.argv[1:]))} --help")
        return int(Exit.USAGE)
    except click.ClickException as error:
        say.error(error.format_message())
        return int(Exit.USAGE)
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        return _die_of_pipe()
    except OSError as error:
        return _crash(error, Exit.IO, f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except RecursionError as error:  # calls of ours are as deep as the input is nested
        return _crash(error, Exit.MALFORMED, "the input is nested too deep to be read")
    except Exception as error:
        return _crash(error, Exit.BUG, f"internal error: {type(error).__name__}: {error}")


def _verbs(args: list[str]) -> list[str]:
    """Return the command that the arguments name, as far as there is one."""
    words, table = ["ctxkit"], VERBS
    for word in args:
        if word not in table:
            break
        words.append(word)
        table = GROUPS.get(word, {})
    return words


def _crash(error: Exception, status: Exit, message: str) -> int:
    if say.debugging():
        from traceback import format_exception

        say.say("".join(format_exception(error)).rstrip())
    hint = "CTXKIT_DEBUG=1 shows where; please report it" if status is Exit.BUG else ""
    say.error(message, hint)
    return int(status)


def _die_of_pipe() -> int:
    """End as a C program does when its reader has left: by SIGPIPE, silently."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return int(Exit.DONE)


def _leave(status: int) -> None:
    """Leave at once: tearing down a loaded vocabulary costs more than most commands do."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
    os._exit(status)
