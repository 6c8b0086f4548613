"""A gate of content that fits takes one round trip to the server of the session, and decides as any other gate."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.fleet import TripCounter
from ctxkit.app.gate import gate_result_blocks
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ConditionalEntry
from ctxkit.core.store.address import parse_address
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import settings
from ctxkit.edge.host_session import load_kept_tokens
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server, run_server

TEXT = b"".join(b"line %d of the log\n" % number for number in range(100))
NEW = ("--window", "4000", "--tokenizer", "bytes/3", "--reserve", "0")


class Gated(NamedTuple):
    """What a gate answered, and its round trips."""

    status: int
    out: bytes
    err: str
    trips: int


@pytest.fixture
def server(empty_redis_server: Server) -> Server:
    return empty_redis_server


@pytest.fixture
def proxy(server: Server, ledger: RedisLedger) -> TripCounter:
    """Count the trips to a server that knows the script, which costs each server one trip more, once."""
    absent = ConditionalEntry(Session("absent", 1, 0), 0, LedgerEntry("", 0, "exact", "raw"))
    assert ledger.record_if_fits(absent) is None
    return TripCounter(server.port)


@pytest.fixture
def gate(run, proxy: TripCounter, home: dict[str, str]):
    """Gate content under the session s of the server behind the proxy."""
    env = {**home, "CTXKIT_STORE": f"redis://127.0.0.1:{proxy.port}"}

    def gate(*words: str, stdin: bytes = TEXT):
        before = proxy.trips
        result = run("gate", "--session", "s", *words, stdin=stdin, env=env)
        return Gated(result.status, result.out, result.err, proxy.trips - before)

    return gate


@pytest.fixture
def ledger(server: Server) -> RedisLedger:
    return RedisLedger(RedisServer(parse_address(server.url), "/dev/null/mark", timeout=5))


def forget_sessions(home: dict[str, str]) -> None:
    """Remove what this machine knows of sessions, so that the next gate asks the server first."""
    copies = list(Path(home["XDG_CACHE_HOME"]).rglob("*.sessions"))
    assert copies
    for folder in copies:
        shutil.rmtree(folder)


@pytest.mark.slow
def test_new_content_that_fits_takes_one_trip(gate, ledger: RedisLedger) -> None:
    gate(*NEW, stdin=TEXT)
    for number in range(3):
        result = gate(stdin=b"%d" % number + TEXT)
        assert (result.status, result.out, result.err, result.trips) == (0, b"%d" % number + TEXT, "", 1)
    assert gate("--again").trips == 1
    assert gate(stdin=b"a short line\n").trips == 1
    assert ledger.find("s").items == 6
    assert ledger.find("s").reserved == 0


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    "words", [(), ("--json",), ("--again",), ("--name", "make"), ("--no-store",), ("--type", "log")]
)
def test_one_trip_records_what_more_trips_record(gate, ledger, home, words: tuple[str, ...]) -> None:
    results, sessions, entries = [], [], []
    for is_known in (True, False):
        ledger.remove("s")
        gate(*NEW, stdin=b"first\n")
        if not is_known:
            forget_sessions(home)
        results.append(gate(*words))
        sessions.append(ledger.find("s")._replace(created=0, updated=0))
        entries.append([dated.entry for dated in ledger.entries("s")])
    assert results[0].trips == 1 < results[1].trips
    assert (results[0].out, results[0].err) == (results[1].out, results[1].err)
    assert sessions[0] == sessions[1]
    assert entries[0] == entries[1]


@pytest.mark.slow
def test_content_that_is_drawn_over_takes_more_trips_and_is_a_screen_if_asked(gate, ledger: RedisLedger) -> None:
    gate(*NEW, stdin=b"first\n")
    drawn = b"\r".join(b"%d of 200 objects" % number for number in range(200)) + b"\n"
    assert (gate(stdin=drawn).out, gate("--screen", stdin=TEXT).out) == (drawn, TEXT)
    result = json.loads(gate("--screen", "--name", "fetch", "--json", stdin=drawn).out)
    assert (result["result"], result["content"].split("\n")[2]) == ("screen", "199 of 200 objects")
    assert [dated.entry.result for dated in ledger.entries("s")][-1] == "screen"


@pytest.mark.slow
def test_content_that_does_not_fit_is_mapped(gate, ledger: RedisLedger) -> None:
    gate(*NEW, stdin=b"first\n")
    result = gate(stdin=TEXT * 10)
    assert b"cache get" in result.out
    assert len(result.out) < len(TEXT * 5)
    ledger.set_used("s", 3700)
    assert json.loads(gate("--json", stdin=b"x" * 360).out)["result"] == "tight"


@pytest.mark.slow
def test_a_change_on_another_machine_counts_at_once(gate, ledger: RedisLedger) -> None:
    gate(*NEW, stdin=b"first\n")
    ledger.set_used("s", 3990)
    assert json.loads(gate("--json").out)["result"] == "refused"
    session = ledger.find("s")
    ledger.remove("s")
    ledger.add(session._replace(window=8000, tokenizer="bytes/2", used=0))
    result = gate("--json")
    answer = json.loads(result.out)
    assert (answer["result"], answer["tokens"]) == ("raw", -(-len(TEXT) // 2))
    assert answer["budget"]["window"] == 8000
    assert result.trips > 1
    assert gate("--again").trips == 1
    ledger.remove("s")
    assert gate(*NEW).status == 0
    assert ledger.find("s").window == 4000


def test_content_that_is_there_already_is_replaced(gate) -> None:
    gate(*NEW)
    assert b"the same as the output" in gate().out


def test_a_text_longer_than_a_block_asks_first(gate, ledger: RedisLedger) -> None:
    gate("--window", "1000000", "--tokenizer", "bytes/3", stdin=b"first\n")
    result = gate(stdin=TEXT * 40)
    assert (result.out, result.trips > 1) == (TEXT * 40, True)
    assert ledger.find("s").items == 2


@pytest.mark.slow
def test_a_reader_that_closes_early_is_charged_once(ctxkit: str, server, ledger, home: dict[str, str]) -> None:
    env = {**home, "CTXKIT_STORE": server.url}
    words = f"{ctxkit} gate --session s"
    for text in (f"echo first | {words} {' '.join(NEW)}", f"seq 1500 | {words} | true", f"seq 1000 | {words} | true"):
        subprocess.run(["sh", "-c", text], env=env, check=False, capture_output=True)
    entries = [dated.entry.tokens for dated in ledger.entries("s")]
    assert entries == [2, -(-6393 // 3), -(-3893 // 3)]
    assert ledger.find("s").used == sum(entries)
    assert ledger.find("s").reserved == 0


def test_a_server_that_is_gone_is_said_once(run, home) -> None:
    with run_server() as server:
        env = {**home, "CTXKIT_STORE": server.url}
        run("gate", "--session", "s", *NEW, stdin=b"first\n", env=env)
    result = run("gate", "--session", "s", "--window", "4000", stdin=TEXT, env=env)
    assert (result.status, result.out) == (0, TEXT)
    assert result.err.count("ctxkit:") == 1, result.err
    again = run("gate", "--session", "s", "--window", "4000", stdin=TEXT, env=env)
    assert again.err == ""
    strict = run("gate", "--strict", "--session", "s", "--window", "4000", stdin=TEXT, env=env)
    assert (strict.status, strict.out) == (74, b"")


def test_an_unreadable_file_is_reported(run, gate, proxy: TripCounter) -> None:
    gate(*NEW, stdin=b"first\n")
    assert gate("/nowhere/file").status == 66


def test_a_gate_without_a_session_asks_nothing(run, proxy: TripCounter, home: dict[str, str]) -> None:
    before, env = proxy.trips, {**home, "CTXKIT_STORE": f"redis://127.0.0.1:{proxy.port}"}
    assert run("gate", "--window", "4000", "--tokenizer", "bytes/3", stdin=TEXT, env=env).out == TEXT
    assert proxy.trips == before


LONG = "".join(f"row {number} of a long table\n" for number in range(6_000))
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
SHORT = {"type": "text", "text": "few words", "annotations": {"priority": 1}}


def gate_tool_results(blocks: Sequence[JsonValue], tool: str = "mcp__db__query") -> list[JsonValue]:
    event = HookEvent(EventKind.RESULT, "s-1", tool=tool, blocks=blocks)
    return gate_result_blocks(event, "claude-code", settings.load())


@pytest.fixture
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CTXKIT_CACHE_DIR", "CTXKIT_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.mark.usefixtures("own_directories")
@pytest.mark.slow
def test_long_text_becomes_a_map_and_all_else_stays() -> None:
    blocks = [SHORT, IMAGE, {"type": "text", "text": LONG}, "odd", {"type": "text", "text": 5}]
    short, image, long, *odd = gate_tool_results(blocks)
    assert (short, image, odd) == (SHORT, IMAGE, blocks[3:])
    assert "# mcp__db__query (6,000 lines" in long["text"]
    assert "ctxkit cache get" in long["text"]
    assert len(long["text"]) < 10_000


@pytest.mark.usefixtures("own_directories")
@pytest.mark.parametrize(("name", "value"), [("STORE", "false"), ("EXCLUDE", "mcp__db__*"), ("INCLUDE", "make")])
def test_a_result_passes_where_the_user_says_so(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"CTXKIT_{name}", value)
    blocks = [{"type": "text", "text": LONG}]
    assert gate_tool_results(blocks) == blocks


@pytest.mark.usefixtures("own_directories")
def test_secrets_are_masked_where_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [{"type": "text", "text": "key ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"}]
    assert gate_tool_results(blocks) == blocks
    monkeypatch.setenv("CTXKIT_REDACT", "1")
    assert "ghp_Zx8K" not in str(gate_tool_results(blocks))


@pytest.mark.usefixtures("own_directories")
@pytest.mark.slow
def test_a_map_counts_for_the_session_of_the_host(tmp_path: Path) -> None:
    data_dir = tmp_path / "CTXKIT_DATA_DIR"
    (data_dir / "hosts" / "claude-code").mkdir(parents=True)
    gate_tool_results([{"type": "text", "text": LONG}])
    assert load_kept_tokens("s-1", str(data_dir)).tokens > 5_000
    event = HookEvent(EventKind.RESULT, "s-2", tool="db_query", blocks=[{"type": "text", "text": LONG}])
    assert gate_result_blocks(event, "opencode", settings.load()) != event.blocks
    assert load_kept_tokens("s-2", str(data_dir)) is None
