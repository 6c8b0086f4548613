"""Adding a kind, a format, a rule, a host or a command, as CONTRIBUTING.md describes: each with a toy in a copy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "ctxkit"
KIND = '''"""Weather reports."""

from collections.abc import Sequence

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section

NAME = "weather"
TYPES: Sequence[str] = ("forecast",)
CLUES = Clues(("SUNNY ",))


def sniff(document: InputDocument) -> float:
    """Return the confidence that all lines are reports."""
    return 0.99 if all(line.startswith("SUNNY ") for line in document.head_lines if line) else 0.0


def outline(document: InputDocument) -> Sequence[Outline]:
    """Return an outline with the number of reports."""
    total = document.lines.total
    return [Outline(NAME, (Section("", (Entry(f"{total:,} reports", 1, total),)),))]
'''
RULE = '''"""Define the rule about toys."""

from collections.abc import Iterator

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.rule import WARNING, Rule
from ctxkit.core.lint.document.workspace import Workspace

RULES = (
    Rule("TOY001", "toy", WARNING, "none", "A file names a toy.", "Toys are no work.", "- A toy.", "- A tool.", "None."),
)


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield a finding for each statement that names a toy."""
    for document in workspace.documents:
        for unit in document.units:
            if "toy" in unit.text:
                yield LintFinding("TOY001", WARNING, document.path, unit.line, unit.end_line, "names a toy")
'''
COMMAND = '''"""ctxkit greet."""

import click

from ctxkit.core.errors import Exit
from ctxkit.edge import out
from ctxkit.edge.command_group import Verb


@click.command("greet", cls=Verb)
@click.argument("name")
def command(name: str) -> Exit:
    """Greet somebody."""
    out.write([f"Hello, {name}.\\n".encode()])
    return Exit.DONE
'''


class Copy:
    """A copy of the package, in which files are added and edited."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert text.count(old) == 1
        (self.root / path).unlink()  # it is a link to the file of the repository
        self.add(path, text.replace(old, new))

    def run(self, *argv: str, data: str = "", module: str = "ctxkit") -> str:
        """Return what a program of the copy writes."""
        path = f"{self.root.parent}{os.pathsep}{ROOT}"
        env = {**os.environ, "PYTHONPATH": path, "HOME": str(self.root.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        argv = (sys.executable, "-m", module, *argv)
        done = subprocess.run(argv, input=data, env=env, cwd=self.root.parent, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def list_touched(self) -> set[str]:
        """Return the paths of the files that are not those of the repository."""
        paths = (path.relative_to(self.root) for path in self.root.rglob("*") if path.suffix in (".py", ".json"))
        return {path.as_posix() for path in paths if not (SOURCE / path).exists() or not (self.root / path).samefile(SOURCE / path)}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy of the package that shares the files, and the compiled files, of the repository."""
    for folder, _, names in os.walk(SOURCE):
        target = tmp_path / "ctxkit" / os.path.relpath(folder, SOURCE)
        target.mkdir(parents=True)
        for name in names:
            os.symlink(os.path.join(folder, name), target / name)
    return Copy(tmp_path / "ctxkit")


@pytest.mark.slow
def test_a_kind_is_a_file_and_the_generated_index(copy: Copy) -> None:
    copy.add("core/brief/kinds/weather.py", KIND)
    copy.edit("core/brief/kind_index.py", "CLUES = {", "CLUES = {  # replaced below")
    copy.run("ctxkit/core/brief", module="tools.kind_index")
    text = "".join(f"SUNNY day {number}\n" for number in range(999))
    assert "999 reports" in copy.run("brief", "--target", "300", data=text)
    assert "999 reports" in copy.run("brief", "--target", "300", "--type", "forecast", data=text)
    assert copy.list_touched() == {"core/brief/kinds/weather.py", "core/brief/kind_index.py"}


@pytest.mark.slow
def test_a_format_is_a_file_and_its_place_among_the_others(copy: Copy) -> None:
    source = (SOURCE / "core/chat/formats/sharegpt.py").read_text()
    for old, new in (('"sharegpt"', '"talk"'), ('"from"', '"who"'), ('"value"', '"what"'), ('"conversations"', '"talks"')):
        source = source.replace(old, new)
    copy.add("core/chat/formats/talk.py", source)
    copy.edit("core/chat/reading/format_registry.py", "    sharegpt,\n", "    sharegpt,\n    talk,\n")
    copy.edit("core/chat/reading/format_registry.py", "sharegpt, trajectory, l", "sharegpt, talk, trajectory, l")
    copy.edit("core/chat/reading/format_names.py", '"sharegpt", ', '"sharegpt", "talk", ')
    copy.edit("core/chat/reading/format_names.py", '"requests")', '"requests", "talks")')
    talk = json.dumps({"talks": [{"who": "human", "what": "Hello."}, {"who": "gpt", "what": "Hi."}]})
    assert json.loads(copy.run("count", "--json", data=talk))["format"] == "talk"
    assert copy.list_touched() == {f"core/chat/{name}.py" for name in ("formats/talk", "reading/format_registry", "reading/format_names")}


@pytest.mark.slow
def test_a_rule_is_a_file_and_its_place_in_the_order(copy: Copy) -> None:
    copy.add("core/lint/rules/toys.py", RULE)
    copy.edit("core/lint/registry.py", '"suppressions"),', '"suppressions", "toys"),')
    (copy.root.parent / "AGENTS.md").write_text("# Rules\n\n- Clean the toy.\n")
    found = json.loads(copy.run("dedupe", "--select", "TOY001", "--output-format", "json", "AGENTS.md"))
    assert [(row["code"], row["line"]) for row in found] == [("TOY001", 3)]
    assert copy.list_touched() == {"core/lint/rules/toys.py", "core/lint/registry.py"}


@pytest.mark.slow
def test_a_host_is_a_file_and_two_rows(copy: Copy) -> None:
    copy.add("core/hosts/toy.py", (SOURCE / "core/hosts/pi.py").read_text().replace('"pi"', '"toy"').replace(".pi/agent", ".toy"))
    copy.edit("core/hosts/profiles.py", '    "qwen":', '    "toy": HostProfile(window=9_000, output_limit=900, map_limit=300),\n    "qwen":')
    copy.edit("edge/options.py", '"pi", "qwen"', '"pi", "qwen", "toy"')
    copy.run("init", "toy", "--yes")
    assert "/hosts/toy/hook" in (copy.root.parent / ".toy/extensions/ctxkit.js").read_text()
    answer = copy.run("hook", "toy", data=json.dumps({"tool": "bash", "input": {"command": "make"}}))
    assert "wrap.sh" in json.loads(answer)["command"]
    assert copy.list_touched() == {"core/hosts/toy.py", "core/hosts/profiles.py", "edge/options.py"}


@pytest.mark.slow
def test_a_command_is_a_file_and_its_summary(copy: Copy) -> None:
    copy.add("commands/greet.py", COMMAND)
    copy.edit("registry.py", '    "count": "Count', '    "greet": "Greet somebody.",\n    "count": "Count')
    copy.edit("registry.py", '"run gate brief count cache"', '"run gate brief count cache greet"')
    assert copy.run("greet", "Ana") == "Hello, Ana.\n"
    assert "  greet" in copy.run("--help")
    assert copy.list_touched() == {"commands/greet.py", "registry.py"}
