"""Hand calls to forked processes, and replace a process that dies or takes too long."""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.worker_process import AnswerCall, run_worker

MAX_CALLS = 20_000
"""Calls after which a process is replaced, so that what libraries keep does not add up."""
MAX_WAITING = 1_000
"""Calls that wait for a process before further ones are refused."""


class WorkerError(Exception):
    """A process died or took too long; the text says which."""


class QueueFullError(Exception):
    """Too many calls wait for a process."""


class Worker:
    """A forked process that answers calls with ``answer``."""

    def __init__(self, answer: AnswerCall) -> None:
        gc.freeze()  # a collection in the child would touch, and so copy, all memory of this process
        self._channel, end = socket.socketpair()
        self._calls = 0
        self.pid = os.fork()
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

    async def answer(self, call: dict[str, Any], files: CallFiles) -> int:
        """Return the exit status of a call; raise WorkerError if the process dies."""
        import orjson

        self._calls += 1
        try:
            socket.send_fds(self._channel, [orjson.dumps(call) + b"\n"], list(files.finish_body()))
            line = await asyncio.get_running_loop().sock_recv(self._channel, 64)
        except OSError as error:
            raise WorkerError(f"the process failed: {error.strerror}") from error
        if not line.endswith(b"\n"):
            raise WorkerError("the process died")
        return int(line)

    def end(self) -> None:
        """Kill the process and those that it started, and wait for its end."""
        self._channel.close()
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


class WorkerPool:
    """Processes that answer calls; at most ``size`` at once.

    ``seconds`` limit one call. A process that fails costs its call alone: the next call gets a new one.
    """

    def __init__(self, answer: AnswerCall, size: int, seconds: float) -> None:
        self._answer, self._seconds = answer, seconds
        self._workers = [Worker(answer) for _ in range(size)]
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self._waiting = 0
        for worker in self._workers:
            self._idle.put_nowait(worker)

    @property
    def size(self) -> int:
        """Return the number of processes."""
        return len(self._workers)

    async def answer(self, call: dict[str, Any], files: CallFiles) -> int:
        """Return the exit status of a call.

        Raise QueueFullError if too many calls wait, WorkerError if its process dies or its time is up.
        """
        async with self._take_worker() as worker:
            try:
                async with asyncio.timeout(self._seconds):
                    return await worker.answer(call, files)
            except TimeoutError:
                raise WorkerError(f"no answer after {self._seconds:g} seconds") from None

    def end(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()

    @asynccontextmanager
    async def _take_worker(self) -> AsyncIterator[Worker]:
        """Hold a worker for a call; replace it if the call fails or is cancelled."""
        if self._waiting >= MAX_WAITING:
            raise QueueFullError
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
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
        worker.end()
        self._workers.remove(worker)
        replacement = Worker(self._answer)
        self._workers.append(replacement)
        return replacement
