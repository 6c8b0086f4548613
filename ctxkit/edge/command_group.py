"""Define a group of commands that imports each command only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from ctxkit.core.errors import Exit
from ctxkit.edge.option_types import Option


def _show_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class Verb(click.Command):
    """A command whose help option is made without gettext, whose search for translations takes a millisecond."""

    _help: Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the help option, the same for each call."""
        if self._help is None:
            names = self.get_help_option_names(ctx)
            self._help = Option(
                names,
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_help,
                help="Show this message and exit.",
            )
        return self._help


class CommandGroup(Verb, click.Group):
    """A group that lists commands from a table and loads each from the module of its name.

    The module ``package.NAME`` defines ``command``. Every command returns an Exit.
    """

    def __init__(self, package: str, verbs: Mapping[str, str], **attrs: Any) -> None:
        super().__init__(no_args_is_help=False, **attrs)
        self._package = package
        self._verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the table."""
        return list(self._verbs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise click.UsageError if there are none."""
        if not args and not ctx.resilient_parsing:
            raise click.UsageError("which command?", ctx)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the requested command, or None."""
        if cmd_name not in self._verbs:
            return None
        command = import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raise click.UsageError with the nearest name for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in self._verbs:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self._verbs, 1)
            raise click.UsageError(f"no such command: {args[0]}" + (f"; did you mean {near[0]}?" if near else ""), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))


def check_answer(answer: object) -> int:
    """Return the exit status of a command; raise TypeError if it returned something else."""
    if not isinstance(answer, Exit | int) or isinstance(answer, bool):
        raise TypeError(f"the command answered {answer!r}, which is not an exit status")
    return answer
