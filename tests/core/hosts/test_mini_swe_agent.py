import subprocess
import sys
from pathlib import Path

from ctxkit.core.hosts.mini_swe_agent import HOST

LOCAL = "class LocalEnvironment:\n    def execute(self, action, *args, **kwargs):\n        return action\n"


def test_the_environment_changes_commands_but_those_that_submit(tmp_path: Path) -> None:
    package = tmp_path / "minisweagent" / "environments"
    package.mkdir(parents=True)
    (package / "local.py").write_text(LOCAL)
    hook = tmp_path / "hook"
    hook.write_text("""#!/bin/sh\nsed 's/.*"command": "\\([^"]*\\)".*/{"command": "x; \\1"}/'\n""")
    hook.chmod(0o755)
    (tmp_path / "ctxkit_environment.py").write_text(HOST.install("", str(tmp_path)))
    calls = ["ls", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]
    code = f"from ctxkit_environment import *; print([CtxkitEnvironment().execute({{'command': c}})['command'] for c in {calls}])"

    def run() -> str:
        return subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert run() == f"{['x; ls', calls[1]]}\n"
    hook.unlink()
    assert run() == f"{calls}\n"


def test_the_start_names_the_module() -> None:
    assert "ctxkit_environment.CtxkitEnvironment" in HOST.start
    assert HOST.settings["user"].path == "ctxkit_environment.py"
