"""Hand calls to forked processes, replace one that dies or takes too long, and measure the server."""

import asyncio
import gc
import os
import signal
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from time import monotonic
from typing import Any

from ctxkit.core.errors import Exit
from ctxkit.core.serve import Metric, RequestMetrics, Sample
from ctxkit.engines.server.request import CallFiles

_MAX_CALL = 1 << 20
"""Maximum bytes of a call on the channel."""
_STANDARD_FILES = 3
_SESSION_MARK = b"s"
"""What a process sends before its call uses a session: such a call must not be repeated."""
AnswerCall = Callable[[dict[str, Any], Callable[[], None]], int]
"""Answers a call with stdin, stdout and stderr at 0, 1 and 2, and returns the exit status.

The second argument is called before the call uses a session.
"""
MAX_CALLS = 20_000
"""Calls after which a process is replaced, so that what libraries keep does not add up."""
_STOPPED_SECONDS = 0.1
"""Seconds between looks at a process that answers a call: one that is stopped is killed, as if it had died."""
MAX_WAITING = 1_000
"""Calls that wait for a process before further ones are refused."""


class WorkerError(Exception):
    """A process died or took too long; the text says which."""


class DeadWorkerError(WorkerError):
    """A process died. The call may be repeated if it ``is_repeatable``: it has used no session."""

    def __init__(self, message: str, *, is_repeatable: bool) -> None:
        super().__init__(message)
        self.is_repeatable = is_repeatable


class WorkerTimeoutError(WorkerError):
    """A call took too long."""


class QueueFullError(Exception):
    """Too many calls wait for a process."""


class Worker:
    """A forked process that answers calls with ``answer``."""

    def __init__(self, answer: AnswerCall) -> None:
        gc.freeze()  # a collection in the child would touch, and so copy, all memory of this process
        self._channel, end = socket.socketpair()
        self._calls = 0
        self._has_ended = False
        try:
            self.pid = os.fork()
        except OSError:
            self._channel.close()
            end.close()
            raise
        if not self.pid:
            status = 1
            try:
                run_worker(end, answer)
                status = 0
            finally:
                os._exit(status)
        end.close()
        self._channel.setblocking(False)

    @property
    def is_old(self) -> bool:
        """Return whether the process has answered so many calls that another should replace it."""
        return self._calls >= MAX_CALLS

    @property
    def has_died(self) -> bool:
        """Return whether the process has closed its end of the channel, is stopped, or is unusable after a failure."""
        if _is_stopped(self.pid):
            return True
        try:
            self._channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True  # its end, or an answer that belongs to no call

    async def answer(self, call: dict[str, Any], files: CallFiles) -> int:
        """Return the exit status of a call; raise DeadWorkerError if the process dies."""
        import orjson

        self._calls += 1
        answer = b""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_STOPPED_SECONDS, self._kill_if_stopped)
        try:
            await self._send(orjson.dumps(call) + b"\n", files.finish_body())
            while not answer.endswith(b"\n"):
                piece = await loop.sock_recv(self._channel, 64)
                if not piece:
                    raise ConnectionResetError("the process died")
                answer += piece
        except OSError as error:
            message = f"the process failed: {error.strerror}" if error.strerror else str(error)
            raise DeadWorkerError(message, is_repeatable=_SESSION_MARK not in answer) from error
        finally:
            self._timer.cancel()
        return int(answer.lstrip(_SESSION_MARK))

    def _kill_if_stopped(self) -> None:
        """Kill the process if a signal or a debugger has stopped it, and look again later."""
        self._timer = asyncio.get_running_loop().call_later(_STOPPED_SECONDS, self._kill_if_stopped)
        if _is_stopped(self.pid):
            os.kill(self.pid, signal.SIGKILL)

    async def _send(self, line: bytes, descriptors: tuple[int, ...]) -> None:
        """Send a call, which may be longer than the buffer of the channel."""
        size = socket.send_fds(self._channel, [line], list(descriptors))
        if size < len(line):
            await asyncio.get_running_loop().sock_sendall(self._channel, memoryview(line)[size:])

    def end(self) -> None:
        """Kill the process and those that it started, and wait for its end."""
        if self._has_ended:  # its number may be that of another process by now
            return
        self._has_ended = True
        self._channel.close()
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


