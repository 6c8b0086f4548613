"""ctxkit budget: what fills the window."""

import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run

SHORT = b"[Context: 83% used. You can call compact_context to free space before continuing with large operations.]\n"
TURNS = [
    {"role": role, "content": f"{role} says {number}"} for number in range(8) for role in ("user", "assistant")
]
TOOL = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}
EXAMPLE = ("--window", "200000", "--reserve", "20%", "--used", "132800")


@pytest.fixture
def files(tmp_path: Path):
    (tmp_path / "system.md").write_text("You are a careful agent.\n" * 20)
    (tmp_path / "skill.md").write_text("Raise the version, then publish.\n" * 10)
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "chat.jsonl").write_text("".join(f"{json.dumps(turn)}\n" for turn in TURNS))
    return tmp_path


def facts(done):
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_the_example_of_the_issue(run: Run) -> None:
    """Window 200,000, reserve 20 %, used 132,800: the full note says 66 %, the short one 83 %."""
    assert run("budget", *EXAMPLE, "--note", "short").out == SHORT
    full = run("budget", *EXAMPLE, "--note", "full").out.decode()
    assert full.startswith("**Context Status**:\n- Tokens: 132,800 / 200,000 used (66%)\n- Items: 0 context items (0 ")
    found = facts(run("budget", *EXAMPLE, "--json", "--note", "short"))
    assert (found["effective_window"], found["remaining_tokens"], found["used_percentage"]) == (160_000, 27_200, 0.83)
    assert found["note"] == SHORT.decode()


def test_the_short_note_is_silent_up_to_80_percent(run: Run) -> None:
    assert run("budget", "--window", "200000", "--used", "128000", "--note", "short").out == b""


def test_files_are_components(run: Run, files) -> None:
    args = ("--system", "system.md", "--skills", "skill.md", "--tools", "tools.json", "--messages", "chat.jsonl")
    found = facts(run("budget", *args, "--model", "gpt-4o", "--json", cwd=files))
    parts = [found[name] for name in ("system_prompt", "skill_prompts", "tool_descriptions", "conversation")]
    assert min(parts) > 5
    assert sum(parts) == found["used_tokens"]
    assert (found["items"], found["prunings"], found["tokenizer"]) == (17, 0, "o200k")
    table = run("budget", *args, "--model", "gpt-4o", cwd=files).out.decode()
    assert [line.split("  ")[0] for line in table.splitlines()[:6]] == [
        "system prompt", "skills", "tools", "conversation", "used", "remaining",
    ]


def test_a_request_is_counted_as_count_counts_it(run: Run, files) -> None:
    request = json.dumps({"model": "gpt-4o", "messages": TURNS, "tools": [{"type": "function", "function": TOOL}]})
    found = facts(run("budget", "--model", "gpt-4o", "--json", stdin=request))
    assert found["used_tokens"] == facts(run("count", "--model", "gpt-4o", "--json", stdin=request))["tokens"]
    (files / "request.json").write_text(request)
    assert facts(run("budget", "request.json", "--model", "gpt-4o", "--json", cwd=files)) == found


def test_an_append_of_16_messages_is_16_items(run: Run, files) -> None:
    run("session", "new", "s", "--window", "8000", "--tokenizer", "o200k")
    run("session", "append", "s", "chat.jsonl", cwd=files)
    assert facts(run("session", "status", "s", "--json"))["items"] == 16
    found = facts(run("budget", "--session", "s", "--json"))
    assert (found["items"], found["prunings"], found["unmeasured"]) == (16, 0, 0)
    assert found["used_tokens"] == facts(run("session", "status", "s", "--json"))["used"]
    assert b"- Items: 16 context items (0 pruning operations so far)\n" in run("budget", "--session", "s", "--note", "full").out


@pytest.mark.slow
def test_an_edit_or_a_compaction_is_a_pruning(run: Run, files) -> None:
    run("session", "new", "s", "--window", "8000", "--tokenizer", "o200k")
    run("session", "append", "s", "chat.jsonl", cwd=files)
    run("edit", "remove", "3:6", "chat.jsonl", "--in-place", "--session", "s", cwd=files)
    found = facts(run("budget", "--session", "s", "--json"))
    assert (found["items"], found["prunings"], found["unmeasured"]) == (12, 1, 0)
    assert facts(run("session", "status", "s", "--json"))["edits"] == 1
    assert run("snapshot", "resume", "s").out == (files / "chat.jsonl").read_bytes()
    run("session", "append", "s", stdin=json.dumps(TURNS[0]))
    run("compact", "--force", "--session", "s", stdin=run("snapshot", "resume", "s").out)
    status = facts(run("session", "status", "s", "--json"))
    assert facts(run("budget", "--session", "s", "--json"))["prunings"] == 1 + status["compactions"]


