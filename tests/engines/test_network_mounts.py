"""A network file system is told by the mount that a file is on, the innermost one."""

import sys
from pathlib import Path

import pytest

from ctxkit.engines.network_mounts import is_on_network


@pytest.mark.parametrize(("outer", "inner", "networked"), [("ext4", "nfs4", True), ("nfs4", "ext4", False), ("cifs", "tmpfs", False)])
def test_the_innermost_mount_decides(outer: str, inner: str, networked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 8:1 / / rw - {outer} /dev/a rw\n2 1 0:9 / {tmp_path} rw shared:1 - {inner} there rw\n")
    opened = open
    monkeypatch.setattr("builtins.open", lambda name, *more, **words: opened(mounts if "mountinfo" in str(name) else name, *more, **words))
    monkeypatch.setattr(sys, "platform", "linux")
    assert is_on_network(str(tmp_path / "x.db")) is networked


def test_another_system_has_no_list_of_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not is_on_network("/")
