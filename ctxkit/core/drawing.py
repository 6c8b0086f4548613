"""Draw charts: in text, and as SVG."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctxkit.core.text.escapes import escape_line

MAX_COLUMNS = 300
"""Number of columns that are drawn; neighbours of a longer chart share a column."""
_MAX_TICKS = 6
"""Number of labels below the columns."""
MAX_VALUES = 5
"""Number of values above 0 beside the columns."""


class Series(NamedTuple):
    """The values of one component, one for each column; none is negative."""

    name: str
    values: tuple[int, ...]


class Mark(NamedTuple):
    """A vertical line before a column."""

    column: int
    name: str


class Limit(NamedTuple):
    """A horizontal line at a value."""

    value: int
    name: str


class Chart(NamedTuple):
    """Stacked columns with their labels; ``axis`` names what the columns are."""

    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    limits: tuple[Limit, ...] = ()
    axis: str = ""
    unit: str = "tokens"

    def sum_columns(self) -> list[int]:
        """Return the height of each column."""
        return [sum(values) for values in zip(*(series.values for series in self.series), strict=True)]

    def shorten(self, most: int = MAX_COLUMNS) -> "Chart":
        """Return the chart with at most ``most`` columns: of neighbours, the highest column stays."""
        size = len(self.labels)
        if size <= most:
            return self
        sums = self.sum_columns()
        bounds = [at * size // most for at in range(most + 1)]
        kept = [max(range(*span), key=sums.__getitem__) for span in pairwise(bounds)]
        return self._replace(
            labels=tuple(self.labels[at] for at in kept),
            series=tuple(series._replace(values=tuple(series.values[at] for at in kept)) for series in self.series),
            marks=tuple(mark._replace(column=mark.column * most // size) for mark in self.marks),
        )

    @property
    def top(self) -> int:
        """Return the highest value of the chart."""
        return max([1, *self.sum_columns(), *(limit.value for limit in self.limits)])


def list_ticks(top: int) -> list[int]:
    """Return round values from 0 to at least ``top``, at most ``MAX_VALUES`` above 0."""
    step = 1
    while -(-top // step) > MAX_VALUES:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return [step * number for number in range(-(-top // step) + 1)]


def format_short(value: int) -> str:
    """Return a count in few characters, such as 1.5M, 20k or 300."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.1f}".removesuffix(".0") + unit
    return str(value)


def pick_labels(labels: Sequence[str]) -> Iterator[int]:
    """Yield the positions of the labels that are shown, the first and the last among them."""
    size = len(labels)
    if size <= _MAX_TICKS:
        yield from range(size)
        return
    yield from dict.fromkeys(round(at * (size - 1) / (_MAX_TICKS - 1)) for at in range(_MAX_TICKS))


