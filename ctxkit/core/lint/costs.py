"""Compute the tokens of files and load sets before and after fixes."""

from typing import NamedTuple

from ctxkit.core.lint.document.load_set import format_listing
from ctxkit.core.lint.document.workspace import Workspace


class Cost(NamedTuple):
    """The tokens of a file or a load set before and after fixes.

    ``paths`` are the files of a set, empty for a file; of ``listed`` files it has only the names and descriptions.
    """

    name: str
    before: int
    after: int
    paths: tuple[str, ...] = ()
    always: bool = True
    listed: tuple[str, ...] = ()

    @property
    def saving(self) -> int:
        """Return the tokens that the fixes save."""
        return self.before - self.after


class Costs(NamedTuple):
    """The costs of files, sorted by path, and of load sets, the most expensive first."""

    files: tuple[Cost, ...]
    sets: tuple[Cost, ...]


def compute_costs(before: Workspace, after: Workspace) -> Costs:
    """Return the cost of each file and each load set; omit files that no agent loads."""
    sizes = {document.path: before.tokens(document.text) for document in before.documents}
    sizes_after = {document.path: before.tokens(document.text) for document in after.documents}
    listed_paths = {path for load_set in before.load_sets for path in load_set.listed}
    listings = {
        document.path: before.tokens(format_listing(document))
        for document in before.documents
        if document.path in listed_paths
    }
    prompt = before.tokens(before.prompt.text) if before.prompt else 0
    loaded = {path for load_set in before.load_sets for path in load_set.paths}
    files = [Cost(path, size, sizes_after.get(path, size)) for path, size in sizes.items() if path in loaded]
    if before.prompt:
        files.insert(0, Cost(before.prompt.path, prompt, prompt))
    sets = []
    for load_set in before.load_sets:
        paths = tuple(path for path in load_set.paths if path in sizes)
        constant = prompt + sum(listings[path] for path in load_set.listed)
        sums = [constant + sum(counts[path] for path in paths) for counts in (sizes, sizes_after)]
        sets.append(Cost(load_set.name, sums[0], sums[1], paths, load_set.always, load_set.listed))
    return Costs(tuple(files), tuple(sorted(sets, key=lambda cost: (not cost.always, -cost.before, cost.name))))
