from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.edge import say
from ctxkit.edge.general_options import (
    UNNAMED,
    make_help_option,
    make_verbosity_options,
    make_version_option,
    read_build_name,
)
from tools.pages.tree import tree


@pytest.mark.parametrize(("args", "verbosity"), [(["-q"], -1), (["-v", "-v"], 1), (["-q", "-v"], 0), ([], 0)])
def test_options_change_the_verbosity(monkeypatch: pytest.MonkeyPatch, args, verbosity: int) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    command = click.Command("c", params=list(make_verbosity_options()), callback=lambda: None)
    assert CliRunner().invoke(command, args).exit_code == 0
    assert say._verbosity == verbosity


def test_version_and_help_end_the_command() -> None:
    params = [make_version_option(), make_help_option(["--help"])]
    command = click.Command("c", params=params, add_help_option=False, callback=lambda: click.echo("ran"))
    assert CliRunner().invoke(command, ["-V"]).output.startswith("ctxkit ")
    assert CliRunner().invoke(command, ["--help"]).output.startswith("Usage: c ")
    assert CliRunner().invoke(command, []).output == "ran\n"


@pytest.mark.parametrize("verb", list(tree().walk()), ids=lambda verb: verb.name)
def test_each_command_accepts_the_general_options(verb) -> None:
    names = [name for option in verb.options for name in option.opts]
    for name in ("-q", "--quiet", "-v", "--verbose", "-V", "--version", "-h", "--help"):
        assert names.count(name) == 1, name


def test_a_build_is_named_and_a_source_tree_is_not(tmp_path: Path) -> None:
    file = tmp_path / "BUILD"
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("")
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("commit 3f9a2c81, 2026-11-23\nmore\n")
    assert read_build_name(str(file)) == "commit 3f9a2c81, 2026-11-23"
