import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import diagnostics as kind
from ctxkit.core.text import lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.retrieval_hint import Hint
from tests.example_counts import count_examples

BROKEN = "import os\nimport re\n\ndef f(a):\n    b = 1\n    return missing + a\n\n\ndef g():\n    x: int = 'text'\n    return undefined\n"


def count(text):
    return (len(text.encode()) + 2) // 3


def document(data, target=2_000, name=""):
    held = lines.lines_from_bytes(data)
    return InputDocument(held, held.read, count, target, name)


def mapped(data, target=2_000):
    held = document(data, target)
    return brief_document(held, BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}")))


CODES = ["D205", "ANN401", *(f"Q{at:03}" for at in range(70)), "F821", *(f"Q{at:03}" for at in range(70, 150))]
MANY_CODES = "".join(
    f"pkg/a.py:{line}:1: {code} Something about {code}\n"
    for line, code in enumerate([code for at, code in enumerate(CODES) for _ in range(max(40 - 15 * at, 1))], 1)
).encode()


@pytest.mark.parametrize("target", [400, 2_000])
def test_a_code_of_what_fails_at_run_time_comes_first_and_hidden_codes_are_counted(target: int) -> None:
    text = mapped(MANY_CODES, target).text
    place = MANY_CODES[: MANY_CODES.index(b"F821")].decode().count("\n") + 1
    assert text.index(f"- {place}: pkg/a.py:{place}:1: F821") < text.index("x D205, such as")
    shown = len(set(re.findall(r"\b(?:D205|ANN401|F821|Q\d{3})\b", text[text.index("## Found here") :])))
    more = re.search(r"^- (\d+) more codes?$", text, re.MULTILINE)
    assert shown + (int(more[1]) if more else 0) == len(CODES)


def check(data, target=2_000):
    """Hold every entry of every outline against the lines it claims."""
    held = document(data, target)
    for outline in kind.outline(held) or []:
        waiting = [entry for section in outline.sections for entry in section.entries]
        for entry in waiting:
            waiting.extend(entry.children)
            assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= held.lines.total
            if entry.verbatim:
                assert re.sub(r" \[\+\d+ chars\]$", "", entry.label) in strip_escapes(held.lines.at(entry.start)).replace("\t", "    ")


@pytest.fixture(scope="module")
def ruff(tmp_path_factory: pytest.TempPathFactory):
    """Run ruff over broken files; give its log in full and what it says to programs."""
    here = tmp_path_factory.mktemp("project")
    for number in range(30):
        (here / f"part_{number}.py").write_text(BROKEN)
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--select", "F,E,ANN", "."]
    log = subprocess.run(command, cwd=here, capture_output=True, check=False).stdout
    report = subprocess.run([*command, "--output-format", "json"], cwd=here, capture_output=True, check=False).stdout
    return log, json.loads(report)


@pytest.mark.slow
def test_every_code_is_counted_and_every_file_reached(ruff) -> None:
    log, report = ruff
    made = mapped(log)
    assert made.kind == "diagnostics"
    for code in {one["code"] for one in report}:
        many = sum(one["code"] == code for one in report)
        assert f"{many}x {code}" in made.text
    ranges = re.findall(r"^\s*- Lines (\d+)-(\d+): (.*)", made.text, re.MULTILINE)
    for number in range(30):
        assert any(int(end) - int(start) < 120 and f"part_{number}.py" in label for start, end, label in ranges)
    check(log)


@pytest.mark.slow
def test_the_first_error_and_the_closing_line_stand_as_they_are(ruff) -> None:
    log, report = ruff
    text = mapped(log).text
    assert f"Found {len(report)} errors." in text
    first = strip_escapes(log.decode().split("\n")[0])
    assert f"- 1: {first}" in text


@pytest.mark.slow
@pytest.mark.parametrize("target", [60, 120, 300, 1_000, 4_000])
def test_the_target_is_kept_and_the_map_is_the_same_each_time(ruff, target: int) -> None:
    made = mapped(ruff[0], target)
    assert count(made.text) <= target
    assert mapped(ruff[0], target).text == made.text


