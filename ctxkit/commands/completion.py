"""ctxkit completion."""

import click

from ctxkit.core.errors import Exit, MissingDependencyError
from ctxkit.edge import out
from ctxkit.edge.command_group import Verb
from ctxkit.edge.completion_scripts import SCRIPTS, read_script


@click.command("completion", cls=Verb)
@click.argument("shell", metavar="SHELL", type=click.Choice(tuple(SCRIPTS)))
def command(shell: str) -> Exit:
    """Print the completion script of a shell.

    SHELL is bash, zsh or fish. The Debian package puts the scripts where shells look for
    them. Otherwise, let the start-up file of the shell read the script: for bash, add the
    line 'source <(ctxkit completion bash)' to ~/.bashrc.

    \b
    $ ctxkit completion bash > ctxkit.bash
    """
    try:
        script = read_script(shell)
    except OSError as error:
        raise MissingDependencyError(
            f"the completion script is not installed: {error.filename}", hint="install ctxkit again"
        ) from None
    out.write([script])
    return Exit.DONE
