"""Draw the picture of the README from a real run: ``python -m tools.demo_svg docs`` writes demo.svg."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tools.pages.publish import publisher

EXAMPLES = Path(__file__).parents[1] / "examples"
LOG = "pytest-failing.log"
GATE = f"ctxkit gate --tokenizer qwen3 --window 4096 < {LOG}"
COLUMNS = 106
"""Characters of a line that fit the width of the picture."""
WIDTH, MARGIN = 880, 16
TITLE_HEIGHT, LINE_HEIGHT, GAP = 28, 17, 12
ELISION = "\u22ee "
"""The beginning of the line that counts the lines which the picture leaves out."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""Characters that XML does not allow, or that a picture cannot show."""
STYLE = """\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre }
text, .command { fill: #1f2328 }
.title { font-weight: bold; fill: #0550ae }
.command { font-weight: bold }
.gap { fill: #6e7781 }
rect { fill: #f6f8fa; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text, .command { fill: #e6edf3 }
  .title { fill: #79c0ff }
  .gap { fill: #8b949e }
  rect { fill: #161b22; stroke: #30363d }
}
"""


class Pane(NamedTuple):
    """Hold a title, a command, and those lines of its output that the picture shows."""

    title: str
    command: str
    lines: Sequence[str]


def draw_files() -> dict[str, str]:
    """Return the picture by its file name."""
    return {"demo.svg": draw(record_panes())}


def record_panes() -> list[Pane]:
    """Run the commands of the picture in an empty home and return what they print."""
    log = (EXAMPLES / LOG).read_text(encoding="utf-8")
    with TemporaryDirectory() as home:
        briefing = run(GATE, home)
        tokens = int(run("ctxkit count --tokenizer qwen3", home, briefing))
        log_tokens = int(run(f"ctxkit count --tokenizer qwen3 < {LOG}", home))
    size = f"{len(briefing.splitlines())} lines, {tokens:,} tokens"
    return [
        Pane(f"Before: {len(log.splitlines()):,} lines, {log_tokens:,} tokens", f"cat {LOG}", shorten(log, 2, 3)),
        Pane(f"After: {size}, for a window of 4,096 tokens", GATE, shorten(briefing, 8, 12)),
    ]


def run(command: str, home: str, stdin: str = "") -> str:
    """Return what a ctxkit command prints, with none of this user's settings and files."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    words, _, path = command.partition(" < ")
    data = (EXAMPLES / path).read_bytes() if path else stdin.encode()
    done = subprocess.run(
        [sys.executable, "-m", *words.split()],
        input=data,
        stdout=subprocess.PIPE,
        cwd=EXAMPLES,
        env={**kept, "HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8", "PATH": os.defpath},
        check=True,
    )
    return done.stdout.decode()


def shorten(text: str, head: int, tail: int) -> list[str]:
    """Return the first and the last lines of a text, with a line between them that counts the others."""
    lines = text.splitlines()
    hidden = len(lines) - head - tail
    if hidden <= 1:
        return lines
    return [*lines[:head], f"{ELISION}{hidden:,} more lines", *lines[len(lines) - tail :]]


def draw(panes: Sequence[Pane]) -> str:
    """Return panes below each other as SVG."""
    elements: list[str] = []
    top = 0
    for pane in panes:
        elements += draw_pane(pane, top)
        top += pane_height(pane) + GAP
    size = f'viewBox="0 0 {WIDTH} {top - GAP}" width="{WIDTH}" height="{top - GAP}"'
    label = escape("; ".join(pane.title for pane in panes))
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">'
    return "\n".join([opening, f"<style>\n{STYLE}</style>", *elements, "</svg>", ""])


def draw_pane(pane: Pane, top: int) -> list[str]:
    """Return the elements of one pane: its box, its title, the command and its output."""
    box = f'<rect x="0.5" y="{top + 0.5}" width="{WIDTH - 1}" height="{pane_height(pane) - 1}" rx="6"/>'
    first = top + TITLE_HEIGHT + LINE_HEIGHT
    rows = [("command", f"$ {pane.command}"), *((style_class(line), line) for line in pane.lines)]
    texts = [draw_text(text, first + LINE_HEIGHT * number, name) for number, (name, text) in enumerate(rows) if text]
    return [box, draw_text(pane.title, top + LINE_HEIGHT + 4, "title"), *texts]


def draw_text(text: str, baseline: int, name: str) -> str:
    """Return one line of text, cut at the width of the picture."""
    shown = CONTROL.sub("\ufffd", text)
    shown = shown if len(shown) <= COLUMNS else f"{shown[: COLUMNS - 1]}\u2026"
    kind = f' class="{name}"' if name else ""
    return f'<text x="{MARGIN}" y="{baseline}"{kind} xml:space="preserve">{escape(shown, quote=False)}</text>'


def style_class(line: str) -> str:
    """Return the style of a line of output."""
    return "gap" if line.startswith(ELISION) else ""


def pane_height(pane: Pane) -> int:
    """Return the height of a pane in pixels."""
    return TITLE_HEIGHT + LINE_HEIGHT * (len(pane.lines) + 1) + GAP


if __name__ == "__main__":
    publisher(draw_files, "demo.svg")()
