import re

import pytest

from ctxkit.core.brief import brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import build as kind
from ctxkit.core.store.retrieval_hint import Hint
from ctxkit.core.text import lines

STAMP = "2026-01-02T03:04:05.1234567Z "
ACTIONS = [
    "##[group]Run actions/checkout@v4",
    *(f"fetching object {n}" for n in range(150)),
    "##[endgroup]",
    "##[group]Run npm run build",
    "> pkg@1.0.0 build",
    "> tsc -p .",
    *(f"emitting part {n}" for n in range(150)),
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
    "npm error code 2",
    "##[error]Process completed with exit code 2.",
]


def count(text):
    return (len(text.encode()) + 2) // 3


def mapped(text, target=1_000):
    held = lines.lines_from_bytes(text.encode())
    frame = BriefingFrame("log", held.total, held.size, 0, True, Hint("{start}:{end}"))
    return brief_document(InputDocument(held, held.read, count, target), frame)


def test_a_job_of_github_is_its_steps_its_error_and_how_it_closed() -> None:
    made = mapped("".join(f"{STAMP}{row}\n" for row in ACTIONS))
    assert made.kind == "build"
    at = ACTIONS.index("src/a.ts(3,5): error TS2304: Cannot find name 'x'.") + 1
    assert re.search(rf"- {at}: .*error TS2304: Cannot find name 'x'\.", made.text)
    assert "1x TS2304" in made.text
    assert "Process completed with exit code 2." in made.text
    assert re.search(r"- Lines 1-\d+: Run actions/checkout@v4", made.text)
    assert "Run npm run build" in made.text


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("rows", "closing"),
    [
        (["Collecting nope", "  Downloading nope.tar.gz", "ERROR: Could not find a version", "ERROR: No matching distribution found for nope"], "No matching"),
        (["Reading package lists...", "Building dependency tree...", "E: Unable to locate package nope"], "E: Unable"),
        (["#1 [internal] load build definition", "#2 [1/2] FROM x", "#2 DONE 0.1s", "#3 [2/2] RUN make", "#3 ERROR: process failed"], "#3 ERROR"),
        (["> Task :compileJava", "> Task :test FAILED", "FAILURE: Build failed with an exception.", "BUILD FAILED in 3s"], "BUILD FAILED"),
        (["-- The C compiler identification is GNU", "CMake Error at CMakeLists.txt:3 (find_package):", "  no", "-- Configuring incomplete, errors occurred!"], "Configuring incomplete"),
    ],
)
def test_how_a_build_closed_stands_as_it_is(rows, closing: str) -> None:
    noise = [row for row in rows[:-1] for _ in range(1)]
    text = "\n".join([rows[0], *[f"   Compiling part{n} v1.0.{n}" for n in range(200)], *noise[1:], rows[-1], ""])
    made = mapped(text, 500)
    assert closing in made.text
    assert made.kind in ("build", "diagnostics")


def test_resources_of_a_plan_are_reached() -> None:
    rows = [row for n in range(60) for row in (f"  # x.node_{n} will be created", '  + resource "x" {', *("      + a = 1",) * 12, "    }", "")]
    text = "\n".join(["Terraform will perform the following actions:", "", *rows, "Plan: 60 to add, 0 to change, 0 to destroy.", ""])
    made = mapped(text, 900)
    assert made.kind == "build"
    assert "Plan: 60 to add" in made.text
    ranges = [(int(a), int(b)) for a, b in re.findall(r"- Lines (\d+)-(\d+):", made.text)]
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith("  # "):
            assert any(start <= number <= end < start + 120 for start, end in ranges)


def test_a_log_is_left_to_the_log() -> None:
    data = "".join(f"2026-01-02 10:20:{n % 60:02} INFO app: step {n} done\n" for n in range(200)).encode()
    held = lines.lines_from_bytes(data)
    found = kind_detection.detect_kind(InputDocument(held, held.read, count, 1_000))[0]
    assert found.NAME == "log"
    assert kind.sniff(InputDocument(held, held.read, count, 1_000)) == 0.0


def test_blank_lines_inside_the_end_are_counted() -> None:
    text = "\n".join([*ACTIONS[:-1], "said last but two", "", "##[error]Process completed with exit code 2.", ""])
    content = lines.lines_from_bytes(text.encode())
    document = InputDocument(content, content.read, count, 2000, "x.log")
    for outline in kind.outline(document):
        rows = [entry for section in outline.sections if section.bare for entry in section.entries]
        assert [row.start for row in rows] == list(range(rows[0].start, rows[-1].start + 1)) if rows else True
        assert all(content.at(row.start).strip() == row.label for row in rows)
