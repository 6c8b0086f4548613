"""The Debian package: built, installed and removed on this machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit import __version__
from tools.deb import PYTHON, build

CAN_INSTALL = shutil.which("dpkg-deb") and os.access(PYTHON, os.X_OK) and os.geteuid() == 0
IS_THERE = Path("/opt/ctxkit").exists() or Path("/usr/bin/ctxkit").exists()
pytestmark = [
    pytest.mark.packages,
    pytest.mark.skipif(not CAN_INSTALL, reason=f"needs dpkg-deb, {PYTHON} and root"),
    pytest.mark.skipif(IS_THERE, reason="ctxkit is installed on this machine already"),
]
LINES = "".join(f"line {number}\n" for number in range(5_000))


def call(*argv: str | Path, env: dict[str, str], text: str = "") -> str:
    done = subprocess.run(argv, env=env, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_is_installed_and_removed(home: dict[str, str], tmp_path: Path) -> None:
    package = build(tmp_path)
    env = {**home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    call("dpkg", "--install", package, env=env)
    try:
        assert call("ctxkit", "--version", env=env).startswith(f"ctxkit {__version__} (")
        assert call("ctxkit", "--version", env=env).endswith("Debian package)\n")
        assert "a map, not the content" in call("ctxkit", "gate", "--window", "2000", env=env, text=LINES)
        assert Path("/usr/share/man/man1/ctxkit-gate.1.gz").exists()
        assert Path("/usr/share/doc/ctxkit-cli/copyright").exists()
        doctor = call("ctxkit", "doctor", env=env)
        assert f"distribution  ctxkit-cli {__version__}\n" in doctor
        assert "PATH          /usr/bin/ctxkit is the first ctxkit\n" in doctor
        assert "python3 -m pip --python /opt/ctxkit/bin/python3 install 'redis>=5.2'" in doctor
        assert "man page, bash completion, zsh completion, fish completion, under /opt/ctxkit/share" in doctor
        call("ctxkit", "init", "codex", "--yes", env=env)
        assert "\nctxkit=/usr/bin/ctxkit\n" in Path(home["XDG_DATA_HOME"], "ctxkit/hosts/codex/hook").read_text()
    finally:
        call("dpkg", "--purge", "ctxkit-cli", env=env)
    assert not Path("/opt/ctxkit").exists()
    assert not Path("/usr/bin/ctxkit").is_symlink()
    assert not list(Path("/usr/share/man/man1").glob("ctxkit*"))
