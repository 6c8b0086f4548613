"""Run ctxkit in forks of one process that has loaded it: as a process of its own, without the time of a start.

Nothing of a run stays behind for the next: a fork begins with what the server had when all modules were loaded. What
differs from the installed command: Python has started, and the modules are imported.
"""

import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

BYTES = 1 << 16
MOST_FILES = 4096
"""Open files of the server that a fork closes at most: a socket for each thread that runs ctxkit."""
CHILD_TIMES = slice(13, 15)
"""Fields of /proc/PID/stat, after the name of the program, that count the ticks of children: cutime and cstime."""
PRELOADED = ("ctxkit.commands", "ctxkit.core", "ctxkit.edge", "ctxkit.engines")
"""Packages whose modules are all loaded."""
LIBRARIES = ("difflib", "hashlib", "orjson", "platformdirs", "splintr", "sqlite3", "subprocess", "tempfile", "tomllib")
"""What those modules import in functions, because a start of the installed command has to be short."""
OPTIONAL_LIBRARIES = ("redis", "redis.backoff", "redis.retry")
"""What few commands import, and takes 0.2 s; loaded if it is installed."""
VOCABULARIES = ("o200k", "qwen3")
"""Vocabularies that most tests count with: to load one takes a third of a second."""
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""Memory in pages of 2 MB where the machine has them: a fork copies the table of pages, which took 15 ms."""
LONG_WORD = "x" * 300
"""A word for which splintr sets up an encoder: in each fork, that takes 0.2 s."""
SOURCE = "import os\n" * 20
"""A text for which the patterns of all languages are compiled."""
CLIENT = """\
#!{python} -IS
import _json, _signal, _socket, os, sys

