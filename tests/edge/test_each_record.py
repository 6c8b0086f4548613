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
    assert (rows[0]["tokens"], rows[0]["bytes"]) == (2, 7)
    assert rows[4] == {"line": 5, "error": "the field a.b.0 is not a string, but an object"}
    assert rows[1] == {"line": 2, "error": "the record has no field a.b.0"}
    assert "the record is not JSON" in rows[2]["error"] + rows[3]["error"]
    assert "the record is an empty line" in rows[2]["error"] + rows[3]["error"]


@pytest.mark.parametrize("command", ["count", "gate", "brief"])
def test_the_id_of_a_record_is_in_its_line_and_in_its_error(run: Run, command: str) -> None:
    records = [{"t": "one", "k": {"id": "a"}}, {"t": 1, "k": {"id": 7}}, {"t": "two", "k": {"id": None}}, {"t": "x", "k": {}}]
    data = "".join(json.dumps(record) + "\n" for record in records)
    size = () if command == "brief" else ("--window", "4096")
    status, rows = read(run, command, data, "--field", "t", "--id", "k.id", *size)
    assert status == 65
    assert [list(row)[:2] for row in rows] == [["line", "id"]] * 3 + [["line", "error"]]
    assert [row["id"] for row in rows[:3]] == ["a", 7, None]
    assert rows[1] == {"line": 2, "id": 7, "error": "the field t is not a string, but a number"}
    assert rows[3]["error"] == "the record has no field k.id"


@pytest.mark.parametrize(
    ("value", "name"),
    [("1", "a number"), ("1.5", "a number"), ("null", "null"), ("true", "true"), ("false", "false"), ("[]", "an array"), ("{}", "an object")],
)
def test_a_text_that_is_no_string_is_an_error_in_its_place(run: Run, value: str, name: str) -> None:
    status, rows = read(run, "count", f'{{"t": {value}}}\n{{"t": "one"}}\n', "--field", "t")
    assert (status, rows[0]) == (65, {"line": 1, "error": f"the field t is not a string, but {name}"})
    assert rows[1]["tokens"] == 1


def test_ids_join_what_several_processes_print(ctxkit: str, home: dict[str, str]) -> None:
    script = f"""seq 40 | sed 's/.*/{{"id": &, "t": "x"}}/' | xargs -d '\\n' -n 7 -P 2 printf '%s\\n' |
        split -l 10 --filter="{ctxkit} count --each --field t --id id" """
    done = subprocess.run(["sh", "-c", script], env=home, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(row["id"] for row in rows) == list(range(1, 41))
    assert max(row["line"] for row in rows) == 10


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
        (["count", "--id", "a"], "--id is for --each"),
        (["gate", "--id", "a", "--window", "4096"], "--id is for --each"),
        (["brief", "--id", "a"], "--id is for --each"),
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
        each_record._parse_record(lines[0])
