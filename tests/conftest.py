"""The installed ctxkit, run as a user runs it, in a home of its own."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import pytest

from tests.example_counts import CI, QUICK, THOROUGH, USUAL
from tests.fork_server import ForkServers
from tests.mcp_http import HttpServer, run_http_server
from tests.redis_servers import Server, empty_server, run_server


@dataclass(frozen=True)
class Ran:
    """What a command did; a negative status is the signal it died of."""

    status: int
    out: bytes
    err: str


Run = Callable[..., Ran]


hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, max_examples=QUICK)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, max_examples=CI)
hypothesis.settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=THOROUGH)
hypothesis.settings.register_profile("random", deadline=None, max_examples=USUAL)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
"""The same examples in each run, unless HYPOTHESIS_PROFILE=random; a busy machine makes any example slow."""
SLOW_AFTER = float(os.environ.get("TEST_SECONDS", "inf"))
"""Seconds of processor time that a test may take, of which make test sets 10: those that are marked took 0.25 s, but
machines differ by more than two, and the first test of a vocabulary or a grammar loads it."""
LEAST_SLOW, SLOW_DIVISOR = 6, 3
"""Number of slow cases of a table that make test-slow runs at least, and of how many of a larger table it runs one."""
RAM_DISK = "/dev/shm"
RAM_DISK_SPACE = 4 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Let the tests, and what they start, see none of this user's own settings; put their files into memory."""
    _restore_signals()
    gc.disable()  # collected tests live as long as the run: pytest_collection_finish enables it again
    os.environ.pop("XDG_RUNTIME_DIR", None)  # a server may listen there
    for name in [name for name in os.environ if name.startswith("CTXKIT_")]:
        del os.environ[name]
    if is_usable_ram_disk(RAM_DISK):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", RAM_DISK)


def _restore_signals() -> None:
    """Let what the tests start end by signals, also where the caller ignores them, as nohup does."""
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Freeze what the collection of tests has made: the collector of garbage would visit it again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark cases of parametrized tests: slow are all but those that quick_cases counts, of which a share is thorough."""
    for tests in group_cases(items, "quick_cases"):
        _mark_all_but(tests, tests[0].get_closest_marker("quick_cases").args[0], "slow")
    for tests in group_cases(items, "slow"):
        _mark_all_but(tests, max(LEAST_SLOW, len(tests) // SLOW_DIVISOR), "thorough")


def group_cases(items: list[pytest.Item], mark: str) -> list[list[pytest.Item]]:
    """Return the tests that have a mark, those of one function together."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker(mark):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return list(cases.values())


def _mark_all_but(tests: list[pytest.Item], count: int, mark: str) -> None:
    """Mark all tests but ``count``, which are evenly spread."""
    without = spread_cases(len(tests), count)
    for test in (test for at, test in enumerate(tests) if at not in without):
        test.add_marker(mark)


