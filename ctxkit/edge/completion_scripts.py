"""Find and read the completion scripts, which are generated when the repository is built."""

import os
import sys

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


def read_script(shell: str) -> bytes:
    """Return the script of a shell; raise OSError if it cannot be read."""
    name, place = SCRIPTS[shell]
    paths = [os.path.join(SOURCE, name), *(os.path.join(prefix, place) for prefix in PREFIXES)]
    with open(next(filter(os.path.isfile, paths), paths[0]), "rb") as file:
        return file.read()
