"""Follow a page of documentation as it is written, from top to bottom, in a copy of the repository."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_docs import as_shown, session_of

ROOT = Path(__file__).parents[1]
MOST_LINES = 200
"""Lines that a command of a page may print."""
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


def follow(commands: Sequence[Command], home: Path, program: Path, variables: Mapping[str, str]) -> list[Result]:
    """Run commands in one shell, in a copy of the repository in an empty home; return what each printed."""
    if missing := [tool for tool in ("bash", "make", "jq", "curl", "realpath") if not shutil.which(tool)]:
        pytest.skip(f"there is no {missing[0]} here")
    (home / "temporary").mkdir()
    copy_repository(home / "ctxkit")
    make_environment(home / "ctxkit" / ".venv", program)
    places = {"HOME": str(home), "TMPDIR": str(home / "temporary"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    script = "".join(f"{command.text}\nprintf '{SEPARATOR}%s{SEPARATOR}' $?\n" for command in commands)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        env={**places, "LC_ALL": "C.UTF-8", "TZ": "UTC", **variables},
        cwd=home / "ctxkit",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=900,  # a busy machine
    )
    pieces = done.stdout.decode().split(SEPARATOR)
    results = [Result(text, int(status)) for text, status in zip(pieces[::2], pieces[1::2], strict=False)]
    assert len(results) == len(commands)
    return results


def check_result(command: Command, result: Result, may_say_no: Sequence[str] = ()) -> None:
    """Fail unless a command ended well, printed what the page shows, and did not flood the screen."""
    assert result.status == 0 or (result.status == 1 and any(words in command.text for words in may_say_no)), result.printed
    assert not command.shown or as_shown(command.shown, result.printed), f"$ {command.text}\n{result.printed}"
    assert len(result.printed.splitlines()) <= MOST_LINES
