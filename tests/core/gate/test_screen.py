"""Content that was drawn over passes as the screen of a terminal, if that is shorter and its bytes are stored."""

import json
from pathlib import Path

import pytest

from ctxkit.app.gate import gate_result_blocks
from ctxkit.core.gate.screen import ISOLATED_BYTES
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import settings
from tests.conftest import Run

SIZED = ("--window", "8192", "--tokenizer", "bytes/3")
PROGRESS = b"fetch\n" + b"".join(b"\rreceived %d%% of 900 objects" % number for number in range(101)) + b", done.\nend\n"
SCREEN = b"fetch\nreceived 100% of 900 objects, done.\nend\n"
SCROLLED = b"".join(b"a: %d%%\nb: %d%%\n\x1b[2A" % (number, number) for number in range(2_000)) + b"\n\nready\n"
CRLF = b"".join(b"line %d\r\n" % number for number in range(99))


@pytest.fixture
def content(tmp_path: Path):
    """Return the path of a file with some content."""

    def write(data: bytes) -> Path:
        path = tmp_path / "content"
        path.write_bytes(data)
        return path

    return write


def test_gate_passes_the_screen_only_if_asked(run: Run) -> None:
    assert run("gate", *SIZED, stdin=PROGRESS).out == PROGRESS
    done = json.loads(run("gate", *SIZED, "--screen", "--name", "git clone", "--json", stdin=PROGRESS).out)
    assert done["result"] == "screen"
    head, body, hint = done["content"].split("\n\n")
    assert head.startswith("# git clone (3 lines, ")
    assert head.endswith("): the final screen, without what it overwrote")
    assert body.encode() + b"\n" == SCREEN
    assert hint.startswith(f"To read a part: ctxkit cache get {done['ref']} --lines 1:3")
    assert 4 * done["tokens"] < done["original"]["tokens"]
    assert (done["original"]["bytes"], done["original"]["lines"]) == (len(PROGRESS), 3)
    assert run("cache", "get", done["ref"]).out == PROGRESS


@pytest.mark.parametrize("words", [("run",), ("shell",)])
def test_commands_pass_the_screen(run: Run, content, words: tuple[str, ...]) -> None:
    path = content(PROGRESS)
    command = ("--", "cat", str(path)) if words == ("run",) else ("-c", f"cat '{path}'")
    done = run(*words, *SIZED, *command)
    assert SCREEN in done.out
    assert b"the final screen, without what it overwrote" in done.out
    assert len(done.out) < 500
    assert done.status == 0


def test_the_status_of_a_command_is_named_and_kept(run: Run, content) -> None:
    done = run("run", *SIZED, "--", "sh", "-c", f"cat '{content(PROGRESS)}'; exit 3")
    assert done.status == 3
    assert b"; Exit status 3): the final screen" in done.out.split(b"\n")[0]


def test_a_screen_passes_instead_of_a_map_if_it_fits(run: Run, content) -> None:
    path = content(SCROLLED)
    done = json.loads(run("run", *SIZED, "--json", "--", "cat", str(path)).out)
    assert (done["result"], done["original"]["lines"]) == ("screen", 4_003)
    assert "a: 1999%\nb: 1999%\nready\n" in done["content"]
    assert run("cache", "get", done["ref"]).out == SCROLLED
    assert b"a map, not the content" in run("gate", *SIZED, "--name", "pull", stdin=SCROLLED).out


def test_the_gate_of_a_host_passes_the_screen(run: Run) -> None:
    done = run("gate", "--host", "codex", "--status", "1", "--name", "git clone", stdin=PROGRESS)
    assert SCREEN in done.out
    assert b"Exit status 1): the final screen" in done.out


def test_the_hook_passes_the_screen_of_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    blocks: list[JsonValue] = [{"type": "text", "text": PROGRESS.decode()}]
    event = HookEvent(EventKind.RESULT, "s-1", tool="mcp__git__clone", blocks=blocks)
    (block,) = gate_result_blocks(event, "claude-code", settings.load())
    assert isinstance(block, dict)
    assert SCREEN.decode() in str(block["text"])
    assert "ctxkit cache get" in str(block["text"])


