from ctxkit.core.brief.builds.build_reader import BuildReader
from ctxkit.core.brief.builds.findings import BuildFinding
from ctxkit.core.brief.builds.reader_state import BuildEvent


def parse_lines(rows):
    """Return all findings and events in numbered lines."""
    items: list[BuildFinding | BuildEvent] = []
    reader = BuildReader(items.append)
    for number, text in rows:
        reader.read_line(number, text)
    reader.finish()
    return items
