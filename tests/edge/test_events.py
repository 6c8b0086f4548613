"""Output is counted on its way, and never changed."""

import json
import os
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services import engines
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.errors import CtxkitError, MissingInputError
from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import events, say
from ctxkit.edge.events import (
    BATCH,
    MAX_LINE,
    NAME,
    describe_decision,
    describe_result,
    find_event_name,
    find_project,
    hash_command,
    measure,
    read_events,
    record,
    record_decision,
    split_lines,
    write_counted,
)
from tests.edge.test_report import BRIEFING, BUDGET, RAW, REFUSED, TERMS


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(say, "_verbosity", 0)


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_event_is_a_json_line_with_version_time_and_facts(tmp_path: Path) -> None:
    path = tmp_path / "events"
    record(str(path), "gate", {"result": "raw", "tokens": None, "name": "naïve\nname"})
    (event,) = read(path)
    when = datetime.fromisoformat(event.pop("ts"))
    assert event.pop("project") == find_project()
    assert event == {"v": 1, "event": "gate", "result": "raw", "tokens": None, "name": "naïve\nname"}
    assert timedelta() <= datetime.now(UTC) - when < timedelta(minutes=1)


def test_events_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text('{"event":"before"}\n')
    record(str(path), "one", {})
    record(str(path), "two", {})
    assert [event["event"] for event in read(path)] == ["before", "one", "two"]


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    record(str(tmp_path / "events"), "gate", {})
    assert (tmp_path / "events").stat().st_mode & 0o777 == 0o600


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record("", "gate", {})
    assert os.listdir(tmp_path) == []


def test_lines_of_many_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "events"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: record(str(path), "gate", {"n": number, "x": "x" * 5000}), range(100)))
    assert sorted(event["n"] for event in read(path)) == list(range(100))


def test_a_file_that_cannot_be_written_warns_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(str(tmp_path), "gate", {})
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"ctxkit: warning: events cannot be written: {tmp_path}: Is a directory\n")


def test_the_project_is_the_repository_else_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "repository" / "src"
    inside.mkdir(parents=True)
    (inside.parent / ".git").write_text("gitdir: elsewhere")
    monkeypatch.chdir(inside)
    assert find_project() == str(inside.parent)
    monkeypatch.chdir("/")
    assert find_project() == "/"


def test_what_json_cannot_hold_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "events"
    record(str(path), "gate", {"name": "a\udcff", "n": 1 << 70})
    (event,) = read(path)
    assert (event["name"], event["n"]) == ("a?", 1 << 70)


VOCABULARY = find_vocabulary("bytes/3")


def make_options() -> CountOptions:
    return CountOptions(VOCABULARY, engines.load_tokenizer(VOCABULARY), engines.parse_json)


def fail() -> CountOptions:
    raise CtxkitError("no tokenizer")


@pytest.mark.parametrize("pieces", [[], [b"one\n", b"two"], [b"x" * BATCH, b"\n", b"y" * 9]])
def test_the_event_has_the_size_of_the_output(pieces, tmp_path: Path, capfdbinary) -> None:
    path, data = tmp_path / "log", b"".join(pieces)
    assert write_counted(iter(pieces), str(path), "cache_get", {"name": "n"}, make_options) == len(data)
    assert capfdbinary.readouterr().out == data
    event = json.loads(path.read_text())
    assert (event["event"], event["name"], event["bytes"]) == ("cache_get", "n", len(data))
    assert event["lines"] == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    assert event["after_tokens"] == measure(iter(pieces), make_options)["tokens"]


def test_what_cannot_be_counted_is_written_all_the_same(tmp_path: Path, capfdbinary) -> None:
    path = tmp_path / "log"
    write_counted(iter([b"one\n", b"two"]), str(path), "cache_get", {}, fail)
    assert capfdbinary.readouterr().out == b"one\ntwo"
    event = json.loads(path.read_text())
    assert (event["after_tokens"], event["method"], event["bytes"]) == (None, None, 7)


def test_without_a_file_nothing_is_counted(capfdbinary) -> None:
    assert write_counted(iter([b"one"]), "", "cache_get", {}, fail) == 3
    assert capfdbinary.readouterr().out == b"one"


LINE = b'{"ts": "2026-11-22T21:00:00Z", "event": "gate", "name": "%d"}\n'


def test_broken_lines_have_no_event(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LINE % 1 + b"{broken\n\n[1]\n" + b"[" * 100_000 + b"\n\xff\x00\n" + LINE % 2 + b'{"event": "ga')
    read = [event for _, event in read_events(str(path))]
    assert [event and event.name for event in read] == ["1", None, None, None, None, "2", None]


@given(st.binary(max_size=300), st.integers(1, 50))
def test_lines_are_the_same_however_they_arrive(data: bytes, size: int) -> None:
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    assert list(split_lines(pieces)) == [line for line in data.split(b"\n") if line.strip()]


def test_a_line_without_end_takes_bounded_memory() -> None:
    pieces = [b"x" * MAX_LINE] * 5 + [b"\nend\n"]
    assert [len(line) for line in split_lines(iter(pieces))] == [MAX_LINE, 3]


def test_a_file_that_grows_or_is_replaced_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "INTERVAL", 0.01)
    path = tmp_path / "log"
    path.write_bytes(LINE % 1)

    def write() -> None:
        time.sleep(0.1)
        with path.open("ab") as file:
            file.write(LINE % 2)
        time.sleep(0.2)
        (tmp_path / "new").write_bytes(LINE % 3)
        os.replace(tmp_path / "new", path)

    writer = threading.Thread(target=write)
    writer.start()
    lines = read_events(str(path), follow=True)
    assert [event.name for _, event in (next(lines) for _ in range(3)) if event] == ["1", "2", "3"]
    writer.join()
    lines.close()  # type: ignore[attr-defined]


