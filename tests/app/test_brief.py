"""Maps of directories, as the command writes them."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.brief import SHARED_BYTES, BriefingOutput, SizedBriefing, find_passages
from ctxkit.core.brief import Briefing
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.errors import Exit
from ctxkit.core.gate.briefing_messages import BriefingResult
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import open_file_content

Run = Callable[..., Any]
KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"
SOURCES = {
    "README.md": "# Cakes\n",
    "cakes/__init__.py": "",
    "cakes/core.py": "\n\nclass Oven:\n    def bake(self, minutes: int) -> str:\n        return 'done'\n",
    "cakes/shop.py": "from cakes.core import Oven\n\ndef sell():\n    return Oven().bake(3)\n",
    "tests/test_shop.py": "from cakes.shop import sell\n\ndef test_sell():\n    assert sell()\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_directory_has_a_map_with_definitions_on_their_lines(run: Run, project: Path) -> None:
    done = run("brief", "project", cwd=project.parent)
    assert (done.status, done.err) == (0, "")
    rows = done.out.decode().splitlines()
    assert rows[0].startswith("# project/ (5 files, ")
    assert rows[0].endswith(", 4 definitions): a map, not the content; numbers are lines")
    assert "## cakes/ (3 files)" in rows
    assert any(row.startswith("- core.py:") for row in rows)
    assert "  - 3 class Oven" in rows
    assert rows[-1] == "To read a part: sed -n '3,5p' project/cakes/core.py"


def test_the_last_line_runs_in_a_shell(run: Run, project: Path) -> None:
    hostile = project.parent / "its $HOME $(id)"
    project.rename(hostile)
    done = run("brief", hostile.name, cwd=hostile.parent)
    command = done.out.decode().splitlines()[-1].removeprefix("To read a part: ")
    by_sed = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=hostile.parent, check=True)
    assert by_sed.stdout == SOURCES["cakes/core.py"].lstrip("\n")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("target", [20, 60, 120, 300])
def test_the_map_takes_at_most_its_target(run: Run, project: Path, target: int) -> None:
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained("qwen3").encode_ordinary
    done = run("brief", ".", "--tokenizer", "qwen3", "--target", str(target), cwd=project)
    assert done.status == 0
    assert 0 < len(encode(done.out.decode())) <= target
    assert done.out == run("brief", ".", "--tokenizer", "qwen3", "--target", str(target), cwd=project).out


def test_a_target_too_small_for_one_line_is_answered_no(run: Run, project: Path) -> None:
    done = run("brief", ".", "--target", "3", cwd=project)
    assert (done.status, done.out) == (1, b"")
    assert re.fullmatch(r"ctxkit: a target of 3 tokens is too small for a map of project/ \(5 files, \d+ bytes\)\n", done.err)


def test_json_has_the_numbers_of_the_map(run: Run, project: Path) -> None:
    done = run("brief", ".", "--json", "--target", "500", cwd=project)
    value = json.loads(done.out)
    content = value.pop("content")
    assert content == run("brief", ".", "--target", "500", cwd=project).out.decode()
    size = sum(len(text) for text in SOURCES.values())
    tokens = value.pop("tokens")
    assert 0 < tokens <= 500
    assert value == {
        "kind": "repository",
        "files": 5,
        "bytes": size,
        "definitions": 4,
        "read": {"files": 4, "bytes": size},
        "skipped": {},
        "named": {"files": 5, "definitions": 4},
        "target": 500,
    }


def test_the_focus_comes_first_and_the_window_sets_the_size(run: Run, project: Path) -> None:
    done = run("brief", ".", "--focus", "sell", "--target", "130", cwd=project)
    assert b"3 sell" in done.out or b"3 def sell" in done.out
    assert b"Oven" not in done.out
    facts = json.loads(run("brief", ".", "--json", "--window", "1000", cwd=project).out)
    assert facts["target"] == 400


def test_a_session_is_charged(run: Run, project: Path) -> None:
    session = run("session", "new", "--window", "4000", "--tokenizer", "qwen3").out.decode().strip()
    tokens = json.loads(run("brief", ".", "--json", "--session", session, cwd=project).out)["tokens"]
    status = run("session", "status", session, "--json").out
    assert json.loads(status)["used"] == tokens


def test_keys_are_masked_and_lines_stay(run: Run, project: Path) -> None:
    (project / "cakes" / "keys.py").write_text(f"def open_shop(\n    key='{KEY}',\n): pass\n\ndef close_shop(): pass\n")
    done = run("brief", ".", "--redact", "--json", cwd=project)
    value = json.loads(done.out)
    assert value["redacted"] == 1
    assert KEY not in value["content"]
    assert "5 def close_shop()" in value["content"]
    assert KEY in run("brief", ".", cwd=project).out.decode()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("option", [(), ("--json",), ("--redact", "--json")])
def test_any_number_of_processes_writes_the_same_map(run: Run, tmp_path: Path, option: tuple[str, ...]) -> None:
    padding = f'BREAD = """{"bread " * 2_000}"""\n'  # so that the files are worth several processes
    for number in range(12):
        text = f"KEY = '{KEY}'\n\n" + "".join(f"def bake_{at}_{number}(pan):\n    pass\n\n" for at in range(20)) + padding
        (tmp_path / "many" / f"part{number % 7}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "many" / f"part{number % 7}" / f"file{number}.py").write_text(text)
    words = ("brief", "many", "--target", "3000", *option)
    first = run(*words, "-j", "1", cwd=tmp_path)
    assert (first.status, first.err) == (0, "")
    assert b"bake_0_0" in first.out
    assert (b'"redacted":12' in first.out) == ("--redact" in option)
    assert sum(path.stat().st_size for path in (tmp_path / "many").rglob("*.py")) > SHARED_BYTES
    for processes in ("2", "5"):
        assert run(*words, "-j", processes, cwd=tmp_path).out == first.out


def test_an_event_is_recorded(run: Run, project: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    run("brief", ".", cwd=project, env={"CTXKIT_EVENTS": str(log)})
    event = json.loads(log.read_text())
    assert (event["event"], event["kind"], event["name"]) == ("brief", "repository", "project/")


def test_explain_says_that_it_is_a_directory(run: Run, project: Path) -> None:
    assert "reason: . is a directory" in run("brief", ".", "--explain", cwd=project).err


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--type", "python"), "--type is the type of a file"), (("--each",), "--each reads records")],
)
def test_options_of_content_are_refused(run: Run, project: Path, options: tuple[str, ...], message: str) -> None:
    done = run("brief", ".", *options, cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert done.err == f"ctxkit: {message}\n  hint: . is a directory\n"


def test_an_empty_directory_has_a_header_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    done = run("brief", "none", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out == b"# none/ (0 files, 0 bytes, 0 definitions): a map, not the content\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_directory_without_permission_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    done = run("brief", "shut", cwd=tmp_path)
    assert (done.status, done.out, done.err) == (66, b"", "ctxkit: shut: Permission denied\n")


def test_binary_files_and_loops_of_links_and_hostile_names(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "odd"
    (root / "in").mkdir(parents=True)
    for name in (b"a.py", b"b.so", b"two\nlines.py", b"\xff\x1b[2J.py", b"-rf", b"## Other files: x (9 files)"):
        (root / os.fsdecode(name)).write_bytes(b"\x7fELF\0\0\xff" * 99)
    os.symlink("..", root / "in" / "loop")
    os.symlink("self", root / "self")
    done = run("brief", "odd", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    text = done.out.decode()
    assert text.startswith("# odd/ (6 files, ")
    assert '"two\\nlines.py"' in text
    assert "'## Other files: x (9 files)'" in text
    assert '"\\udcff\\u001b[2J.py"' in text
    assert text.count("\n") == len(text.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("files", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_files_are_counted(run: Run, tmp_path: Path, files: int) -> None:
    for number in range(files):
        folder = tmp_path / "many" / f"d{number // 100}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"m{number}.py").write_bytes(b"def f%d(): pass\n" % number)
    value = json.loads(run("brief", "many", "--json", "--target", "1000", cwd=tmp_path).out)
    assert (value["files"], value["definitions"], value["skipped"]) == (files, files, {})
    assert value["tokens"] <= 1000


def test_a_worker_that_dies_gives_way_to_patterns(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    from ctxkit.app import brief
    from ctxkit.app.services import engines, workers
    from ctxkit.core.text.limits import WorkerDiedError
    from ctxkit.edge import settings
    from ctxkit.edge.request import Call, CliRequest

    def die(_data: bytes, _language: str) -> None:
        raise WorkerDiedError("the worker process was killed by SIGSEGV")

    monkeypatch.setattr(engines, "find_definitions", die)
    monkeypatch.setattr(workers, "run_in_worker", lambda work: work())
    task = brief.DirectoryTask(str(project), Call(CliRequest(), settings.load()), 500, 500)
    assert brief.brief_directory(task) == 0
    out, err = capsysbinary.readouterr()
    assert b"3 class Oven" in out
    assert b"definitions are found by patterns, without grammars" in err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_are_found_in_any_encoding(under: Any, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log"
    text = "".join(f"line {number}\n" for number in range(500))
    path.write_bytes(f"{text}heron\n".encode(encoding))
    content = open_file_content(str(path))
    request = CliRequest(tokenizer="bytes/3")
    lines = find_passages(content, "heron", 100, Call(request, under()))
    assert lines is not None
    assert b"\n501:heron\n" in lines
    assert find_passages(content, "nosuch", 100, Call(request, under())) == b""
    assert find_passages(content, "heron", 2, Call(request, under())) is None


EXPLANATION = Explanation("mine", (("log", 0.9), ("prose", 0.25)), ("the rule mine matches",))


def read(offset: int, length: int) -> bytes:
    return b""


@pytest.fixture
def write(capfdbinary: pytest.CaptureFixture[bytes]):
    """Write a map, and return the status, stdout and the lines of stderr."""

    def write_map(briefing: Briefing | None, *, as_json: bool = False):
        bytes_ = find_vocabulary("bytes/3")
        result = BriefingResult(briefing, "it does not fit", count_tokens((b"x" * 300,), bytes_, len), 300, 7)
        stored = StoredContent("3f" * 32, "", read, IndexedLines(read, 0, LineIndex().newline_counts, 0))
        output = BriefingOutput(SizedBriefing(result, 50), stored, "it", {"redacted": 2})
        status = output.write(None, lambda _data: pytest.fail("there is no session to charge"), as_json=as_json)
        out, err = capfdbinary.readouterr()
        return status, out, err.decode().splitlines()

    return write_map


def test_the_text_is_written_as_it_is(write) -> None:
    assert write(Briefing("log", "", 0.9, 40, "# it\n")) == (Exit.DONE, b"# it\n", [])


def test_a_map_that_does_not_fit_is_a_no_with_one_line(write) -> None:
    assert write(None) == (Exit.NO, b"", ["ctxkit: a target of 50 tokens is too small for a map of it does not fit"])


def test_an_explanation_is_said_before_the_map(write) -> None:
    status, out, err = write(Briefing("log", "", 0.9, 40, "# it\n", explanation=EXPLANATION))
    assert (status, out) == (Exit.DONE, b"# it\n")
    assert err == [
        "kind: log, confidence 0.90",
        "reason: the rule mine matches",
        "candidates: log 0.90, prose 0.25",
    ]


def test_an_object_has_the_numbers_of_the_source_and_of_the_map(write) -> None:
    value = json.loads(write(Briefing("log", "", 0.904, 40, "# it\n", explanation=EXPLANATION), as_json=True)[1])
    assert (value["kind"], value["confidence"], value["tokens"], value["target"], value["redacted"]) == ("log", 0.9, 40, 50, 2)
    assert (value["bytes"], value["lines"], value["ref"], value["content"]) == (300, 7, "3f" * 8, "# it\n")
    assert value["explanation"]["rule"] == "mine"
    assert value["explanation"]["candidates"][1] == {"kind": "prose", "confidence": 0.25}
    assert "explanation" not in json.loads(write(Briefing("log", "", 0.9, 40, "# it\n"), as_json=True)[1])
