"""README.md is followed as it is written, from top to bottom, in a copy of the repository."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ctxkit.core.session.ledger import ACTIVE_SECONDS
from ctxkit.edge.setting_definitions import KEYS
from tests.test_docs import as_shown, session_of

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FIRST_SCREEN = 48
"""Lines of README that a reader sees first: the picture, the commands, and the table."""
MOST_LINES = 150
"""Lines that a command of README may print."""
NOT_RUN_HERE = {
    "git clone ": "the copy stands for the clone; tests/packages/test_readme.py clones",
    "make test ": "it would run this test",
    "pipx install .": "tests/packages/test_readme.py installs",
    "uv tool install .": "tests/packages/test_readme.py installs",
    "pip install .": "tests/packages/test_readme.py installs",
    "make deb ": "tests/packages/test_debian.py builds and installs the package",
    ".venv/bin/python -m build --wheel && podman ": "podman is needed; README says unverified",
    "brew ": "Homebrew is needed; README says unverified",
}
"""Commands that this test does not run, with the reason."""
MAY_SAY_NO = ("dedupe --fix --diff",)
"""Words of a command that may answer 1, for "no"."""
FENCE = re.compile(r"^```(sh|console)\n(.*?)^```$|^\| I want to \|[^\n]*\n\|[^\n]*\n((?:\|[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
SEPARATOR = "\1"


class Command(NamedTuple):
    """A command of README, and the lines that it is shown to print."""

    text: str
    shown: list[str]


class Result(NamedTuple):
    """What a command printed, and its exit status."""

    printed: str
    status: int


def list_commands(markdown: str) -> list[Command]:
    """Return the commands of the sh and console blocks, and of the table of first commands, in order."""
    return [command for match in FENCE.finditer(without_other_blocks(markdown)) for command in _read_block(*match.groups())]


def without_other_blocks(markdown: str) -> str:
    """Return Markdown without blocks of other languages."""
    return re.sub(r"^```(?!sh$|console$)\w+\n.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)


def _read_block(language: str | None, block: str | None, table: str | None) -> Iterator[Command]:
    if table is not None:
        cells = (row.rstrip(" |").rpartition(" | ")[2] for row in table.splitlines())
        yield from (Command(code.replace("\\|", "|"), []) for cell in cells for code in re.findall(r"`([^`]+)`", cell))
    elif language == "console":
        yield from (Command(*entry) for entry in session_of(block or ""))
    else:
        yield from (Command(line, []) for line in (block or "").splitlines() if line and not line.startswith("#"))


COMMANDS = list_commands(README.read_text(encoding="utf-8"))
RUN = [command for command in COMMANDS if not command.text.startswith(tuple(NOT_RUN_HERE))]


def copy_repository(target: Path) -> None:
    """Copy the files that git tracks, as they are now; of a source distribution, all files."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True)
        paths = [Path(name) for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    else:
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and ".venv" not in path.parts]
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target / path)


def make_environment(folder: Path, program: Path) -> None:
    """Make the virtual environment that ``make demo`` makes, with ctxkit in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (folder / "bin" / "ctxkit").symlink_to(program)
    (folder / "core").touch()  # newer than pyproject.toml: make installs nothing


@pytest.fixture(scope="module")
def results(forked_ctxkit: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Run all commands in one shell, as a reader with an empty home does; return what each printed."""
    if missing := [tool for tool in ("bash", "make", "jq") if not shutil.which(tool)]:
        pytest.skip(f"there is no {missing[0]} here")
    home = tmp_path_factory.mktemp("reader")
    (home / "temporary").mkdir()
    copy_repository(home / "ctxkit")
    make_environment(home / "ctxkit" / ".venv", forked_ctxkit)
    env = {"HOME": str(home), "TMPDIR": str(home / "temporary"), "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    script = "".join(f"{command.text}\nprintf '{SEPARATOR}%s{SEPARATOR}' $?\n" for command in RUN)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"], env=env, cwd=home / "ctxkit", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=300
    )
    pieces = done.stdout.decode().split(SEPARATOR)
    outcomes = [Result(text, int(status)) for text, status in zip(pieces[::2], pieces[1::2], strict=False)]
    return {command.text: outcome for command, outcome in zip(RUN, outcomes, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("command", RUN, ids=lambda command: command.text)
def test_a_command_does_what_readme_says(command: Command, results: dict[str, Result]) -> None:
    printed, status = results[command.text]
    assert status == 0 or (status == 1 and any(words in command.text for words in MAY_SAY_NO)), printed
    assert not command.shown or as_shown(command.shown, printed), printed
    assert len(printed.splitlines()) <= MOST_LINES


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
