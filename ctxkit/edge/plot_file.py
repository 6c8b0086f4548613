"""Write a chart to a file whose name says its format."""

import os
from collections.abc import Callable

from ctxkit.core.drawing import Chart
from ctxkit.core.errors import UsageError
from ctxkit.edge import atomic_file

FORMATS = (".svg", ".html")


def find_renderer(path: str) -> Callable[[Chart], str]:
    """Return the function that renders a chart for a file; raise UsageError for an unknown ending."""
    from ctxkit.core.drawing import render_html, render_svg

    ending = os.path.splitext(path)[1].lower()
    if ending not in FORMATS:
        raise UsageError(f"--plot: {path} ends in neither .svg nor .html", hint="as in --plot tokens.svg")
    return render_svg if ending == ".svg" else render_html


def write(path: str, text: str) -> None:
    """Write a rendered chart atomically."""
    atomic_file.write(path, text.encode("utf-8", "replace"))
