"""ctxkit completion."""

import os
import sys

import click

from ctxkit.core.errors import Exit, MissingDependencyError
from ctxkit.edge import out
from ctxkit.edge.command_group import Verb

SCRIPTS = {
    "bash": ("ctxkit.bash", "share/bash-completion/completions/ctxkit"),
    "zsh": ("_ctxkit", "share/zsh/site-functions/_ctxkit"),
    "fish": ("ctxkit.fish", "share/fish/vendor_completions.d/ctxkit.fish"),
}
"""By shell the file in a source tree, and the file below the prefix of an installation (pyproject.toml)."""
_ABOVE_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(_ABOVE_PACKAGE, "completions")
"""The scripts of a source tree."""
PREFIXES = (os.path.dirname(os.path.dirname(os.path.dirname(_ABOVE_PACKAGE))), sys.prefix, _ABOVE_PACKAGE)
"""Prefixes: that of lib/python3.11/site-packages, that of Python, and a directory that pip filled with --target."""


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


def read_script(shell: str) -> bytes:
    """Return the script of a shell; raise OSError if it cannot be read."""
    name, place = SCRIPTS[shell]
    paths = [os.path.join(SOURCE, name), *(os.path.join(prefix, place) for prefix in PREFIXES)]
    with open(next(filter(os.path.isfile, paths), paths[0]), "rb") as file:
        return file.read()
