"""Which files enter an agent's window together."""

from typing import NamedTuple


class LoadSet(NamedTuple):
    """Name the files, in the order in which they are loaded, that one agent has in its window at once.

    ``always``: on every turn in ``directory`` (relative to the workspace, "" its root); else only at times, as a
    skill is: then the last path is the one that comes on demand, those before it are there already.
    """

    agent: str
    directory: str
    paths: tuple[str, ...]
    always: bool = True
    trigger: str = ""

    @property
    def name(self) -> str:
        """Return what the set is called in output."""
        where = f" in {self.directory}" if self.directory else ""
        return f"{self.agent}{where}{f' with {self.trigger}' if self.trigger else ''}"
