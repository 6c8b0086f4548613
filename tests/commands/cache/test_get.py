"""Stored content is read back, whole or in part."""

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]

HUNDRED = b"".join(b"line %d\n" % n for n in range(1, 101))


def rows(start: int, end: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(start, end + 1))


@pytest.fixture
def ref(run: Run) -> str:
    """A hundred lines, stored."""
    found: str = run("cache", "put", stdin=HUNDRED).out.decode().strip()
    return found


def put(run: Run, content: bytes | str) -> str:
    found: str = run("cache", "put", stdin=content).out.decode().strip()
    return found


def follow(run: Run, home: Home, ctxkit: str, first: Any, cwd: Path | None = None) -> bytes:
    """Read on by each page's own hint until there is none."""
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}
    status, page, content = first.status, first.out, b""
    for _ in range(200):
        assert status == 0
        found = re.search(rb"\n?\[(lines|bytes) [\d,]+-[\d,]+ follow: (.*)\]\n\Z", page)
        if not found:
            return content + page
        content += page[: found.start() + (found[1] == b"lines" and found[0].startswith(b"\n"))]
        done = subprocess.run(["bash", "-c", found[2].decode()], capture_output=True, env=env, cwd=cwd)
        assert done.stderr == b""
        status, page = done.returncode, done.stdout
    raise AssertionError("the hints never end")


# ---------------------------------------------------------------- ranges


@pytest.mark.parametrize(
    ("lines", "start", "end"),
    [
        ("12:14", 12, 14),
        ("99:", 99, 100),
        (":2", 1, 2),
        ("50", 50, 50),
        ("-3:", 98, 100),
        ("-500:", 1, 100),
        ("99:500", 99, 100),
        ("1:100", 1, 100),
    ],
)
def test_lines_come_as_sed_gives_them(run: Run, ref: str, lines: str, start: int, end: int) -> None:
    done = run("cache", "get", ref, "--lines", lines)
    assert (done.status, done.out, done.err) == (0, rows(start, end), "")


def test_beyond_the_end_it_says_how_many_lines_there_are(run: Run, ref: str) -> None:
    for lines in ("101:", "101", "400:500"):
        done = run("cache", "get", ref, "--lines", lines)
        assert (done.status, done.out) == (1, b"")
        assert done.err == f"ctxkit: lines from {lines.partition(':')[0]}: there are 100 lines\n"
    one = run("cache", "get", put(run, "only"), "--lines", "2:")
    assert (one.status, one.err) == (1, "ctxkit: lines from 2: there is 1 line\n")


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("lines", ["", ":", "0", "0:5", "5:0", "9:3", "x", "1:2:3", "-5", "3:-1", "1,5", "1.5:"])
def test_a_range_that_is_none_is_refused(run: Run, ref: str, lines: str) -> None:
    done = run("cache", "get", ref, f"--lines={lines}")
    assert (done.status, done.out) == (2, b"")
    assert "--lines" in done.err
    assert "internal" not in done.err


def test_lines_agree_with_sed_on_every_kind_of_ending(run: Run) -> None:
    content = b"one\r\ntwo\rstill two\n\x0cthree\x0bstill\x85\xe2\x80\xa8three\n\n\nsix \xff\x00\nno newline"
    ref = put(run, content)
    path = run("cache", "path", ref).out.decode().strip()
    for span in ("1,1", "2,2", "3,3", "4,5", "6,7", "1,7"):
        by_sed = subprocess.run(["sed", "-n", f"{span}p", path], capture_output=True, env={"LC_ALL": "C"})
        assert run("cache", "get", ref, "--lines", span.replace(",", ":")).out == by_sed.stdout
    assert run("cache", "get", ref, "--lines", "8").status == 1


def test_lines_of_large_content_are_found_from_its_index(run: Run) -> None:
    ref = put(run, b"".join(b"%d %s\n" % (n, b"x" * (n % 97)) for n in range(1, 60_001)))
    assert run("cache", "get", ref, "--lines", "45678").out == b"45678 " + b"x" * (45678 % 97) + b"\n"
    assert run("cache", "get", ref, "--lines", "-1:").out.startswith(b"60000 ")


