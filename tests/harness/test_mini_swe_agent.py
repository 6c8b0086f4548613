"""mini-swe-agent with the environment of ctxkit, against a scripted model."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.edge.host_trial import ScriptedModel
from tests.harness.cases import PROGRAMS, ROOT

MINI = shutil.which("mini", path=f"{PROGRAMS}:{ROOT}/.venv/hosts/mini/bin")
LONG = "seq -f 'line %.0f of a long and boring output, again' 5000; echo 'error: disk full' >&2; exit 4"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; seq 20000"
SAME = ("echo hi; exit 3", "cd sub && pwd")
pytestmark = [
    pytest.mark.harness,
    pytest.mark.skipif(not MINI, reason="mini-swe-agent is not installed: make test-harness installs it"),
]


def test_long_output_is_a_map_and_all_else_as_without_ctxkit(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    subprocess.run([ctxkit, "init", "mini-swe-agent", "--yes"], env=home, check=True, capture_output=True)
    env = {**home, "PYTHONPATH": f"{home['HOME']}/.config/mini-swe-agent", "MSWEA_CONFIGURED": "true", "OPENAI_API_KEY": "none"}
    plain = [subprocess.run(script, shell=True, env=env, cwd=project, stdout=-1, stderr=subprocess.STDOUT) for script in SAME]
    env |= {"MSWEA_COST_TRACKING": "ignore_errors", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with ScriptedModel([("bash", {"command": command}) for command in (LONG, *SAME, SUBMIT)]) as model:
        argv = [str(MINI), "-y", "--exit-immediately", "-t", "run it", "-m", "openai/scripted", "-c", "mini.yaml"]
        argv += ["-c", f"model.model_kwargs.api_base={model.address}/v1", "-o", str(project / "trajectory.json")]
        argv += ["--environment-class", "ctxkit_environment.CtxkitEnvironment"]
        subprocess.run(argv, env=env, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    seen = [json.loads(text) for text in model.results]
    assert seen[0]["returncode"] == 4
    assert "error: disk full" in seen[0]["output"]
    assert "ctxkit cache get" in seen[0]["output"]
    assert len(seen[0]["output"]) < 10_000
    assert [(item["returncode"], item["output"]) for item in seen[1:]] == [(done.returncode, done.stdout.decode()) for done in plain]
    trajectory = json.loads((project / "trajectory.json").read_bytes())
    assert trajectory["info"]["submission"].split("\n")[19_999] == "20000"