WIDTH, HEIGHT = 400, 320
"""Size of the view box: about that of a phone, so that text is readable there and grows with a larger window."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 62, 44
_PLOT_WIDTH, _PLOT_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
MAX_TEXT = 60
"""Characters of a name that are shown."""
_LIGHT = ("#2f6fb0", "#d98c1f", "#3f8f5f", "#8a5aa8", "#7a7a7a")
_DARK = ("#6aa9e9", "#f0b35a", "#74c491", "#c095dd", "#aaaaaa")
_STYLE = f"""
.chart{{background:#fff;color:#1b1b1b;font:11px system-ui,sans-serif;width:100%;max-width:1000px;height:auto}}
.chart text{{fill:currentColor}}.grid{{stroke:currentColor;stroke-opacity:.18}}
.mark{{stroke:currentColor;stroke-dasharray:3 2}}.limit{{stroke:#c0392b}}
{"".join(f".s{number}{{fill:{color}}}" for number, color in enumerate(_LIGHT))}
@media (prefers-color-scheme:dark){{.chart{{background:#15181c;color:#e8e8e8}}.limit{{stroke:#ff7b6b}}
{"".join(f".s{number}{{fill:{color}}}" for number, color in enumerate(_DARK))}}}
"""
_PAGE_STYLE = """
body{margin:0 auto;max-width:1000px;padding:8px;background:#fff;color:#1b1b1b;font:16px system-ui,sans-serif}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}.scroll{overflow-x:auto}
th,td{padding:2px 8px;text-align:right}th:first-child{text-align:left;max-width:60vw;overflow-wrap:break-word}
@media (prefers-color-scheme:dark){body{background:#15181c;color:#e8e8e8}}
"""


def render_svg(chart: Chart) -> str:
    """Return a chart as an SVG document."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_render_figure(chart)}\n'


def render_html(chart: Chart) -> str:
    """Return a chart as an HTML page, with its numbers in a table below."""
    title = escape_xml(chart.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark"><style>{_PAGE_STYLE}</style></head>\n'
        f"<body>{_render_figure(chart)}\n{_render_table(chart)}</body></html>\n"
    )


def escape_xml(text: str) -> str:
    """Return a text in which every character is one that XML allows, and none is markup."""
    text = re.sub("[\ufffe\uffff]", "?", escape_line(text))
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(sign, entity)
    return text


def _shorten(text: str, most: int = MAX_TEXT) -> str:
    """Return the escaped beginning of a text."""
    return escape_xml(text if len(text) <= most else f"{text[: most - 1]}…")


def _render_figure(chart: Chart) -> str:
    chart = chart.shorten()
    parts = [
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{_shorten(chart.title)}</title><style>{_STYLE}</style>",
        f'<text x="8" y="18" font-size="14" font-weight="600">{_shorten(chart.title)}</text>',
        *_render_legend(chart),
        *_render_grid(chart),
        *_render_columns(chart),
        *_render_lines(chart),
        *_render_labels(chart),
        "</svg>",
    ]
    return "\n".join(parts)


def _render_legend(chart: Chart) -> Iterator[str]:
    """Yield a coloured square and a name for each component that has any tokens, in two rows if they are long."""
    left, top = 8.0, 30
    for number, series in enumerate(chart.series):
        if not any(series.values):
            continue
        width = 26 + 6.2 * len(series.name)
        if left + width > WIDTH:
            left, top = 8.0, top + 15
        yield f'<rect class="s{number}" x="{left:.0f}" y="{top}" width="10" height="10"/>'
        yield f'<text x="{left + 13:.0f}" y="{top + 9}">{_shorten(series.name)}</text>'
        left += width


def _top_tick(chart: Chart) -> int:
    return list_ticks(chart.top)[-1]


def _place(value: float, chart: Chart) -> float:
    """Return the vertical position of a value."""
    return _TOP + _PLOT_HEIGHT * (1 - value / _top_tick(chart))


def _render_grid(chart: Chart) -> Iterator[str]:
    for value in list_ticks(chart.top):
        y = _place(value, chart)
        yield f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{format_short(value)}</text>'


def _column_left(at: float, chart: Chart) -> float:
    return _LEFT + _PLOT_WIDTH * at / max(len(chart.labels), 1)


def _render_columns(chart: Chart) -> Iterator[str]:
    """Yield one path for each component, with a rectangle for each column."""
    size = len(chart.labels)
    width = _PLOT_WIDTH / max(size, 1) * (0.8 if size <= 60 else 1)
    base = [0] * size
    for number, series in enumerate(chart.series):
        path = "".join(
            f"M{_column_left(at, chart):.1f} {_place(base[at], chart):.1f}h{width:.2f}"
            f"V{_place(base[at] + value, chart):.1f}h-{width:.2f}z"
            for at, value in enumerate(series.values)
            if value
        )
        base = [height + value for height, value in zip(base, series.values, strict=True)]
        if path:
            yield f'<path class="s{number}" d="{path}"/>'


def _render_lines(chart: Chart) -> Iterator[str]:
    """Yield the limits and the marks with their names."""
    for limit in chart.limits:
        y = _place(limit.value, chart)
        yield f'<line class="limit" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{WIDTH - _RIGHT}" y="{y - 3:.1f}" text-anchor="end">{_shorten(limit.name)}</text>'
    for mark in chart.marks:
        x = _column_left(mark.column, chart)
        name = f"<title>{_shorten(mark.name)}</title>"
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 4}" y2="{HEIGHT - _BOTTOM}">{name}</line>'
        yield f'<text x="{x:.1f}" y="{_TOP - 6}" text-anchor="middle">▼{name}</text>'


def _render_labels(chart: Chart) -> Iterator[str]:
    """Yield names below some columns, shortened to the room between them, and that of the axis."""
    shown = list(pick_labels(chart.labels))
    most = max(int(_PLOT_WIDTH / 6.2 / max(len(shown), 1)), 4)
    for at in shown:
        x = _column_left(at + 0.4, chart)
        anchor = "end" if at and at == shown[-1] and len(chart.labels) > len(shown) else "middle"
        label = _shorten_front(chart.labels[at], most)
        yield f'<text x="{x:.1f}" y="{HEIGHT - 28}" text-anchor="{anchor}">{label}</text>'
    names = " · ".join(dict.fromkeys(mark.name for mark in chart.marks))
    words = f"{chart.unit} by {chart.axis}" + (f"; ▼ {names}" if names else "")
    yield f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{_shorten(words)}</text>'


def _shorten_front(text: str, most: int) -> str:
    """Return the escaped end of a text, which distinguishes paths."""
    return escape_xml(text if len(text) <= most else f"…{text[1 - most :]}")


def _render_table(chart: Chart) -> str:
    """Return the numbers of a chart as a table that scrolls on its own."""
    heads = "".join(f"<th>{escape_xml(series.name)}</th>" for series in chart.series)
    columns = zip(*(series.values for series in chart.series), strict=True)
    rows = "\n".join(
        f"<tr><th>{_shorten(label, 200)}</th>{''.join(f'<td>{value:,}</td>' for value in values)}</tr>"
        for label, values in zip(chart.labels, columns, strict=True)
    )
    return f'<div class="scroll"><table><tr><th>{escape_xml(chart.axis)}</th>{heads}</tr>\n{rows}\n</table></div>'
