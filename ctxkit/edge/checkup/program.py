"""Check the program itself: version, interpreter, pages and completions."""

import os
import sys
from collections.abc import Iterator

from ctxkit import __version__
from ctxkit.core.checkup import Check

PAGES = (
    ("man page", "share/man/man1/ctxkit.1"),
    ("bash completion", "share/bash-completion/completions/ctxkit"),
    ("zsh completion", "share/zsh/site-functions/_ctxkit"),
    ("fish completion", "share/fish/vendor_completions.d/ctxkit.fish"),
)
"""Files that the wheel installs beside the interpreter."""


def checks() -> Iterator[Check]:
    """Yield the versions of ctxkit and Python, and whether the pages are installed."""
    import platform

    yield Check("program", "ctxkit", __version__)
    yield Check("program", "Python", f"{platform.python_version()}, {sys.executable}")
    yield Check("program", "platform", platform.platform())
    present = [name for name, path in PAGES if os.path.exists(os.path.join(sys.prefix, path))]
    missing = [name for name, _ in PAGES if name not in present]
    if missing:
        hint = f"the wheel puts them under {sys.prefix}/share; an editable installation does not"
        yield Check("program", "pages", f"not installed: {', '.join(missing)}", "absent", hint)
    else:
        yield Check("program", "pages", f"{', '.join(present)}, under {sys.prefix}/share")
