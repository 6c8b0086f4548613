"""Define the classes of commands and the options of all; run one, and turn its result into an exit status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click

from ctxkit.core.errors import (
    CtxkitError,
    Exit,
    MalformedInputError,
    MissingDependencyError,
    MissingInputError,
    SettingsError,
    UsageError,
)
from ctxkit.edge import say
from ctxkit.edge.option_types import Option
from ctxkit.edge.user_dirs import find_home_hint
from ctxkit.registry import GROUPS, VERBS

BUILD = os.path.join(os.path.dirname(os.path.dirname(__file__)), "BUILD")
"""The file that a build adds to the package."""
UNNAMED = "source tree"
_FAULT = "ctxkit.fault"
"""Key of a context's ``meta`` with the error of its command line."""
WORDS = "ctxkit.words"
"""Key of a context's ``meta`` with its command line."""
_FAULTS = UsageError, SettingsError, MissingInputError, MalformedInputError, MissingDependencyError
"""Errors that a wrong option may cause before stdin is read."""


class Verb(click.Command):
    """A command with the general options, whose help shows its options in groups."""

    _all_params: list[click.Parameter] | None = None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters and the general options; click asks for them several times in a call."""
        if self._all_params is None:
            general = [*make_verbosity_options(), make_version_option(), self.get_help_option(ctx)]
            names = {name for param in self.params for name in param.opts}
            self._all_params = [*self.params, *(option for option in general if option.opts[0] not in names)]
        return self._all_params

    def get_help_option(self, ctx: click.Context) -> Option:
        """Return the help option."""
        return make_help_option(self.get_help_option_names(ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        from ctxkit.edge.help_groups import group_options

        for title, options in group_options(ctx.command_path, self.get_params(ctx)):
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


class Filter(Verb):
    """A command that leaves out a wrong option, gates stdin without it, and returns the status of the error."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments; leave out the wrong ones if stdin may pass without them, else raise their error."""
        words = list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            context = self._parse_despite_fault(words, error, info_name, parent, extra)
            context.meta[_FAULT] = error
        context.meta[WORDS] = words
        return context

    def _parse_despite_fault(
        self,
        words: list[str],
        error: click.UsageError,
        info_name: str | None,
        parent: click.Context | None,
        extra: dict[str, Any],
    ) -> click.Context:
        """Return the context without the wrong options; raise the error if stdin is not the source."""
        from ctxkit.edge import wrong_options

        if error.ctx is None:  # as click leaves it for an option without its value
            error.ctx = click.Context(self, info_name=info_name, parent=parent)

        def parse(remaining: list[str]) -> click.Context:
            """Parse the remaining words."""
            return super(Filter, self).make_context(info_name, remaining, parent, **extra)

        context = wrong_options.parse_without_faults(words, error, parse)
        if context is None:
            raise error
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if an option turns out wrong before stdin was read, run it without the option."""
        fault = ctx.meta.pop(_FAULT, None)
        if fault is None:
            try:
                return super().invoke(ctx)
            except _FAULTS as error:
                fault = error
        from ctxkit.edge import wrong_options

        return wrong_options.run_despite_fault(ctx, fault, ctx.meta[WORDS], super().invoke)


class CommandGroup(Verb, click.Group):
    """A group that lists commands from a table: its own, or those that the modules of their names define.

    The module ``package.NAME`` defines ``command``. Every command returns an Exit.
    """

    def __init__(
        self, verbs: Mapping[str, str], package: str = "", sections: Mapping[str, str] | None = None, **attrs: Any
    ) -> None:
        super().__init__(no_args_is_help=False, **attrs)
        self._package = package
        self._verbs = verbs
        self._sections = sections or {"Commands": " ".join(verbs)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the table."""
        return list(self._verbs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; show the help if there are none."""
        return super().parse_args(ctx, args or ["--help"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the requested command, imported if it is not defined with the group, or None."""
        if cmd_name not in self._verbs or cmd_name in self.commands:
            return self.commands.get(cmd_name)
        command = import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raise click.UsageError with the nearest name for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in self._verbs:
            from ctxkit.edge.suggestions import suggest_command

            group = ctx.command_path.partition(" ")[2]
            raise click.UsageError(f"no such command: {args[0]}{suggest_command(group, args[0], self._verbs)}", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section from the table, without importing them."""
        width = max(map(len, self._verbs))
        for title, names in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), self._verbs[name]) for name in names.split()])


def check_answer(answer: object) -> int:
    """Return the exit status of a command; raise TypeError if it returned something else."""
    if not isinstance(answer, Exit | int) or isinstance(answer, bool):
        raise TypeError(f"the command answered {answer!r}, which is not an exit status")
    return answer


def _make_verbosity_callback(by: int) -> Callable[[click.Context, click.Parameter, bool], None]:
    return lambda _ctx, _param, given: say.change_verbosity(by) if given else None


def make_verbosity_options() -> tuple[Option, Option]:
    """Return the options ``--quiet`` and ``--verbose``."""
    return (
        _make_flag("-q", "--quiet", "Do not print warnings.", _make_verbosity_callback(-1), is_eager=True),
        _make_flag("-v", "--verbose", "Print decisions to stderr.", _make_verbosity_callback(1)),
    )


def make_version_option() -> Option:
    """Return the option ``--version``."""
    return _make_flag("-V", "--version", "Show the version.", _show_version, is_eager=True)


def make_help_option(names: list[str]) -> Option:
    """Return the help option with its ``names``.

    It is made without gettext, whose search for translations takes a millisecond.
    """
    return Option(
        names,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_help,
        help="Show this message and exit.",
    )


def _make_flag(
    short: str,
    long: str,
    help_text: str,
    callback: Callable[[click.Context, click.Parameter, bool], None],
    is_eager: bool = False,
) -> Option:
    return Option(
        [short, long], is_flag=True, is_eager=is_eager, expose_value=False, callback=callback, help=help_text
    )


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from ctxkit import __version__

        click.echo(f"ctxkit {__version__} ({read_build_name()})")
        ctx.exit()


def read_build_name(path: str = BUILD) -> str:
    """Return the name of the build, such as ``commit 3f9a2c81, 2026-11-23``; a source tree has none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(200).strip() or UNNAMED
    except OSError:
        return UNNAMED


def _show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def run_command(root: click.Command, args: list[str]) -> int:
    """Parse the arguments and run the command; click's own ``main`` would turn a closed pipe into status 1."""
    try:
        with root.make_context("ctxkit", args) as ctx:
            ctx.meta["ctxkit.start"] = time.monotonic()
            return check_answer(root.invoke(ctx))
    except click.exceptions.Exit as exit_request:
        return exit_request.exit_code


def _describe_os_error(error: OSError) -> str:
    """Return what failed, and the file that it is about."""
    place = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{place}"


def _report_usage(error: click.UsageError) -> int:
    """Print what is wrong with a command line, and return the status of that."""
    from ctxkit.edge.wrong_options import explain_usage_error

    path = error.ctx.command_path if error.ctx else " ".join(_find_command_words(sys.argv[1:]))
    say.error(explain_usage_error(error), f"{path} --help")
    return int(Exit.USAGE)


def run_for_status(work: Callable[[], int]) -> int:
    """Run a command; return its exit status, or print its error in one line and return the error's status."""
    try:
        answer = work()
        if sys.stdout is not None:
            sys.stdout.flush()
        return answer
    except CtxkitError as failure:
        say.error(str(failure), find_home_hint(str(failure)) or failure.hint)
        return int(failure.status)
    except click.UsageError as error:
        return _report_usage(error)
    except click.ClickException as error:
        say.error(error.format_message())
        return int(Exit.USAGE)
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        return _exit_by_sigpipe()
    except OSError as error:
        return _report_crash(error, Exit.IO, _describe_os_error(error))
    except RecursionError as error:  # recursion is as deep as the input is nested
        return _report_crash(error, Exit.MALFORMED, "the input is nested too deeply")
    except Exception as error:
        return _report_crash(error, Exit.BUG, f"internal error: {type(error).__name__}: {error}")


def _find_command_words(args: list[str]) -> list[str]:
    """Return the words of the arguments that name a command."""
    words, table = ["ctxkit"], VERBS
    for word in args:
        if word not in table:
            break
        words.append(word)
        table = GROUPS.get(word, {})
    return words


def _report_crash(error: Exception, status: Exit, message: str) -> int:
    if say.is_debugging():
        from traceback import format_exception

        say.say("".join(format_exception(error)).rstrip())
    hint = find_home_hint(message) or getattr(error, "hint", "")
    hint = "CTXKIT_DEBUG=1 shows where; please report it" if status is Exit.BUG else hint
    say.error(message, hint)
    return int(status)


def _exit_by_sigpipe() -> int:
    """End silently by SIGPIPE, like a C program whose reader has closed the pipe."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return int(Exit.DONE)
