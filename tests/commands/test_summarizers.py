"""ctxkit compact --summarizer, as its users run it: real programs and real servers."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.system.processes import is_running
from tests.conftest import Run
from tests.core.compact.sizes import working, written
from tests.engines.summarizers.served import served

SIZED = ("--window", "2048", "--tokenizer", "o200k")
PAGE = """\
# Context

## Task
Something with a parser.

## Decisions
- The user wants the parser in src/parser.py fixed first.

## Facts
- The outputs have lines numbered to line 24.
- The file /etc/invented.conf holds 77123 secrets.

## Pending
- [ ] Fix the parser.

## Errors
"""
TRUE, FALSE = "The outputs have lines numbered to line 24.", "invented.conf"


@pytest.fixture
def chat(tmp_path: Path):
    path = tmp_path / "chat.json"
    path.write_bytes(written("openai", *working(24, 25)))
    return path


@pytest.fixture
def program(tmp_path: Path):
    """Write a program that notes each prompt, and says something; return it as a summarizer."""

    def made(words, *, log=tmp_path / "prompts"):
        path = tmp_path / "model.py"
        path.write_text(f"import sys\nopen({str(log)!r}, 'a').write(sys.stdin.read() + chr(0))\nsys.stdout.write({words!r})\n")
        return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    made.log = tmp_path / "prompts"  # type: ignore[attr-defined]
    return made


@pytest.fixture
def compact(run: Run, chat, tmp_path: Path):
    """Compact the chat, and return what was done, the page and the report."""

    def ran(summarizer, *more, **given):
        page, report = tmp_path / "CONTEXT.md", tmp_path / "report.json"
        done = run("compact", chat, *SIZED, "--summarizer", summarizer, "--context-md", page, "--report", report, *more, **given)
        return done, page.read_text() if page.exists() else "", json.loads(report.read_text()) if report.exists() else {}

    return ran


@pytest.fixture
def extracted(compact, chat):
    """Return what extract makes of the chat."""
    done, page, _ = compact("extract")
    assert done.status == 0
    return done.out, page


def test_a_program_writes_the_summary_and_what_it_invents_is_dropped(compact, program) -> None:
    done, page, report = compact(program(PAGE))
    assert (done.status, report["summarizer"], report["fell_back"]) == (0, program(PAGE), False)
    assert report["bullets_dropped"] == {"not in the source": 1}
    assert TRUE in page
    assert TRUE in done.out.decode()
    assert FALSE not in page + done.out.decode()
    assert "Please fix the parser in src/parser.py." in page.partition("## Decisions")[0]
    [*prompts, rest] = program.log.read_text().split("\0")
    assert rest == ""
    assert "[User]: Please fix the parser in src/parser.py." in prompts[0]
    assert report["high"] <= report["budget"]["effective"]


def test_a_server_writes_the_summary(compact) -> None:
    with served(f"<think>\nThe user wants a page.\n</think>\n\n```markdown\n{PAGE}```\nI hope this helps!") as server:
        done, page, report = compact(f"{server.address}#mine")
        assert (done.status, report["fell_back"]) == (0, False)
        assert TRUE in page
        assert not any(word in page for word in ("think", "hope", "```", FALSE))
        assert {body["model"] for _, _, body in server.seen} == {"mine"}


def test_nothing_is_started_or_reached_below_the_trigger(run: Run, program, chat, tmp_path: Path) -> None:
    with served() as server:
        for summarizer in (program(PAGE), server.address, "llama:/no/such.gguf"):
            done = run("compact", chat, "--window", "200000", "--summarizer", summarizer, "--strict")
            assert (done.status, done.out, done.err) == (0, chat.read_bytes(), "")
        assert server.seen == []
    assert not program.log.exists()


def test_what_is_no_page_of_it_is_made_without_the_model(compact, extracted, program) -> None:
    done, page, report = compact(program("I'm sorry, I cannot help with that."))
    assert (done.status, done.out, page) == (0, *extracted)
    assert (report["summarizer"], report["fell_back"]) == ("extract", True)
    assert [line for line in done.err.splitlines() if "warning" in line] == [
        f"ctxkit: warning: the summary is made without a model: what {program('')} wrote is not a summary of this conversation"
    ]


@pytest.mark.parametrize(
    ("summarizer", "status", "said"),
    [
        ("cmd:sh -c 'echo no GPU >&2; exit 3'", 74, "sh ended with status 3: no GPU"),
        ("llama", 69, "Qwen3-1.7B Q4_K_M is not found"),
    ],
)
def test_one_that_fails_costs_a_warning_or_all(compact, extracted, summarizer: str, status: int, said: str) -> None:
    done, page, _ = compact(summarizer)
    assert (done.status, done.out, page) == (0, *extracted)
    [warning] = [line for line in done.err.splitlines() if "warning" in line]
    assert warning.startswith(f"ctxkit: warning: the summary is made without a model, because {summarizer} failed: ")
    assert said in warning
    done, _, _ = compact(summarizer, "--strict")
    assert (done.status, done.out) == (status, b"")
    assert said in done.err.splitlines()[0]


def test_a_server_that_refuses_is_quoted(compact, extracted) -> None:
    with served() as server:
        server.call = (429, {"error": {"message": "slow down"}})
        done, page, _ = compact(f"{server.address}#m")
        assert (done.status, done.out, page) == (0, *extracted)
        assert "status 429" in done.err
        assert "slow down" in done.err


@pytest.mark.parametrize("summarizer", ["cmd: ", "http://"])
def test_a_summarizer_that_is_none(compact, summarizer: str) -> None:
    done, _, _ = compact(summarizer)
    assert (done.status, done.out) == (2, b"")
    assert "unknown summarizer" in done.err


def test_a_setting_names_the_summarizer(run: Run, chat, program, home: dict[str, str]) -> None:
    done = run("compact", chat, *SIZED, env={"CTXKIT_SUMMARIZER": program(PAGE)})
    assert TRUE in done.out.decode()


@pytest.mark.slow
def test_a_page_by_a_model_is_gone_on_from(compact, program, chat) -> None:
    compact(program(PAGE))
    before = program.log.read_text().count("\0")
    _, page, _ = compact(program(PAGE.replace(TRUE, "Step 3 printed line 7 of the output.")))
    assert "Step 3 printed line 7" in page
    assert f"- {TRUE}" in program.log.read_text().split("\0")[before]


def is_gone_soon(process: int) -> bool:
    """Return whether a process that was killed ends within ten seconds: its last parent may be slow to reap it."""
    for _ in range(200):
        if not is_running(process):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_an_interruption_ends_it_at_once(ctxkit: str, home: dict[str, str], chat, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    model = f"cmd:sh -c 'echo $$ > {mark}; exec sleep 60'"
    process = subprocess.Popen(
        [ctxkit, "compact", chat, *SIZED, "--summarizer", model], env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not (mark.exists() and mark.read_text().strip()):
        time.sleep(0.05)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert time.monotonic() - started < 30
    assert is_gone_soon(int(mark.read_text()))
