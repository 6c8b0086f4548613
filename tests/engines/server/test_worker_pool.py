"""Calls wait for a process; one that dies or takes too long costs its own call alone."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from contextlib import closing

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve import format_metrics
from ctxkit.engines.server import worker_pool
from ctxkit.engines.server.request import CallFiles
from ctxkit.engines.server.worker_pool import (
    DeadWorkerError,
    QueueFullError,
    ServerMetrics,
    WorkerError,
    WorkerPool,
    run_worker,
)


def answer(call: dict, report_session) -> int:
    """Do what a call says; one with "lives" dies once, and then finds that file."""
    if call.get("session"):
        report_session()
    if call.get("dies") or (call.get("lives") and not os.path.exists(call["lives"])):
        if call.get("lives"):
            open(call["lives"], "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(call.get("seconds", 0))
    os.write(1, b"%d" % os.getpid())
    return int(call.get("status", 0))


def run(calls: list[dict], size: int = 1, seconds: float = 10, visit=lambda _pool: None) -> list:
    """Return what a pool answers to calls at the same time: the status, or the error; ``visit`` gets the pool first."""

    async def ask(pool: WorkerPool, call: dict) -> tuple[int, int] | Exception:
        with closing(CallFiles(is_small=True)) as files:
            try:
                return await pool.answer(call, files), int(b"".join(files.read_output()))
            except (WorkerError, QueueFullError) as error:
                return error

    async def ask_all() -> list:
        pool = WorkerPool(answer, size, seconds)
        visit(pool)
        try:
            return await asyncio.gather(*(ask(pool, call) for call in calls))
        finally:
            pool.end()

    return asyncio.run(ask_all())


def test_each_call_gets_its_status() -> None:
    assert [status for status, _ in run([{"status": number} for number in range(20)], size=2)] == list(range(20))


@pytest.mark.slow
def test_one_process_answers_many_calls() -> None:
    assert len({pid for _, pid in run([{}] * 10)}) == 1
    assert len({pid for _, pid in run([{"seconds": 0.05}] * 10, size=3)}) == 3


def test_a_process_that_dies_costs_its_own_call() -> None:
    first, dead, *rest = run([{}, {"dies": True}, {}, {}])
    assert isinstance(dead, WorkerError)
    assert [status for status, _ in rest] == [0, 0]
    assert rest[0][1] != first[1]


def test_a_call_that_takes_too_long_is_ended() -> None:
    began = time.monotonic()
    slow, quick = run([{"seconds": 60}, {}], seconds=0.3)
    assert (str(slow), quick[0]) == ("no answer after 0.3 seconds", 0)
    assert time.monotonic() - began < 10


def test_too_many_calls_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_WAITING", 2)
    answers = run([{"seconds": 0.1}] * 6)
    assert sum(isinstance(entry, QueueFullError) for entry in answers) == 3 or sum(isinstance(entry, QueueFullError) for entry in answers) == 4
    assert sum(isinstance(entry, tuple) for entry in answers) >= 2


@pytest.mark.slow
def test_an_old_process_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MAX_CALLS", 4)
    pids = [pid for _, pid in run([{}] * 12)]
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [4, 4, 4]


def test_no_process_stays() -> None:
    pids = {pid for _, pid in run([{"seconds": 0.05}] * 4, size=2)}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_call_without_a_session_is_repeated_once(tmp_path) -> None:
    pools: list[WorkerPool] = []
    (repeated,) = run([{"lives": f"{tmp_path}/a", "status": 3}], visit=pools.append)
    assert repeated[0] == 3
    assert (pools[0].repeated_calls, pools[0].replaced_workers, pools[0].size) == (1, 1, 1)
    (dead,) = run([{"dies": True}], visit=pools.append)
    assert (type(dead), pools[1].repeated_calls, pools[1].replaced_workers) == (DeadWorkerError, 1, 2)


def test_a_call_that_has_used_a_session_is_not_repeated(tmp_path) -> None:
    pools: list[WorkerPool] = []
    dead, after = run([{"lives": f"{tmp_path}/a", "session": True}, {"session": True, "status": 4}], visit=pools.append)
    assert (type(dead), after[0], pools[0].repeated_calls) == (DeadWorkerError, 4, 0)


def test_a_process_that_dies_while_it_waits_costs_no_call() -> None:
    def kill(pool: WorkerPool) -> None:
        for process in pool.process_ids:
            os.kill(process, signal.SIGKILL)
            os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    assert [status for status, _ in run([{"session": True}] * 3, size=2, visit=kill)] == [0, 0, 0]


def test_a_pool_that_can_start_no_process_tries_again_with_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, failures = os.fork, [OSError(11, "no process")] * 2

    def fork_later() -> int:
        if failures:
            raise failures.pop()
        return fork()

    def kill(pool: WorkerPool) -> None:
        os.kill(pool.process_ids[0], signal.SIGKILL)
        os.waitid(os.P_PID, pool.process_ids[0], os.WEXITED | os.WNOWAIT)
        monkeypatch.setattr(os, "fork", fork_later)

    assert [status for status, _ in run([{}], visit=kill)] == [0]
    assert failures == []


def test_a_call_that_is_longer_than_the_buffer_arrives_whole() -> None:
    assert [status for status, _ in run([{"text": "x" * 900_000, "status": 5}])] == [5]


@pytest.mark.skipif(sys.platform != "linux", reason="the state of a process is read from /proc")
def test_a_process_that_is_stopped_is_replaced() -> None:
    began = time.monotonic()
    assert [status for status, _ in run([{}], visit=lambda pool: os.kill(pool.process_ids[0], signal.SIGSTOP))] == [0]
    assert time.monotonic() - began < 9  # the call may take 10 seconds


def answer_worker_process(call: dict, report_session) -> int:
    """Write what stdin has in capitals, and say what was left open."""
    os.write(1, os.read(0, 1_000).upper())
    os.write(2, json.dumps(sorted(map(int, os.listdir("/proc/self/fd")))).encode())
    return int(call["status"])


@pytest.fixture
def channel():
    """Return the parent's end of the channel of a process that answers."""
    ours, theirs = socket.socketpair()
    extra = os.open(os.devnull, os.O_RDONLY)
    pid = os.fork()
    if not pid:
        try:
            run_worker(theirs, answer_worker_process)
        finally:
            os._exit(0)
    theirs.close()
    os.close(extra)
    yield ours
    ours.close()
    assert os.waitpid(pid, 0)[1] == 0