@pytest.mark.slow
def test_errors_come_before_warnings_however_few() -> None:
    rows = [f"src/a.c:{n}:1: warning: unused variable ‘v{n}’ [-Wunused-variable]" for n in range(1, 400)]
    rows.insert(300, "src/b.c:7:3: error: unknown type name ‘T’")
    text = mapped("\n".join([*rows, "make: *** [Makefile:2: all] Error 1", ""]).encode(), 600).text
    assert "- 301: src/b.c:7:3: error: unknown type name ‘T’" in text
    assert text.index("unknown type name") < text.index("399x -Wunused-variable")
    assert "- 401: make: *** [Makefile:2: all] Error 1" in text


def test_no_verdict_is_made_where_none_is() -> None:
    text = mapped(b"a.go:3:5: undefined: x\n" * 300).text.lower()
    assert not any(word in text for word in ("failed", "passed", "success", "no issues"))


def test_zero_errors_are_quoted_not_counted() -> None:
    rows = [f"src/a.py:{n}:1: W{100 + n % 3} trailing whitespace" for n in range(1, 300)]
    text = mapped("\n".join([*rows, "0 errors, 0 warnings, 0 informations", ""]).encode()).text
    assert "- 300: 0 errors, 0 warnings, 0 informations" in text


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 1\n" * 50,
        "# Title\n\nSome `code` and\n\n```\na.c:3:5: error: x\n```\n\nmore words\n" * 5,
        "".join(f"2026-01-02 10:20:{n % 60:02} ERROR app: a.c:3:5: error: x\n" for n in range(100)),
        "src/a.py:12:    value = 1\nsrc/a.py:13:    other = 2\n" * 40,
        "just words\n" * 100,
        "",
    ],
)
def test_other_content_is_not_claimed(text) -> None:
    assert kind.sniff(document(text.encode())) < 0.5


def test_a_source_file_is_not_claimed_whatever_it_holds() -> None:
    assert kind.sniff(document(b"a.c:3:5: error: x\n" * 40, name="a.c")) == 0.0


@pytest.mark.slow
def test_the_beginning_alone_of_a_log_is_recognized(ruff) -> None:
    part = ruff[0][: len(ruff[0]) // 2]
    assert kind_detection.rank_kinds(document(part))[0][0] is kind
    check(part)


@pytest.mark.slow
def test_windows_line_ends_and_colours_change_no_count(ruff) -> None:
    text = mapped(ruff[0]).text
    counts = re.findall(r"\d+x \w+", text)
    assert re.findall(r"\d+x \w+", mapped(ruff[0].replace(b"\n", b"\r\n")).text) == counts


@settings(max_examples=count_examples(60), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["a.c:3:5: error: ‘x’", "error[E1]: y", " --> b.rs:1:2", "  |", "/p/a.js", "  1:2  error  m  r", "make: *** [x] Error 1", "", "words here", "F401 os", "      ^", "In file included from a.h:1,", "CMake Error at a:3 (f):", "│ Error: z", "##[group]x", "Error: q", "In a.sh line 3:", "  ^-- SC1 (info): m"]
        ),
        max_size=60,
    ),
    st.integers(30, 600),
)
def test_every_entry_is_true_of_its_lines(rows: list[str], target: int) -> None:
    data = "\n".join(rows).encode()
    check(data, target)
    made = mapped(data, target)
    assert made is None or count(made.text) <= target


def test_the_totals_of_a_test_run_after_warnings_come_first() -> None:
    warning = "../a.h:1{n}:5: warning: padding struct [-Wpadded]\n  1{n} |   char *p;\n      |         ^\n"
    text = "".join(warning.format(n=n) for n in range(60)) + "ninja: no work to do.\n"
    text += "".join(f"{n}/40 case {n}   OK   0.01s\n" for n in range(40)) + "\nOk:                 38\nFail:               2\n\n"
    text = mapped(text.encode(), 600).text
    assert text.index("Fail:               2") < text.index("## ")


def test_warnings_alike_are_not_quoted_again_with_the_lines_below() -> None:
    warning = "../a.h:1{n}:5: warning: padding struct [-Wpadded]\n  1{n} |   char *p;\n      |         ^\n"
    rest = "".join(f"step {n} of {'abc'[n % 3] * (n % 7)} is done\n" for n in range(200))
    text = mapped(("".join(warning.format(n=n) for n in range(60)) + rest).encode(), 1_500).text
    assert 2 <= text.count("char *p;") < 12
