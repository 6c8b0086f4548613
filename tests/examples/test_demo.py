"""The demonstration prints a map that stays on a small screen, and reads a failure back."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS, COLUMNS = 24, 80
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def count_rows(text: str) -> int:
    """Return the rows of a terminal that a text takes."""
    return sum(max(-(-len(line) // COLUMNS), 1) for line in text.splitlines())


@pytest.mark.slow
def test_the_map_and_the_part_fit_a_small_terminal(forked_ctxkit: Path, home: dict[str, str], run: Run) -> None:
    env = {**home, "PATH": f"{forked_ctxkit.parent}:{home['PATH']}", "CTXKIT_SESSION": "mine", "CTXKIT_HINT": "read_result"}
    done = subprocess.run(["sh", EXAMPLES / "demo.sh"], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    printed = ESCAPE.sub("", done.stdout)
    assert count_rows(printed) < ROWS  # the prompt takes a row
    briefing, command, part = re.split(r"^\$ ctxkit (cache get .*) \| .*\n", printed, flags=re.MULTILINE)
    assert ("a map, not the content" in briefing, "2 failed" in briefing) == (True, True)
    assert f"\nTo read a part: ctxkit {command}\n" in briefing
    log = (EXAMPLES / "two-failures.log").read_text()
    assert (len(part.splitlines()), part in log) == (4, True)
    assert part in run(*command.split()).out.decode()  # what the map names can be read afterwards
