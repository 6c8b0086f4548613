"""Seed 001, enhancement 5: what is deferred first, and that the rest stays within its share."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.tools.catalog import ToolDefinition
from ctxkit.core.tools.selection import ToolUse, format_note, select_tools

OVERHEAD = 5


def define(name: str, source: str = "mcp", size: int = 10) -> ToolDefinition:
    tool = Tool(name, "x" * size, {"type": "object"}, {})
    return ToolDefinition(tool, source, 0, (0,), 0, ())


def measure(tools):
    return sum(len(tool.description) for tool in tools) + OVERHEAD if tools else 0


def deferred(definitions, most, uses=None):
    return [definitions[at].tool.name for at in select_tools(definitions, measure, most, uses).deferred]


def test_built_in_tools_are_never_deferred() -> None:
    """Seed 001: 1. "Built-in tools — never deferred"."""
    definitions = [define("a", "builtin", 100), define("b", "builtin", 100)]
    selection = select_tools(definitions, measure, 50)
    assert (selection.deferred, selection.kept, selection.total) == ((), 205, 205)


def test_mcp_tools_are_deferred_before_those_of_skills() -> None:
    """Seed 001: 2. "MCP tools — deferred first", 3. "Skill-registered tools — deferred second"."""
    definitions = [define("s", "skill"), define("m"), define("b", "builtin"), define("n")]
    assert deferred(definitions, 35) == ["n"]
    assert deferred(definitions, 25) == ["m", "n"]
    assert deferred(definitions, 15) == ["s", "m", "n"]


def test_the_least_recently_used_goes_first() -> None:
    """Seed 001: 4. "Within category: LRU — least recently used deferred first"."""
    definitions = [define("a"), define("b"), define("c")]
    uses = {"a": ToolUse(1), "b": ToolUse(3), "c": ToolUse(2)}
    assert deferred(definitions, 25, uses) == ["a"]
    assert deferred(definitions, 15, uses) == ["a", "c"]


def test_the_largest_of_the_unused_goes_first() -> None:
    assert deferred([define("a", size=10), define("b", size=30), define("c", size=20)], 35) == ["b"]


def test_pinned_tools_stay() -> None:
    definitions = [define("m", size=20), define("s", "skill", 20)]
    assert deferred(definitions, 20, {"m": ToolUse(0, is_pinned=True)}) == ["s"]
    assert deferred(definitions, 10, {"m": ToolUse(1, is_pinned=True), "s": ToolUse(2, is_pinned=True)}) == []


def test_the_use_of_a_tool_that_was_kept_changes_nothing() -> None:
    """The prompt cache begins with the tools: a set that rotates with the calls would lose it with each call."""
    definitions = [define(name) for name in "abcdef"]
    first = deferred(definitions, 35)
    for name in "abcdef":
        if name not in first:
            assert deferred(definitions, 35, {name: ToolUse(1, is_pinned=True)}) == first


def test_little_is_not_deferred() -> None:
    """A rewritten cache costs more than a few tokens save."""
    definitions = [define("a", size=100), define("b", size=9)]
    assert select_tools(definitions, measure, 100, least=101).deferred == ()
    assert select_tools(definitions, measure, 100, least=100).deferred == (0,)


def test_nothing_is_deferred_that_fits() -> None:
    assert deferred([define("a"), define("b")], 25) == []


def test_the_note_is_the_seed_s() -> None:
    assert format_note(3) == "[3 tools deferred to save context. Use tool_search to find them.]"
    assert format_note(0) == ""


@given(
    st.lists(st.tuples(st.sampled_from(["mcp", "skill", "builtin"]), st.integers(0, 50)), max_size=12),
    st.integers(0, 300),
)
def test_the_others_fit_or_cannot_be_deferred(tools, most: int) -> None:
    definitions = [define(f"t{at}", source, size) for at, (source, size) in enumerate(tools)]
    selection = select_tools(definitions, measure, most)
    kept = [definition for at, definition in enumerate(definitions) if at not in selection.deferred]
    assert selection.kept == measure([definition.tool for definition in kept])
    assert selection.kept <= most or not any(definition.is_deferrable for definition in kept)
    assert list(selection.deferred) == sorted(selection.deferred)
    assert sum(selection.costs) + selection.kept in (selection.total, selection.total - OVERHEAD)
