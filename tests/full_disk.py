"""A small disk of its own for a test: a tmpfs in a mount namespace, where this user may make one."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

WAYS = (("-m",), ("-rm",))
"""Options of unshare for root, and for a user who becomes root in a user namespace."""


def run_on_disk(disk: Path, size: str, script: str, *words: str, env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a shell script with words, with a disk of ``size`` at ``disk``; skip the test if none can be made."""
    if not (shutil.which("unshare") and shutil.which("mount")):
        pytest.skip("unshare and mount make a disk of its own")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    way = next((way for way in WAYS if _can_run(["unshare", *way, *mount])), None)
    if way is None:
        pytest.skip("this user may mount nothing")
    head: Sequence[str] = ["unshare", *way, "sh", "-e", "-c", f'mount -t tmpfs -o size={size} tmpfs "$DISK"; {script}', "sh"]
    environment = {**env, "DISK": str(disk)}
    return subprocess.run([*head, *words], capture_output=True, text=True, env=environment, timeout=60)


def _can_run(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


def name_directories(disk: Path) -> dict[str, str]:
    """Return variables of a home on the disk."""
    folders = {"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}
    return {name: str(disk / folder) for name, folder in folders.items()}


FILL = 'dd if=/dev/zero of="$DISK/fill" bs=1k 2>/dev/null || true; '
"""Leaves no byte of the disk free."""