def test_an_absent_file_is_an_error(tmp_path: Path) -> None:
    for follow in (True, False):
        with pytest.raises(MissingInputError):
            list(read_events(str(tmp_path / "none"), follow=follow))


def test_the_same_words_have_the_same_hash_on_one_machine_only(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one" / "ctxkit"), str(tmp_path / "two" / "ctxkit")
    first = hash_command("make test", one)
    assert (len(first), hash_command(" make  test\n", one)) == (16, first)
    assert hash_command("make tests", one) != first
    assert hash_command("make test", two) != first
    assert stat.S_IMODE(os.stat(Path(one, NAME)).st_mode) == 0o600
    assert hash_command("a \udc80", one)


def test_without_a_key_there_is_no_hash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert hash_command("make", str(tmp_path / "file" / "ctxkit")) == ""
    (tmp_path / "ctxkit").mkdir(mode=0o700)
    (tmp_path / "ctxkit" / NAME).write_bytes(b"short")
    assert hash_command("make", str(tmp_path / "ctxkit")) == ""


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "ctxkit").mkdir(mode=0o700)
    (tmp_path / "target").write_bytes(b"k" * 32)
    os.symlink(tmp_path / "target", tmp_path / "ctxkit" / NAME)
    assert hash_command("make", str(tmp_path / "ctxkit")) == ""


def test_what_is_replaced_has_the_name_of_the_seed() -> None:
    """Seed 002: "context_compaction_start", "context_compaction_end", "tool_output_truncated"."""
    assert [find_event_name(result) for result in (RAW, BRIEFING, REFUSED)] == [
        "gate",
        "tool_output_truncated",
        "tool_output_truncated",
    ]


def test_tokens_before_and_after() -> None:
    tokens = [describe_decision(result, TERMS)[1] for result in (RAW, BRIEFING, REFUSED)]
    assert [(facts["before_tokens"], facts["after_tokens"]) for facts in tokens] == [(3, 3), (5000, 9), (5000, 0)]


def test_content_that_passed_is_measured_after_it_was_read(tmp_path: Path) -> None:
    content = CountedContent((b"one\n", b"two"))
    list(content)
    passed = RAW._replace(token_count=UNCOUNTED, size=-1, content=content)
    record_decision(str(tmp_path / "log"), passed, TERMS, {"session": "s"}, {"redacted": 0})
    event = json.loads((tmp_path / "log").read_text())
    assert (event["original"]["bytes"], event["original"]["lines"]) == (7, 2)
    assert (event["session"], event["redacted"], event["before_tokens"]) == ("s", 0, None)


def test_an_assumed_window_is_named() -> None:
    assert "assumed" not in describe_result(RAW, TERMS)["budget"]
    assert describe_result(RAW, TERMS._replace(budget=TERMS.budget._replace(assumed=True)))["budget"] == BUDGET | {
        "assumed": True
    }


@pytest.mark.parametrize(("data", "total"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_lines_of_what_passes_are_counted_where_the_content_is_at_hand(data: bytes, total: int) -> None:
    gate_result = GateResult("raw", TokenCount(1, 1, "exact"), (data,), size=len(data))
    assert describe_result(gate_result, TERMS, data)["original"] == {
        "bytes": len(data),
        "lines": total,
        "tokens": 1,
        "method": "exact",
    }


def test_what_nobody_counted_is_left_out_or_null() -> None:
    described = describe_result(GateResult("raw", UNCOUNTED, ()), TERMS)
    assert (described["tokens"], described["original"]) == (None, {"method": None})


REF = "abcdef012345" + "6" * 52


def refused(tokens: int, ref: str = REF) -> GateResult:
    return GateResult("refused", UNCOUNTED, (), ref, TokenCount(tokens, tokens, "exact"))


def terms_of(budget: Budget, limit: int | None = None) -> GatePolicy:
    return GatePolicy(budget, find_vocabulary("qwen3"), Hint(PRESETS["ctxkit"]), limit, Label("log"))


FULL = Budget(10_000, 0, 9_800)


@pytest.mark.parametrize(
    ("admission", "terms", "reason"),
    [
        (refused(900), terms_of(FULL), "the window is full: 9,800 of 10,000 tokens are used"),
        (refused(900), terms_of(Budget(40, 0)), "no map of log fits 20 tokens, half of what is available"),
        (refused(900, ""), terms_of(Budget(40, 0)), "no excerpt of log fits 20 tokens, half of what is available"),
        (refused(900), terms_of(Budget(10_000, 0), 5), "no map of log fits 5 tokens, all that --limit allows"),
    ],
)
def test_the_reason_is_a_full_window_or_too_little_room_for_a_map(admission, terms, reason: str) -> None:
    assert events.explain_refusal(admission, terms) == reason


@pytest.mark.parametrize(
    ("admission", "terms", "more"),
    [
        (refused(900, ""), terms_of(FULL), []),
        (refused(200, ""), terms_of(FULL), ["--admit passes it anyway"]),
        (refused(200, ""), terms_of(FULL, 100), ["a larger --limit admits more"]),
        (refused(900, ""), terms_of(Budget(40, 0, assumed=True)), ["--model or --window names a larger window"]),
        (refused(900), terms_of(Budget(40, 0)), ["ctxkit cache get abcdef0123456666 reads the stored content"]),
    ],
)
def test_the_remedy_names_compact_and_what_else_helps_here(admission, terms, more) -> None:
    assert events.suggest_remedy(admission, terms).split("; ") == ["ctxkit compact frees tokens", *more]
