"""What enters the window, and what a user sees of what does not."""

import base64
import json
import os
import pty
import re
import resource
import shlex
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.token_counters import load_qwen

Run = Callable[..., Any]
Home = dict[str, str]

QWEN = ("--model", "qwen3-30b")
SMALL = (*QWEN, "--window", "4096")
"""A window of 4,096, of which 819 are kept for the answer: 3,277 are there, and 1,638 for a map."""
CHEAP = ("--window", "4096", "--tokenizer", "bytes/3")
"""The same room, for tests in which nobody counts: no vocabulary is loaded."""
HINT = re.compile(
    r"To read a part: ctxkit cache get (?P<ref>[0-9a-f]{16}) --lines (?P<start>\d+):(?P<end>\d+)"
    r"(?: \(or: (?P<sed>sed -n '\d+,\d+p' .+)\))?"
)


def report(rows: int) -> bytes:
    return b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(1, rows + 1))


def last_line(out: bytes) -> str:
    return out.decode().splitlines()[-1]


def stored(home: Home) -> list[Path]:
    return [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file() and "blobs" in path.parts]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def window_of(done: Any) -> dict[str, int]:
    assert done.status == 0, done.err
    found: dict[str, int] = json.loads(done.out)["budget"]
    return found


# ---------------------------------------------------------------- what fits


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing at all"),
        pytest.param(b"\n", id="an empty line"),
        pytest.param(b"no newline at the end", id="no final newline"),
        pytest.param(b"a\x00b\x00\n\x00", id="NUL"),
        pytest.param(b"ok\n\xff\xfe\xfd\x80\nstill here\n", id="invalid UTF-8"),
        pytest.param(b"\xed\xa0\x80\xed\xb0\x80\n", id="lone surrogates"),
        pytest.param(b"one\r\ntwo\r\n", id="CRLF"),
        pytest.param(b"10 %\r50 %\r100 %\n", id="lone CR"),
        pytest.param(b"\xef\xbb\xbfwith a mark\n", id="BOM"),
        pytest.param("größe\n".encode("utf-16"), id="UTF-16 with BOM"),
        pytest.param("größe\n".encode("utf-16-be"), id="UTF-16 without BOM"),
        pytest.param(b"\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07\n", id="ANSI"),
        pytest.param(b"<|endoftext|><|im_start|>system\n", id="special tokens spelled out"),
        pytest.param(bytes(range(256)) * 4, id="every byte"),
    ],
)
def test_what_fits_leaves_byte_for_byte_as_it_came(run: Run, content: bytes) -> None:
    done = run("gate", *QWEN, stdin=content)
    assert (done.status, done.out, done.err) == (0, content, "")


def test_what_must_be_counted_to_know_that_it_fits_leaves_as_it_came_too(run: Run) -> None:
    content = b"\xff\x00caf\xc3\xa9 \xed\xa0\x80\r\n" * 250 + b"the end"
    done = run("gate", *QWEN, "--window", "9000", "--reserve", "0", stdin=content)
    assert (done.status, done.out, done.err) == (0, content, "")


def test_a_file_is_read_instead_of_stdin(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"from the file\r\n")
    done = run("gate", "notes.txt", *QWEN, stdin=b"from stdin", cwd=tmp_path)
    assert (done.status, done.out, done.err) == (0, b"from the file\r\n", "")


def test_a_dash_is_stdin(run: Run) -> None:
    assert run("gate", "-", *QWEN, stdin="x").out == b"x"


def test_nothing_is_stored_of_what_fits(run: Run, home: Home) -> None:
    run("gate", *QWEN, stdin=report(50))
    assert stored(home) == []
    assert run("cache", "list").out == b""


def test_to_the_very_token_that_is_there_and_not_one_more(run: Run) -> None:
    text = report(300).decode()
    tokens = load_qwen()(text)
    exact = run("gate", *QWEN, "--reserve", "0", "--window", str(tokens), "--check", stdin=text)
    one_less = run("gate", *QWEN, "--reserve", "0", "--window", str(tokens - 1), "--check", stdin=text)
    assert (exact.status, one_less.status) == (0, 1)


def test_what_is_used_counts_against_the_window(run: Run) -> None:
    text = report(300).decode()
    window = str(load_qwen()(text) + 100)
    terms = ("gate", *QWEN, "--reserve", "0", "--window", window, "--check", "--used")
    assert run(*terms, "100", stdin=text).status == 0
    assert run(*terms, "101", stdin=text).status == 1


def test_the_limit_caps_one_call(run: Run) -> None:
    text = report(300).decode()
    tokens = load_qwen()(text)
    assert run("gate", *QWEN, "--check", "--limit", str(tokens), stdin=text).status == 0
    assert run("gate", *QWEN, "--check", "--limit", str(tokens - 1), stdin=text).status == 1


@pytest.mark.slow
def test_a_briefing_stays_under_the_limit(run: Run) -> None:
    done = run("gate", *QWEN, "--limit", "150", stdin=report(3000))
    assert done.status == 0
    assert 0 < load_qwen()(done.out.decode()) <= 150


@pytest.mark.parametrize(("reserve", "tokens"), [("0", 0), ("1000", 1000), ("25%", 2500), ("12.5%", 1250), ("0%", 0)])
def test_the_reserve_is_given_in_tokens_or_percent(run: Run, reserve: str, tokens: int) -> None:
    done = run("gate", "--window", "10000", "--reserve", reserve, "--json", stdin="x")
    assert window_of(done) == {"window": 10000, "reserve": tokens, "used": 0, "available": 10000 - tokens}