quote = _json.encode_basestring_ascii
words = ", ".join(map(quote, sys.argv[1:]))
pairs = ", ".join(f"{{quote(name)}}: {{quote(value)}}" for name, value in os.environ.items())
order = f"[[{{words}}], {{{{{{pairs}}}}}}, {{quote(os.getcwd())}}, {{{{}}}}]".encode()
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
ends = b"".join(end.to_bytes(4, sys.byteorder) for end in range(3))
server.sendmsg([len(order).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ends)])
server.sendall(order)
pid = int.from_bytes(server.recv(4), "big")
for number in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(number, lambda number, _: os.kill(pid, number))
status = int.from_bytes(server.recv(4), "big", signed=True)
if status < 0:
    _signal.signal(-status, _signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""
"""A program that runs ctxkit in a fork, with its own arguments, environment, directory and streams: a start takes 10 ms."""


class ForkServer:
    """A connection to the process that forks another one for each run."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)

    def run(
        self,
        arguments: Sequence[str],
        data: bytes,
        environment: Mapping[str, str],
        directory: str,
        timeout: float,
        limits: Mapping[str, float] | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Return the status of a run, negative for a signal, its output, and what it wrote to stderr.

        ``limits`` replace constants, by their full names, so that a test need not wait for the real ones.
        """
        ends = [os.pipe() for _ in range(3)]
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = ends
        order = json.dumps([list(arguments), dict(environment), directory, dict(limits or {})]).encode()
        head = len(order).to_bytes(4, "big")
        socket.send_fds(self._socket, [head], [theirs_in, theirs_out, theirs_err])
        self._socket.sendall(order)
        for end in (theirs_in, theirs_out, theirs_err):
            os.close(end)
        pid = int.from_bytes(self._receive(4), "big")
        try:
            out, err = _communicate(ours_in, data, ours_out, ours_err, time.monotonic() + timeout)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._receive(4)
            raise subprocess.TimeoutExpired(["ctxkit", *arguments], timeout) from None
        return int.from_bytes(self._receive(4), "big", signed=True), out, err

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self._socket.recv(size - len(data))
            assert piece, "the fork server has ended"
            data += piece
        return data

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


class ForkServers:
    """A process that has loaded ctxkit, and as many connections to it as runs at the same time need."""

    def __init__(self, environment: Mapping[str, str], address: str) -> None:
        self._address, self._idle = address, list[ForkServer]()
        places = {"PYTHONPATH": str(Path(__file__).parent.parent), "GLIBC_TUNABLES": HUGE_PAGES}
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen(128)
            command = [sys.executable, "-P", "-m", "tests.fork_server", str(listener.fileno())]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=[listener.fileno()], env={**environment, **places}
            )

    def read_processor_time(self) -> float:
        """Return how much processor time the forks that have ended took, in seconds; 0 on a system without /proc."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[CHILD_TIMES])) / os.sysconf("SC_CLK_TCK")

    def write_client(self, path: Path) -> Path:
        """Write a program that runs ctxkit in a fork, for shells and other programs; return its path."""
        path.write_text(CLIENT.format(python=sys.executable, address=self._address))
        path.chmod(0o700)
        return path

    @contextmanager
    def borrow(self) -> Iterator[ForkServer]:
        """Return a server that no other thread uses."""
        try:
            server = self._idle.pop()
        except IndexError:
            server = ForkServer(self._address)
        try:
            yield server
        finally:
            self._idle.append(server)

    def close(self) -> None:
        """End all servers."""
        for server in self._idle:
            server.close()
        self.process.terminate()
        self.process.wait(10)


def _communicate(given: int, data: bytes, out: int, err: int, deadline: float) -> tuple[bytes, bytes]:
    """Write to one pipe and read the others to their ends."""
    pieces: dict[int, list[bytes]] = {out: [], err: []}
    view = memoryview(data)
    os.set_blocking(given, False)
    with selectors.DefaultSelector() as selector:
        selector.register(given, selectors.EVENT_WRITE)
        selector.register(out, selectors.EVENT_READ)
        selector.register(err, selectors.EVENT_READ)
        try:
            while selector.get_map():
                if time.monotonic() > deadline:
                    raise TimeoutError
                for key, _ in selector.select(max(deadline - time.monotonic(), 0)):
                    if key.fd == given:
                        view = _write_some(given, view)
                        if not view:
                            selector.unregister(given)
                            os.close(given)
                    elif piece := os.read(key.fd, BYTES):
                        pieces[key.fd].append(piece)
                    else:
                        selector.unregister(key.fd)
                        os.close(key.fd)
        except TimeoutError:
            for end in list(selector.get_map()):
                os.close(end)
            raise
    return b"".join(pieces[out]), b"".join(pieces[err])


def _write_some(end: int, view: memoryview) -> memoryview:
    """Write what a pipe takes; return what is left: nothing if its reader has ended."""
    try:
        return view[os.write(end, view[:BYTES]) :] if view else view
    except BlockingIOError:
        return view
    except BrokenPipeError:
        return view[:0]


def _serve(listener: socket.socket) -> None:
    """Fork for each request of any connection; send the process id of the fork, and its status once it has ended."""
    clients: dict[int, socket.socket] = {}
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # a child that ends writes to the pipe
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                source = key.fileobj
                if source is listener:
                    selector.register(listener.accept()[0], selectors.EVENT_READ)
                elif not isinstance(source, socket.socket):
                    os.read(wake, BYTES)
                    _send_statuses(clients)
                elif pid := _start(source):
                    clients[pid] = source
                else:
                    selector.unregister(source)
                    source.close()


def _start(client: socket.socket) -> int:
    """Fork for a request, and send the process id; return it, 0 if the client has gone."""
    head, ends, _, _ = socket.recv_fds(client, 4, 3)
    if not head:
        return 0
    order, size = b"", int.from_bytes(head, "big")
    while len(order) < size:
        order += client.recv(size - len(order))
    pid = os.fork()
    if not pid:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _run(json.loads(order), ends)
    for end in ends:
        os.close(end)
    with suppress(OSError):
        client.sendall(pid.to_bytes(4, "big"))
    return pid


def _send_statuses(clients: dict[int, socket.socket]) -> None:
    """Send the status of each fork that has ended; a client may have gone."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            status = os.waitstatus_to_exitcode(ended[1])
            with suppress(OSError):
                clients.pop(ended[0]).sendall(status.to_bytes(4, "big", signed=True))


def _run(order: tuple[list[str], dict[str, str], str, dict[str, float]], ends: list[int]) -> None:
    """Run ctxkit in this process, and end it."""
    try:
        from ctxkit.main import main

        arguments, environment, directory, limits = order
        for target, end in enumerate(ends):
            os.dup2(end, target)
        os.closerange(3, MOST_FILES)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(directory)
        for name, value in limits.items():
            module, _, constant = name.rpartition(".")
            assert hasattr(import_module(module), constant), name
            setattr(import_module(module), constant, value)
        sys.argv = ["ctxkit", *arguments]
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _preload() -> None:
    """Load what most commands need."""
    for name in ("ctxkit.main", "ctxkit.app.services.engines", "ctxkit.app.services.workers", *LIBRARIES):
        import_module(name)
    for name in OPTIONAL_LIBRARIES:
        with suppress(ImportError):
            import_module(name)
    for name in PRELOADED:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    for name in VOCABULARIES:
        import_module("ctxkit.engines.tokens.splintr").load_encoder(name)(LONG_WORD)
    import_module("ctxkit.core.languages.detection").language_of_text(SOURCE)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy the pages of all that is loaded


if __name__ == "__main__":
    _preload()
    _serve(socket.socket(fileno=int(sys.argv[1])))
