"""Search of tool definitions: is the tool that a query means among the first five?

``tasks.tsv`` has a task in one sentence for each tool of GitHub's MCP server, written from the name of the tool alone,
before any ranking was seen.
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from bench.figure import Figure
from bench.place import Place
from ctxkit.core.chat.model.message import Tool
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.core.tools.search import ScoreTerm, make_tool_text, rank_tools
from ctxkit.engines.tool_index import ToolIndex

SUITE = "tools"
FIRST = 5
"""Number of matches that a model is shown."""
OWN_DESCRIPTION, TASK = 0.95, 0.80
"""Share of tools that must be among the first."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of tools that their own description finds, and that a task finds; and of a baseline."""
    tools = [tool for path in place.inputs("tools") for tool in _read_tools(place.data(path), path)]
    if not tools:
        yield Figure(
            SUITE, "definitions", "skipped", notes=("there are no corpora; CTXKIT_CORPORA names their directory",)
        )
        return
    score = ToolIndex([make_tool_text(tool) for tool in tools]).score
    descriptions = {tool.name: tool.description.replace(tool.name, " ") for tool in tools}
    yield _share(f"{len(tools)} tools by their own descriptions", descriptions, tools, score, OWN_DESCRIPTION)
    tasks = {name: task for name, task in read_tasks().items() if name in descriptions}
    yield _share(f"{len(tasks)} tools by a task", tasks, tools, score, TASK)
    yield _count_plain_words(tasks, tools)


def read_tasks() -> dict[str, str]:
    """Return the task of each tool."""
    with open(os.path.join(os.path.dirname(__file__), "tasks.tsv"), encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t") for line in file)


def _read_tools(data: bytes, path: str) -> list[Tool]:
    return [definition.tool for definition in read_catalog(data, path).definitions]


def _share(what: str, queries: Mapping[str, str], tools: Sequence[Tool], score: ScoreTerm, least: float) -> Figure:
    names = [tool.name for tool in tools]
    ranks = {
        name: [names[match.number] for match in rank_tools(query, score, FIRST)] for name, query in queries.items()
    }
    missing = [f"{name}: {queries[name]}: {', '.join(first)}" for name, first in ranks.items() if name not in first]
    share = 1 - len(missing) / len(queries)
    return Figure(SUITE, what, f"{share:.3f} among {FIRST}", None, f">= {least:g}", share >= least, missing)


def _count_plain_words(tasks: Mapping[str, str], tools: Sequence[Tool]) -> Figure:
    """Return the share for a search that counts the words of the task in name and description."""
    texts = {tool.name: f"{tool.name} {tool.description}".lower() for tool in tools}
    hits = 0
    for name, task in tasks.items():
        words = task.lower().split()
        order = sorted(texts, key=lambda other: -sum(word in texts[other] for word in words))
        hits += name in order[:FIRST]
    return Figure(SUITE, "baseline: words of the task in the text", f"{hits / max(len(tasks), 1):.3f} among {FIRST}")