class WorkerPool:
    """Processes that answer calls; at most ``size`` at once.

    ``seconds`` limit one call. A process that fails costs its call alone: the next call gets a new one. A call that has
    used no session is tried once more.
    """

    def __init__(self, answer: AnswerCall, size: int, seconds: float) -> None:
        self._answer, self._seconds = answer, seconds
        self._workers = [Worker(answer) for _ in range(size)]
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self.waiting_calls = self.repeated_calls = self.replaced_workers = 0
        for worker in self._workers:
            self._idle.put_nowait(worker)

    @property
    def size(self) -> int:
        """Return the number of processes."""
        return len(self._workers)

    @property
    def idle_workers(self) -> int:
        """Return the number of processes that answer no call."""
        return self._idle.qsize()

    @property
    def process_ids(self) -> list[int]:
        """Return the ids of the processes."""
        return [worker.pid for worker in self._workers]

    async def answer(self, call: dict[str, Any], files: CallFiles) -> int:
        """Return the exit status of a call.

        Raise QueueFullError if too many calls wait, WorkerTimeoutError if the time is up. Raise DeadWorkerError if the
        process dies and the call cannot be repeated, or if a second process dies.
        """
        try:
            return await self._answer_once(call, files)
        except DeadWorkerError as error:
            if not error.is_repeatable:
                raise
        self.repeated_calls += 1
        return await self._answer_once(call, files)

    def end(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()

    async def _answer_once(self, call: dict[str, Any], files: CallFiles) -> int:
        async with self._take_worker() as worker:
            try:
                async with asyncio.timeout(self._seconds):
                    return await worker.answer(call, files)
            except TimeoutError:
                raise WorkerTimeoutError(f"no answer after {self._seconds:g} seconds") from None

    @asynccontextmanager
    async def _take_worker(self) -> AsyncIterator[Worker]:
        """Hold a worker for a call; replace it if it has died, or if the call fails or is cancelled."""
        if self.waiting_calls >= MAX_WAITING:
            raise QueueFullError
        self.waiting_calls += 1
        try:
            worker = await self._idle.get()
        finally:
            self.waiting_calls -= 1
        worker = self._replace(worker) if worker.has_died else worker
        try:
            yield worker
        except BaseException:
            worker = self._replace(worker)
            raise
        else:
            worker = self._replace(worker) if worker.is_old else worker
        finally:
            self._idle.put_nowait(worker)

    def _replace(self, worker: Worker) -> Worker:
        """Return a new process in the place of another; if none can start, the old one: the next call tries again."""
        worker.end()
        try:
            replacement = Worker(self._answer)
        except OSError:
            return worker
        self.replaced_workers += 1
        self._workers[self._workers.index(worker)] = replacement
        return replacement


def _is_stopped(process: int) -> bool:
    """Return whether a process is stopped, False on a system without /proc."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] in (b"T", b"t")
    except OSError:
        return False


def run_worker(channel: socket.socket, answer: AnswerCall) -> None:
    """Answer calls until the channel ends."""
    import orjson

    _forget_parent(channel)
    while message := _receive_call(channel):
        line, descriptors = message
        _take_files(descriptors)
        status = answer(orjson.loads(line), lambda: channel.sendall(_SESSION_MARK))
        _release_files()
        channel.sendall(b"%d\n" % status)


def _forget_parent(channel: socket.socket) -> None:
    """Close what belongs to the parent, and let signals end this process.

    SIGTERM is left to the parent: a service manager sends it to all processes, and the parent lets their calls end.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setpgid(0, 0)
    keep = channel.fileno()
    os.closerange(_STANDARD_FILES, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    _release_files()


def _receive_call(channel: socket.socket) -> tuple[bytes, list[int]] | None:
    """Return the next call and the descriptors of its files, None at the end."""
    data, descriptors, _, _ = socket.recv_fds(channel, _MAX_CALL, _STANDARD_FILES)
    while data and not data.endswith(b"\n"):
        more = channel.recv(_MAX_CALL)
        if not more:
            return None
        data += more
    return (data, descriptors) if data else None


def _take_files(descriptors: list[int]) -> None:
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _release_files() -> None:
    """Let go of the files of a call, whose memory would be held until the next."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(_STANDARD_FILES):
        os.dup2(nowhere, number)
    os.close(nowhere)


_STORE_SECONDS = 15.0
"""Seconds for which the size of the store is not measured again."""
ERRORS = ("process_died", "time_limit", "queue_full", "client_left", "shutdown")
"""Reasons of errors that are the server's or the client's, not a command's."""
_STORE_CALL = {"arguments": ["cache", "stat", "--json"], "directory": "", "variables": ""}


class ServerMetrics:
    """The metrics of a server whose calls a pool answers."""

    def __init__(self, pool: WorkerPool, version: str) -> None:
        self._pool, self._version = pool, version
        self.requests = RequestMetrics()
        self.errors: Counter[str] = Counter(dict.fromkeys(ERRORS, 0))
        self.running_requests = 0
        self._stored: int | None = None
        self._measured_at = -_STORE_SECONDS

    async def list_metrics(self) -> list[Metric]:
        """Return all metrics; those that this system does not offer have no samples."""
        stored = await self._measure_store()
        return [*self.requests.list_metrics(), *self._list_own(), *self._list_sizes(stored)]

    def _list_own(self) -> Iterator[Metric]:
        pool, name = self._pool, "ctxkit_{}".format
        errors = [Sample(count, {"reason": reason}) for reason, count in self.errors.items()]
        states = {"busy": pool.size - pool.idle_workers, "idle": pool.idle_workers}
        workers = [Sample(count, {"state": state}) for state, count in states.items()]
        yield Metric(name("errors_total"), "counter", "Requests that the server could not answer.", errors)
        yield Metric(
            *(name("retries_total"), "counter", "Requests that were tried again after a process died."),
            [Sample(pool.repeated_calls)],
        )
        yield Metric(
            *(name("worker_replacements_total"), "counter", "Processes that were replaced."),
            [Sample(pool.replaced_workers)],
        )
        yield Metric(name("workers"), "gauge", "Processes that answer requests.", workers)
        yield Metric(
            *(name("queue_length"), "gauge", "Requests that wait for a process."), [Sample(pool.waiting_calls)]
        )
        yield Metric(
            *(name("requests_running"), "gauge", "Requests that are being answered, with this one."),
            [Sample(self.running_requests)],
        )
        yield Metric(name("build_info"), "gauge", "The version of ctxkit.", [Sample(1, {"version": self._version})])

    def _list_sizes(self, stored: int | None) -> Iterator[Metric]:
        own, workers = measure_memory([os.getpid()]), measure_memory(self._pool.process_ids)
        memory = {"server": own, "workers": workers}
        samples = [Sample(size, {"process": process}) for process, size in memory.items() if size]
        help_text = "Resident memory; pages that processes share count once for each."
        yield Metric("ctxkit_resident_memory_bytes", "gauge", help_text, samples)
        help_text = f"Bytes in the store of the server's user, measured every {_STORE_SECONDS:g} seconds at most."
        yield Metric("ctxkit_stored_bytes", "gauge", help_text, [] if stored is None else [Sample(stored)])

    async def _measure_store(self) -> int | None:
        """Return the bytes of the store, None if they are not known; an overloaded server does not measure them."""
        if monotonic() - self._measured_at < _STORE_SECONDS or not self._pool.idle_workers:
            return self._stored
        self._measured_at = monotonic()
        import orjson

        with closing(CallFiles(is_small=True)) as files:
            try:
                if await self._pool.answer(_STORE_CALL, files) == Exit.DONE:
                    self._stored = int(orjson.loads(b"".join(files.read_output()))["bytes"])
            except (WorkerError, QueueFullError, ValueError, KeyError):
                self._stored = None
        return self._stored


def measure_memory(processes: Iterable[int]) -> int:
    """Return the resident bytes of processes, 0 on a system without /proc."""
    pages = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/statm", "rb") as file:
                pages += int(file.read().split()[1])
        except (OSError, IndexError, ValueError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")