@pytest.mark.parametrize(
    "data",
    [b"10%\r100%\n", CRLF, b"a,b\r1,2\r" * 99, b"long line of text\n" * 99 + b"10%\r20%\n", b'{"a": "\b\b"}\n' * 99],
    ids=["short", "crlf", "old mac", "no tenth less", "json"],
)
def test_content_passes_as_it_is_where_the_screen_is_no_gain(run: Run, content, data: bytes) -> None:
    assert run("run", *SIZED, "--", "cat", str(content(data))).out == data


@pytest.mark.slow
def test_hostile_content_whose_screen_is_too_large_becomes_a_map(run: Run, content) -> None:
    data = b"start\n" + b"\x1b[512Cx\n" * 40_000 + b"error: the end\n"
    done = json.loads(run("run", *SIZED, "--json", "--", "cat", str(content(data))).out)
    assert (done["result"], done["original"]["lines"]) == ("briefing", 40_002)
    assert "40002: error: the end" in done["content"]


@pytest.mark.slow
def test_the_screen_of_large_content_is_drawn_in_a_worker(run: Run, content) -> None:
    data = PROGRESS * 300
    done = json.loads(run("run", *SIZED, "--json", "--", "cat", str(content(data))).out)
    assert len(data) > ISOLATED_BYTES
    assert done["result"] == "screen"
    assert done["content"].count("received 100% of 900 objects, done.") == 300


def test_nothing_is_left_out_of_what_may_not_be_stored(run: Run, content) -> None:
    assert run("run", *SIZED, "--no-store", "--", "cat", str(content(PROGRESS))).out == PROGRESS


def test_a_session_is_charged_what_enters(run: Run, content) -> None:
    words = ("--session", "s", "--window", "8192", "--tokenizer", "bytes/3")
    done = json.loads(run("run", *words, "--json", "--", "cat", str(content(PROGRESS))).out)
    assert done["result"] == "screen"
    assert json.loads(run("session", "status", "s", "--json").out)["used"] == done["tokens"]
    done = json.loads(run("run", *words, "--json", "--", "cat", str(content(SCROLLED))).out)
    assert done["result"] == "screen"


def test_the_event_of_a_screen_has_its_tokens_and_those_of_the_content(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "events"
    run("gate", *SIZED, "--screen", "--events", str(path), stdin=PROGRESS)
    event = json.loads(path.read_text())
    assert (event["event"], event["result"]) == ("gate", "screen")
    assert 4 * event["after_tokens"] < event["before_tokens"] == event["original"]["tokens"]


def test_a_line_that_looks_like_a_hint_is_indented(run: Run) -> None:
    data = PROGRESS + b"To read a part: ctxkit cache get 123456789012 --lines 1:2\n"
    rows = run("gate", *SIZED, "--screen", stdin=data).out.split(b"\n")
    assert [row[:3] for row in rows if b"To read a part" in row] == [b"  T", b"To "]


@pytest.mark.slow
def test_maps_see_the_screen_and_name_lines_of_the_bytes(run: Run) -> None:
    """What a map quotes stands in the line that it names."""
    log = b"".join(b"step %d of the build\n" % number for number in range(300))
    data = log + PROGRESS + SCROLLED + log + b"error: disk full\n"
    out = run("gate", "--limit", "600", "--tokenizer", "bytes/3", "--name", "make", stdin=data).out
    assert b"received 1%" not in out
    assert b"a: 1%" not in out
    number = data.split(b"\n").index(b"error: disk full") + 1
    assert b"%d: error: disk full" % number in out
    ref = out.rstrip(b"\n").split(b"cache get ")[1].split()[0].decode()
    assert run("cache", "get", ref, "--lines", f"{number}:{number}").out == b"error: disk full\n"


@pytest.mark.slow
def test_the_map_of_a_file_sees_the_screen_too(run: Run, content) -> None:
    out = run("brief", content(PROGRESS * 40), "--target", "300", "--tokenizer", "bytes/3").out
    assert b"received 100% of 900 objects, done." in out
    assert b"received 1%" not in out
