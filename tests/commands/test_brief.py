"""The map alone: of a file where it is, of stdin once it is stored."""

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.token_counters import load_qwen

Run = Callable[..., Any]
Home = dict[str, str]


def report(rows: int) -> bytes:
    return b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(1, rows + 1))


def last_line(out: bytes) -> str:
    return out.decode().splitlines()[-1]


def stored(home: Home) -> list[Path]:
    return [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file()]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "name",
    [
        "plain.txt",
        "two words.txt",
        "$HOME $(id);*?.txt",
        "-n.txt",
        "größe.txt",
        "a{end}{name}.txt",
    ],
)
def test_the_map_of_a_file_points_at_it_with_a_sed_that_runs(run: Run, home: Home, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(report(3000))
    done = run("brief", "--target", "400", "--tokenizer", "qwen3", "--", name, cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    found = re.fullmatch(r"To read a part: (sed -n '(\d+),(\d+)p' .*)", last_line(done.out))
    assert found, last_line(done.out)
    by_sed = subprocess.run(["sh", "-c", found[1]], capture_output=True, env=home, cwd=tmp_path)
    rows = report(3000).splitlines(keepends=True)[int(found[2]) - 1 : int(found[3])]
    assert (by_sed.stdout, by_sed.stderr) == (b"".join(rows), b"")
    assert stored(home) == []


@pytest.mark.parametrize("name", ["it's.txt", "x\n'; touch planted; #"])
def test_a_file_whose_name_is_no_word_to_paste_is_stored_and_read_by_its_ref(
    run: Run, home: Home, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(report(3000))
    done = run("brief", "--target", "400", "--tokenizer", "qwen3", name, cwd=tmp_path)
    ref = re.search(r"To read a part: ctxkit cache get ([0-9a-f]+) ", last_line(done.out))
    assert (done.status, bool(ref)) == (0, True)
    assert run("cache", "get", ref[1]).out == report(3000)


def test_a_map_without_a_store_has_no_hint_for_a_name_that_is_no_word(run: Run, home: Home, tmp_path: Path) -> None:
    (tmp_path / "it's.txt").write_bytes(report(3000))
    env = {**home, "CTXKIT_STORE": "false"}
    done = run("brief", "--target", "400", "--tokenizer", "qwen3", "it's.txt", cwd=tmp_path, env=env)
    assert (done.status, b"# it's.txt (" in done.out, b"To read a part" in done.out) == (0, True, False)


@pytest.mark.slow
def test_what_comes_on_stdin_is_stored_and_its_map_points_at_the_ref(run: Run) -> None:
    done = run("brief", "--target", "400", stdin=report(3000) + b"\xff")
    assert (done.status, done.err) == (0, "")
    found = re.match(r"To read a part: ctxkit cache get ([0-9a-f]{16}) --lines \d+:\d+", last_line(done.out))
    assert found
    assert run("cache", "get", found[1]).out == report(3000) + b"\xff"


def test_even_what_is_short_is_mapped(run: Run) -> None:
    done = run("brief", stdin="one\n")
    assert done.status == 0
    assert done.out.startswith(b"# stdin (1 line, ")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("target", [60, 200, 1000, 5000])
def test_the_map_takes_at_most_its_target(run: Run, target: int) -> None:
    done = run("brief", "--tokenizer", "qwen3", "--target", str(target), stdin=report(9000))
    assert done.status == 0
    assert 0 < load_qwen()(done.out.decode()) <= target


@pytest.mark.slow
def test_two_thousand_tokens_are_the_target_when_nobody_says_otherwise(run: Run) -> None:
    done = run("brief", "--tokenizer", "qwen3", "--json", stdin=report(9000))
    answer = json.loads(done.out)
    assert answer["target"] == 2000
    assert answer["tokens"] == load_qwen()(answer["content"]) <= 2000


@pytest.mark.slow
def test_a_window_sets_the_target_to_half_of_what_is_there(run: Run) -> None:
    window = ("--tokenizer", "qwen3", "--window", "1000", "--used", "100")
    assert json.loads(run("brief", *window, "--json", stdin=report(900)).out)["target"] == 350
    env = {"CTXKIT_MODEL": "qwen3-30b"}
    assert json.loads(run("brief", "--json", stdin=report(900), env=env).out)["target"] == 8000


@pytest.mark.slow
def test_json_has_the_kind_and_all_measures(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(report(3000))
    done = run("brief", "a.txt", "--tokenizer", "qwen3", "--target", "300", "--json", cwd=tmp_path)
    answer = json.loads(done.out)
    assert done.out.count(b"\n") == 1
    assert (answer["lines"], answer["bytes"], answer["target"]) == (3000, len(report(3000)), 300)
    assert answer["tokens"] == load_qwen()(answer["content"])
    assert answer["ref"] is None
    assert answer["language"] is None or answer["language"] == ""
    assert 0 < answer["confidence"] <= 1
    assert isinstance(answer["kind"], str)
    piped = json.loads(run("brief", "--json", stdin=report(3000)).out)
    assert run("cache", "get", piped["ref"]).out == report(3000)


def test_the_kind_can_be_said(run: Run) -> None:
    source = "def first(x):\n    return x\n\n\ndef second(y):\n    return y\n"
    answer = json.loads(run("brief", "--type", "python", "--json", stdin=source).out)
    assert (answer["kind"], answer["language"].lower()) == ("source", "python")
    for name, line in (("first", 1), ("second", 5)):
        rows = [row for row in answer["content"].splitlines() if name in row]
        assert any(re.search(rf"\b{line}\b", row) for row in rows), answer["content"]


def test_a_file_of_source_is_known_by_its_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Shelf:\n    def put(self): ...\n" * 3)
    assert json.loads(run("brief", "a.py", "--json", cwd=tmp_path).out)["kind"] == "source"


def test_an_unknown_type_is_refused(run: Run) -> None:
    done = run("brief", "--type", "nope", stdin="x")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: unknown type: nope\n  hint: one of ")


@pytest.mark.slow
def test_the_name_and_the_hint_are_the_users(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(report(3000))
    own = run(
        "brief", "a.txt", "--name", "the log", "--hint", "open {name} at {start}", "--target", "300", cwd=tmp_path
    )
    assert own.out.startswith(b"# the log (3,000 lines, ")
    assert re.fullmatch(r"To read a part: open 'the log' at \d+", last_line(own.out))
    seed = run("brief", "a.txt", "--hint", "read_file", "--target", "300", cwd=tmp_path)
    assert re.fullmatch(r'To read a part: read_file\("a\.txt", lines="\d+:\d+"\)', last_line(seed.out))


@pytest.mark.slow
def test_the_ctxkit_hint_of_a_file_names_the_file(run: Run, home: Home, ctxkit: str, tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_bytes(report(3000))
    done = run("brief", "a b.txt", "--hint", "ctxkit", "--target", "300", cwd=tmp_path)
    found = re.match(r"To read a part: (ctxkit cache get .* --lines (\d+):\d+)( \(or: .*\))?$", last_line(done.out))
    assert found, last_line(done.out)
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}
    read = subprocess.run(["sh", "-c", found[1]], capture_output=True, env=env, cwd=tmp_path)
    assert read.stdout.startswith(b"row %d of" % int(found[2])), read.stderr


@pytest.mark.slow
def test_a_target_too_small_for_one_line_is_answered_no(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(report(3000))
    for target in ("0", "3"):
        done = run("brief", "a.txt", "--target", target, cwd=tmp_path)
        assert (done.status, done.out) == (1, b"")
        assert done.err.startswith(f"ctxkit: a target of {target} tokens is too small for a map of a.txt (3,000 lines, 95 KB): ")
        assert done.err.count("\n") == 1


def test_a_missing_file_is_named(run: Run) -> None:
    missing = run("brief", "nowhere")
    assert (missing.status, missing.out, missing.err) == (66, b"", "ctxkit: nowhere: No such file or directory\n")


def test_an_empty_file_prints_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    done = run("brief", "empty", cwd=tmp_path)
    assert (done.status, done.out, done.err) == (0, b"", "")


@pytest.mark.slow
def test_a_pipe_named_as_a_file_is_read_as_stdin_is(run: Run, home: Home, ctxkit: str) -> None:
    script = f"{ctxkit} brief --target 300 <(seq 3000)"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    found = re.search(r"ctxkit cache get ([0-9a-f]{16}) ", last_line(done.stdout))
    assert found
    assert run("cache", "get", found[1], "--lines", "3000").out == b"3000\n"


@pytest.mark.slow
def test_utf16_is_read_as_text_and_the_hint_for_it_gives_its_lines(
    run: Run, home: Home, ctxkit: str, tmp_path: Path
) -> None:
    (tmp_path / "wide.txt").write_bytes("".join(f"größer als Zeile {n}\n" for n in range(1, 2001)).encode("utf-16"))
    done = run("brief", "wide.txt", "--target", "300", cwd=tmp_path)
    assert done.out.startswith(b"# wide.txt (2,000 lines, ")
    assert "größer".encode() in done.out
    found = re.fullmatch(r"To read a part: (.*?(\d+)[,:]\d+.*)", last_line(done.out))
    assert found
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}
    read = subprocess.run(["sh", "-c", found[1]], capture_output=True, env=env, cwd=tmp_path)
    assert read.stdout.startswith(f"größer als Zeile {found[2]}\n".encode()), found[1]


def test_a_map_of_binary_is_text(run: Run) -> None:
    done = run("brief", "--target", "300", stdin=bytes(range(256)) * 500)
    assert done.status == 0
    done.out.decode()
    assert not set(range(32)) - {10} & set(done.out)


def test_no_escape_sequence_of_the_content_reaches_the_map(run: Run) -> None:
    coloured = b"".join(b"\x1b[31mERROR\x1b[0m number %d \x1b]0;title\x07\r\n" % n for n in range(2000))
    done = run("brief", "--target", "300", stdin=coloured)
    assert done.status == 0
    assert b"\x1b" not in done.out
    assert b"\x07" not in done.out


@pytest.mark.slow
def test_the_same_file_gives_the_same_map(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(report(2000))
    assert run("brief", "a.txt", cwd=tmp_path).out == run("brief", "a.txt", cwd=tmp_path).out


def test_a_terminal_on_stdin_is_told_what_is_expected(ctxkit: str, home: Home) -> None:
    _, terminal = pty.openpty()
    done = subprocess.run([ctxkit, "brief"], stdin=terminal, capture_output=True, env=home, timeout=20)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"ctxkit: nothing is piped in\n  hint: ")


def test_a_cache_that_cannot_be_written_fails_what_needs_it_in_one_line(
    run: Run, tmp_path: Path, no_store: dict[str, str]
) -> None:
    (tmp_path / "file").write_bytes(report(10))
    assert run("brief", str(tmp_path / "file"), env=no_store).status == 0
    done = run("brief", stdin=report(3000), env=no_store)
    assert (done.status, done.out) == (74, b"")
    assert done.err.startswith("ctxkit: Not a directory: ")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_what_is_looked_for_comes_first(run: Run, tmp_path: Path) -> None:
    rows = [f"step {number} done" for number in range(1, 2000)]
    rows[700] = "step 701x done"
    (tmp_path / "log.txt").write_text("\n".join(rows) + "\n")
    shown = run("brief", tmp_path / "log.txt", "--target", "300", "--focus", "701x").out.decode()
    assert "## Focus: 701x: 1 line\n- 701: step 701x done\n" in shown
    assert f"sed -n '691,731p' {tmp_path}/log.txt" in shown
    assert "701x" not in run("brief", tmp_path / "log.txt", "--target", "300").out.decode()
    none = run("brief", tmp_path / "log.txt", "--target", "300", "--focus", "zebra").out.decode()
    assert "- no line holds a word of the focus: zebra\n" in none


def test_a_rule_of_the_users_file_finds_headings_and_errors(run: Run, home: Home, tmp_path: Path) -> None:
    settings = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[kinds.deploy]\nmatch = '*.dlog'\nheadings = '^== '\nerrors = ['^E[0-9]{4}']\n")
    (tmp_path / "a.dlog").write_text("== build ==\n" + "step\n" * 400 + "E1001 broken\n== deploy ==\nok\n")
    done = run("brief", "a.dlog", "--explain", cwd=tmp_path)
    assert b"## Errors by the rule deploy: 1 line\n- 402: E1001 broken\n" in done.out
    assert b"- Lines 1-402: == build ==\n" in done.out
    assert "reason: the rule deploy of your settings matches the name" in done.err
    settings.write_text("[kinds.deploy]\nmatch = '*.dlog'\ntype = 'lgo'\n")
    done = run("brief", "a.dlog", cwd=tmp_path)
    assert (done.status, "kinds.deploy: unknown type: lgo" in done.err) == (78, True)


@pytest.mark.slow
def test_explain_says_on_stderr_or_in_json_which_kind_spoke(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"id": number} for number in range(500)]))
    done = run("brief", "a.json", "--explain", cwd=tmp_path)
    assert "kind: json, confidence 0.90\nreason: json scores highest" in done.err
    answer = json.loads(run("brief", "a.json", "--explain", "--json", cwd=tmp_path).out)
    assert answer["explanation"]["candidates"][0] == {"kind": "json", "confidence": 0.9}
    assert "explanation" not in json.loads(run("brief", "a.json", "--json", cwd=tmp_path).out)
