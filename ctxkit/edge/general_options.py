"""Define the options that every command accepts: verbosity, version and help."""

from __future__ import annotations

import os
from collections.abc import Callable

import click

from ctxkit.edge import say
from ctxkit.edge.option_types import Option

BUILD = os.path.join(os.path.dirname(os.path.dirname(__file__)), "BUILD")
"""The file that a build adds to the package."""
UNNAMED = "source tree"


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
