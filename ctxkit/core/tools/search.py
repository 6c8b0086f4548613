"""Rank tool definitions for a query: by the words of their names, descriptions and parameters."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.message import Tool
from ctxkit.core.text.json_value import JsonValue

NAME_WEIGHT, DESCRIPTION_WEIGHT, PARAMETER_WEIGHT = 8.0, 2.0, 0.5
"""Weights of the fields in BM25, by `python -m bench tools`."""
SYNONYM_WEIGHT = 0.4
"""Weight of a word that only means the same as a word of the query."""
COVERAGE_WEIGHT = 0.5
"""Share of a score that depends on how many different words of the query the definition contains."""
MAX_WORDS = 128
"""Maximum number of different words of a query that are searched."""
MAX_TEXT = 20_000
"""Maximum characters of a field that are indexed."""
_WORD = re.compile(r"[^\W_]+")
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and any are as at be been by can do does for from has have how i if in into is it its me my of on or our"
        " please so some that the their them then there these this those to use used uses using want was we were what"
        " when where whether which who whose why will with would you your"
    )
)
_SYNONYMS = (
    ("create", "add", "make", "new", "open", "start", "insert", "post"),
    ("get", "read", "show", "fetch", "view", "retrieve", "look", "open", "load"),
    ("list", "all", "show", "enumerate", "browse", "every", "which"),
    ("delete", "remove", "drop", "erase", "destroy", "discard"),
    ("update", "edit", "change", "modify", "set", "rename", "write"),
    ("search", "find", "query", "lookup", "look", "locate"),
    ("run", "execute", "start", "launch", "trigger", "call", "invoke"),
    ("stop", "cancel", "abort", "kill", "end", "close", "dismiss"),
    ("send", "post", "publish", "submit", "write", "push"),
    ("file", "document", "path"),
    ("folder", "directory"),
    ("repository", "repo", "project"),
    ("comment", "reply", "note", "message"),
    ("user", "person", "account", "member", "me"),
    ("image", "picture", "photo", "screenshot"),
    ("website", "page", "url", "web", "link"),
    ("copy", "duplicate", "clone", "fork"),
    ("merge", "combine", "join"),
    ("assign", "give", "delegate"),
    ("error", "failure", "problem", "bug", "issue", "alert"),
    ("log", "logs", "output"),
)
"""Groups of words that stand for each other in names of tools: verbs of APIs, and their usual objects."""
ScoreTerm = Callable[[str], Mapping[int, float]]
"""Returns the BM25 score of each definition that contains a word, by its index; words are compared by their stems."""


class ToolText(NamedTuple):
    """The words of a definition by field, separated by blanks, with identifiers split."""

    name: str
    description: str
    parameters: str


class ToolMatch(NamedTuple):
    """The 0-based number of a definition that matches, and its score; a higher score is better."""

    number: int
    score: float


def make_tool_text(tool: Tool) -> ToolText:
    """Return the words of a definition."""
    parameters = " ".join(_list_parameters(tool.schema))
    return ToolText(*(split_identifiers(text[:MAX_TEXT]) for text in (tool.name, tool.description, parameters)))


def _list_parameters(schema: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield the names, descriptions and values of parameters, on all levels."""
    for name, parameter in get_object(schema, "properties").items():
        yield name
        yield get_text(parameter, "description")
        values = parameter.get("enum") if isinstance(parameter, dict) else None
        yield from (value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
        yield from _list_parameters(parameter if isinstance(parameter, dict) else {})
        yield from _list_parameters(get_object(parameter, "items"))


def split_identifiers(text: str) -> str:
    """Return the words of a text in lower case; ``listWorkflowRuns`` and ``list_workflow_runs`` are three words."""
    return " ".join(_WORD.findall(_CASE_CHANGE.sub(" ", text).lower()))


def parse_query(query: str) -> dict[str, float]:
    """Return the words of a query with their weights, and the words that mean the same with a lower weight."""
    words = [word for word in split_identifiers(query[:MAX_TEXT]).split() if not word.isdigit()]
    telling_words = [word for word in words if word not in _STOP_WORDS] or words
    weights = dict.fromkeys(list(dict.fromkeys(telling_words))[:MAX_WORDS], 1.0)
    synonyms = [other for word in weights for group in _SYNONYMS if word in group for other in group]
    return {**dict.fromkeys(synonyms, SYNONYM_WEIGHT), **weights}


def rank_tools(query: str, score: ScoreTerm, limit: int) -> Sequence[ToolMatch]:
    """Return the definitions that match a query best, at most ``limit``; of equals, the first comes first."""
    totals: dict[int, float] = {}
    covered: dict[int, int] = {}
    weights = parse_query(query)
    for word, weight in weights.items():
        for index, value in score(word).items():
            totals[index] = totals.get(index, 0.0) + weight * value
            covered[index] = covered.get(index, 0) + (weight == 1.0)
    words = sum(weight == 1.0 for weight in weights.values())
    matches = [
        ToolMatch(index, total * (1 - COVERAGE_WEIGHT + COVERAGE_WEIGHT * covered[index] / words))
        for index, total in totals.items()
    ]
    return sorted(matches, key=lambda match: (-round(match.score, 9), match.number))[:limit]
