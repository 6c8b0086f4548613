"""Write the page of adapters from their tables: ``python -m tools.adapter_page docs`` writes adapters.md."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.hosts.profiles import MODULES, load_host
from tests.daily_situations import ADAPTERS, OUTCOMES, SITUATIONS, find_host_outcome
from tools.pages.publish import publisher

HEAD = """\
# What the adapters do

`ctxkit init HOST` sets up an adapter: it lets a host run its commands through ctxkit. This page says what was tried
behind each, and which tools of a host return a map instead of long output. `make pages` writes it from the tables that
the tests run; a cell without a test says so.

## Twenty daily situations

Each command runs as the host starts it, behind what the adapter makes of it, and plain; output, exit status and files
are compared (`tests/commands/test_daily_situations.py`). mini-swe-agent runs `sh`, in which no pipe is noted. Qwen Code
is missing: its hooks cannot change a command.

"""
HOSTS_HEAD = """\

## The situations in the hosts themselves

The host runs all of them in one session against a scripted model, once without ctxkit and once with it; what the model
gets and the files are compared (`tests/harness/test_situations_in_hosts.py`, which `make test-harness` runs). The
versions are those of the table below. Cursor cannot be started without an account, and Qwen Code has no adapter for
commands. opencode tells its model no exit status, and Gemini CLI shows it no binary output, with ctxkit or without. A
child that prints after its command has ended dies of SIGPIPE in pi without ctxkit.

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
    yield "\n" + _format_head("situation", *titles)
    for situation in SITUATIONS:
        yield _format_row((situation.name, *(adapter.find_outcome(situation) for adapter in ADAPTERS)))
    yield HOSTS_HEAD
    yield _format_head("situation", *(load_host(name).title for name in MODULES))
    for situation in SITUATIONS:
        outcomes = (find_host_outcome(name, situation) or "not tested" for name in MODULES)
        yield _format_row((situation.name, *outcomes))
    yield TOOLS_HEAD
    for host in map(load_host, MODULES):
        for tool in host.tools:
            yield _format_row((host.title, tool.names, tool.seam or "nothing", tool.note, tool.seen or "not seen"))


def _format_head(*titles: str) -> str:
    return _format_row(titles) + "|---" * len(titles) + "|\n"


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    publisher(make_pages, "adapters.md")()
