"""The conversation with Codex's app-server; a small program stands for it."""

import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import MissingDependencyError
from ctxkit.edge.codex_trust import trust_hooks

SERVER = """#!{python}
import json, sys
trusted = {{}}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, params = request["method"], request["params"]
    if method == "hooks/list":
        hooks = [
            {{"key": command, "command": command, "currentHash": "h" + command,
             "trustStatus": "trusted" if trusted.get(command) == "h" + command else "untrusted"}}
            for command in {commands}
        ]
        result = {{"data": [{{"cwd": params["cwds"][0], "hooks": hooks}}]}}
    elif method == "config/batchWrite":
        result = {{"status": "ok"}}
        for key, value in params["edits"][0]["value"].items():
            trusted[key] = value["trusted_hash"] if {works} else ""
    else:
        result = {{}}
    print(json.dumps({{"method": "noise"}}))
    print(json.dumps({{"id": request["id"], "result": result}}), flush=True)
"""


def make_server(path: Path, commands: list[str], *, works: bool = True) -> str:
    path.write_text(SERVER.format(python=sys.executable, commands=commands, works=works))
    path.chmod(0o755)
    return str(path)


def test_own_hooks_become_trusted(tmp_path: Path) -> None:
    assert trust_hooks(make_server(tmp_path / "codex", ["own", "other"]), "own", str(tmp_path))
    assert not trust_hooks(make_server(tmp_path / "codex", ["own"], works=False), "own", str(tmp_path))


@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho '[]'; echo x\n", None])
def test_a_codex_that_does_not_answer_is_an_error(tmp_path: Path, program: str | None) -> None:
    path = tmp_path / "codex"
    if program:
        path.write_text(program)
        path.chmod(0o755)
    with pytest.raises(MissingDependencyError, match="codex app-server: "):
        trust_hooks(str(path), "own", str(tmp_path))


def test_a_codex_without_the_hook_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingDependencyError, match="lists no hook of ctxkit"):
        trust_hooks(make_server(tmp_path / "codex", ["other"]), "own", str(tmp_path))
