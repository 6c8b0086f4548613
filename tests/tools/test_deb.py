import gzip
import os
from pathlib import Path

import pytest

pytest.importorskip("tools.deb", reason="the tools are in the repository alone")

from ctxkit import __version__
from ctxkit.app import doctor
from tools.deb import LINKS, Target, install_documents, list_files, make_control, name_build


def test_the_package_needs_the_python_that_it_is_built_for() -> None:
    control = make_control(Target((3, 11), "arm64"), 5)
    assert "Depends: python3 (>= 3.11), python3 (<< 3.12)\n" in control
    assert control.startswith("Package: ctxkit-cli\n")
    assert "Conflicts: ctxkit\nReplaces: ctxkit\n" in control
    assert f"Version: {__version__}\nArchitecture: arm64\n" in control
    assert "Installed-Size: 5\n" in control


@pytest.mark.parametrize(("text", "name"), [(None, "Debian package\n"), ("commit 1\n", "commit 1, Debian package\n")])
def test_the_build_says_that_it_is_a_package(tmp_path: Path, text: str | None, name: str) -> None:
    path = tmp_path / "BUILD"
    if text:
        path.write_text(text)
    name_build(path)
    assert path.read_text() == name


def test_documents_are_where_debian_has_them(tmp_path: Path) -> None:
    install_documents(tmp_path)
    names = {str(path.relative_to(tmp_path)) for path in list_files(tmp_path)}
    assert set(LINKS.values()) <= names
    assert {path for _, path in doctor.PAGES} == set(LINKS)
    assert gzip.decompress((tmp_path / "usr/share/man/man1/ctxkit.1.gz").read_bytes()).count(b"\n.TH CTXKIT 1") == 1
    assert os.readlink(tmp_path / "usr/bin/ctxkit") == "/opt/ctxkit/bin/ctxkit"
    assert "License: MIT\n MIT License\n .\n" in (tmp_path / "usr/share/doc/ctxkit-cli/copyright").read_text()
