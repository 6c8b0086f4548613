"""Content that a session has in context is not paid for again."""

import json
from pathlib import Path

import pytest

from tests.conftest import Ran, Run

SIZED = ("--session", "s", "--window", "30000", "--tokenizer", "qwen3")
RUN = b"".join(b"test case_%d ... ok\n" % number for number in range(120)) + b"120 passed in 0.31s\n"
FAILED = RUN.replace(b"case_7 ... ok", b"case_7 ... FAILED").replace(b"0.31s", b"0.4s")


@pytest.fixture
def gate(run: Run):
    """Gate content of one name in a session."""

    def run_gate(data: bytes, *words: str, name: str = "make test", **more) -> Ran:
        done = run("gate", *SIZED, "--name", name, *words, stdin=data, **more)
        assert (done.status, done.err) == (0, "")
        return done

    return run_gate


def test_the_same_content_is_one_line_that_names_the_call_and_the_ref(run: Run, gate) -> None:
    """Issue: "one line names the earlier call and its ref"."""
    assert gate(RUN).out == RUN
    done = json.loads(gate(RUN, "--json").out)
    assert done["result"] == "repeated"
    assert done["content"].count("\n") == 1
    assert "make test" in done["content"]
    assert done["ref"] in done["content"]
    assert done["earlier"]["ref"] == done["ref"]
    assert 2 * done["tokens"] <= done["original"]["tokens"]
    assert run("cache", "get", done["ref"]).out == RUN
    other = gate(RUN, name="cat log").out
    assert b"the same as the output of an earlier call of make test above" in other


@pytest.mark.slow
def test_content_in_context_that_no_longer_fits_is_one_line_and_no_map(run: Run, gate) -> None:
    rows = b"".join(b"row %d of a long report\n" % (number * number % 9973) for number in range(1900))
    assert gate(rows).out == rows
    done = json.loads(gate(rows, "--limit", "9000", "--json").out)
    assert (done["result"], done["original"]["lines"]) == ("repeated", 1900)
    assert done["content"].startswith("# make test (1,900 lines, ")
    assert "the same as the output of an earlier call above" in done["content"]
    assert done["tokens"] < 100
    assert run("cache", "get", done["ref"]).out == rows
    assert b"a map, not the content" in gate(rows, "--limit", "9000", "--again").out
    assert b"a map, not the content" in gate(rows + b"more\n", "--limit", "9000").out


def test_nearly_the_same_content_is_what_changed(run: Run, gate) -> None:
    """Issue: "tests newly failing or passing, hunks with both line numbers, and the ref of the whole"."""
    gate(RUN)
    done = json.loads(gate(FAILED, "--json").out)
    assert done["result"] == "changed"
    assert "newly failing: case_7\n" in done["content"]
    assert "@@ -7,3 +7,3 @@\n test case_6 ... ok\n-test case_7 ... ok\n+test case_7 ... FAILED\n" in done["content"]
    assert run("cache", "get", done["ref"]).out == FAILED
    assert 2 * done["tokens"] <= done["original"]["tokens"]


def test_the_ledger_counts_what_entered(run: Run, gate) -> None:
    gate(RUN)
    used = json.loads(run("session", "status", "s", "--json").out)["used"]
    tokens = json.loads(gate(RUN, "--json").out)["tokens"]
    assert json.loads(run("session", "status", "s", "--json").out)["used"] == used + tokens


@pytest.mark.parametrize("words", [("--again",), ("--no-store",)])
def test_the_whole_comes_if_it_is_asked_for_or_cannot_be_stored(gate, words) -> None:
    gate(RUN, *words)
    assert gate(RUN, *words).out == RUN


@pytest.mark.slow
def test_after_a_compaction_an_edit_or_a_reset_the_whole_comes_by_itself(run: Run, gate, tmp_path: Path) -> None:
    """Issue: "after a compaction it comes whole by itself"."""
    chat = "".join(json.dumps({"role": role, "content": "words " * 900}) + "\n" for role in ("user", "assistant") * 9)
    (tmp_path / "chat.jsonl").write_text(chat)
    for change in (
        ("compact", *SIZED[:2], "--force", "--keep-last", "2", "chat.jsonl"),
        ("edit", "remove", "3:4", "chat.jsonl", *SIZED[:2]),
        ("session", "reset", "s", "--used", "0"),
    ):
        gate(RUN, "--again")
        assert gate(RUN).out != RUN
        assert run(*change, cwd=tmp_path).status == 0
        assert gate(RUN).out == RUN


def test_other_sessions_agents_and_small_content_are_not_compared(run: Run, gate) -> None:
    gate(RUN)
    assert gate(RUN, env={"CTXKIT_AGENT_ID": "b"}).out == RUN
    assert run("gate", "--session", "t", *SIZED[2:], "--name", "make test", stdin=RUN).out == RUN
    assert run("gate", *SIZED[2:], "--name", "make test", stdin=RUN).out == RUN
    for _ in range(2):
        assert gate(RUN[:300], name="small").out == RUN[:300]


def test_content_that_is_mostly_new_or_binary_comes_whole(gate) -> None:
    gate(RUN)
    other = b"".join(b"error %d: no such file\n" % number for number in range(120))
    assert gate(other).out == other
    binary = RUN + b"\0"
    for _ in range(2):
        assert gate(binary, name="binary").out == binary


@pytest.mark.slow
def test_a_map_is_not_compared(run: Run, gate) -> None:
    rows = b"".join(b"line %d: no such file\n" % number for number in range(9000))
    map_ = run("gate", "--window", "4000", "--tokenizer", "qwen3", stdin=rows).out
    for _ in range(2):
        assert gate(map_, name="map").out == map_


def test_a_run_keeps_its_status_and_says_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(RUN)
    first, second = (run("run", *SIZED, "--", "sh", "-c", "cat log; exit 3", cwd=tmp_path) for _ in range(2))
    assert (first.status, first.out) == (3, RUN)
    assert second.status == 3
    assert b"xit status 3" in second.out
    assert second.out.count(b"\n") == 1