def spread_cases(total: int, count: int) -> set[int]:
    """Return the places of ``count`` cases of ``total``: the first, and others at equal distances."""
    return {at * total // count for at in range(count)}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test of make test that takes long and is not marked slow."""
    start = read_processor_time(item)
    result = yield
    seconds = read_processor_time(item) - start
    if seconds > SLOW_AFTER and not item.get_closest_marker("slow"):
        pytest.fail(f"takes {seconds:.1f} s of processor time: mark it slow, or let it do less", pytrace=False)
    return result


def read_processor_time(item: pytest.Item) -> float:
    """Return the processor time of this process, and of what it and its fork server have started and seen end."""
    servers = getattr(item, "funcargs", {}).get("fork_servers")
    return sum(os.times()[:4]) + (servers.read_processor_time() if servers else 0.0)


def is_usable_ram_disk(path: str) -> bool:
    """Whether tests can write there and run what they write: a sync on a disk takes longer than most commands."""
    try:
        status = os.statvfs(path)
    except OSError:
        return False
    has_space = status.f_bavail * status.f_frsize >= RAM_DISK_SPACE
    return has_space and not status.f_flag & os.ST_NOEXEC and os.access(path, os.W_OK | os.X_OK)


@pytest.fixture(scope="session", autouse=True)
def no_tables() -> Iterator[None]:
    """Let tests in this process write no compiled vocabulary into this user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ctxkit.app.services.engines.find_table_directory", str)
        yield


@pytest.fixture(scope="session")
def ctxkit() -> str:
    """The path of the installed command: beside the interpreter, else on PATH."""
    beside = Path(sys.executable).with_name("ctxkit")
    found = str(beside) if beside.exists() else shutil.which("ctxkit")
    assert found, "ctxkit is not installed: pip install -e ."
    return found


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has never run ctxkit."""
    places = {"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}
    places["TMPDIR"] = "temporary"
    ours = {name: str(tmp_path / "user" / folder) for name, folder in places.items()}
    for folder in ours.values():
        Path(folder).mkdir(parents=True)
    return {**os.environ, **ours, "TZ": "UTC", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def no_store(tmp_path: Path) -> dict[str, str]:
    """An environment in which no place for stored content can be used: a file in the way stops root too."""
    place = tmp_path / "in the way"
    place.write_text("")
    return {name: str(place) for name in ("CTXKIT_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR")}


@pytest.fixture(scope="session")
def fork_servers() -> Iterator[ForkServers]:
    """Return processes that run ctxkit in forks of their own."""
    with TemporaryDirectory() as folder:  # the path of a socket is short
        servers = ForkServers({**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}, f"{folder}/socket")
        yield servers
        servers.close()


@pytest.fixture
def run(fork_servers: ForkServers, home: dict[str, str], run_installed: Run) -> Run:
    """Run ctxkit with arguments and say what it did: in a fork that has Python and all modules loaded already.

    Where the environment changes what Python loads, run the installed command.
    """

    def ran(
        *args: str | os.PathLike[str],
        stdin: bytes | str = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 60,
        limits: Mapping[str, float] | None = None,
    ) -> Ran:
        if any(name.startswith("PYTHON") and value != home.get(name) for name, value in (env or {}).items()):
            return run_installed(*args, stdin=stdin, env=env, cwd=cwd, timeout=timeout)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        environment, directory = {**home, **(env or {})}, os.fsdecode(cwd or home["HOME"])
        words = [os.fsdecode(arg) for arg in args]
        with fork_servers.borrow() as server:
            status, out, err = server.run(words, data, environment, directory, timeout, limits)
        return Ran(status, out, err.decode(errors="replace"))

    return ran


@pytest.fixture(scope="session")
def forked_ctxkit(fork_servers: ForkServers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a program that runs ctxkit in a fork, for a shell that starts it often."""
    return fork_servers.write_client(tmp_path_factory.mktemp("forked") / "ctxkit")


@pytest.fixture
def run_installed(ctxkit: str, home: dict[str, str]) -> Run:
    """Run the installed command with arguments and say what it did."""

    def ran(
        *args: str | os.PathLike[str],
        stdin: bytes | str = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 60,
    ) -> Ran:
        done = subprocess.run(
            [ctxkit, *args],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**home, **(env or {})},
            cwd=cwd or home["HOME"],
            timeout=timeout,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    return ran


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """A real server for the tests of this process."""
    with run_server() as server:
        yield server


@pytest.fixture(scope="session")
def http_server() -> Iterator[HttpServer]:
    """Servers of MCP over HTTP for the tests of this process."""
    with run_http_server() as server:
        yield server


@pytest.fixture
def empty_redis_server(redis_server: Server) -> Server:
    """That server without the keys of other tests; a test must not stop it."""
    empty_server(redis_server.url)
    return redis_server


@pytest.fixture
def collect(run: Run, home: dict[str, str]) -> Callable[[], Ran]:
    """Collect whatever nothing refers to, as if all that is stored were an hour old."""

    def collected() -> Ran:
        for path in Path(home["XDG_CACHE_HOME"]).glob("ctxkit/blobs/*/*"):
            os.utime(path, (time.time() - 3600,) * 2)
        return run("cache", "gc", "--max-age", "0s", "--max-size", "0")

    return collected


@pytest.fixture
def under(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Settings whose store is in a place of its own, with some values changed."""
    from ctxkit.edge.settings import KEYS, Setting, Settings

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "default"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))

    def settings(**values):
        ours = {"cache_dir": str(tmp_path / "cache"), "data_dir": str(tmp_path / "data"), **values}
        defaults = {key: Setting(definition.default, "default") for key, definition in KEYS.items()}
        return Settings([{key: Setting(value, "test") for key, value in ours.items()}, defaults])

    return settings