@pytest.mark.parametrize("reserve", ["x", "%", "-1", "-5%", "nan%", "inf%", "100%", "10000", "1e400%"])
def test_a_reserve_that_is_none_is_refused(run: Run, reserve: str) -> None:
    done = run("gate", "--window", "10000", f"--reserve={reserve}", stdin="x")
    assert (done.status, done.out) == (2, b"x")
    assert done.err.startswith("ctxkit: --reserve: ")
    assert "  hint: as in --reserve 4096, --reserve 8k or --reserve 20%; stdin goes through gate without it" in done.err
    assert done.err.count("\n") == 2


def test_more_used_than_there_is_leaves_no_room_but_no_debt(run: Run) -> None:
    done = run("gate", "--window", "1000", "--used", "5000", "--json", stdin="")
    assert window_of(done) == {"window": 1000, "reserve": 200, "used": 5000, "available": 0}


def test_the_tokenizer_named_is_the_one_that_counts(run: Run) -> None:
    thirds = run("gate", "--window", "1000", "--reserve", "0", "--tokenizer", "bytes/3", "--json", stdin=b"x" * 900)
    answer = json.loads(thirds.out)
    assert (answer["result"], answer["tokenizer"]) == ("raw", "bytes/3")
    assert (
        run("gate", "--window", "299", "--reserve", "0", "--tokenizer", "bytes/3", "--check", stdin=b"x" * 900).status
        == 1
    )
    assert (
        run("gate", "--window", "299", "--reserve", "0", "--tokenizer", "qwen3", "--check", stdin=b"x" * 900).status
        == 0
    )


def test_an_unknown_tokenizer_is_refused_with_those_there_are(run: Run) -> None:
    done = run("gate", "--window", "1000", "--tokenizer", "qwen9", stdin="x")
    assert (done.status, done.out) == (2, b"x")
    assert done.err.startswith("ctxkit: unknown tokenizer: qwen9\n  hint: one of o200k, cl100k, ")


# ---------------------------------------------------------------- --check


def test_check_answers_without_a_word(run: Run, home: Home) -> None:
    yes = run("gate", *CHEAP, "--check", stdin=report(10))
    no = run("gate", *CHEAP, "--check", stdin=report(5000))
    assert (yes.status, yes.out, yes.err) == (0, b"", "")
    assert (no.status, no.out, no.err) == (1, b"", "")
    assert stored(home) == []


@pytest.mark.slow
def test_check_reads_stdin_to_its_end(ctxkit: str, home: Home) -> None:
    writer = "import sys\nfor _ in range(300): sys.stdout.buffer.write(b'x y ' * 5000)\nsys.stderr.write('written')"
    script = (
        f"python3 -c {shlex.quote(writer)} | {shlex.quote(ctxkit)} gate --window 512 --check; echo ${{PIPESTATUS[*]}}"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home, timeout=60)
    assert (done.stdout, done.stderr) == (b"0 1\n", b"written")


# ---------------------------------------------------------------- --json


def test_json_of_what_fits_holds_the_content_and_the_budget(run: Run) -> None:
    done = run("gate", *QWEN, "--json", "--used", "10", stdin="a\nb\n")
    answer = json.loads(done.out)
    assert done.out.count(b"\n") == 1
    assert (answer["result"], answer["content"], "ref" in answer) == ("raw", "a\nb\n", False)
    assert (answer["original"]["bytes"], answer["original"]["lines"]) == (4, 2)
    assert answer["budget"] == {"window": 32768, "reserve": 6554, "used": 10, "available": 26204}
    assert (answer["method"], answer["tokens"]) == ("exact", load_qwen()("a\nb\n"))
    assert (answer["original"]["method"], answer["original"]["tokens"]) == ("exact", answer["tokens"])


def test_what_is_told_is_counted_and_no_bound(run: Run, tmp_path: Path) -> None:
    """A harness that adds the numbers up would fill its window with air otherwise."""
    text, log = report(300).decode(), tmp_path / "events.jsonl"
    tokens = load_qwen()(text)
    assert tokens < len(text)
    told = run("gate", *QWEN, "--json", "--events", str(log), stdin=text)
    silent = run("gate", *QWEN, "-v", "--events", str(log), stdin=text)
    objects = [json.loads(line) for line in (told.out.decode(), *log.read_text().splitlines())]
    assert [(each["tokens"], each["method"], each["original"]["tokens"]) for each in objects] == [
        (tokens, "exact", tokens)
    ] * 3
    assert f"raw, {tokens:,} tokens (exact, qwen3)" in silent.err


def test_content_that_passes_undecided_is_counted_too(run: Run, no_store: Home) -> None:
    text = report(3000)
    answer = json.loads(run("gate", *SMALL, "--json", stdin=text, env=no_store).out)
    assert (answer["result"], answer["tokens"], answer["method"]) == ("raw", load_qwen()(text.decode()), "exact")


def test_the_original_is_counted_where_nothing_is_stored_too(run: Run) -> None:
    text = report(3000)
    answer = json.loads(run("gate", *SMALL, "--no-store", "--json", stdin=text).out)
    assert (answer["result"], answer["original"]["tokens"]) == ("briefing", load_qwen()(text.decode()))


# ---------------------------------------------------------------- a full window

FULL = ("--window", "100000", "--reserve", "0", "--tokenizer", "llama2")
"""A window of which 98 % are 98,000 tokens."""


def gated(run: Run, used: int, *more: str, stdin: bytes) -> Any:
    done = run("gate", *FULL, "--used", str(used), "--json", *more, stdin=stdin)
    found = json.loads(done.out)
    assert done.status == (1 if found["result"] == "refused" else 0)
    return found


def test_content_that_fits_is_tight_until_what_is_used_reaches_the_hard_block(run: Run) -> None:
    content = report(20)
    free, full = gated(run, 97_999, stdin=content), gated(run, 98_000, stdin=content)
    assert (free["result"], free["content"].encode()) == ("tight", content)
    assert (full["result"], full["original"]["tokens"]) == ("briefing", free["tokens"])
    assert full["tokens"] <= 1_000
    assert run("cache", "get", full["ref"]).out == content
    assert gated(run, 98_000, stdin=b"")["tokens"] == 0


