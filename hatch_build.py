"""Name the build in what hatchling packs: the commit, its date, and whether files were changed since."""

import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "ctxkit/BUILD"
"""The file in the package that ``ctxkit --version`` reads."""


class BuildName(BuildHookInterface[Any]):
    """Adds the file to a wheel and to a source distribution; a source distribution without git keeps its own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the name of the build, unless it is an editable one or is not known."""
        name = describe_commit(self.root)
        if version == "editable" or not name:
            return
        with NamedTemporaryFile("w", prefix="ctxkit-build-", delete=False) as file:
            file.write(f"{name}\n")
        self.file = Path(file.name)
        build_data["force_include"][file.name] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary file."""
        if hasattr(self, "file"):
            self.file.unlink(missing_ok=True)


def describe_commit(root: str) -> str:
    """Return the commit of a work tree and its date, "" if it is none."""
    if not (Path(root) / ".git").exists():
        return ""
    commit = _run_git(root, "log", "-1", "--format=commit %h, %cs")
    changed = _run_git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}, changed" if commit and changed else commit


def _run_git(root: str, *args: str) -> str:
    try:
        done = subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
