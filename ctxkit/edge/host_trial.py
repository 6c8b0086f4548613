"""Try an installed host in a home of its own, against a scripted model."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from tempfile import TemporaryDirectory, TemporaryFile

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.hosts.host import Host
from ctxkit.core.hosts.trials import HostTrial, TrialResults, make_calls
from ctxkit.edge.scripted_model import ScriptedModel

DEADLINE = 180
"""Seconds for both runs of a host and the setup between them."""
LAST_BYTES = 4_096
"""Bytes of the end of a host's own output that an error message may quote a line of."""
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SHELL")
"""Variables that the host gets: no keys and no settings of the user."""
REPOSITORY = ".git"
FOLDER = "/var/tmp"


def find_program(host: Host, trial: HostTrial) -> str:
    """Return the path of a host; raise MissingDependencyError if it is not installed."""
    path = shutil.which(host.program)
    if path is None:
        raise MissingDependencyError(f"{host.program} is not on PATH", hint=f"npm install -g {trial.package}")
    return path


def try_host(host: Host, trial: HostTrial, ctxkit: str) -> TrialResults:
    """Start a host without ctxkit and with it, and return what the model saw of each command."""
    program = find_program(host, trial)
    place = FOLDER if os.access(FOLDER, os.W_OK) else None
    directory = TemporaryDirectory(prefix="ctxkit-trial.", dir=place, ignore_cleanup_errors=True)
    with directory as folder, ScriptedModel(make_calls(trial)) as model:
        end = time.monotonic() + DEADLINE
        project, environment = _prepare(trial, folder, model.address)

        def run(argv: list[str]) -> str:
            """Run a program and return the end of what it printed."""
            return _run_until(argv, project, environment, end)

        last_line = run([program, *trial.args])
        plain = list(model.results)
        if not plain:
            raise MissingDependencyError(f"{host.title} calls no tool of the model: {last_line or 'no output'}")
        model.restart(make_calls(trial))
        run([ctxkit, "init", host.name, "--yes", *(["--trust"] if host.needs_trust else [])])
        run([program, *trial.args])
        return TrialResults(plain, list(model.results))


def _prepare(trial: HostTrial, folder: str, address: str) -> tuple[str, dict[str, str]]:
    """Write the files of a trial, and return its project and its environment."""
    home, project, temporary = (os.path.join(folder, name) for name in ("home", "project", "temporary"))
    for path in (home, temporary, os.path.join(project, "sub")):
        os.makedirs(path)
    setup = trial.make_setup(address)
    for base, files in ((home, setup.home), (project, setup.project)):
        for name, text in files.items():
            path = os.path.join(base, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    _make_repository(os.path.join(project, REPOSITORY))
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return project, {**passed_on, "HOME": home, "TMPDIR": temporary, **setup.environment}


def _make_repository(folder: str) -> None:
    """Make an empty repository, which some hosts ask for, without a program that would read the user's settings."""
    for name in ("objects", "refs"):
        os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, "HEAD"), "w", encoding="ascii") as file:
        file.write("ref: refs/heads/main\n")


def _run_until(argv: list[str], project: str, environment: Mapping[str, str], end: float) -> str:
    """Run a program until a time, end it with all that it started, and return the last line of what it printed."""
    with TemporaryFile() as printed:
        process = subprocess.Popen(
            argv,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise MissingDependencyError(f"{os.path.basename(argv[0])} takes more than {DEADLINE} seconds") from None
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(max(0, printed.tell() - LAST_BYTES))
        lines = printed.read(LAST_BYTES).decode("utf-8", "replace").split("\n")
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
