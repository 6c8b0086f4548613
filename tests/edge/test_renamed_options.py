"""Former spellings of options work for one release, with a warning."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ctxkit.edge.option_types import RenamedOption
from tests.conftest import Run
from tools.pages.tree import Verb, tree

VERBS = [verb for verb in tree().walk() if not verb.verbs]
ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "renamed-options.md"


def list_renamed() -> Iterator[tuple[Verb, RenamedOption, str]]:
    """Yield each former spelling with its command and its option."""
    for verb in VERBS:
        for option in verb.options:
            if isinstance(option, RenamedOption):
                yield from ((verb, option, old) for old in option.renamed_from)


RENAMED = list(list_renamed())
IDS = [f"{verb.name} {old}" for verb, _, old in RENAMED]


def parse(verb: Verb, option: click.Option, spelling: str) -> object:
    """Return the value that a command takes from an option in a spelling."""
    value = "1" if option.name in ("context_lines", "max_results") else "x"
    value = option.type.choices[-1] if isinstance(option.type, click.Choice) else value
    words = [spelling] if option.is_flag else [spelling, value]
    with verb.command.make_context(verb.name, [*words, *("a" for each in verb.arguments if each.required)]) as context:
        return context.params[option.name or ""]


@pytest.mark.parametrize(("verb", "option", "old"), RENAMED, ids=IDS)
def test_a_former_spelling_is_the_new_one_with_a_warning(verb, option, old: str, capsys) -> None:
    new = option.opts[-1]
    value = parse(verb, option, new)
    assert capsys.readouterr().err == ""
    assert value not in (None, False, ())
    assert parse(verb, option, old) == value
    assert capsys.readouterr().err == f"ctxkit: warning: {old} is now {new}\n"


@pytest.mark.parametrize(("verb", "option", "old"), RENAMED, ids=IDS)
def test_a_former_spelling_has_no_other_meaning_in_its_command_and_is_shown_nowhere(verb, option, old: str) -> None:
    assert [other.opts for other in verb.options if old in (*other.opts, *other.secondary_opts)] == []
    shown = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    assert not shown.search(verb.command.get_help(verb.context))
    assert not shown.search((ROOT / "tools/pages/text" / f"{verb.page}.md").read_text())


def test_both_spellings_of_a_repeated_option_add_up(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f'[{{"name": "tool_{name}", "inputSchema": {{"type": "object"}}}}]')
    done = run("tools", "select", "--mcp", "a", "--mcp-tools", "b", cwd=tmp_path)
    assert {b"tool_a" in done.out, b"tool_b" in done.out} == {True}
    assert "--mcp is now --mcp-tools" in done.err


def test_a_new_spelling_wins_and_quiet_silences_the_warning(run: Run) -> None:
    ref = run("cache", "put", stdin="1\n2\n3\n4\n").out.decode().strip()
    done = run("cache", "get", ref, "--grep", "3", "--context=2", "--context-lines", "0", "-q")
    assert (done.out, done.err) == (b"3\n", "")


def test_the_table_of_the_documentation_has_each_former_spelling() -> None:
    rows = set(re.findall(r"^\| `ctxkit ([\w ]+)` \| `(-+[\w-]+)` \| `(-+[\w-]+)` \|", TABLE.read_text(), re.MULTILINE))
    assert rows == {(verb.name.removeprefix("ctxkit "), old, option.opts[-1]) for verb, option, old in RENAMED}
