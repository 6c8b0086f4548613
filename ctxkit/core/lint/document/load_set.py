"""Define load sets: the files that an agent loads together."""

from typing import NamedTuple

from ctxkit.core.lint.document.markdown import MarkdownDocument

MAX_DESCRIPTION = 1_536
"""Characters of a description that Claude Code lists (code.claude.com/docs/en/skills, read in November 2026)."""


class LoadSet(NamedTuple):
    """The files that an agent has in its window together, in the order of loading.

    ``always`` sets are loaded on every turn in ``directory`` (relative to the workspace, "" for its root). Other sets
    are loaded on demand, such as skills: their last path is the one on demand, the others are loaded before. Of
    ``listed`` documents, such as skills, only the names and descriptions are in the window.
    """

    agent: str
    directory: str
    paths: tuple[str, ...]
    always: bool = True
    trigger: str = ""
    listed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the set for output."""
        where = f" in {self.directory}" if self.directory else ""
        return f"{self.agent}{where}{f' with {self.trigger}' if self.trigger else ''}"


def format_listing(document: MarkdownDocument) -> str:
    """Return what the window has of a skill or an agent that is not in use: its name and its description."""
    directory, _, file_name = document.path.rpartition("/")
    fallback = directory.rpartition("/")[2] if file_name == "SKILL.md" else file_name.partition(".")[0]
    described = " ".join(filter(None, (document.metadata.get(key, "") for key in ("description", "when_to_use"))))
    return f"{document.metadata.get('name') or fallback}: {described[:MAX_DESCRIPTION]}"
