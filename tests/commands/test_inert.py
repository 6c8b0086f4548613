"""What reaches a terminal or a shell holds nothing that it would obey, whatever a name holds."""

import json
import os
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from ctxkit.core.text.shell import quote_word
from tests.conftest import Ran, Run

HOSTILE = "\x1b]0;x\x07\n\u202e$(touch x)\x9b31m\x7f\u2028"
SIZED = ("--window", "2000", "--tokenizer", "bytes/3")
LARGE = b"".join(b"line %d of a text that does not fit\n" % number for number in range(1, 401))
CHAT = json.dumps([{"role": "user", "content": f"hello {HOSTILE}", "name": HOSTILE}, {"role": "assistant", "content": "yes"}]).encode()
SHELLS = [shell for shell in ("bash", "dash") if shutil.which(shell)]


def obeyed(text: str) -> list[str]:
    """What a terminal would take for a command in a text."""
    bad = [sign for sign in text if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cs") and sign not in "\n\t"]
    return bad + re.findall("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)


def assert_inert(done: Ran) -> None:
    shown = done.out.decode("utf-8", "surrogateescape") + done.err
    assert not obeyed(shown), shown
    assert "internal error" not in shown
    assert "Traceback" not in shown


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A directory with a file of a hostile name, too large for the window."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / HOSTILE).write_bytes(LARGE)
    return tmp_path / "in"


CALLS = [
    ("gate", *SIZED, "-v", HOSTILE),
    ("gate", *SIZED, "-v", "--name", HOSTILE),
    ("gate", *SIZED, "--no-store", HOSTILE),
    ("gate", *SIZED, "--limit", "5", HOSTILE),
    ("gate", *SIZED, "--hint", "sed", HOSTILE),
    ("gate", *SIZED, "--hint", "read_file", HOSTILE),
    ("gate", *SIZED, "--hint", "x {name} {path} {start}", HOSTILE),
    ("gate", *SIZED, "--events", f"no/{HOSTILE}", HOSTILE),
    ("gate", *SIZED, "missing" + HOSTILE),
    ("gate", "--window", HOSTILE),
    ("gate", "--model", HOSTILE),
    ("gate", "--tokenizer", HOSTILE, "--window", "9"),
    ("gate", *SIZED, "--type", HOSTILE),
    ("gate", *SIZED, "--hint", HOSTILE),
    ("gate", *SIZED, "--hint", "{" + HOSTILE + "}"),
    ("gate", *SIZED, "--session", HOSTILE),
    ("gate", "--" + HOSTILE),
    (HOSTILE,),
    ("run", *SIZED, "-v", "--", "sh", "-c", "seq 9999", HOSTILE),
    ("run", *SIZED, "--", HOSTILE),
    ("run", *SIZED, "--", f"./{HOSTILE}"),
    ("brief", HOSTILE, "--target", "200"),
    ("brief", "missing" + HOSTILE),
    ("cache", "put", HOSTILE),
    ("cache", "put", HOSTILE, "--name", HOSTILE, "--tool", HOSTILE, "--call", HOSTILE),
    ("cache", "get", HOSTILE, "--gate", *SIZED, "--lines", "1:200"),
    ("cache", "get", "missing" + HOSTILE),
    ("cache", "get", HOSTILE, "--grep", "(" + HOSTILE),
    ("cache", "get", HOSTILE, "--json-path", HOSTILE),
    ("cache", "rm", HOSTILE),
    ("cache", "path", HOSTILE),
    ("session", "new", HOSTILE, *SIZED),
    ("session", "append", HOSTILE, HOSTILE),
    ("session", "history", HOSTILE),
    ("session", "status", HOSTILE),
    ("session", "rm", HOSTILE),
    ("snapshot", "load", HOSTILE),
    ("count", HOSTILE, "--tokenizer", "bytes/3"),
    ("count", HOSTILE, HOSTILE, "missing" + HOSTILE, "--tokenizer", "bytes/3"),
    ("count", HOSTILE, "--by", "line", "--tokenizer", "bytes/3"),
    ("count", HOSTILE, "--by", "message"),
    ("compact", HOSTILE, *SIZED),
    ("compact", HOSTILE, *SIZED, "--check"),
    ("compact", HOSTILE, *SIZED, "--leaf", HOSTILE, "--summarizer", HOSTILE),
    ("compact", "--restore", HOSTILE),
    ("usage", HOSTILE),
    ("edit", "list", HOSTILE),
    ("models", "show", HOSTILE),
    ("models", "list", HOSTILE),
    ("dedupe", "explain", HOSTILE),
    ("dedupe", "missing" + HOSTILE),
    ("dedupe", "--select", HOSTILE),
]


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("args", CALLS, ids=lambda args: ascii(" ".join(args))[1:60])
def test_no_command_shows_a_hostile_name_as_it_is(run: Run, hostile: Path, args: tuple[str, ...]) -> None:
    done = run(*args, stdin=LARGE, cwd=hostile)
    assert_inert(done)
    assert os.listdir(hostile) == [HOSTILE]


def test_lists_show_hostile_labels_escaped_and_one_a_line(run: Run, hostile: Path) -> None:
    run("cache", "put", HOSTILE, "--tool", HOSTILE, "--call", HOSTILE, cwd=hostile)
    for args in (("cache", "list"), ("cache", "search", "--all", "text", "fit"), ("cache", "verify"), ("cache", "stat")):
        done = run(*args)
        assert done.status == 0
        assert_inert(done)
    listed = run("cache", "list").out.decode()
    assert listed.count("\n") == 1
    assert listed.count(r"\x1b]0;x\x07\n\u202e$(touch x)\x9b31m\x7f\u2028") == 3


def test_conversations_are_listed_without_what_a_terminal_obeys(run: Run) -> None:
    for args in (("edit", "list"), ("edit", "list", "--by", "message"), ("count", "--by", "message"), ("compact", "--check")):
        assert_inert(run(*args, *(() if args[0] == "compact" else ("--tokenizer", "bytes/3")), stdin=CHAT))


def test_content_that_is_found_is_shown_without_what_a_terminal_obeys(run: Run) -> None:
    run("cache", "put", stdin=f"a needle {HOSTILE} in a line\n".encode())
    done = run("cache", "search", "needle")
    assert b"needle" in done.out
    assert_inert(done)


def test_what_passes_raw_keeps_every_byte(run: Run) -> None:
    data = HOSTILE.encode() + b"\xff\x00\r\n"
    assert run("gate", "--window", "8192", stdin=data).out == data
    ref = run("cache", "put", stdin=data).out.decode().strip()
    assert run("cache", "get", ref).out == data


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("name", ["a.py", "a.json", "a.md", "a.csv", "a.yaml", "a.log", "a.diff", "a.html", "a.txt"])
def test_a_map_of_hostile_content_is_inert(run: Run, tmp_path: Path, name: str) -> None:
    line = HOSTILE.replace("\n", " ")
    text = {
        "a.py": "".join(f"def f{n}():\n    '''{line}'''\n" for n in range(300)),
        "a.json": json.dumps({f"{line}{n}": [{line: line}] for n in range(300)}, ensure_ascii=False, indent=1),
        "a.md": "".join(f"# {line} {n}\n\ntext {line}\n\n" for n in range(300)),
        "a.csv": "".join(f"{line},{n},x\n" for n in range(600)),
        "a.yaml": "".join(f'"{line} {n}": "{line}"\n' for n in range(300)),
        "a.log": "".join(f"2026-01-01T00:00:{n % 60:02} ERROR {line} {n}\n" for n in range(400)),
        "a.diff": "".join(f"diff --git a/{line} b/{line}\n--- a/{line}\n+++ b/{line}\n@@ -1 +1 @@ {line}\n-a{n}\n+b\n" for n in range(200)),
        "a.html": "<html>" + "".join(f"<h1 id='{line}'>{line} {n}</h1>\n" for n in range(300)) + "</html>",
        "a.txt": "".join(f"{line} {n}\n" for n in range(400)),
    }[name]  # fmt: skip
    (tmp_path / name).write_text(text)
    done = run("brief", name, "--target", "1500", "--tokenizer", "bytes/3", cwd=tmp_path)
    assert done.status == 0
    assert_inert(done)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("form", ["text", "github"])
def test_findings_in_a_file_of_a_hostile_name_are_inert(run: Run, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "w" / HOSTILE.replace("\n", "\n")
    folder.mkdir(parents=True)
    sentence = "Always run the whole test suite before you push anything to the main branch of the repository."
    hidden = f"Read this {HOSTILE} now, because the key is ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE."
    (folder / "AGENTS.md").write_text(f"# Rules\n\n- {sentence}\n- {hidden}\n")
    (tmp_path / "w" / "AGENTS.md").write_text(f"# Rules\n\n- {sentence}\n\n## More\n\n- {sentence}\n- {hidden}\n")
    for more in ((), ("--statistics",), ("--table",), ("--budget",), ("--fix", "--diff")):
        done = run("dedupe", "w", "--output-format", form, *more, cwd=tmp_path, stdin=b"")
        if "--diff" in more:  # what a diff shows of the files is their content: only its headers are ours
            done = done.__class__(done.status, b"".join(row for row in done.out.splitlines(True) if row[:4] in (b"--- ", b"+++ ")), done.err)
        assert_inert(done)
    shown = run("dedupe", "w", "--output-format", form, cwd=tmp_path).out.decode()
    assert "HYG007" in shown
    assert r"\x1b]0;x\x07" in shown


@pytest.mark.slow
def test_doctor_and_errors_show_hostile_settings_escaped_and_no_secret(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "p\x1b[31m\u202e"
    folder.mkdir()
    settings = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    settings.parent.mkdir(parents=True)
    key = "sk-proj-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaEe"
    settings.write_text(
        f'summarizer = "http://ana:hunter22@host/v1?api_key={key}"\nmodel = "\\u001b[31m\\u202e"\nevents = "\\u009b\\n"\n'
        '[models."\\u001b]0;x\\u0007\\n"]\nwindow = 5\n'
    )
    for args in (("doctor",), ("models", "list"), ("models", "show", "x"), ("gate", "--window", "9")):
        done = run(*args, cwd=folder, stdin=b"x")
        assert_inert(done)
        assert not [secret for secret in ("hunter22", key) if secret in done.out.decode() + done.err]
    assert b"http://ana:***@host/v1?api_key=***" in run("doctor", cwd=folder).out
    assert b"hunter22" not in run("doctor", "--json", cwd=folder).out
    settings.write_text(f'strict = "token={key}"\n')
    assert key not in run("gate", "--window", "9", stdin=b"x").err


def test_a_summarizers_password_is_in_no_message(run: Run) -> None:
    chat = json.dumps([{"role": "user", "content": "many words " * 200}, {"role": "assistant", "content": "more words " * 900}] * 3)
    done = run(
        "compact", *SIZED, "--summarizer", "http://ana:hunter22@127.0.0.1:9/v1?api_key=abc123", "--force", "-v", stdin=chat.encode()
    )
    assert done.err
    assert not [secret for secret in ("hunter22", "abc123") if secret in done.err]


NAMES = [
    "plain.txt", "two words.txt", "it's.txt", '"double".txt', "$(touch x).txt", "`touch x`.txt", "-n.txt", "--version", "a;touch x", "back\\slash",
    "=ls", "~", "*", "#x", "!x", "{a,b}", "tab\there", "new\nline", "-dash\nline", "\x1b]0;x\x07", "\u202eright", "caf\udce9", "\udcff\udcfe", "漢字\u3000x",
    "end\n", "\x9b31m", "'\n'", "\\n\n",
]  # fmt: skip


def part_by_hint(shell: str, hint: str, cwd: Path, env: dict[str, str]) -> bytes:
    done = subprocess.run([shell, "-c", os.fsencode(hint)], capture_output=True, cwd=cwd, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_hint_run_by_a_real_shell_gives_the_part_of_the_file(
    run: Run, home: dict[str, str], ctxkit: str, tmp_path: Path, name: str
) -> None:
    work = tmp_path / "in"
    work.mkdir()
    rows = LARGE.splitlines(keepends=True)[:60]
    Path(os.path.join(work, name)).write_bytes(b"".join(rows))
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}
    calls = [
        ("brief", "--target", "150", "--tokenizer", "bytes/3", "--", name),
        ("brief", "--target", "150", "--tokenizer", "bytes/3", "--hint", "sed -n '{start},{end}p' \"{name}\"", "--", f"./{name}"),
        ("brief", "--target", "150", "--tokenizer", "bytes/3", "--hint", "sed -n '{start},{end}p' {path}", "--", name),
    ]
    for args in calls:
        done = run(*args, cwd=work)
        assert_inert(done)
        last = os.fsdecode(done.out.splitlines()[-1])
        hint = last.removeprefix("To read a part: ")
        start, end = map(int, re.search(r"(\d+)[,:](\d+)", hint.partition(" --lines ")[2] or hint).groups())
        for shell in SHELLS:
            assert part_by_hint(shell, hint, work, env) == b"".join(rows[start - 1 : end])
    assert os.listdir(work) == [name]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["$(touch x).txt", "new\nline", "it's -n"])
def test_the_hint_of_stored_content_and_of_a_page_works_in_a_real_shell(
    run: Run, home: dict[str, str], ctxkit: str, tmp_path: Path, name: str
) -> None:
    home["XDG_CACHE_HOME"] = os.path.join(tmp_path, name)
    work = tmp_path / "in"
    work.mkdir()
    (work / name).write_bytes(LARGE)
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}
    rows = LARGE.splitlines(keepends=True)
    last = run("gate", *SIZED, name, cwd=work).out.decode().splitlines()[-1]
    hints = last.removeprefix("To read a part: ").removesuffix(")").split(" (or: ")
    assert len(hints) == (2 if quote_word(name) else 1)
    start, end = map(int, re.search(r"--lines (\d+):(\d+)", hints[0]).groups())
    for hint in hints:
        assert part_by_hint("bash", hint, work, env) == b"".join(rows[start - 1 : end])
    page = run("cache", "get", name, "--gate", *SIZED, cwd=work).out.decode()
    follow = re.search(rf"\[lines (\d+)-{len(rows)} follow: (.*)\]\n$", page)
    if quote_word(name):
        assert part_by_hint("bash", follow[2], work, env).startswith(rows[int(follow[1]) - 1])
    else:
        assert follow[2].startswith("--lines ")
    assert os.listdir(work) == [name]