def test_a_full_window_refuses_what_no_map_is_short_enough_for(run: Run) -> None:
    content = b"ten little words that would fit into what is left"
    full = gated(run, 99_970, stdin=content)
    assert (full["result"], full["tokens"], full["method"], full["content"]) == ("refused", 0, "exact", "")
    assert full["reason"] == "the window is full: 99,970 of 100,000 tokens are used"
    assert full["hint"].startswith("ctxkit compact frees tokens; --admit passes it anyway; ")
    assert run("cache", "get", full["ref"]).out == content
    done = run("gate", *FULL, "--used", "99970", stdin=content)
    assert (done.status, done.out) == (1, b"")
    why, hint, envelope = done.err.splitlines()
    assert (why, hint) == (f"ctxkit: refused: {full['reason']}", f"  hint: {full['hint']}")
    assert envelope.endswith(f"ctxkit cache get {full['ref']}")


@pytest.mark.parametrize("used", [98_000, 99_970])
def test_content_that_fits_is_admitted_to_a_full_window_when_that_is_asked_for(run: Run, used: int) -> None:
    content = b"ten little words that would fit into what is left"
    admitted = gated(run, used, "--admit", stdin=content)
    assert (admitted["result"], admitted["content"].encode()) == ("tight", content)


@pytest.mark.slow
def test_what_does_not_fit_is_not_admitted_either(run: Run) -> None:
    assert gated(run, 98_000, "--admit", stdin=report(3000))["result"] == "briefing"
    assert gated(run, 100_000, "--admit", stdin=b"a word")["result"] == "refused"


@pytest.mark.parametrize(
    ("used", "more", "status"), [(97_999, (), 0), (98_000, (), 1), (98_000, ("--admit",), 0), (100_000, ("--admit",), 1)]
)
def test_a_check_of_a_full_window_answers_what_the_gate_would_do(
    run: Run, used: int, more: tuple[str, ...], status: int
) -> None:
    assert run("gate", *FULL, "--used", str(used), "--check", *more, stdin=report(20)).status == status
    assert (gated(run, used, *more, stdin=report(20))["result"] == "tight") == (status == 0)


@pytest.mark.parametrize("hint", ["ctxkit", "sed", "read {name} from {start}"])
def test_gating_a_map_again_changes_nothing_in_a_full_window_either(run: Run, hint: str) -> None:
    full = (*FULL, "--used", "98000", "--hint", hint)
    once = run("gate", *full, stdin=report(20)).out
    again = json.loads(run("gate", *full, "--json", stdin=once).out)
    assert (again["result"], again["content"].encode()) == ("tight", once)
    assert run("gate", *full, "--check", stdin=once).status == 0


def test_json_says_when_it_is_tight(run: Run) -> None:
    text = report(300).decode()
    tokens = load_qwen()(text)
    done = run("gate", *QWEN, "--reserve", "0", "--window", str(tokens), "--json", stdin=text)
    answer = json.loads(done.out)
    assert (answer["result"], answer["tokens"], answer["method"]) == ("tight", tokens, "exact")
    assert answer["content"] == text
    assert answer["original"] | {"method": ""} == {"bytes": len(text), "lines": 300, "tokens": tokens, "method": ""}


def test_tight_content_is_raw_all_the_same(run: Run) -> None:
    text = report(300)
    done = run("gate", *QWEN, "--reserve", "0", "--window", str(load_qwen()(text.decode())), stdin=text)
    assert (done.status, done.out, done.err) == (0, text, "")


@pytest.mark.slow
def test_json_of_a_briefing_counts_what_is_in_it(run: Run) -> None:
    text = report(3000)
    done = run("gate", *SMALL, "--json", stdin=text)
    answer = json.loads(done.out)
    assert answer["result"] == "briefing"
    assert answer["tokens"] == load_qwen()(answer["content"]) <= 1638
    original = answer["original"]
    assert (original["bytes"], original["lines"]) == (len(text), 3000)
    assert original["tokens"] == load_qwen()(text.decode())
    assert answer["budget"] == {"window": 4096, "reserve": 819, "used": 0, "available": 3277}
    assert run("cache", "get", answer["ref"]).out == text


def test_json_of_what_is_not_utf8_is_base64(run: Run) -> None:
    answer = json.loads(run("gate", *QWEN, "--json", stdin=b"\xff\x00\n").out)
    assert "content" not in answer
    assert base64.b64decode(answer["content_base64"]) == b"\xff\x00\n"


# ---------------------------------------------------------------- briefings


@pytest.mark.slow
@pytest.mark.parametrize("window", [600, 1024, 4096, 12000])
def test_a_briefing_takes_at_most_half_the_room(run: Run, window: int) -> None:
    done = run("gate", "--tokenizer", "qwen3", "--window", str(window), stdin=report(9000))
    target = (window - round(window * 0.2)) // 2
    assert (done.status, done.err) == (0, "")
    assert 0 < load_qwen()(done.out.decode()) <= target


@pytest.mark.slow
def test_a_briefing_never_takes_more_than_the_cap(run: Run) -> None:
    done = run("gate", *QWEN, stdin=report(30000))
    assert load_qwen()(done.out.decode()) <= 8000
    capped = run("gate", *QWEN, stdin=report(30000), env={"CTXKIT_BRIEFING_CAP": "500"})
    assert load_qwen()(capped.out.decode()) <= 500


@pytest.mark.slow
def test_a_briefing_says_that_it_is_a_map_of_how_much(run: Run) -> None:
    text = report(3000)
    first = run("gate", *SMALL, stdin=text).out.decode().splitlines()[0]
    assert first.startswith(f"# stdin (3,000 lines, {load_qwen()(text.decode()):,} tokens")
    assert "a map, not the content" in first