def ask(channel: socket.socket, body: bytes, status: int) -> tuple[bytes, bytes, bytes]:
    files = [os.memfd_create("test") for _ in range(3)]
    os.pwrite(files[0], body, 0)
    socket.send_fds(channel, [json.dumps({"status": status}).encode() + b"\n"], files)
    line = channel.recv(100)
    texts = [os.pread(number, 10_000, 0) for number in files[1:]]
    for number in files:
        os.close(number)
    return line, texts[0], texts[1]


def test_calls_are_answered_one_after_the_other(channel: socket.socket) -> None:
    for number in range(5):
        line, out, _ = ask(channel, b"word %d" % number, number)
        assert (line, out) == (b"%d\n" % number, b"WORD %d" % number)


def test_the_process_has_nothing_of_its_parent_open(channel: socket.socket) -> None:
    _, _, err = ask(channel, b"", 0)
    numbers = json.loads(err)
    assert numbers[:3] == [0, 1, 2]
    assert len(numbers) <= 5  # the channel, and the directory that is listed


def answer_metrics(call: dict, _report_session) -> int:
    """Answer the size of the store, which grows with each call."""
    assert call["arguments"] == ["cache", "stat", "--json"]
    os.write(1, b'{"bytes": 1234}' if not os.environ.get("BROKEN") else b"no JSON")
    return 0


def measure(times: int = 1) -> dict[tuple[str, ...], float]:
    """Return the samples of a pool of two by name and labels, of the last of some measurements."""

    async def run() -> str:
        pool = WorkerPool(answer_metrics, 2, 10)
        try:
            metrics = ServerMetrics(pool, "1.0")
            for _ in range(times):
                text = format_metrics(await metrics.list_metrics())
            return text
        finally:
            pool.end()

    families = text_string_to_metric_families(asyncio.run(run()))
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_an_idle_server_is_described() -> None:
    samples = measure()
    assert samples[("ctxkit_workers", "idle")] == 2
    assert samples[("ctxkit_workers", "busy")] == samples[("ctxkit_queue_length",)] == 0
    assert samples[("ctxkit_build_info", "1.0")] == 1
    assert samples[("ctxkit_stored_bytes",)] == 1234
    assert {reason for name, *labels in samples if name == "ctxkit_errors_total" for reason in labels} == set(worker_pool.ERRORS)


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
def test_memory_is_that_of_the_server_and_of_its_processes() -> None:
    samples = measure()
    assert 1e6 < samples[("ctxkit_resident_memory_bytes", "server")] < 1e10
    assert 1e6 < samples[("ctxkit_resident_memory_bytes", "workers")] < 1e10


def test_a_store_that_cannot_be_measured_has_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKEN", "1")
    assert ("ctxkit_stored_bytes",) not in measure(2)
