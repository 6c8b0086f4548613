"""Making a workspace of a directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.core.lint.assemble import Listing, Wanted, assemble

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.lint.workspace import Workspace
    from ctxkit.core.tokenizer import Tokenizer

LARGEST = 16 << 20
"""Bytes of a file past which it is no file that an agent loads."""


def gather(
    root: str,
    tokens: Tokenizer,
    wanted: Wanted | None = None,
    asked: tuple[str, ...] = (),
    seen: Callable[[int], None] | None = None,
) -> Workspace:
    """Return the workspace in a directory.

    ``asked`` are files in it that are linted whatever their names; ``seen`` is told the bytes of each that is read.
    """
    from ctxkit.engines.workspace.git import history, ignored
    from ctxkit.engines.workspace.walk import walk

    found = walk(root)
    listing = Listing(found.paths, found.links, found.broken, asked)
    if found.repository:
        listing = listing._replace(ignored=ignored(root), history=history(root))

    def read(path: str) -> bytes | None:
        """Return the content of a file, None where it cannot be read or is too large."""
        try:
            with open(os.path.join(root, path), "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError:
            return None
        if seen:
            seen(len(data))
        return data if len(data) <= LARGEST else None

    return assemble(listing, read, tokens, wanted or Wanted())
