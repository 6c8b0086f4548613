"""Pages that a reader follows step by step: each command runs as it is written, in the order of the page."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.strict.server import Call, Strict, serving
from tests.test_docs import WALKTHROUGHS
from tests.token_counters import load_qwen
from tests.walkthrough import ROOT, Command, check_result, follow, list_commands

TUTORIAL, OPERATIONS = WALKTHROUGHS
WINDOW = 4096
ANSWER = "Two tests fail."


def act(requests: Sequence[dict[str, Any]]) -> tuple[str, Sequence[Call]]:
    """Read the log twice with the tools of the program, then answer."""
    names = _list_tools(requests[-1])
    if sum(_list_tools(request) == names for request in requests) > 2:
        return ANSWER, ()
    if "sh" in names:
        return "", [("sh", {"command": "cat examples/two-failures.log"})]
    return "", [("search", {"pattern": "^FAILED", "path": "examples/two-failures.log"})]


def _list_tools(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request["tools"]}


@pytest.fixture
def model() -> Iterator[tuple[Strict, str]]:
    """Start a server that refuses what providers refuse; yield it with its address."""
    strict = Strict(lambda _: ("", ()), count=load_qwen(), window=WINDOW)
    strict.script = lambda _: act(strict.requests)
    with serving(strict) as url:
        yield strict, url


def follow_page(page: str, home: Path, program: Path, variables: dict[str, str]) -> list[Command]:
    """Follow a page of a reader who has done the first steps of README; return its commands."""
    start = Command(". .venv/bin/activate", [])
    commands = [start, *list_commands((ROOT / page).read_text(encoding="utf-8"))]
    for command, result in zip(commands, follow(commands, home, program, variables), strict=True):
        check_result(command, result)
    return commands


@pytest.mark.slow
def test_the_tutorial_builds_an_agent(model: tuple[Strict, str], forked_ctxkit: Path, tmp_path: Path) -> None:
    strict, url = model
    commands = follow_page(TUTORIAL, tmp_path, forked_ctxkit, {"URL": url})
    programs = [command for command in commands if "examples/loop.sh" in command.text or "examples/agent.sh" in command.text]
    assert (len(programs), strict.refusals) == (2, [])
    assert len(strict.requests) == 6
    assert all(command.shown[-1] == ANSWER for command in programs)


@pytest.mark.slow
def test_what_operators_read_is_true(forked_ctxkit: Path, tmp_path: Path) -> None:
    assert len(follow_page(OPERATIONS, tmp_path, forked_ctxkit, {})) > 20


def test_the_directories_of_macos_are_those_of_the_library() -> None:
    from platformdirs.macos import MacOS

    rows = (ROOT / OPERATIONS).read_text(encoding="utf-8").partition("| directory | Linux | macOS |")[2].splitlines()[2:5]
    named = [str(Path(row.split(" | ")[2].strip("`")).expanduser()) for row in rows]
    directories = MacOS("ctxkit", appauthor=False)
    assert named == [directories.user_cache_dir, directories.user_data_dir, directories.user_config_dir]


def test_the_tutorial_names_each_use_of_ctxkit_in_the_loop() -> None:
    loop = (ROOT / "examples" / "loop.sh").read_text(encoding="utf-8")
    table = (ROOT / TUTORIAL).read_text(encoding="utf-8").partition("| line of loop.sh |")[2].partition("\n\n")[0]
    named = [row.partition("`")[2].partition(" ...")[0] for row in table.splitlines() if "`" in row]
    assert len(named) == loop.count("ctxkit ")
    assert [name for name in named if name not in loop] == []
