"""ctxkit doctor HOST with the real hosts."""

import json
import os
import shutil
import subprocess

import pytest

from ctxkit.core.hosts.profiles import load_host
from ctxkit.core.hosts.trials import TRIALS
from tests.harness.cases import PROGRAMS

pytestmark = pytest.mark.harness


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial_finds_no_problem(ctxkit: str, home: dict[str, str], name: str) -> None:
    program = load_host(name).program
    if not shutil.which(program, path=PROGRAMS):
        pytest.skip(f"{program} is not installed: make test-harness installs it")
    env = {**home, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    done = subprocess.run([ctxkit, "doctor", name, "--json"], env=env, capture_output=True, timeout=240)
    checks = {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 0, done.stdout
    assert (checks["setup"], checks["hook"], checks["status"], checks["directory"]) == ("absent", "ok", "ok", "ok")
    assert checks["rule"] == ("ok" if TRIALS[name].has_rules else "absent")
