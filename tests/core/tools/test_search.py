"""The words of definitions and queries, and the order of matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.tools.search import MAX_WORDS, make_tool_text, parse_query, rank_tools, split_identifiers
from ctxkit.engines.index import ToolIndex

TOOLS = [
    Tool("create_pull_request", "Open a pull request.", {"properties": {"base": {"description": "Branch"}}}, {}),
    Tool("deleteFile", "Delete a file from a repository.", {}, {}),
    Tool("list_branches", "List branches.", {"properties": {"sort": {"enum": ["newest", "oldest"]}}}, {}),
]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listWorkflowRuns", "list workflow runs"),
        ("list_workflow-runs", "list workflow runs"),
        ("HTTPServer2", "http server 2"),
        ("mcp__db__drop", "mcp db drop"),
        ("Grüße", "grüße"),
        ("", ""),
    ],
)
def test_identifiers_are_split(text: str, words: str) -> None:
    assert split_identifiers(text) == words


def test_parameters_of_all_levels_are_words() -> None:
    inner = {"items": {"properties": {"deepName": {"type": "string", "description": "Inside"}}}}
    tool = Tool("t", "", {"properties": {"list": inner, "odd": True, "kind": {"enum": ["red", 3]}}}, {})
    assert make_tool_text(tool).parameters == "list deep name inside odd kind red"


def rank(query, limit=5):
    index = ToolIndex([make_tool_text(tool) for tool in TOOLS])
    try:
        return [TOOLS[match.number].name for match in rank_tools(query, index.score, limit)]
    finally:
        index.close()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("create a pull request", "create_pull_request"),
        ("deleting files", "deleteFile"),
        ("remove this file", "deleteFile"),
        ("oldest branch", "list_branches"),
    ],
)
def test_stems_and_synonyms_match(query: str, first: str) -> None:
    assert rank(query)[0] == first


@pytest.mark.parametrize("query", ["", "!!!", "zebra", '"', "a NEAR(b)", "*", "12 34"])
def test_what_matches_nothing_is_no_error(query: str) -> None:
    assert rank(query) == []


def test_the_words_of_a_query_are_bounded() -> None:
    assert (
        len([weight for weight in parse_query(" ".join(f"w{n}x" for n in range(999))).values() if weight == 1])
        == MAX_WORDS
    )


@given(st.text(), st.integers(1, 3))
def test_any_query_gives_at_most_the_limit(query: str, limit: int) -> None:
    names = rank(query, limit)
    assert len(names) == len(set(names)) <= limit
