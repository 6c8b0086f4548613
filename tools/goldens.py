"""Write the golden cases of tests/cases: ``python -m tools.goldens`` runs each command anew."""

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import chdir
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

from click.testing import CliRunner

from ctxkit.engines import isolation
from ctxkit.main import cli

CASES = Path(__file__).parents[1] / "tests" / "cases"
TABLE = CASES / "README.md"
"""The page whose tables name every case with its options."""
HEADING = re.compile(r"## (\w+)")
ROW = re.compile(r"\| \[(?P<name>[\w-]+)\]\((?P<path>[\w/-]+)\) +\| (?:none|`(?P<options>.+)`) +\| (?P<purpose>.+) \|")
COMMANDS = {
    "brief": "brief --tokenizer qwen3 {input}",
    "compact": "compact --tokenizer qwen3 --summarizer extract --report report {input}",
    "dedupe": "dedupe --tokenizer qwen3 workspace",
}
"""What is run in the folder of a case, before the options of its row."""
OUTPUTS = {"brief": "briefing", "compact": "output", "dedupe": "findings"}
"""The file of a case that holds what its command prints."""


class Case(NamedTuple):
    """Hold one row of a table: a command, the folder of its input, its options and what it shows."""

    command: str
    name: str
    options: str
    purpose: str

    @property
    def folder(self) -> Path:
        """Return where the input and the expected output are."""
        return CASES / self.command / self.name

    @property
    def command_line(self) -> str:
        """Return the arguments of ctxkit in the folder."""
        files = [path.name for path in self.folder.glob("input*")]
        return f"{COMMANDS[self.command].format(input=''.join(files))} {self.options}"


def read_cases(page: str | None = None) -> list[Case]:
    """Return the cases that the tables of a page name, those of README.md by default."""
    return list(_read_rows(TABLE.read_text(encoding="utf-8") if page is None else page))


def _read_rows(page: str) -> Iterator[Case]:
    command = ""
    for line in page.splitlines():
        if heading := HEADING.fullmatch(line):
            command = heading[1]
        elif row := ROW.fullmatch(line):
            if row["path"] != f"{command}/{row['name']}":
                raise ValueError(f"{row['name']} links to {row['path']}")
            yield Case(command, row["name"], row["options"] or "", row["purpose"])


def run_case(case: Case) -> dict[str, str]:
    """Return what the command of a case writes, by the name of the file that holds it.

    It runs in a copy of the folder, outside the repository: neither its history nor its settings matter.
    """
    with TemporaryDirectory() as home:
        copy = Path(home, "case")
        copytree(case.folder, copy)
        (copy / "report").unlink(missing_ok=True)
        with chdir(copy):
            printed = _run(shlex.split(case.command_line), home)
            report = _indent(Path("report")) if case.command == "compact" else {}
    return {OUTPUTS[case.command]: printed, **report}


def _run(args: list[str], home: str) -> str:
    """Return what ctxkit prints, with none of this user's settings and files.

    Nothing is forked: each worker process would load the vocabulary anew.
    """
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR"), home)
    settings = dict.fromkeys(name for name in os.environ if name.startswith("CTXKIT_"))
    with patch.object(isolation, "can_fork", return_value=False):
        result = CliRunner(env={**settings, **places}).invoke(cli, args, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


def _indent(path: Path) -> dict[str, str]:
    """Return a report with one member on a line, so that a difference is one of lines."""
    return {path.name: json.dumps(json.loads(path.read_bytes()), indent=2, ensure_ascii=False) + "\n"}


def read_outputs(case: Case, names: Iterable[str]) -> dict[str, str]:
    """Return the expected outputs as they are stored; a missing one is empty."""
    paths = {name: case.folder / name for name in names}
    return {name: path.read_bytes().decode() if path.exists() else "" for name, path in paths.items()}


def write_outputs() -> None:
    """Write the outputs of every case that differ, and name them."""
    for case in read_cases():
        outputs = run_case(case)
        stored = read_outputs(case, outputs)
        for name in (name for name in outputs if outputs[name] != stored[name]):
            (case.folder / name).write_bytes(outputs[name].encode())
            print(f"{case.command}/{case.name}/{name}")


if __name__ == "__main__":
    write_outputs()