def test_a_session_without_a_history_has_its_ledger(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--used", "300", "--tokenizer", "bytes/3")
    run("gate", "--session", "s", stdin=b"some words\n")
    found = facts(run("budget", "--session", "s", "--json"))
    assert found["conversation"] == found["used_tokens"] == facts(run("session", "status", "s", "--json"))["used"]
    assert found["items"] == 1


def test_what_only_the_ledger_knows_is_a_row(run: Run, files) -> None:
    run("session", "new", "s", "--window", "8000", "--tokenizer", "o200k")
    run("session", "append", "s", "chat.jsonl", cwd=files)
    run("session", "reset", "s", "--used", "5000")
    found = facts(run("budget", "--session", "s", "--json"))
    assert found["used_tokens"] == 5000
    assert found["unmeasured"] == 5000 - found["conversation"]
    assert b"in the ledger alone" in run("budget", "--session", "s").out


@pytest.mark.parametrize(("used", "status"), [("156799", 0), ("156800", 1), ("900000", 1)])
def test_check_answers_whether_it_is_blocked(run: Run, used: str, status: int) -> None:
    done = run("budget", "--window", "200000", "--used", used, "--check")
    assert (done.status, done.out, done.err) == (status, b"", "")


def test_the_state_is_named(run: Run) -> None:
    for used, words in (
        ("1", "compact from 152,000, blocked from 156,800"),
        ("152000", "compact now; blocked from 156,800"),
        ("156800", "blocked from 156,800: compact before anything more enters"),
        ("160001", "exceeded: compact before the next request"),
    ):
        assert run("budget", "--window", "200000", "--used", used).out.decode().splitlines()[-1] == words


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("--used", "5"), 2, "the window is not known"),
        (("--window", "9000", "--session", "no-such"), 1, "no session no-such"),
        (("--window", "9000", "--tools", "system.md"), 65, "system.md: line 1 is not JSON"),
        (("--window", "9000", "--messages", "system.md"), 65, "no conversation is recognized"),
        (("--window", "9000", "--system", "no-file"), 66, "no-file: No such file"),
        (("--window", "9000", "chat.jsonl", "--messages", "chat.jsonl"), 2, "FILE and --messages"),
    ],
)
def test_what_cannot_be_measured_is_one_line(run: Run, files, args, status: int, message: str) -> None:
    done = run("budget", *args, cwd=files)
    assert (done.status, done.out) == (status, b"")
    assert message in done.err


def read_plot(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()


def test_a_plot_shows_the_turns_of_a_conversation(run: Run, files: Path) -> None:
    """Issue: "tokens over the turns of a session, stacked by component, compactions marked, self-contained"."""
    for name in ("a.svg", "a.html"):
        words = ("--system", "system.md", "--tools", "tools.json", "--messages", "chat.jsonl", "--window", "8000")
        done = run("budget", *words, "--plot", name, cwd=files)
        assert (done.status, done.out, done.err) == (0, b"", "")
    root = read_plot(files / "a.svg")
    assert root.get("viewBox") == "0 0 400 320"
    paths = [path.get("class") for path in root.iter("{http://www.w3.org/2000/svg}path")]
    assert paths == ["s0", "s2", "s3"]
    page = (files / "a.html").read_text()
    usage = facts(run("budget", *words, "--json", cwd=files))
    assert page.count("<tr>") == 1 + 8
    assert f"<td>{usage['tool_descriptions']:,}</td>" in page


@pytest.mark.slow
def test_a_plot_of_a_session_marks_compactions(run: Run, files: Path) -> None:
    run("session", "new", "s", "--window", "3000", "--tokenizer", "o200k")
    long = "".join(f"{json.dumps({**turn, 'content': turn['content'] + ' words' * 120})}\n" for turn in TURNS)
    run("session", "append", "s", stdin=long)
    conversation = run("snapshot", "resume", "s").out
    assert run("compact", "--session", "s", "--force", stdin=conversation).status == 0
    run("session", "append", "s", stdin=long)
    run("budget", "--session", "s", "--plot", files / "s.svg")
    marks = [line for line in read_plot(files / "s.svg").iter("{http://www.w3.org/2000/svg}line") if line.get("class") == "mark"]
    assert ["".join(mark.itertext()) for mark in marks] == ["compaction"]


def test_a_plot_of_a_ledger_has_a_column_for_each_content(run: Run, files: Path) -> None:
    for number in range(3):
        run("gate", "--session", "t", "--window", "9000", "--tokenizer", "o200k", stdin=f"words {number}\n" * 40)
    run("session", "reset", "t", "--used", "10")
    assert run("budget", "--session", "t", "--plot", files / "t.html").status == 0
    page = (files / "t.html").read_text()
    assert page.count("<tr>") == 1 + 4
    assert "reset" in page


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
@pytest.mark.parametrize("theme", ["", "--force-dark-mode"])
def test_a_plot_of_stdin_is_drawn_in_a_browser(run: Run, files: Path, theme: str) -> None:
    data = (files / "chat.jsonl").read_bytes()
    assert run("budget", "--window", "500", "--plot", files / "b.html", stdin=data).status == 0
    shot = files / "b.png"
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=390,700", f"--screenshot={shot}", theme]
    subprocess.run(["chromium", *filter(None, words), f"file://{files / 'b.html'}"], capture_output=True, timeout=60, check=True)
    assert shot.stat().st_size > 5000


def test_a_plot_of_the_wrong_kind_is_an_error(run: Run, files: Path) -> None:
    for words, status in ((("--plot", "a.png"), 2), (("--plot", "none/a.svg"), 74), (("--plot", "a.svg", "--session", "no"), 1)):
        done = run("budget", "--window", "500", *words, stdin=(files / "chat.jsonl").read_bytes(), cwd=files)
        assert (done.status, done.out) == (status, b"")
        assert done.err.startswith("ctxkit: ")
