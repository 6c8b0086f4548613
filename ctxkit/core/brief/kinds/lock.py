"""Lock files of package managers: package counts, duplicate versions, and the line range of every package."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.data.locks import READERS
from ctxkit.core.brief.data.packages import LockFile, Package
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text.measure import pluralize

NAME = "lock"
TYPES: Sequence[str] = ("lockfile",)
CLUES = Clues(unless_log=True)
LARGEST = 12 << 20
"""Maximum size in bytes of a lock file that is read."""
WIDEST = 500
"""Average line length in bytes above which line numbers do not locate a package."""
LINES = 200_000
"""Maximum number of lines of a lock file that is read."""
NEAR = 120
"""Preferred maximum number of lines in a run of packages."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the file is a lock file, from its name or its beginning."""
    if document.lines.size > WIDEST * max(document.lines.total, 1) or not _find_reader(document):
        return 0.0
    return 0.98


def _find_reader(document: InputDocument) -> Callable[[str], LockFile | None] | None:
    base = document.name.rpartition("/")[2].lower()
    head = document.head.removeprefix("\ufeff")[:4_000].replace("\r\n", "\n")
    return next((read for name, begin, read in READERS if name == base or begin.match(head)), None)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of counts, anomalies and packages, or None if no package can be read."""
    read = _find_reader(document)
    if read is None or document.lines.size > LARGEST or document.lines.total > LINES:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "replace").removeprefix("\ufeff")
    lock = read(text.replace("\r\n", "\n"))
    if lock is None or not lock.packages:
        return None
    last = document.lines.total
    for package in lock.packages:
        package.start, package.end = min(package.start, last), min(max(package.start, package.end), last)
    return list(_make_outlines(lock, document))


def _make_outlines(lock: LockFile, document: InputDocument) -> Iterator[Outline]:
    """Yield outlines with fewer and fewer runs of packages; the first lists every package if that may fit."""
    top = Section("", tuple(_summarize(lock, document.lines.total)))
    most = max(document.target // 16, 6)
    odd = (
        Section("In several versions", tuple(_list_duplicates(lock, most)), noun="packages"),
        Section("From elsewhere than the registry", tuple(_list_foreign_packages(lock, most)), noun="packages"),
    )
    if len(lock.packages) * 5 <= document.target:
        yield Outline(NAME, (top, *odd, Section("Packages", tuple(_list_packages(lock.packages, 30)), noun="packages")))
    direct_entries = tuple(
        _list_packages([package for package in lock.packages if lock.direct and package.name in lock.direct], 20)
    )
    if len(direct_entries) * 5 <= document.target:
        yield from _outline_runs(
            lock, document, (top, *odd, Section("Asked for directly", direct_entries, noun="packages"))
        )
    yield from _outline_runs(lock, document, (top, *odd))


def _outline_runs(lock: LockFile, document: InputDocument, sections: tuple[Section, ...]) -> Iterator[Outline]:
    size = NEAR
    while True:
        runs = tuple(_list_runs(lock.packages, size))
        few = len(runs) <= max(document.target // 40, 8)
        if len(runs) * 12 <= document.target or few:
            yield Outline(NAME, (*sections, Section("Packages, in the order of the file", runs, noun="packages")))
        if few:
            return
        size = size * 3 // 2


def _summarize(lock: LockFile, total: int) -> Iterator[Entry]:
    names = {package.name for package in lock.packages}
    text = f"{lock.tool}: {pluralize(len(lock.packages), 'package')}"
    text += f" of {pluralize(len(names), 'name')}" if len(names) < len(lock.packages) else ""
    if lock.direct:
        text += f"; {len(lock.direct):,} asked for directly"
    development_count = sum(package.development for package in lock.packages)
    if development_count:
        text += f"; {development_count:,} " + (
            "with go.mod only" if lock.tool.startswith("Go") else "for development only"
        )
    yield Entry(text)
    yield Entry(f"the entry of a package begins {lock.entry}", rank=1)
    for name, start, end in lock.sections[:8]:
        if end - start >= 3:
            yield Entry(f"section {name}", start, min(end, total), 2)


def _list_duplicates(lock: LockFile, most: int) -> Iterator[Entry]:
    """Yield the packages that are pinned in several versions, beginning with the most versions."""
    packages_by_name: dict[str, list[Package]] = defaultdict(list)
    for package in lock.packages:
        packages_by_name[package.name].append(package)
    duplicates = [
        (name, ones) for name, ones in packages_by_name.items() if len({package.version for package in ones}) > 1
    ]
    duplicates.sort(key=lambda item: (-len({package.version for package in item[1]}), item[1][0].start))
    for name, ones in duplicates[:most]:
        versions: dict[str, list[int]] = defaultdict(list)
        for package in ones:
            versions[package.version].append(package.start)
        text = ", ".join(f"{version} ({_format_lines(places)})" for version, places in list(versions.items())[:8])
        more = f", +{len(versions) - 8} more" if len(versions) > 8 else ""
        yield Entry(f"{name}: {text}{more}", rank=10)
    if len(duplicates) > most:
        yield Entry(f"{len(duplicates) - most:,} more in several versions", rank=10)


def _format_lines(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"line {lines[0]}{more}"


def _list_foreign_packages(lock: LockFile, most: int) -> Iterator[Entry]:
    foreign_packages = [package for package in lock.packages if package.source]
    for package in foreign_packages[:most]:
        yield Entry(f"{package.name} {package.version}: {package.source[:120]}", package.start, package.end, 12)
    if len(foreign_packages) > most:
        yield Entry(
            f"{len(foreign_packages) - most:,} more from elsewhere",
            foreign_packages[most].start,
            foreign_packages[-1].end,
            12,
        )


def _list_packages(packages: Sequence[Package], rank: int) -> Iterator[Entry]:
    for package in packages:
        yield Entry(f"{package.name} {package.version}".strip(), package.start, package.end, rank, dense=True)


def _list_runs(packages: Sequence[Package], size: int) -> Iterator[Entry]:
    """Yield entries for runs of consecutive packages, each of at most ``size`` lines."""
    run: list[Package] = []
    for package in packages:
        if run and package.end - run[0].start >= size:
            yield _make_run_entry(run)
            run = []
        run.append(package)
    if run:
        yield _make_run_entry(run)


def _make_run_entry(run: Sequence[Package]) -> Entry:
    first, last = run[0], run[-1]
    label = first.name if len(run) == 1 else f"{first.name} to {last.name} ({len(run):,} packages)"
    return Entry(label, first.start, last.end, 5)