@pytest.mark.slow
def test_the_last_line_leads_back_to_every_byte(run: Run, home: Home) -> None:
    text = report(3000) + b"\xff\x00 and no newline at the end"
    found = HINT.fullmatch(last_line(run("gate", *CHEAP, stdin=text).out))
    assert found
    assert run("cache", "get", found["ref"]).out == text
    rows = text.split(b"\n")[int(found["start"]) - 1 : int(found["end"])]
    lines = run("cache", "get", found["ref"], "--lines", f"{found['start']}:{found['end']}")
    assert lines.out == b"\n".join(rows) + b"\n"
    by_sed = subprocess.run(["sh", "-c", found["sed"]], capture_output=True, env=home)
    assert (by_sed.stdout, by_sed.stderr) == (lines.out, b"")


@pytest.mark.slow
def test_the_sed_hint_runs_where_the_cache_has_blanks_and_signs_in_its_name(
    run: Run, home: Home, tmp_path: Path
) -> None:
    place = tmp_path / "a cache $HOME *"
    done = run("gate", *CHEAP, stdin=report(3000), env={"XDG_CACHE_HOME": str(place)})
    found = HINT.fullmatch(last_line(done.out))
    assert found
    by_sed = subprocess.run(["sh", "-c", found["sed"]], capture_output=True, env=home)
    assert by_sed.stdout.startswith(b"row %d of" % int(found["start"])), by_sed.stderr


@pytest.mark.slow
def test_the_sed_hint_runs_below_the_home_directory(run: Run, home: Home) -> None:
    below = {"XDG_CACHE_HOME": f"{home['HOME']}/my cache"}
    found = HINT.fullmatch(last_line(run("gate", *CHEAP, stdin=report(3000), env=below).out))
    assert found
    assert found["sed"].partition("p' ")[2].startswith("~/")
    by_sed = subprocess.run(["sh", "-c", found["sed"]], capture_output=True, env=home)
    assert by_sed.stdout.startswith(b"row %d of" % int(found["start"])), by_sed.stderr


@pytest.mark.slow
def test_the_sed_preset_names_the_ref_and_runs(run: Run, home: Home) -> None:
    line = last_line(run("gate", *CHEAP, "--hint", "sed", stdin=report(3000)).out)
    found = re.fullmatch(r"To read a part: (?P<sed>sed -n '(?P<start>\d+),\d+p' \S*(?P<ref>[0-9a-f]{16})\S*)", line)
    assert found, line
    by_sed = subprocess.run(["sh", "-c", found["sed"]], capture_output=True, env=home)
    assert by_sed.stdout.startswith(b"row %d of" % int(found["start"]))
    assert run("cache", "get", found["ref"]).out == report(3000)


@pytest.mark.slow
def test_the_read_file_preset_is_the_call_and_the_ref(run: Run) -> None:
    line = last_line(run("gate", *CHEAP, "--hint", "read_file", "--name", "big.txt", stdin=report(3000)).out)
    found = re.fullmatch(r'To read a part: read_file\("big\.txt", lines="\d+:\d+"\) \[ref ([0-9a-f]{16})\]', line)
    assert found, line
    assert run("cache", "get", found[1]).out == report(3000)


@pytest.mark.slow
def test_an_own_template_is_filled_in(run: Run) -> None:
    template = "view {name} {ref} from {start} to {end} at {path}"
    line = last_line(run("gate", *CHEAP, "--hint", template, "--name", "big.txt", stdin=report(3000)).out)
    found = re.fullmatch(r"To read a part: view big\.txt ([0-9a-f]{16}) from \d+ to \d+ at (\S+)", line)
    assert found, line
    assert run("cache", "get", found[1]).out == report(3000)


@pytest.mark.slow
def test_a_template_without_the_ref_gets_it_all_the_same(run: Run) -> None:
    line = last_line(run("gate", *CHEAP, "--hint", "lines {start} to {end}", stdin=report(3000)).out)
    found = re.search(r"\[ref ([0-9a-f]{16})\]$", line)
    assert found, line
    assert run("cache", "get", found[1]).out == report(3000)


@pytest.mark.slow
def test_a_template_is_filled_once_and_what_is_filled_in_is_left_alone(run: Run) -> None:
    line = last_line(run("gate", *CHEAP, "--hint", "{name}|{ref}", "--name", "{end}{ref}", stdin=report(3000)).out)
    assert re.fullmatch(r"To read a part: '\{end\}\{ref\}'\|[0-9a-f]{16}", line), line


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{line}", "--hint: {line} is not a field of a hint; these are: ref, path, name, start, end"),
        ("vim", "--hint: 'vim' is neither a template nor one of ctxkit, sed, read_file, read_result"),
    ],
)
def test_a_template_that_is_none_is_refused(run: Run, template: str, message: str) -> None:
    done = run("gate", *CHEAP, "--hint", template, stdin=report(10))
    assert (done.status, done.out) == (2, report(10))
    assert done.err.startswith(f"ctxkit: {message}\n  hint: stdin goes through gate without it; ")


def test_a_template_of_several_lines_does_not_push_the_ref_off_the_last(run: Run) -> None:
    done = run("gate", *CHEAP, "--hint", "one\n{ref}\ntwo", stdin=report(3000))
    assert done.status == 2 or re.search(r"[0-9a-f]{16}", last_line(done.out))


@pytest.mark.slow
def test_the_name_heads_the_map_and_the_list(run: Run) -> None:
    done = run("gate", *CHEAP, "--name", "nightly build", stdin=report(3000))
    assert done.out.startswith(b"# nightly build (3,000 lines, ")
    assert run("cache", "list").out.endswith(b"  nightly build\n")


