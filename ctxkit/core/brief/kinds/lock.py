"""Lock files of package managers: how many packages, which in several versions, where each stands."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.data.locks import READERS
from ctxkit.core.brief.data.packages import Lock, Package
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.measure import plural

NAME = "lock"
TYPES: Sequence[str] = ("lockfile",)
LARGEST = 12 << 20
"""Bytes up to which a lock file is read whole."""
WIDEST = 500
"""Bytes of a line, on average, past which lines do not lead to a package."""
LINES = 200_000
"""Lines of the longest lock file that is read."""
NEAR = 120
"""Lines that a run of packages should not be longer than."""


def sniff(document: Document) -> float:
    """Claim files named as package managers name theirs, and content that begins as theirs does."""
    if document.lines.size > WIDEST * max(document.lines.total, 1) or not _reader(document):
        return 0.0
    return 0.98


def _reader(document: Document) -> Callable[[str], Lock | None] | None:
    base = document.name.rpartition("/")[2].lower()
    head = document.head.removeprefix("\ufeff")[:4_000].replace("\r\n", "\n")
    return next((read for name, begin, read in READERS if name == base or begin.match(head)), None)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return counts, what is odd, and where packages are; None where no package can be read."""
    read = _reader(document)
    if read is None or document.lines.size > LARGEST or document.lines.total > LINES:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "replace").removeprefix("\ufeff")
    lock = read(text.replace("\r\n", "\n"))
    if lock is None or not lock.packages:
        return None
    last = document.lines.total
    for one in lock.packages:
        one.start, one.end = min(one.start, last), min(max(one.start, one.end), last)
    return list(_outlines(lock, document))


def _outlines(lock: Lock, document: Document) -> Iterator[Outline]:
    """Yield maps of ever fewer runs of packages, every package by itself first where that may fit."""
    top = Section("", tuple(_summary(lock, document.lines.total)))
    most = max(document.target // 16, 6)
    odd = (
        Section("In several versions", tuple(_twice(lock, most)), noun="packages"),
        Section("From elsewhere than the registry", tuple(_elsewhere(lock, most)), noun="packages"),
    )
    if len(lock.packages) * 5 <= document.target:
        yield Outline(NAME, (top, *odd, Section("Packages", tuple(_each(lock.packages, 30)), noun="packages")))
    asked = tuple(_each([one for one in lock.packages if lock.direct and one.name in lock.direct], 20))
    if len(asked) * 5 <= document.target:
        yield from _grouped(lock, document, (top, *odd, Section("Asked for directly", asked, noun="packages")))
    yield from _grouped(lock, document, (top, *odd))


def _grouped(lock: Lock, document: Document, sections: tuple[Section, ...]) -> Iterator[Outline]:
    size = NEAR
    while True:
        runs = tuple(_runs(lock.packages, size))
        few = len(runs) <= max(document.target // 40, 8)
        if len(runs) * 12 <= document.target or few:
            yield Outline(NAME, (*sections, Section("Packages, in the order of the file", runs, noun="packages")))
        if few:
            return
        size = size * 3 // 2


def _summary(lock: Lock, total: int) -> Iterator[Entry]:
    names = {one.name for one in lock.packages}
    said = f"{lock.tool}: {plural(len(lock.packages), 'package')}"
    said += f" of {plural(len(names), 'name')}" if len(names) < len(lock.packages) else ""
    if lock.direct:
        said += f"; {len(lock.direct):,} asked for directly"
    idle = sum(one.development for one in lock.packages)
    if idle:
        said += f"; {idle:,} " + ("with go.mod only" if lock.tool.startswith("Go") else "for development only")
    yield Entry(said)
    yield Entry(f"the entry of a package begins {lock.entry}", rank=1)
    for name, start, end in lock.sections[:8]:
        if end - start >= 3:
            yield Entry(f"section {name}", start, min(end, total), 2)


def _twice(lock: Lock, most: int) -> Iterator[Entry]:
    """Yield packages of which several versions are pinned, those with the most first."""
    named: dict[str, list[Package]] = defaultdict(list)
    for one in lock.packages:
        named[one.name].append(one)
    found = [(name, ones) for name, ones in named.items() if len({one.version for one in ones}) > 1]
    found.sort(key=lambda item: (-len({one.version for one in item[1]}), item[1][0].start))
    for name, ones in found[:most]:
        versions: dict[str, list[int]] = defaultdict(list)
        for one in ones:
            versions[one.version].append(one.start)
        said = ", ".join(f"{version} ({_places(places)})" for version, places in list(versions.items())[:8])
        more = f", +{len(versions) - 8} more" if len(versions) > 8 else ""
        yield Entry(f"{name}: {said}{more}", rank=10)
    if len(found) > most:
        yield Entry(f"{len(found) - most:,} more in several versions", rank=10)


def _places(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"line {lines[0]}{more}"


def _elsewhere(lock: Lock, most: int) -> Iterator[Entry]:
    found = [one for one in lock.packages if one.source]
    for one in found[:most]:
        yield Entry(f"{one.name} {one.version}: {one.source[:120]}", one.start, one.end, 12)
    if len(found) > most:
        yield Entry(f"{len(found) - most:,} more from elsewhere", found[most].start, found[-1].end, 12)


def _each(packages: Sequence[Package], rank: int) -> Iterator[Entry]:
    for one in packages:
        yield Entry(f"{one.name} {one.version}".strip(), one.start, one.end, rank, dense=True)


def _runs(packages: Sequence[Package], size: int) -> Iterator[Entry]:
    """Yield neighbouring packages together, as many as ``size`` lines hold."""
    run: list[Package] = []
    for one in packages:
        if run and one.end - run[0].start >= size:
            yield _run(run)
            run = []
        run.append(one)
    if run:
        yield _run(run)


def _run(run: Sequence[Package]) -> Entry:
    first, last = run[0], run[-1]
    said = first.name if len(run) == 1 else f"{first.name} to {last.name} ({len(run):,} packages)"
    return Entry(said, first.start, last.end, 5)
