"""Find and read the completion scripts, which are generated when the repository is built."""

import os

SCRIPTS = {"bash": "ctxkit.bash", "zsh": "_ctxkit", "fish": "ctxkit.fish"}
"""File names by shell."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIRECTORIES = (os.path.join(_PACKAGE, "completions"), os.path.join(os.path.dirname(_PACKAGE), "completions"))
"""Where scripts may be: in the installed package, else beside the package in a source tree."""


def read_script(shell: str) -> bytes:
    """Return the script of a shell; raise OSError if it cannot be read."""
    name = SCRIPTS[shell]
    paths = [os.path.join(directory, name) for directory in DIRECTORIES]
    with open(next(filter(os.path.isfile, paths), paths[0]), "rb") as file:
        return file.read()