@pytest.mark.slow
def test_a_name_of_several_lines_stays_on_one(run: Run) -> None:
    done = run("gate", *CHEAP, "--name", "a\nTo read a part: ctxkit cache get 000000000000", stdin=report(3000))
    assert done.out.startswith(rb"# a\nTo read a part: ctxkit")
    assert done.out.splitlines()[0].startswith(b"# a")
    assert b"map, not the content" in done.out.splitlines()[0]


@pytest.mark.slow
def test_the_file_names_the_map(run: Run, tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(report(3000))
    done = run("gate", "big.txt", *CHEAP, cwd=tmp_path)
    assert done.out.startswith(b"# big.txt (3,000 lines, ")


@pytest.mark.slow
def test_a_file_is_stored_whole_because_it_may_change(run: Run, tmp_path: Path) -> None:
    big = tmp_path / "big.txt"
    big.write_bytes(report(3000))
    found = HINT.fullmatch(last_line(run("gate", str(big), *CHEAP).out))
    big.write_text("gone")
    assert found
    assert run("cache", "get", found["ref"]).out == report(3000)


@pytest.mark.slow
def test_the_type_can_be_said(run: Run) -> None:
    source = b"".join(b"def job_%d(x: int) -> int:\n    return x + %d\n\n\n" % (n, n) for n in range(900))
    said = run("gate", *CHEAP, "--type", "python", "--json", stdin=source)
    assert (said.status, json.loads(said.out)["kind"]) == (0, "source")
    assert "job_1" in json.loads(said.out)["content"]


def test_an_unknown_type_is_refused_with_those_like_it(run: Run) -> None:
    done = run("gate", *CHEAP, "--type", "pyhton", stdin=report(10))
    assert (done.status, done.out) == (2, report(10))
    assert re.fullmatch(r"ctxkit: unknown type: pyhton\n  hint: one of .*\bpython\b.*\n", done.err), done.err


@pytest.mark.slow
def test_gating_a_briefing_again_changes_nothing(run: Run) -> None:
    once = run("gate", *CHEAP, stdin=report(3000)).out
    twice = run("gate", *CHEAP, "--json", stdin=once)
    assert json.loads(twice.out)["result"] == "raw"
    assert json.loads(twice.out)["content"].encode() == once


@pytest.mark.slow
def test_content_that_only_looks_like_a_briefing_is_content(run: Run) -> None:
    text = report(3000) + b"\nTo read a part: ctxkit cache get 0123456789ab --lines 1:9\n"
    answer = json.loads(run("gate", *CHEAP, "--json", stdin=text).out)
    assert (answer["result"], answer["original"]["lines"]) == ("briefing", 3002)
    assert run("cache", "get", answer["ref"]).out == text


@pytest.mark.slow
def test_the_same_input_gives_the_same_output_byte_for_byte(run: Run) -> None:
    outputs = {run("gate", *CHEAP, stdin=report(3000)).out for _ in range(2)}
    assert len(outputs) == 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("window", [2, 50])
def test_a_window_too_small_even_for_one_line_is_refused_on_stderr(run: Run, window: int) -> None:
    done = run("gate", "--tokenizer", "qwen3", "--window", str(window), stdin=report(3000))
    assert (done.status, done.out) == (1, b"")
    why, hint, envelope = done.err.splitlines()
    assert re.fullmatch(r"ctxkit: refused: no map of stdin fits \d+ tokens, half of what is available", why)
    assert hint.startswith("  hint: ctxkit compact frees tokens; ")
    found = re.fullmatch(r"stdin \(3,000 lines, 95 KB\): ctxkit cache get ([0-9a-f]{16})", envelope)
    assert found, done.err
    assert run("cache", "get", found[1]).out == report(3000)


def test_a_small_window_gets_one_line_with_the_ref(run: Run) -> None:
    done = run("gate", "--tokenizer", "qwen3", "--window", "90", "--reserve", "0", stdin=report(3000))
    assert (done.status, done.err) == (0, "")
    assert load_qwen()(done.out.decode()) <= 45
    found = re.search(rb"[0-9a-f]{16}", done.out.splitlines()[-1])
    assert found
    assert run("cache", "get", found[0].decode()).out == report(3000)


def test_no_room_at_all_still_takes_nothing_at_all(run: Run) -> None:
    done = run("gate", "--window", "1000", "--limit", "0", stdin="")
    assert (done.status, done.out, done.err) == (0, b"", "")


@pytest.mark.slow
def test_fifty_megabytes_on_one_line(run: Run) -> None:
    done = run("gate", "--tokenizer", "qwen3", "--window", "4096", stdin=b"word " * 10_000_000)
    assert (done.status, done.err) == (0, "")
    assert load_qwen()(done.out.decode()) <= 1638
    assert done.out.startswith(b"# stdin (1 line, 48 MB, ")
    found = re.search(r"ctxkit cache get ([0-9a-f]{16})", last_line(done.out))
    assert found
    assert run("cache", "get", found[1], "--bytes", "49999996:").out == b"word "


@pytest.mark.slow
def test_utf16_is_mapped_as_text_and_stored_as_it_came(run: Run) -> None:
    content = "".join(f"Zeile {n}: größer\r\n" for n in range(2000)).encode("utf-16")
    done = run("gate", *CHEAP, stdin=content)
    assert done.out.startswith(b"# stdin (2,000 lines, ")
    assert "größer".encode() in done.out
    found = re.search(r"ctxkit cache get ([0-9a-f]{16})", last_line(done.out))
    assert found
    assert run("cache", "get", found[1]).out == content


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-16-le"])
def test_an_error_in_text_of_another_encoding_is_mapped_with_its_line(run: Run, encoding: str) -> None:
    rows = [f"ファイル {number} をコンパイルしています" for number in range(400)]
    rows[300] = r"C:\src\main.cpp(12): error C2065: 'x': 定義されていない識別子です。"
    content = "\n".join(rows).encode(encoding)
    done = run("gate", *CHEAP, stdin=content)
    assert re.match(rf"# stdin \(400 lines, .*, decoded from {encoding}\)", done.out.decode())
    assert "301" in done.out.decode()
    assert "error C2065" in done.out.decode()
    found = re.search(r"ctxkit cache get ([0-9a-f]{16})", last_line(done.out))
    assert found
    assert run("cache", "get", found[1]).out == content
    assert run("cache", "get", found[1], "--lines", "301").out.decode() == rows[300] + "\n"


def test_a_list_with_nuls_is_mapped_as_lines(run: Run) -> None:
    content = b"".join(b"src/module_%d/file_%d.c\0" % (number % 7, number) for number in range(1500))
    done = run("gate", *CHEAP, stdin=content)
    assert re.match(r"# stdin \(1,50[01] lines, .*, separated by NUL\)", done.out.decode())


@pytest.mark.slow
def test_no_sed_is_offered_for_utf16_which_it_would_cut_to_pieces(run: Run) -> None:
    content = "".join(f"Zeile {n}: größer\n" for n in range(2000)).encode("utf-16")
    assert "sed -n" not in last_line(run("gate", *CHEAP, stdin=content).out)


# ---------------------------------------------------------------- --no-store


def test_without_a_store_head_and_tail_remain_and_the_gap_is_named(run: Run, home: Home) -> None:
    text = report(3000)
    done = run("gate", *SMALL, "--no-store", stdin=text)
    assert (done.status, done.err) == (0, "")
    header, *body = done.out.decode().splitlines()
    assert header == "# stdin (3,000 lines, 95 KB): beginning and end; nothing is stored"
    gap = next(row for row in body if row.startswith("[lines "))
    start, end, total = (int(number.replace(",", "")) for number in re.findall(r"[\d,]+", gap))
    assert gap == f"[lines {start:,}-{end:,} of {total:,} are not shown and not stored]"
    assert total == 3000
    rows = text.decode().splitlines()
    assert body == [*rows[: start - 1], gap, *rows[end:]]
    assert start > 1
    assert end < 3000
    assert load_qwen()(done.out.decode()) <= 1638
    assert stored(home) == []


def test_the_setting_keeps_nothing_on_disk_either(run: Run, home: Home) -> None:
    done = run("gate", *CHEAP, stdin=report(3000), env={"CTXKIT_STORE": "false"})
    assert done.status == 0
    assert b"are not shown and not stored]" in done.out
    assert stored(home) == []


def test_one_huge_line_without_a_store_is_never_an_empty_answer(run: Run) -> None:
    done = run("gate", *CHEAP, "--no-store", stdin=b"word " * 200_000)
    assert done.status == 0
    assert done.out.startswith(b"# stdin (1 line, ")
    assert b"word word word" in done.out


# ---------------------------------------------------------------- when things break


def test_a_cache_that_cannot_be_written_lets_everything_pass_with_one_warning(run: Run, no_store: Home) -> None:
    text = report(3000) + b"\xff"
    done = run("gate", *CHEAP, stdin=text, env=no_store)
    assert (done.status, done.out) == (0, text)
    assert done.err.startswith("ctxkit: warning: content passes unchanged: ")
    assert done.err.count("\n") == 1


def test_strict_fails_instead(run: Run, no_store: Home) -> None:
    for strict in ({"CTXKIT_STRICT": "1"}, {}):
        flag = () if strict else ("--strict",)
        done = run("gate", *CHEAP, *flag, stdin=report(3000), env=no_store | strict)
        assert (done.status, done.out) == (74, b"")
        assert done.err.startswith("ctxkit: ")
        assert done.err.count("\n") == 1


@pytest.mark.slow
def test_an_index_that_cannot_be_written_costs_only_the_label(run: Run, tmp_path: Path) -> None:
    blocked = {"XDG_DATA_HOME": str(write(tmp_path / "file", ""))}
    done = run("gate", *CHEAP, stdin=report(3000), env=blocked)
    assert done.status == 0
    assert done.err.startswith("ctxkit: warning: stored, but the index could not be written: ")
    assert done.err.count("\n") == 1
    found = HINT.fullmatch(last_line(done.out))
    assert found
    assert run("cache", "get", found["ref"]).out == report(3000)


@pytest.mark.slow
def test_a_disk_that_fills_while_storing_loses_nothing(ctxkit: str, home: Home) -> None:
    text = report(120_000)

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))

    done = subprocess.run(
        [ctxkit, "gate", *CHEAP], input=text, capture_output=True, env=home, timeout=60, preexec_fn=small_disk
    )
    assert done.returncode == 0
    assert done.stdout == text
    assert done.stderr == b"ctxkit: warning: content passes unchanged: File too large\n"
    assert [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file()] == []


