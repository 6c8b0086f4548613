"""The name of a file says the format of its chart."""

from pathlib import Path

import pytest

from ctxkit.core.drawing import render_html, render_svg
from ctxkit.core.errors import UsageError
from ctxkit.edge import plot_file


def test_the_ending_says_the_format(tmp_path: Path) -> None:
    assert plot_file.find_renderer("a.b/c.SVG") is render_svg
    assert plot_file.find_renderer("x.html") is render_html
    for path in ("plot", "plot.png", ".svg", "svg"):
        with pytest.raises(UsageError, match=r"\.svg nor \.html"):
            plot_file.find_renderer(path)


def test_a_chart_replaces_the_file(tmp_path: Path) -> None:
    for text in ("old", "né"):
        plot_file.write(str(tmp_path / "a.svg"), text)
    assert (tmp_path / "a.svg").read_bytes() == "né".encode()
