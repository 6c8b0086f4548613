"""Define load sets: the files that an agent loads together."""

from typing import NamedTuple


class LoadSet(NamedTuple):
    """The files that an agent has in its window together, in the order of loading.

    ``always`` sets are loaded on every turn in ``directory`` (relative to the workspace, "" for its root). Other sets
    are loaded on demand, such as skills: their last path is the one on demand, the others are loaded before.
    """

    agent: str
    directory: str
    paths: tuple[str, ...]
    always: bool = True
    trigger: str = ""

    @property
    def name(self) -> str:
        """Return the name of the set for output."""
        where = f" in {self.directory}" if self.directory else ""
        return f"{self.agent}{where}{f' with {self.trigger}' if self.trigger else ''}"