def test_a_disk_that_fills_while_storing_fails_a_strict_gate(ctxkit: str, home: Home) -> None:
    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))

    command = [ctxkit, "gate", *CHEAP, "--strict"]
    done = subprocess.run(command, input=report(120_000), capture_output=True, env=home, preexec_fn=small_disk)
    assert (done.returncode, done.stdout) == (74, b"")
    assert done.stderr == b"ctxkit: File too large\n"


@pytest.mark.slow
def test_interrupted_it_ends_with_130_and_leaves_nothing_behind(ctxkit: str, home: Home) -> None:
    gate = subprocess.Popen(
        [ctxkit, "gate", "--window", "512"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=home,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert gate.stdin
    gate.stdin.write(report(60_000))
    gate.stdin.flush()
    time.sleep(0.5)
    gate.send_signal(signal.SIGINT)
    out, err = gate.communicate(timeout=20)
    assert (gate.returncode, out, err) == (130, b"", b"")
    assert [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file()] == []


# ---------------------------------------------------------------- usage


def test_an_unknown_model_with_a_window_is_estimated(run: Run) -> None:
    answer = json.loads(run("gate", "--model", "house-made", "--window", "9000", "--json", stdin="x").out)
    assert (answer["result"], answer["tokenizer"]) == ("raw", "estimate")


@pytest.mark.parametrize(
    "name", ["qwen3-30b", "QWEN3-30B", "Qwen/Qwen3-30B-A3B"], ids=["alias", "upper case", "provider prefix"]
)
def test_a_model_is_known_by_its_usual_names(run: Run, name: str) -> None:
    assert window_of(run("gate", "--model", name, "--json", stdin="x"))["window"] == 32768


def test_a_missing_file_is_named(run: Run) -> None:
    done = run("gate", "nowhere.txt", *QWEN)
    assert (done.status, done.out, done.err) == (66, b"", "ctxkit: nowhere.txt: No such file or directory\n")


def test_a_directory_is_no_input(run: Run, tmp_path: Path) -> None:
    done = run("gate", str(tmp_path), *QWEN)
    assert (done.status, done.out) == (66, b"")
    assert done.err == f"ctxkit: {tmp_path} is a directory\n  hint: name a file; ctxkit brief DIR maps a directory\n"


def test_a_terminal_on_stdin_is_told_what_is_expected(ctxkit: str, home: Home) -> None:
    _, terminal = pty.openpty()
    done = subprocess.run([ctxkit, "gate", *QWEN], stdin=terminal, capture_output=True, env=home, timeout=20)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"ctxkit: nothing is piped in\n  hint: pipe a command's output in, as in: cargo test 2>&1 | ctxkit gate\n"
    )


def test_two_files_are_one_too_many(run: Run) -> None:
    done = run("gate", "a", "b", *QWEN)
    assert (done.status, done.out) == (2, b"")
    assert "b" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("window", ["0", "-5", "x", "1.5", ""])
def test_a_window_that_is_none_is_refused(run: Run, window: str) -> None:
    done = run("gate", f"--window={window}", stdin="x")
    assert (done.status, done.out) == (2, b"x")
    assert "--window" in done.err


def test_a_window_beyond_all_sense_is_no_bug_of_ours(run: Run) -> None:
    done = run("gate", "--window", "9" * 30, "--json", stdin="x")
    assert done.status in (0, 2)
    assert "internal error" not in done.err


# ---------------------------------------------------------------- settings


def test_the_environment_names_the_model(run: Run) -> None:
    done = run("gate", "--json", stdin="x", env={"CTXKIT_MODEL": "qwen3-8b"})
    assert window_of(done)["window"] == 40960


def test_each_place_of_settings_wins_over_the_one_before(run: Run, home: Home, tmp_path: Path) -> None:
    project = tmp_path / "project" / "src"
    project.mkdir(parents=True)
    write(Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml", "window = 5000\n")
    assert window_of(run("gate", "--json", stdin="x", cwd=project))["window"] == 5000
    write(tmp_path / "project" / "pyproject.toml", "[tool.ctxkit]\nwindow = 4000\n")
    assert window_of(run("gate", "--json", stdin="x", cwd=project))["window"] == 4000
    write(tmp_path / "project" / ".ctxkit.toml", "window = 3000\n")
    assert window_of(run("gate", "--json", stdin="x", cwd=project))["window"] == 3000
    environment = {"CTXKIT_WINDOW": "2000"}
    assert window_of(run("gate", "--json", stdin="x", cwd=project, env=environment))["window"] == 2000
    flag = run("gate", "--window", "1000", "--json", stdin="x", cwd=project, env=environment)
    assert window_of(flag)["window"] == 1000


def test_the_keys_of_the_seed_keep_their_names(run: Run, tmp_path: Path) -> None:
    write(tmp_path / ".ctxkit.toml", "context_budget = 16000\nmax_output_tokens = 4000\n")
    budget = window_of(run("gate", "--json", stdin="x", cwd=tmp_path))
    assert budget == {"window": 16000, "reserve": 4000, "used": 0, "available": 12000}


def test_a_model_named_on_the_line_brings_its_window_over_the_one_in_a_file(run: Run, tmp_path: Path) -> None:
    write(tmp_path / ".ctxkit.toml", 'model = "qwen3-8b"\n')
    done = run("gate", "--model", "qwen3-30b", "--json", stdin="x", cwd=tmp_path)
    assert window_of(done)["window"] == 32768


def test_settings_above_the_repository_do_not_count(run: Run, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    write(tmp_path / ".ctxkit.toml", "window = 1000\n")
    assert window_of(run("gate", "--json", stdin="x", cwd=repository))["window"] == 32768


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("window = 10\nwindow = = 3\n", "{path}:2: "),
        ("\n# here\nwindwo = 10\n", "{path}:3: unknown setting 'windwo'\n  hint: did you mean window?\n"),
        ('model = "x"\nwindow = "many"\n', "{path}:2: window = 'many' is not a whole number\n"),
        ("window = -1\n", "{path}:1: window = -1 is negative\n"),
    ],
)
def test_broken_settings_are_named_with_file_and_line(run: Run, tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / ".ctxkit.toml", text)
    for args in (("gate", "--check"), ("gate", "--strict"), ("count",)):
        done = run(*args, stdin="x", cwd=tmp_path)
        assert (done.status, done.out) == (78, b"")
    wanted = "ctxkit: " + message.format(path=path)
    assert done.err == wanted if wanted.endswith("\n") else done.err.startswith(wanted)


@pytest.mark.parametrize("text", ["tool = 3\n# tool.ctxkit\n", "[tool]\nctxkit = 3\n# tool.ctxkit\n"])
def test_a_table_that_is_no_table_is_broken_settings_too(run: Run, tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "pyproject.toml", text)
    done = run("gate", "--strict", stdin="x", cwd=tmp_path)
    assert done.status == 78
    assert done.err.startswith(f"ctxkit: {path}")


@pytest.mark.parametrize("line", ['hint = "nope"', 'tokenizer = "nope"', 'reserve = "much"'])
def test_a_value_that_only_its_user_can_judge_is_named_with_its_place_too(run: Run, home: Home, line: str) -> None:
    path = write(Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml", f"window = 900\n{line}\n")
    done = run("gate", "--strict", stdin="x")
    assert (done.status, done.out) == (78, b"")
    assert done.err.startswith(f"ctxkit: {path}:2: ")
    done = run("gate", stdin="x")
    assert (done.status, done.out) == (0, b"x")
    assert done.err.startswith(f"ctxkit: warning: {path}:2: ")
    assert len(done.err.splitlines()) == 1


def test_a_broken_variable_is_named(run: Run) -> None:
    done = run("gate", "--strict", stdin="x", env={"CTXKIT_WINDOW": "wide"})
    assert (done.status, done.out) == (78, b"")
    assert done.err == "ctxkit: CTXKIT_WINDOW: window = 'wide' is not a whole number\n"
    done = run("gate", "--model", "qwen3-8b", stdin="x", env={"CTXKIT_WINDOW": "wide"})
    assert (done.status, done.out) == (0, b"x")
    assert done.err == "ctxkit: warning: CTXKIT_WINDOW: window = 'wide' is not a whole number; the default is used\n"


# ---------------------------------------------------------------- events, company, privacy


@pytest.mark.slow
def test_events_are_one_object_a_line(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    run("gate", *SMALL, "--events", str(log), stdin="short")
    mapped = run("gate", *SMALL, "--events", str(log), "--name", "long", stdin=report(3000))
    run("gate", "--window", "10", stdin=report(3000), env={"CTXKIT_EVENTS": str(log)})
    passed, cut, refused = (json.loads(line) for line in log.read_text().splitlines())
    assert (passed["event"], passed["result"]) == ("gate", "raw")
    assert (cut["event"], cut["result"], cut["name"]) == ("tool_output_truncated", "briefing", "long")
    assert cut["tokens"] == load_qwen()(mapped.out.decode())
    assert (refused["event"], refused["result"]) == ("tool_output_truncated", "refused")
    assert passed["v"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", passed["ts"])
    assert not {"content", "content_base64"} & {*passed, *cut, *refused}


def test_events_that_cannot_be_written_change_nothing_but_are_said(run: Run, tmp_path: Path) -> None:
    done = run("gate", *CHEAP, "--events", str(tmp_path), stdin="short")
    assert (done.status, done.out) == (0, b"short")
    assert done.err == f"ctxkit: warning: events cannot be written: {tmp_path}: Is a directory\n"


@pytest.mark.slow
def test_sixteen_gates_at_once_with_one_content_store_it_once(run: Run) -> None:
    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(lambda _: run("gate", *CHEAP, stdin=report(400)), range(16)))
    assert {(one.status, one.err) for one in done} == {(0, "")}
    assert len({one.out for one in done}) == 1
    assert json.loads(run("cache", "stat", "--json").out)["blobs"] == 1
    assert run("cache", "verify").status == 0


@pytest.mark.slow
def test_sixteen_gates_at_once_with_as_many_contents_store_each_with_its_name(run: Run) -> None:
    def gate(number: int) -> Any:
        return run("gate", *CHEAP, "--name", f"part {number}", stdin=report(400 + number))

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(gate, range(16)))
    assert {(one.status, one.err) for one in done} == {(0, "")}
    names = {json.loads(line)["name"] for line in run("cache", "list", "--json").out.splitlines()}
    assert names == {f"part {number}" for number in range(16)}
    assert run("cache", "verify").status == 0


@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_what_is_stored_is_its_owners_alone_whatever_the_umask(ctxkit: str, home: Home, umask: int) -> None:
    command = [ctxkit, "gate", *CHEAP]
    done = subprocess.run(command, input=report(9000), capture_output=True, env=home, umask=umask)
    assert (done.returncode, done.stderr) == (0, b"")
    for place in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        ours = [path for path in Path(home[place]).rglob("*") if path.name != "tidied"]
        assert ours
        for path in ours:
            mode = stat.S_IMODE(os.stat(path).st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), (path, oct(mode))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_what_cannot_be_read_does_not_pass_for_nothing(run: Run) -> None:
    done = run("gate", "/proc/self/mem", *CHEAP)
    assert (done.status, done.out) == (74, b"")
    assert done.err == "ctxkit: /proc/self/mem: Input/output error\n"


@pytest.mark.slow
def test_what_is_looked_for_comes_first_in_a_map(run: Run) -> None:
    rows = "".join(f"step {number} done\n" for number in range(1, 3000))
    content = rows.replace("step 700 done", "the heron landed")
    shown = run("gate", "--window", "4096", "--used", "2500", "--focus", "heron", stdin=content).out.decode()
    assert "## Focus: heron: 1 line\n- 700: the heron landed\n" in shown


@pytest.mark.slow
def test_a_host_sets_the_limits_and_the_name_is_what_the_model_typed(run: Run) -> None:
    script = "test -r /d/wrap.sh && . /d/wrap.sh; seq 50000"
    stdin = b"".join(b"%d\n" % number for number in range(1, 50_001))
    done = run("gate", "--host", "codex", "--status", "3", "--name", script, stdin=stdin)
    assert done.out.startswith(b"Exit status 3\n# seq 50000 (50,000 lines")
    assert done.err == ""
    assert run("gate", "--host", "codex", "--name", script, stdin=stdin, env={"CTXKIT_EXCLUDE": "seq"}).out == stdin
