"""ctxkit count, as a user runs it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

CORPORA = Path(os.environ.get("CTXKIT_CORPORA") or Path(__file__).parents[2] / ".." / "shared" / "corpora")
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]
WEATHER = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "You are a helpful assistant that can answer to questions about the weather."},
        {"role": "user", "content": "What's the weather like in San Francisco?"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_current_weather",
                "description": "Get the current weather in a given location",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                        "unit": {
                            "type": "string",
                            "description": "The unit of temperature to return",
                            "enum": ["celsius", "fahrenheit"],
                        },
                    },
                },
            },
        }
    ],
}
"""The example of OpenAI's cookbook with tools, which its API counts as 101 with gpt-4o."""


@pytest.fixture
def files(tmp_path: Path):
    (tmp_path / "a.txt").write_text("hello world\n")
    (tmp_path / "b.txt").write_text("one two three four\n" * 50)
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    (tmp_path / "weather.json").write_text(json.dumps(WEATHER))
    return tmp_path


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        *((b"", 0), (b"hello world\n", 3), ("hello world".encode("utf-16"), 2), (b"\xff\xfe", 0), (b"\xff", 1)),
        *((b"<|endoftext|>", 7), (b"{}", 1), (b"\x00\x01", 2), (json.dumps(CHAT).encode(), 15)),
    ],
)
def test_stdin_alone_gives_one_number(run: Run, data, tokens) -> None:
    done = run("count", stdin=data)
    assert (done.status, done.out, done.err) == (0, b"%d\n" % tokens, "")


def test_a_file_is_named_and_several_have_a_total(run: Run, files) -> None:
    assert run("count", "a.txt", cwd=files).out == b"3 a.txt\n"
    done = run("count", "a.txt", "b.txt", "chat.json", cwd=files)
    assert done.out.decode().splitlines() == ["  3 a.txt", "250 b.txt", " 15 chat.json", "268 total"]
    done = run("count", "-", "a.txt", cwd=files, stdin=b"hello")
    assert done.out.decode().splitlines() == ["1 stdin", "3 a.txt", "4 total"]
    done = run("count", "--by", "total", "a.txt", "b.txt", cwd=files)
    assert done.out == b"253\n"


def test_long_rows_say_how_it_is_known(run: Run, files) -> None:
    done = run("count", "--long", "a.txt", "chat.json", cwd=files)
    size = len(json.dumps(CHAT))
    assert done.out.decode().splitlines() == [
        f" 3 1 {12:{len(str(size + 12))}} exact text   a.txt",
        f"15 1 {size} exact openai chat.json",
        f"18 2 {size + 12} exact mixed  total",
    ]


def test_json_is_one_object_a_file_and_one_for_the_total(run: Run, files) -> None:
    done = run("count", "a.txt", "--model", "qwen3-30b", "--json", cwd=files)
    assert json.loads(done.out) == {
        "name": "a.txt", "tokens": 3, "method": "exact", "tokenizer": "qwen3", "low": 3, "high": 3,
        "bytes": 12, "lines": 1, "window": 32768, "percent": 0.1, "format": "text", "messages": 0, "doubt": None,
    }
    done = run("count", "a.txt", "chat.json", "--json", cwd=files)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["name"] for row in rows] == ["a.txt", "chat.json", "total"]
    assert [row["tokens"] for row in rows] == [3, 15, 18]
    assert [row["format"] for row in rows] == ["text", "openai", "mixed"]
    assert [row["messages"] for row in rows] == [0, 2, 2]
    assert {row["window"] for row in rows} == {row["percent"] for row in rows} == {None}


def test_used_tokens_add_a_column_of_the_window_that_is_full(run: Run, files) -> None:
    sized = ("--window", "100", "--reserve", "0", "--used", "90")
    assert run("count", "a.txt", "chat.json", *sized, cwd=files).out == b" 3  93.0% a.txt\n15 105.0% chat.json\n18 108.0% total\n"
    assert run("count", "a.txt", *sized[:-1], "7", cwd=files).out == b"3  10.0% a.txt\n"
    assert json.loads(run("count", "a.txt", *sized, "--json", cwd=files).out)["percent"] == 93.0
    refused = run("count", "a.txt", "--used", "5", cwd=files)
    assert (refused.status, refused.err.splitlines()[0]) == (2, "ctxkit: --used needs the size of the window")


@pytest.mark.parametrize(("options", "tokens"), [(("--model", "gpt-4o"), 101), (("--tokenizer", "cl100k"), 105)])
def test_the_published_example_is_counted_as_openai_does(run: Run, files, options, tokens: int) -> None:
    assert run("count", "weather.json", *options, cwd=files).out == b"%d weather.json\n" % tokens


def test_messages_and_components_add_up(run: Run, files) -> None:
    done = run("count", "weather.json", "--by", "message", "--json", cwd=files)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["message"], row["role"]) for row in rows] == [(1, "system"), (2, "user"), (0, "tools"), (0, "overhead")]
    assert sum(row["tokens"] for row in rows) == 101
    done = run("count", "--by", "component", stdin=json.dumps(WEATHER))
    assert done.out.decode().split() == ["14", "system", "68", "tools", "8", "user", "11", "overhead", "101", "total"]


