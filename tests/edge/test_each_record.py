"""Records of JSON lines: each has its line, in order, whatever is in it."""

import json
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.edge import each_record
from tests.conftest import Run


def read(run: Run, command: str, data: str, *options: str) -> tuple[int, list[dict[str, Any]]]:
    done = run(command, "--each", *options, stdin=data)
    return done.status, [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.slow
def test_each_record_has_a_line_and_errors_stand_in_their_place(run: Run) -> None:
    data = '{"a": {"b": ["one two", 1]}}\n{"a": 1}\n\nnot json\n{"a": {"b": [{"c": 1}]}}'
    status, rows = read(run, "count", data, "--field", "a.b.0")
    assert (status, [row["line"] for row in rows]) == (65, [1, 2, 3, 4, 5])
    assert (rows[0]["tokens"], rows[0]["bytes"], rows[4]["bytes"]) == (2, 7, 7)
    assert rows[1] == {"line": 2, "error": "the record has no field a.b.0"}
    assert all("the record is not JSON" in row["error"] for row in rows[2:4])


def test_without_a_field_a_record_is_a_text_or_its_json(run: Run) -> None:
    status, rows = read(run, "count", '"one two"\n{"a":1}\n')
    assert (status, [row["bytes"] for row in rows]) == (0, [7, 7])


@pytest.mark.slow
def test_gate_passes_and_maps_each_record(run: Run) -> None:
    long = "\n".join(f"line {number}" for number in range(9_000))
    data = "".join(json.dumps({"output": text}) + "\n" for text in ("ok", long, "fine"))
    status, rows = read(run, "gate", data, "--field", "output", "--window", "4096", "--tokenizer", "o200k")
    assert (status, [row["result"] for row in rows]) == (0, ["raw", "briefing", "raw"])
    assert [rows[0]["content"], rows[2]["content"]] == ["ok", "fine"]
    assert run("cache", "get", rows[1]["ref"]).out.decode() == long
    alone = run("gate", "--json", "--window", "4096", "--tokenizer", "o200k", stdin=long)
    assert {**rows[1], "line": 0} == {**json.loads(alone.out), "line": 0}


def test_brief_maps_each_record(run: Run) -> None:
    text = "\n".join(f"key{number}: value" for number in range(400))
    status, rows = read(run, "brief", json.dumps({"log": text}) + '\n{"log": "a"}\n{}\n', "--field", "log", "--target", "200")
    assert status == 65
    assert rows[0]["tokens"] <= 200
    assert rows[0]["content"].startswith("# stdin (400 lines")
    assert rows[2]["error"] == "the record has no field log"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["count", "--field", "a"], "--field is for --each"),
        (["gate", "--each", "--session", "s", "--window", "4096"], "--each takes no session"),
        (["gate", "--each", "--check", "--window", "4096"], "--each prints a line for each record"),
        (["count", "--each", "--by", "line"], "--each reads one file"),
        (["count", "--each", "a", "b"], "--each reads one file"),
    ],
)
def test_options_that_do_not_go_together(run: Run, options: list[str], why: str) -> None:
    done = run(*options, stdin="{}\n")
    assert done.status == 2
    assert why in done.err


def test_an_answer_comes_before_the_next_record(ctxkit: str) -> None:
    argv = [ctxkit, "count", "--each"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in (1, 2):
            process.stdin.write(b'"a"\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number


@given(st.lists(st.binary(max_size=20)), st.integers(1, 7))
def test_lines_are_those_of_the_content_however_it_arrives(lines: list[bytes], size: int) -> None:
    data = b"\n".join(line.replace(b"\n", b"") for line in lines)
    pieces: Iterable[bytes] = (data[at : at + size] for at in range(0, len(data), size))
    expected = data.split(b"\n")
    assert list(each_record._split_lines(pieces)) == (expected if expected[-1] else expected[:-1])


def test_a_record_that_is_too_long_is_an_error_and_the_next_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(each_record, "EDITABLE", 10)
    lines = list(each_record._split_lines([b'"aaaaaaaa', b"aaaaaaaaa", b'a"\n"b"\n']))
    assert lines[1] == b'"b"'
    with pytest.raises(MalformedInputError, match="the record is larger than"):
        each_record._read_text(lines[0], "")
