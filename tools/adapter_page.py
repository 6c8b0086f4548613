"""Write the page of adapters from their tables: ``python -m tools.adapter_page docs`` writes adapters.md."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.hosts.profiles import MODULES, load_host
from tests.daily_situations import ADAPTERS, IN_HOSTS, OUTCOMES, SITUATIONS
from tools.pages.publish import publisher

HEAD = """\
# What the adapters do

`ctxkit init HOST` sets up an adapter: it lets a host run its commands through ctxkit. This page says what was tried
behind each, and which tools of a host return a map instead of long output. `make pages` writes it from the tables that
the tests run; a cell without a test says so.

## Twenty daily situations

Each command runs as the host starts it, behind what the adapter makes of it, and plain; output, exit status and files
are compared (`tests/commands/test_daily_situations.py`). The last column is for the hosts themselves, against a
scripted model (`make test-harness`). mini-swe-agent runs `sh`, in which no pipe is noted. Qwen Code is missing: its
hooks cannot change a command.

"""
TOOLS_HEAD = """\

## Tools whose output is replaced

An adapter replaces long text of a result by a map, and leaves what fits, errors and images as they are. "Seen in" is
the version in which the harness saw it; the rest has tests without the host, or follows its documentation.

| host | tool | by | what, or why not | seen in |
|---|---|---|---|---|
"""


def make_pages() -> Mapping[str, str]:
    """Return the page by its file name."""
    return {"adapters.md": "".join(_list_parts())}


def _list_parts() -> Iterator[str]:
    yield HEAD
    yield "".join(f"- {word}: {meaning}.\n" for word, meaning in OUTCOMES.items())
    titles = [load_host(adapter.host).title for adapter in ADAPTERS]
    yield "\n" + _format_row(("situation", *titles, "in the hosts")) + "|---" * (len(titles) + 2) + "|\n"
    for situation in SITUATIONS:
        where = "same" if situation.name in IN_HOSTS else "not tested"
        yield _format_row((situation.name, *(adapter.find_outcome(situation) for adapter in ADAPTERS), where))
    yield TOOLS_HEAD
    for host in map(load_host, MODULES):
        for tool in host.tools:
            yield _format_row((host.title, tool.names, tool.seam or "nothing", tool.note, tool.seen or "not seen"))


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    publisher(make_pages, "adapters.md")()