def test_bytes_are_counted_from_one(run: Run) -> None:
    ref = put(run, b"\x00\xffabc\n")
    cut = {"1:2": b"\x00\xff", "3:": b"abc\n", ":1": b"\x00", "-2:": b"c\n", "4": b"b", "5:99": b"c\n"}
    for span, wanted in cut.items():
        assert run("cache", "get", ref, "--bytes", span).out == wanted
    beyond = run("cache", "get", ref, "--bytes", "7:")
    assert (beyond.status, beyond.err) == (1, "ctxkit: bytes from 7: there are 6 bytes\n")


def test_numbers_stand_before_lines_as_grep_has_them(run: Run, ref: str) -> None:
    assert run("cache", "get", ref, "--lines", "9:10", "-n").out == b"9:line 9\n10:line 10\n"


def test_options_that_contradict_are_refused(run: Run, ref: str) -> None:
    for other in (("--lines", "1"), ("--grep", "x"), ("-n",)):
        done = run("cache", "get", ref, "--bytes", "1:2", *other)
        assert (done.status, done.out) == (2, b"")
        assert done.err == "ctxkit: --bytes cannot be combined with --lines, --grep or -n\n"


# ---------------------------------------------------------------- grep


def test_grep_gives_the_lines_that_match(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--grep", "^line 9?5$")
    assert (done.status, done.out, done.err) == (0, b"line 5\nline 95\n", "")


def test_grep_with_numbers_and_context_is_laid_out_as_greps(run: Run, ref: str) -> None:
    path = run("cache", "path", ref).out.decode().strip()
    for pattern, context in (("^line 5$", 1), ("5$", 2), ("line", 3), ("^line 100$", 4), ("^line (10|13)$", 1)):
        wanted = subprocess.run(["grep", "-E", "-n", "-C", str(context), pattern, path], capture_output=True).stdout
        assert run("cache", "get", ref, "--grep", pattern, "-n", "-C", str(context)).out == wanted


def test_grep_numbers_within_a_range_are_those_of_the_whole(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--grep", "9", "-n", "--lines", "30:50")
    assert done.out == b"39:line 39\n49:line 49\n"


def test_no_match_is_an_honest_no(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--grep", "nowhere")
    assert (done.status, done.out, done.err) == (1, b"", "")


def test_grep_sees_characters_not_bytes(run: Run) -> None:
    ref = put(run, "café\nÜBER\n".encode())
    assert run("cache", "get", ref, "--grep", "^caf.$").out == "café\n".encode()
    assert run("cache", "get", ref, "--grep", "(?i)^über$").out == "ÜBER\n".encode()
    assert run("cache", "get", ref, "--grep", "^caf[éè]$").out == "café\n".encode()


def test_grep_finds_what_stands_beside_bytes_that_are_no_text(run: Run) -> None:
    ref = put(run, b"\xff\x00 key=1\nother\n\x80key=2")
    assert run("cache", "get", ref, "--grep", r"key=\d").out == b"\xff\x00 key=1\n\x80key=2"


def test_grep_matches_before_a_carriage_return(run: Run) -> None:
    assert run("cache", "get", put(run, "end\r\nends\r\n"), "--grep", "end$").out == b"end\r\n"


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{99999999999}", "(?P<x", "\\"])
def test_a_pattern_that_is_none_is_refused(run: Run, ref: str, pattern: str) -> None:
    done = run("cache", "get", ref, "--grep", pattern)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: --grep: ")
    assert "internal" not in done.err


# ---------------------------------------------------------------- refs and files


def test_any_unique_beginning_of_a_ref_will_do(run: Run, ref: str) -> None:
    digest = hashlib.sha256(HUNDRED).hexdigest()
    for beginning in (digest[:6], digest[:13], digest, digest.upper()):
        assert run("cache", "get", beginning).out == HUNDRED


@pytest.mark.parametrize("wanted", ["abc", "12345", "xyzxyz", "", "f" * 65, "../../../etc/shadow0", "ab/../cd"])
def test_what_is_neither_ref_nor_file_is_said(run: Run, wanted: str) -> None:
    done = run("cache", "get", wanted)
    assert (done.status, done.out) == (1, b"")
    assert done.err.endswith("  hint: a ref has at least 6 hex digits: ctxkit cache list\n")


def test_an_absent_ref_is_an_honest_no(run: Run) -> None:
    done = run("cache", "get", "abcdef012345")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: nothing is stored under abcdef012345\n  hint: ctxkit cache list shows all content\n"


def test_a_beginning_that_two_refs_share_is_refused(run: Run) -> None:
    seen: dict[str, bytes] = {}
    for number in count():
        content = b"%d" % number
        beginning = hashlib.sha256(content).hexdigest()[:6]
        if beginning in seen:
            break
        seen[beginning] = content
    refs = sorted(put(run, each) for each in (content, seen[beginning]))
    done = run("cache", "get", beginning)
    assert (done.status, done.out) == (1, b"")
    whole = sorted(hashlib.sha256(each).hexdigest() for each in (content, seen[beginning]))
    assert done.err == f"ctxkit: {beginning} matches 2 refs: {', '.join(whole)}\n  hint: give more digits\n"
    assert run("cache", "get", refs[0]).status == 0


def test_a_file_is_read_where_it_is(run: Run, home: Home, tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(HUNDRED)
    assert run("cache", "get", "notes", "--lines", "3:4", cwd=tmp_path).out == rows(3, 4)
    assert [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file()] == []


def test_a_file_whose_name_could_be_a_ref_is_read_where_no_ref_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "deadbeef").write_bytes(b"beef")
    assert run("cache", "get", "deadbeef", cwd=tmp_path).out == b"beef"


def test_utf16_lines_come_as_text(run: Run) -> None:
    content = "eins\nzwei größer\ndrei\n".encode("utf-16")
    ref = put(run, content)
    assert run("cache", "get", ref).out == content
    assert run("cache", "get", ref, "--lines", "2").out == "zwei größer\n".encode()
    assert run("cache", "get", ref, "--grep", "größer", "-n").out == "2:zwei größer\n".encode()


def test_empty_content_has_no_line(run: Run) -> None:
    ref = put(run, "")
    assert run("cache", "get", ref).status == 0
    done = run("cache", "get", ref, "--lines", "1:")
    assert (done.status, done.out, done.err) == (1, b"", "ctxkit: lines from 1: there are 0 lines\n")


# ---------------------------------------------------------------- through the gate


@pytest.mark.parametrize("content", [b"a\xffb\r\n", b"no newline", b"\x00\n"])
def test_what_fits_comes_through_the_gate_byte_for_byte(run: Run, content: bytes) -> None:
    done = run("cache", "get", put(run, content), "--gate", "--window", "4096")
    assert (done.status, done.out, done.err) == (0, content, "")


@pytest.mark.slow
def test_the_gates_own_hints_lead_through_the_whole(run: Run, home: Home, ctxkit: str) -> None:
    content = b"".join(b"row %d: %s\n" % (n, b"word " * (n % 7)) for n in range(1, 401))
    home["CTXKIT_WINDOW"], home["CTXKIT_TOKENIZER"] = "2000", "bytes/3"
    first = run("cache", "get", put(run, content), "--gate")
    assert re.search(
        rb"\n\[lines \d+-400 follow: ctxkit cache get [0-9a-f]{16} --lines \d+:400 --gate\]\n\Z", first.out
    )
    assert follow(run, home, ctxkit, first) == content


def test_the_way_on_holds_the_window_that_was_asked_for(run: Run, home: Home, ctxkit: str) -> None:
    content = b"".join(b"row %d\n" % n for n in range(1, 401))
    first = run("cache", "get", put(run, content), "--gate", "--window", "2000", "--tokenizer", "bytes/3")
    assert follow(run, home, ctxkit, first) == content


def test_the_way_on_in_a_file_with_blanks_in_its_name_runs(run: Run, home: Home, ctxkit: str, tmp_path: Path) -> None:
    content = b"".join(b"row %d\n" % n for n in range(1, 401))
    (tmp_path / "it's a file").write_bytes(content)
    home["CTXKIT_WINDOW"], home["CTXKIT_TOKENIZER"] = "2000", "bytes/3"
    first = run("cache", "get", "it's a file", "--gate", cwd=tmp_path)
    assert follow(run, home, ctxkit, first, tmp_path) == content


@pytest.mark.slow
def test_one_line_too_long_is_paged_in_bytes(run: Run, home: Home, ctxkit: str) -> None:
    content = "".join(f"{n} größer als " for n in range(1500)).encode()
    home["CTXKIT_WINDOW"], home["CTXKIT_TOKENIZER"] = "6000", "bytes/3"
    first = run("cache", "get", put(run, content), "--gate")
    assert re.search(
        rb"\n\[bytes \d+-\d+ follow: ctxkit cache get [0-9a-f]{16} --bytes \d+:\d+ --gate\]\n\Z", first.out
    )
    assert follow(run, home, ctxkit, first) == content


@pytest.mark.slow
def test_a_long_line_between_short_ones_is_not_lost(run: Run, home: Home, ctxkit: str) -> None:
    content = b"short\n" * 10 + b"long " * 2000 + b"\n" + b"short again\n" * 10
    home["CTXKIT_WINDOW"], home["CTXKIT_TOKENIZER"] = "3000", "bytes/3"
    read = follow(run, home, ctxkit, run("cache", "get", put(run, content), "--gate"))
    assert (read.count(b"short again"), read.count(b"long")) == (10, 2000)


@pytest.mark.slow
def test_a_page_stays_within_its_target(run: Run, ref: str) -> None:
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained("qwen3").encode_ordinary
    done = run("cache", "get", ref, "--gate", "--window", "300", "--tokenizer", "qwen3")
    assert done.status == 0
    assert len(encode(done.out.decode())) <= 120


def test_no_room_is_an_honest_no(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--gate", "--window", "10")
    assert (done.status, done.out) == (1, b"")
    assert done.err.count("\n") == 1


def test_the_gate_assumes_a_window_unless_it_is_strict_by_a_setting(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--gate")
    assert (done.status, done.out) == (0, run("cache", "get", ref).out)
    assert done.err.startswith("ctxkit: warning: no model is named: a window of 32,768 tokens is assumed (")
    assert done.err.count("\n") == 1
    done = run("cache", "get", ref, "--gate", env={"CTXKIT_STRICT": "1"})
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: the window is not known\n  hint: ")


def test_matches_do_not_go_through_this_gate(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--gate", "--grep", "x", "--window", "900")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: --gate cannot be combined with --grep or -n\n  hint: ")


def test_a_path_into_json_writes_what_it_leads_to(run: Run) -> None:
    ref = run("cache", "put", stdin='{"items":[{"id":1.10},{"id":"b"}]}').out.decode().strip()
    assert run("cache", "get", ref, "--json-path", ".items[].id").out == b'1.10\n"b"\n'
    assert run("cache", "get", ref, "--json-path", ".items[1]").out == b'{"id":"b"}\n'


def test_a_path_that_leads_nowhere_says_what_there_is(run: Run) -> None:
    ref = run("cache", "put", stdin='{"items":[{"id":1}]}').out.decode().strip()
    done = run("cache", "get", ref, "--json-path", ".items[0].name")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: the path matches nothing\n  hint: the path stops at an object with id\n"


def test_bad_paths_and_bad_json_are_told_apart(run: Run) -> None:
    ref = run("cache", "put", stdin="{no").out.decode().strip()
    done = run("cache", "get", ref, "--json-path", "items")
    assert done.status == 2
    assert done.err.startswith("ctxkit: --json-path: 'items' is not a step of a path\n")
    done = run("cache", "get", ref, "--json-path", ".items")
    assert (done.status, done.out) == (65, b"")
    assert done.err.startswith("ctxkit: line 1 is not JSON: ")
    assert run("cache", "get", ref, "--json-path", ".", "--gate").status == 2


@pytest.mark.slow
def test_a_pattern_that_backtracks_without_end_is_stopped(run: Run) -> None:
    ref = put(run, b"a" * 40 + b"!")
    done = run("cache", "get", ref, "--grep", "(a+)+$")
    assert (done.status, done.out) == (2, b"")
    error, hint = done.err.splitlines()
    assert error == "ctxkit: --grep: no end after 2 s of processor time"
    assert hint.startswith("  hint: a repetition inside a repetition")


def test_a_pattern_that_is_nested_too_deeply_is_misuse(run: Run) -> None:
    done = run("cache", "get", put(run, b"x"), "--grep", "(" * 2000)
    assert (done.status, done.out, done.err) == (2, b"", "ctxkit: --grep: the pattern is nested too deeply\n")


def test_a_reader_that_leaves_ends_a_search_silently(run: Run, ctxkit: str, home: dict[str, str]) -> None:
    ref = put(run, b"line\n" * 200_000)
    script = f"{ctxkit} cache get {ref} --grep line | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], env=home, capture_output=True)
    assert (done.stdout, done.stderr) == (b"line\n141\n", b"")
