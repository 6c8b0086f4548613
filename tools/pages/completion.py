"""Completion scripts for bash, zsh and fish, written from the commands themselves.

They hold every word they offer, so that no Python starts when a user presses the key:
``python -m tools.pages.completion completions``.
"""

from tools.pages.bash import bash
from tools.pages.fish import fish
from tools.pages.publish import publisher
from tools.pages.tree import tree
from tools.pages.zsh import zsh

LEAD = "Written by python -m ctxkit.pages.completion from the commands themselves: change them there."
"""The comment above each script."""


def scripts() -> dict[str, str]:
    """Return every script by its file name."""
    top = tree()
    return {"ctxkit.bash": bash(top, LEAD), "_ctxkit": zsh(top, LEAD), "ctxkit.fish": fish(top, LEAD)}


if __name__ == "__main__":
    publisher(scripts, "*ctxkit*")()
