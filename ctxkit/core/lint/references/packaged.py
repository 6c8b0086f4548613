"""Tell which skills, commands and agents of a workspace are made for other projects."""

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.workspace import Workspace

_PACKAGED = (FileRole.SKILL, FileRole.COMMAND)
"""Roles of files that may be made for other projects; one that no host loads here is."""


def find_packaged(workspace: Workspace) -> frozenset[str]:
    """Return the paths of the skills, commands and agents that no host loads in this workspace.

    They are in a plugin, or in a directory from which people copy them: most paths in them are those of other projects.
    """
    loaded = {path for load_set in workspace.load_sets for path in load_set.paths}
    return frozenset(
        document.path
        for document in workspace.documents
        if document.role in _PACKAGED and loaded.isdisjoint((document.path, *document.aliases))
    )
