import os
from pathlib import Path

import pytest

from ctxkit.edge.host_versions import find_version


def test_the_version_is_that_of_the_package_around_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "node_modules" / "x"
    (package / "bin").mkdir(parents=True)
    program = package / "bin" / "x.js"
    program.write_text("")
    program.chmod(0o755)
    (tmp_path / "x").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_version("x") == ""
    for content in ("[]", "{", '{"version": 5}'):
        (package / "package.json").write_text(content)
        assert find_version("x") == ""
    (package / "package.json").write_text('{"version": "1.2.3"}')
    assert find_version("x") == "1.2.3"
    os.unlink(tmp_path / "x")
    assert find_version("x") == "absent"
