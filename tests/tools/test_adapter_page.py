"""The page of adapters says what the tests try, and which tools the adapters replace."""

from pathlib import Path

import pytest

pytest.importorskip("tools.adapter_page", reason="the tools are in the repository alone")

from ctxkit.core.hosts.claude_code import TEXTS
from ctxkit.core.hosts.host import SERVER_TOOLS, WRAPPED
from ctxkit.core.hosts.profiles import MODULES, load_host
from tests.daily_situations import ADAPTERS, IN_HOSTS, OUTCOMES, SITUATIONS, TRIED, find_host_outcome
from tools.adapter_page import make_pages

PAGE = Path(__file__).parents[2] / "docs/adapters.md"


def test_the_page_is_as_it_is_written() -> None:
    assert PAGE.read_text() == make_pages()["adapters.md"], "make pages"


def test_each_cell_of_the_situations_has_its_test() -> None:
    from tests.commands.test_daily_situations import CASES, CHECKS

    assert len(SITUATIONS) == 20
    assert {situation.outcome for situation in SITUATIONS} <= CHECKS.keys()
    assert len(CASES) + len(ADAPTERS) == len(SITUATIONS) * len(ADAPTERS)
    assert {adapter.host for adapter in ADAPTERS} == MODULES.keys() - {"qwen"}


def test_each_cell_of_the_hosts_has_its_test() -> None:
    from tests.harness.cases import CASES as SHELL_CASES
    from tests.harness.cases import CLAUDE, MINI
    from tests.harness.test_situations_in_hosts import CHECKS, CHOSEN, SHOWN

    assert {case.name for case in (CLAUDE, MINI, *SHELL_CASES)} == IN_HOSTS.keys() == MODULES.keys() - {"cursor", "qwen"}
    assert [situation.name for situation in CHOSEN] == list(TRIED) == list(SHOWN)
    cells = {find_host_outcome(host, situation) for host in IN_HOSTS for situation in CHOSEN}
    assert cells == CHECKS.keys() <= OUTCOMES.keys()
    assert all(set(others) <= set(TRIED) for others in IN_HOSTS.values())


@pytest.mark.parametrize("name", MODULES)
def test_the_tools_of_a_host_are_those_that_its_adapter_replaces(name: str) -> None:
    host = load_host(name)
    replaced = [tool for tool in host.tools if tool.seam and tool.seam != WRAPPED]
    commands = [tool for tool in replaced if "command" in tool.seam or "program" in tool.seam]
    assert len(commands) == (name != "qwen")
    results = {word for tool in replaced if tool not in commands for word in tool.names.split(", ")}
    has_results = "make_result" not in host._field_defaults or host.make_result is not host._field_defaults["make_result"]
    assert bool(results) == has_results
    if name == "claude-code":
        assert results == {SERVER_TOOLS, *TEXTS}
    assert all(tool.seam or tool.note for tool in host.tools)
