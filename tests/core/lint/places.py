"""Small workspaces for the tests of the linter."""

from collections.abc import Mapping

from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.assemble import ProjectListing, WorkspaceOptions, assemble_workspace


def words(text: str) -> int:
    return len(text.split())


def workspace(files: Mapping[str, str], *, prompt: str = "", **listing) -> Workspace:
    data = {path: text.encode() for path, text in files.items()}
    wanted = WorkspaceOptions(prompt=("prompt.txt", prompt.encode())) if prompt else WorkspaceOptions()
    return assemble_workspace(ProjectListing(sorted(data), **listing), data.get, words, wanted)
