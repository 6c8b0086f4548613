"""ctxkit truncate: whole lines within limits, the rest one command away."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

LINES = b"".join(b"line %d of the build\n" % number for number in range(1, 9001))


def test_the_defaults_are_the_seeds(run: Run) -> None:
    """Seed 002: "trunc := truncate.Options{MaxLines: 2000, MaxBytes: 50 * 1024}", "TruncationMode: truncate.ModeTail"."""
    out = run("truncate", stdin=LINES).out
    assert out.count(b"\n") == 2000
    assert len(out) <= 50 * 1024
    assert out.endswith(b"line 8999 of the build\nline 9000 of the build\n")


def test_the_line_says_how_to_read_what_is_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(LINES)
    first = run("truncate", "log", "--head", "--max-lines", "3", cwd=tmp_path).out.splitlines()
    assert first[:2] == [b"line 1 of the build", b"line 2 of the build"]
    words = first[2].decode().partition("To read a part: ctxkit ")[2].partition(" (or: ")
    assert run(*words[0].split()).out == b"".join(LINES.splitlines(keepends=True)[2:122])


def test_what_fits_passes_byte_for_byte(run: Run) -> None:
    for data in (b"", b"\n", b"a\r\nb\x00\xff", "ü".encode("utf-16")):
        done = run("truncate", stdin=data)
        assert (done.status, done.out, done.err) == (0, data, "")


def test_json_has_the_members_of_the_seed(run: Run) -> None:
    """Seed 002: "Content", "Truncated", "TruncatedBy string // "lines" | "bytes"", "TotalLines", "TotalBytes"."""
    result = json.loads(run("truncate", "--max-lines", "3", "--json", stdin=LINES + b"the end").out)
    assert (result["truncated"], result["truncated_by"]) == (True, "lines")
    assert (result["total_bytes"], result["total_lines"]) == (len(LINES) + 7, 9001)
    assert result["shown"] == {"bytes": 30, "lines": 2}
    assert result["omitted"] == {"unit": "lines", "start": 1, "end": 8999, "total": 9001}
    assert result["content"].endswith("]\nline 9000 of the build\nthe end")
    assert run("cache", "get", result["ref"]).out == LINES + b"the end"
    again = json.loads(run("truncate", "--json", stdin=result["content"]).out)
    assert (again["truncated"], again["truncated_by"], again["recognized"]) == (True, None, True)
    assert (again["omitted"], again["content"]) == (result["omitted"], result["content"])
    whole = json.loads(run("truncate", "--json", stdin="two\nlines\n").out)
    assert (whole["truncated"], whole["omitted"], whole["shown"]) == (False, None, {"bytes": 10, "lines": 2})


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("mode", ["--tail", "--head", "--middle"])
def test_tokens_are_counted_with_the_line_that_names_the_rest(run: Run, mode: str) -> None:
    for most in (8, 40, 300, 3000):
        out = run("truncate", mode, "--max-tokens", str(most), "--tokenizer", "qwen3", stdin=LINES).out
        assert int(run("count", "--tokenizer", "qwen3", "--input", "text", stdin=out).out) <= most
        assert b"the build" in out


def test_an_event_has_the_name_of_the_seed(run: Run, tmp_path: Path) -> None:
    """Seed 002: "tool_output_truncated"."""
    run("truncate", "--events", tmp_path / "events", "--name", "make", stdin=LINES)
    run("truncate", "--events", tmp_path / "events", stdin=b"fits\n")
    (event,) = map(json.loads, (tmp_path / "events").read_text().splitlines())
    assert (event["event"], event["name"], event["mode"]) == ("tool_output_truncated", "make", "tail")
    assert (event["total_lines"], event["truncated_by"]) == (9000, "lines")


def test_limits_too_small_for_the_line_say_it_on_stderr(run: Run) -> None:
    done = run("truncate", "--max-bytes", "25", stdin=LINES)
    assert done.out == b"line 9000 of the build\n"
    assert "lines 1-8,999 of 9,000 are not shown: ctxkit cache get " in done.err


def test_without_a_store_the_loss_is_named(run: Run, no_store: dict[str, str]) -> None:
    out = run("truncate", "--no-store", "--max-lines", "2", stdin=LINES).out
    assert out == b"[lines 1-8,999 of 9,000 are not shown and not stored]\nline 9000 of the build\n"
    assert run("cache", "list").out == b""
    done = run("truncate", "--max-lines", "2", stdin=LINES, env=no_store)
    assert (done.status, done.out) == (0, LINES)
    assert "content passes unchanged" in done.err
    assert run("truncate", "--max-lines", "2", "--strict", stdin=LINES, env=no_store).status == 74


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("--max-bytes", "3"), 2, "are not between 4 bytes and 64 MB"),
        (("--max-bytes", "2GB"), 2, "are not between 4 bytes and 64 MB"),
        (("--max-bytes", "many"), 2, "'many' is not a size such as 500KB"),
        (("--max-lines", "0"), 2, "--max-lines"),
        (("--max-tokens", "2"), 2, "--max-tokens"),
        (("no-such-file",), 66, "no-such-file: No such file"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, args, status: int, message: str) -> None:
    done = run("truncate", *args, stdin=LINES)
    assert done.status == status
    assert bool(done.out) == (status == 2)
    assert message in done.err


def test_secrets_are_masked_before_they_are_stored(run: Run) -> None:
    key = b"sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"
    done = run("truncate", "--redact", "--max-lines", "3", "--json", stdin=LINES + key)
    result = json.loads(done.out)
    assert key.decode() not in result["content"]
    assert key not in run("cache", "get", result["ref"]).out
