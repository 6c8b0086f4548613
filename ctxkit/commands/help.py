"""ctxkit help."""

import click

from ctxkit.core.errors import Exit
from ctxkit.edge.command_group import Verb


@click.command("help", cls=Verb)
@click.argument("words", nargs=-1, metavar="[COMMAND [SUBCOMMAND]]")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> Exit:
    """Show the help of a command.

    The help is that of COMMAND --help. Without COMMAND, it is the list of all commands.

    \b
    $ ctxkit help
    $ ctxkit help cache get
    """
    root = ctx.find_root()
    click.echo(_find_context(root, words).get_help(), color=ctx.color)
    return Exit.DONE


def _find_context(context: click.Context, words: tuple[str, ...]) -> click.Context:
    """Return the context of the command that words name; raise click.UsageError for an unknown one."""
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no subcommands: {word}", context)
        command = group.resolve_command(context, [word])[1]
        assert command is not None
        context = click.Context(command, parent=context, info_name=word)
    return context
