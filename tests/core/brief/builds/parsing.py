from ctxkit.core.brief.builds.build_reader import BuildReader
from ctxkit.core.brief.builds.findings import BuildEvent, BuildFinding


def parse_lines(rows):
    """Return all findings and events in numbered lines."""
    items: list[BuildFinding | BuildEvent] = []
    reader = BuildReader(items.append)
    for number, text in rows:
        reader.read_line(number, text)
    reader.finish()
    return items
