"""README.md is followed as it is written, from top to bottom, in a copy of the repository."""

from pathlib import Path

import pytest

from ctxkit.core.session.ledger import ACTIVE_SECONDS
from ctxkit.edge.setting_definitions import KEYS
from tests.walkthrough import ROOT, Command, Result, check_result, follow, list_commands

README = ROOT / "README.md"
FIRST_SCREEN = 48
"""Lines of README that a reader sees first: the picture, the commands, and the table."""
NOT_RUN_HERE = {
    "git clone ": "the copy stands for the clone; tests/packages/test_readme.py clones",
    "make test ": "it would run this test",
    "pipx install .": "tests/packages/test_readme.py installs",
    "uv tool install .": "tests/packages/test_readme.py installs",
    "pip install .": "tests/packages/test_readme.py installs",
    "make deb ": "tests/packages/test_debian.py builds and installs the package",
    "podman ": "podman is needed; README says unverified",
    "brew ": "Homebrew is needed; README says unverified",
}
"""Commands that this test does not run, with the reason."""
MAY_SAY_NO = ("dedupe --fix --diff",)
"""Words of a command that may answer 1, for "no"."""
COMMANDS = list_commands(README.read_text(encoding="utf-8"))
RUN = [command for command in COMMANDS if not command.text.startswith(tuple(NOT_RUN_HERE))]


@pytest.fixture(scope="module")
def results(forked_ctxkit: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Return what each command of README prints."""
    outcomes = follow(RUN, tmp_path_factory.mktemp("reader"), forked_ctxkit, {})
    return {command.text: outcome for command, outcome in zip(RUN, outcomes, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("command", RUN, ids=lambda command: command.text)
def test_a_command_does_what_readme_says(command: Command, results: dict[str, Result]) -> None:
    check_result(command, results[command.text], MAY_SAY_NO)


def test_each_command_that_is_not_run_has_its_reason() -> None:
    left = [command.text for command in COMMANDS if command not in RUN]
    for beginning in NOT_RUN_HERE:
        assert len([text for text in left if text.startswith(beginning)]) == 1, beginning
    unverified = {text for text in left if "unverified" in text}
    assert unverified == {text for text in left for start, reason in NOT_RUN_HERE.items() if text.startswith(start) and "unverified" in reason}


def test_the_first_screen_has_the_first_map_and_the_tests() -> None:
    screen = "\n".join(README.read_text(encoding="utf-8").splitlines()[:FIRST_SCREEN])
    first = [command.text.partition("  ")[0] for command in list_commands(f"{screen}\n")]
    assert first[:4] == ["git clone https://github.com/ctxkit/ctxkit && cd ctxkit", "make demo", "make test", ". .venv/bin/activate"]
    assert len(first) > 10
    assert "ctxkit init HOST --remove" in screen


def test_no_two_commands_are_the_same() -> None:
    texts = [command.text for command in RUN]
    assert len(texts) == len(set(texts))  # results are looked up by their command


def test_readme_says_how_long_content_stays() -> None:
    principle = README.read_text(encoding="utf-8").partition("**Nothing is lost.**")[2].partition("2. **")[0]
    assert (KEYS["cache_max_age"].default, KEYS["cache_max_size"].default, ACTIVE_SECONDS) == ("7d", "2GB", 30 * 86_400)
    assert all(words in " ".join(principle.split()) for words in ("7 days", "2 GB", "last 30 days", "snapshot", "manifest"))


def test_commands_are_read_from_blocks_and_the_table() -> None:
    page = "```sh\n# why\na b  # c\n\nd\n```\n```toml\nx = 1\n```\n| I want to | command |\n|---|---|\n| x | `e \\| f` or `g` |\n| y | none |\n\n```console\n$ h\ni\n```\n"
    assert list_commands(page) == [Command("a b  # c", []), Command("d", []), Command("e | f", []), Command("g", []), Command("h", ["i"])]