def test_lines_are_counted_one_by_one(run: Run, files) -> None:
    done = run("count", "--by", "line", stdin=b"hello world\n\nhello")
    assert done.out == b"3\t1\n1\t2\n1\t3\n"
    assert run("count", "--by", "line", "a.txt", cwd=files).out == b"3\ta.txt:1\n"
    done = run("count", "--by", "line", "a.txt", "--json", cwd=files)
    assert json.loads(done.out) == {"file": "a.txt", "method": "exact", "line": 1, "tokens": 3}


@pytest.mark.parametrize(("most", "status"), [("3", 0), ("2", 1), ("0", 1)])
def test_more_than_allowed_answers_1(run: Run, most: str, status: int) -> None:
    done = run("count", "--max", most, stdin=b"hello world\n")
    assert (done.status, done.out) == (status, b"3\n")


def test_allowed_is_the_sum_of_all_files(run: Run, files) -> None:
    assert run("count", "--max", "253", "a.txt", "b.txt", cwd=files).status == 0
    assert run("count", "--max", "252", "a.txt", "b.txt", cwd=files).status == 1


@pytest.mark.slow
def test_counting_stops_early_and_its_producer_lives(run: Run, ctxkit: str, home: dict[str, str]) -> None:
    script = f"set -o pipefail; seq 3000000 | {ctxkit} count --max 100; echo $?"
    done = subprocess.run(["bash", "-c", script], env=home, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")
    answer = run("count", "--max", "100", "--json", stdin=b"word and word\n" * 200_000)
    found = json.loads(answer.out)
    assert (answer.status, found["tokens"], found["high"]) == (1, None, None)
    assert found["low"] > 100


def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(run: Run, files) -> None:
    done = run("count", "a.txt", "none", ".", "b.txt", cwd=files)
    assert done.status == 66
    assert done.out.decode().split() == ["3", "a.txt", "250", "b.txt", "253", "total"]
    assert done.err.splitlines() == [
        "ctxkit: none: No such file or directory",
        "ctxkit: . is a directory",
        "  hint: name a file; ctxkit brief DIR maps a directory",
    ]


def test_a_broken_line_of_a_conversation_is_named(run: Run) -> None:
    lines = [json.dumps(turn).encode() + b"\n" for turn in CHAT]
    data = b"".join((lines[0], b'{"role": "user", "cont\n', lines[1]))
    done = run("count", stdin=data)
    assert (done.status, done.out) == (65, b"")
    assert done.err.startswith("ctxkit: stdin: line 2 is not JSON")
    assert run("count", "--input", "text", stdin=data).status == 0


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--input", "chat"), 65, "no conversation"),
        (("--format", "openai"), 65, "is not JSON"),
        (("--by", "message"), 65, "no conversation"),
        (("--by", "component"), 65, "no conversation"),
        (("--format", "word"), 2, "--format"),
        (("--tokenizer", "nonsense-9"), 2, "tokenizer"),
        (("--by", "line", "--input", "chat"), 2, "--by message"),
        (("--max", "-1"), 2, "--max"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, options, status: int, said: str) -> None:
    done = run("count", *options, stdin=b"words\n")
    assert done.status == status, done.err
    assert said in done.err
    assert "Traceback" not in done.err


def test_names_come_from_a_list(run: Run, files) -> None:
    done = run("count", "--files-from", "-", cwd=files, stdin=b"a.txt\0b.txt\0")
    assert done.out.decode().split() == ["3", "a.txt", "250", "b.txt", "253", "total"]
    assert run("count", "--files-from", "-", cwd=files, stdin=b"").out == b""


def test_names_are_shown_as_they_are_on_one_line(run: Run, tmp_path: Path) -> None:
    long = "x" * 150
    for name in (long, "two  blanks", "line\nbreak"):
        (tmp_path / name).write_text("hello")
    done = run("count", long, "two  blanks", "line\nbreak", cwd=tmp_path)
    assert done.out.decode().splitlines() == [f"1 {long}", "1 two  blanks", r"1 line\nbreak", "3 total"]
    for by, key in (("file", "name"), ("line", "file")):
        done = run("count", "--json", "--by", by, "line\nbreak", cwd=tmp_path)
        assert json.loads(done.out)[key] == "line\nbreak"


def test_names_that_cannot_be_printed_do_not_break_rows(run: Run) -> None:
    data = json.dumps([{"role": "us\ner", "name": "\ud800", "content": "hello \ud800"}])
    assert run("count", "--by", "message", "--format", "openai", stdin=data).out.split(b"\n")[0].split()[2:] == [rb"us\ner", rb"\ud800"]
    assert run("count", "--by", "message", "--format", "openai", "--json", stdin=data).status == 0


def test_an_estimate_is_called_one(run: Run) -> None:
    done = run("count", "--model", "sonnet", stdin=b"hello world\n" * 100)
    assert done.status == 0
    assert done.out.strip().isdigit()
    assert done.err.startswith("ctxkit: warning: this is an estimate: ")
    assert run("count", "--model", "sonnet", "-q", stdin=b"hello world\n" * 100).err == ""
    found = json.loads(run("count", "--model", "sonnet", "--json", stdin=b"hello world\n" * 100).out)
    assert found["method"] == "estimate"
    assert found["low"] < found["tokens"] < found["high"]


def test_receipts_are_learnt_from(run: Run, files) -> None:
    rows = [{"text": "hello world of receipts " * times, "tokens": 6 * times, "model": "sonnet"} for times in range(1, 40)]
    (files / "receipts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run("count", "--calibrate", "receipts.jsonl", cwd=files)
    assert done.status == 0, done.err
    assert "claude-4-7" in json.loads(done.out)["calibration"]
    assert run("count", "--calibrate", "none", cwd=files).status == 66


@pytest.mark.slow
def test_a_reader_that_leaves_ends_it_silently(ctxkit: str, home: dict[str, str]) -> None:
    script = f"seq 200000 | {ctxkit} count --by line | head -1"
    done = subprocess.run(["bash", "-c", script], env=home, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2\t1\n", "")


SESSIONS = sorted((CORPORA / "sessions").rglob("*.*")) if CORPORA.is_dir() else []


@pytest.mark.slow
@pytest.mark.skipif(not SESSIONS, reason="there are no corpora")
def test_messages_of_real_sessions_add_up_to_their_totals(run: Run) -> None:
    whole = run("count", "--json", *SESSIONS, timeout=120).out.splitlines()
    counts = [json.loads(line) for line in whole]
    sessions = {row["name"]: row["tokens"] for row in counts if row["format"] not in ("text", "mixed")}
    assert len(sessions) > 40
    for by in ("message", "component"):
        sums = dict.fromkeys(sessions, 0)
        for line in run("count", "--json", "--by", by, *sessions, timeout=120).out.splitlines():
            row = json.loads(line)
            if row.get("component") != "total":
                sums[row["file"]] += row["tokens"]
        assert sums == sessions


def test_an_estimate_is_told_of_by_the_name_in_its_row(run: Run, files) -> None:
    assert run("count", "a.txt", "--tokenizer", "bytes/3", cwd=files).err.startswith("ctxkit: warning: a.txt is an estimate: ")
    done = run("count", "a.txt", "b.txt", "--tokenizer", "bytes/3", cwd=files)
    assert done.err.startswith("ctxkit: warning: the total is an estimate: ")
    assert run("count", "--tokenizer", "bytes/3").err == ""
    assert run("count", "--tokenizer", "bytes/3", stdin=b"123").err == "ctxkit: warning: this is an estimate: 1 token\n"


def test_what_was_decided_is_said_to_who_asks(run: Run, files) -> None:
    assert run("count", "-v", "a.txt", cwd=files).err == "ctxkit: a.txt: text, counted with o200k\n"
    chat = b'{"role":"user","content":"hello"}'
    assert run("count", "-v", "--tokenizer", "qwen3", stdin=chat).err == "ctxkit: stdin: openai, 1 message, counted with qwen3\n"


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("options", [(), ("--json",), ("--by", "message"), ("--by", "component", "--json"), ("--long",), ("--by", "total")])
def test_processes_change_nothing_that_is_printed(run: Run, files: Path, options: tuple[str, ...]) -> None:
    (files / "large.txt").write_text("some words and others 1234\n" * 40_000)  # more than a megabyte, so that processes share the files
    (files / "bad.jsonl").write_bytes(json.dumps(CHAT[0]).encode() + b'\n{"role": "user", "cont')
    (files / "large.json").write_text(json.dumps(CHAT * 300))
    names = ["a.txt", "large.json", "none", "b.txt", "large.txt", "weather.json", ".", "bad.jsonl", "chat.json", "-"]
    one, four = (run("count", *options, "-j", jobs, *names, cwd=files, stdin=b"one two") for jobs in ("1", "4"))
    assert (four.status, four.out, four.err) == (one.status, one.out, one.err)
    assert four.status == (65 if "--by" in options and "total" not in options else 66)
    assert four.out


@pytest.mark.parametrize("jobs", ["0", "-1", "65", "many"])
def test_a_number_of_processes_is_small_and_positive(run: Run, jobs: str) -> None:
    ran = run("count", "-j", jobs, "a", "b")
    assert (ran.status, ran.out) == (2, b"")
    assert "--jobs" in ran.err


def test_a_session_that_is_cut_off_counts_without_its_last_line(run: Run, tmp_path: Path) -> None:
    lines = [json.dumps(message) for message in CHAT]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join([*lines, lines[0][:9]]))
    found = run("count", "--json", "--model", "gpt-4o", str(path))
    assert json.loads(found.out)["messages"] == 2
    assert "not JSON, and left out: line 3" in found.err
    path.write_text("\n".join([lines[0], "\0\0", lines[1]]))
    refused = run("count", "--model", "gpt-4o", str(path))
    assert refused.status == 65
    assert "--skip-bad leaves such lines out" in refused.err
    found = run("count", "--skip-bad", "--json", "--model", "gpt-4o", str(path))
    assert json.loads(found.out)["messages"] == 2
    assert "left out: line 2" in found.err
